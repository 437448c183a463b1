#!/usr/bin/env python3
"""Writes a list of components in SPDX 2.3.

    components.py own FILE                  of what is compiled into the library and the tool
    components.py wheel UNPACKED FFMPEG     and of what is bundled in a wheel, beside its metadata, with a licence text for each
                                            FFMPEG: the folder of packaging/wheel/ffmpeg.sh
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple, Optional


class Component(NamedTuple):
    name: str
    version: str
    licence: Optional[str]  # an SPDX expression, if it is known
    source: Optional[str]  # a package url
    text: Optional[Path]


def own(file: Path) -> None:
    version = re.search(r"^version=(.*)$", (Path(__file__).parent / "versions").read_text(), re.M)[1]  # type: ignore[index]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document(version, inside()), indent=1) + "\n")


def wheel(unpacked: Path, ffmpeg: Path) -> None:
    info = next(unpacked.glob("*.dist-info"))
    licences = info / "licenses"
    components = inside()
    for library in sorted((unpacked / "mediasdk.libs").iterdir()):
        name = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", library.name)
        component = of_ffmpeg(ffmpeg) if name.startswith("libav") else of_debian(name)
        if component not in components:
            components.append(component)
    for component in components:
        if component.text is not None:
            licences.mkdir(exist_ok=True)
            shutil.copy(component.text, licences / f"{component.name}.txt")
    version = re.search(r"-([^-]+)\.dist-info$", info.name)[1]  # type: ignore[index]
    boms = info / "sboms"
    boms.mkdir(exist_ok=True)
    (boms / "mediasdk.spdx.json").write_text(json.dumps(document(version, components), indent=1) + "\n")
    print(f"components: {len(components)}: {', '.join(component.name for component in components)}")


def inside() -> list[Component]:
    """What is compiled into the library and the tool."""
    swift = subprocess.run(["swiftc", "--version"], capture_output=True, text=True, check=True).stdout
    parser = subprocess.run(["git", "-C", ".build/checkouts/swift-argument-parser", "describe", "--tags"], capture_output=True, text=True, check=True)
    apache = Path("LICENSE")
    return [
        Component("swift-runtime", re.search(r"Swift version (\S+)", swift)[1], "Apache-2.0 WITH Swift-exception", None, apache),  # type: ignore[index]
        Component("swift-argument-parser", parser.stdout.strip(), "Apache-2.0 WITH Swift-exception",
                  "pkg:github/apple/swift-argument-parser", apache),
    ]


def of_ffmpeg(folder: Path) -> Component:
    source = next((folder / "source").glob("ffmpeg_*.dsc")).name
    version = source[len("ffmpeg_"):-len(".dsc")]
    return Component("ffmpeg", version, "LGPL-2.1-or-later", f"pkg:deb/debian/ffmpeg@{version}?arch=source", folder / "COPYING.LGPLv2.1")


def of_debian(name: str) -> Component:
    """The package that a library of this machine is of. A library is known by its name to the loader or by that of its file."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    paths = [line.split(" => ")[1] for line in listing.splitlines() if line.strip().startswith(f"{name} ")]
    found = [str(path) for path in paths] or [f"*/{name}"]
    for path in [os.path.realpath(found[0]), found[0], f"*/{name}"]:
        query = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
        if query.returncode == 0:
            break
    else:
        raise SystemExit(f"components.py: no package of this machine has {name}")
    package = query.stdout.split(":")[0]
    fields = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True)
    copyright = Path("/usr/share/doc") / package / "copyright"
    return Component(package, fields.stdout, None, f"pkg:deb/debian/{package}@{fields.stdout}", copyright if copyright.exists() else None)


def document(version: str, components: list[Component]) -> dict[str, object]:
    made = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = package(Component("mediasdk", version, "Apache-2.0", "pkg:pypi/mediasdk", None))
    others = [package(component) for component in components]
    names = hashlib.sha256(json.dumps([own, *others], sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"mediasdk-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/mediasdk-{version}-{names}",
        "creationInfo": {"created": made, "creators": ["Tool: mediasdk-packaging"]},
        "packages": [own, *others],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}] + [
            {"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": other["SPDXID"]} for other in others],
    }


def package(component: Component) -> dict[str, object]:
    made: dict[str, object] = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", component.name), "name": component.name, "versionInfo": component.version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "copyrightText": "NOASSERTION",
        "licenseConcluded": "NOASSERTION", "licenseDeclared": component.licence or "NOASSERTION",
    }
    if component.source is not None:
        made["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": component.source}]
    return made


if __name__ == "__main__":
    os.environ.setdefault("SOURCE_DATE_EPOCH", subprocess.run(["git", "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout.strip())
    {"own": own, "wheel": wheel}[sys.argv[1]](*map(Path, sys.argv[2:]))
