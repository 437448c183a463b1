"""Builds the wheel of the binding, for pip: the package, and what `make` has built in this tree.

It writes nothing into the tree, and needs nothing but Python.  PEP 517: https://peps.python.org/pep-0517/
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import sysconfig
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
BUILT = ROOT / ".build" / "out"

Settings = Optional[Dict[str, Any]]

# Python has compiled this module into a file beside it.
try:
    os.remove(__cached__)
    os.rmdir(os.path.dirname(__cached__))
except OSError:
    pass


def get_requires_for_build_wheel(config_settings: Settings = None) -> List[str]:
    return []


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None) -> str:
    files = [(f"mediasdk/{path.name}", path) for path in sorted((HERE / "mediasdk").glob("*.py")) + [HERE / "mediasdk" / "py.typed"]]
    built = list(_built())
    return _write(Path(wheel_directory), files + built, {}, _platform() if built else "any")


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None) -> str:
    """`pip install --editable`: the modules stay where they are.  Then MEDIASDK_LIBRARY has to name the library."""
    return _write(Path(wheel_directory), [], {"mediasdk.pth": f"{HERE}\n"}, "any")


def _built() -> Iterator[Tuple[str, Path]]:
    """The library, its plugins where it looks for them, and the program in which plugins are isolated."""
    library = BUILT / "libmediasdk.so"
    if not library.is_file():
        return
    yield "mediasdk/lib/libmediasdk.so", library
    for name in ("msdk-plugin-host", "msdk", "libmediasdk-feeder.so"):
        if (BUILT / name).is_file():
            yield f"mediasdk/lib/{name}", BUILT / name
    for header in sorted((ROOT / "Include" / "mediasdk").glob("*.h")):
        yield f"mediasdk/include/mediasdk/{header.name}", header
    versions = ROOT / "packaging" / "versions"
    major = re.search(r"^abi=(\d+)$", versions.read_text(), re.M)
    if major is None:
        raise RuntimeError(f"{versions} has no line abi=NUMBER")
    for plugin in sorted((BUILT / "plugins").glob("*.so")):
        yield f"mediasdk/lib/mediasdk/plugins-{major[1]}/{plugin.name}", plugin


def _write(directory: Path, files: List[Tuple[str, Path]], texts: Dict[str, str], platform: str) -> str:
    project = _texts("project")
    tag, info = f"py3-none-{platform}", f"mediasdk-{project['version']}.dist-info"
    texts = {
        **texts,
        f"{info}/METADATA": _metadata(project),
        f"{info}/entry_points.txt": "[console_scripts]\n" + "".join(f"{key} = {value}\n" for key, value in _texts("project.scripts").items()),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_text(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: mediasdk\nRoot-Is-Purelib: {str(platform == 'any').lower()}\nTag: {tag}\n",
    }
    name = f"mediasdk-{project['version']}-{tag}.whl"
    record = []
    with ZipFile(directory / name, "w", ZIP_DEFLATED) as wheel:
        contents = [(place, path.read_bytes(), path.stat().st_mode) for place, path in files]
        for place, data, mode in contents + [(place, text.encode(), 0o644) for place, text in texts.items()]:
            entry = ZipInfo(place)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (0o755 if mode & 0o100 else 0o644)) << 16
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{place},sha256={digest},{len(data)}")
        wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
    return name


def _platform() -> str:
    return re.sub(r"\W", "_", sysconfig.get_platform())


def _table(name: str) -> str:
    """Of pyproject.toml; this Python may have no parser of TOML yet."""
    return (HERE / "pyproject.toml").read_text().split(f"[{name}]\n", 1)[1].split("\n[", 1)[0]


def _texts(name: str) -> Dict[str, str]:
    return dict(re.findall(r'^([\w-]+) = "(.*)"$', _table(name), re.M))


def _lists(name: str) -> Dict[str, List[str]]:
    return {key: re.findall(r'"([^"]*)"', texts) for key, texts in re.findall(r"^([\w-]+) = \[(.*?)\]", _table(name), re.M | re.S)}


def _metadata(project: Dict[str, str]) -> str:
    return (f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n"
            f"License-Expression: {project['license']}\nLicense-File: LICENSE\nRequires-Python: {project['requires-python']}\n"
            + "".join(f"Classifier: {text}\n" for text in _lists("project")["classifiers"])
            + "".join(f"Provides-Extra: {extra}\n" + "".join(f"Requires-Dist: {one}; extra == '{extra}'\n" for one in needed)
                      for extra, needed in _lists("project.optional-dependencies").items()) +
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text())
