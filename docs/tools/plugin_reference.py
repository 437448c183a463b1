"""Makes a page for each plugin that comes with MediaSDK: reference/plugins/NAME.rst, and their index, from `msdk inspect --json`."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path
from typing import Any

import rst
import tool_help
from c_reference import Reference
from headers import all_headers

PLUGINS = os.environ.get("MSDK_PLUGIN_DIR", str(tool_help.ROOT / ".build/out/plugins"))
KINDS = {
    "video_producer": "producer of video",
    "audio_producer": "producer of audio",
    "video_renderer": "renderer of video",
    "audio_renderer": "renderer of audio",
    "video_filter": "filter of video",
    "audio_filter": "filter of audio",
    "video_encoder": "encoder of video",
    "video_decoder": "decoder of video",
    "audio_encoder": "encoder of audio",
    "audio_decoder": "decoder of audio",
}


REFERENCE = Reference(all_headers())


def said(text: str | None) -> str:
    return rst.inline(text or "", REFERENCE.link)


def value(what: Any) -> str:
    if isinstance(what, bool):
        return "true" if what else "false"
    if isinstance(what, float) and what.is_integer() and abs(what) < 1e15:
        return f"{what:.0f}"
    return json.dumps(what, ensure_ascii=False) if isinstance(what, str) else str(what)


def bounds(described: dict[str, Any]) -> str:
    low, high, choices = (described.get(key) for key in ("minimum", "maximum", "choices"))
    if choices:
        return ", ".join(f"``{value(choice)}``" for choice in choices)
    if low is None and high is None:
        return ""
    return (
        f"{value(low)} to {value(high)}"
        if None not in (low, high)
        else f"at least {value(low)}"
        if high is None
        else f"at most {value(high)}"
    )


def parameter(described: dict[str, Any]) -> str:
    facts = [described["type"]]
    if described.get("default") is not None:
        facts.append(f"default ``{value(described['default'])}``" if described["default"] != "" else "default empty")
    if accepted := bounds(described):
        facts.append(accepted)
    facts += [flag.replace("_", " ") for flag in described["flags"]]
    return f"``{described['name']}``: {'; '.join(facts)}\n   {said(described['summary'])}\n"


def signature(described: dict[str, Any]) -> str:
    arguments = ", ".join(
        f"{one['name']}: {one['type']}" + (f" = {value(one['default'])}" if one.get("default") is not None else "")
        for one in described.get("arguments", [])
    )
    result = described.get("result") or "void"
    return f"``{described['name']}({arguments})``" + ("" if result == "void" else f" returns {result}")


def command(described: dict[str, Any]) -> str:
    lines = [said(described.get("summary"))]
    for one in described.get("arguments", []):
        facts = "; ".join(fact for fact in (said(one.get("summary")), bounds(one)) if fact)
        lines.append(f"- ``{one['name']}``: {facts}")
    if described.get("flags"):
        lines.append("Flags: " + ", ".join(flag.replace("_", " ") for flag in described["flags"]) + ".")
    return f"{signature(described)}\n{textwrap.indent((chr(10) * 2).join(lines), '   ')}\n"


def class_section(described: dict[str, Any]) -> str:
    kinds = ", ".join(KINDS.get(kind, kind.replace("_", " ")) for kind in described["kinds"])
    parts = [rst.title(described["id"], "-"), f"A {kinds}: {said(described['summary'])}.\n"]
    if described["flags"]:
        parts.append("Flags: " + ", ".join(flag.replace("_", " ") for flag in described["flags"]) + ".\n")
    for heading, make, key in (("Parameters", parameter, "parameters"), ("Commands", command, "commands")):
        if described[key]:
            parts += [rst.title(heading, "~"), *map(make, described[key])]
    return "\n".join(parts)


def name_of(module: dict[str, Any]) -> str:
    return Path(module["path"]).stem if module["path"] else "library"


def page(module: dict[str, Any]) -> str:
    name = name_of(module)
    where = f"``{Path(module['path']).name}``" if module["path"] else "In the library itself"
    return "\n".join(
        [
            rst.title("The library's codecs" if name == "library" else name),
            f"{where}, version {module['version']}, {module['license'] or 'no licence given'}.\n",
            *map(class_section, module["classes"]),
        ]
    )


def index(modules: list[dict[str, Any]]) -> str:
    parts = [
        rst.title("Plugins"),
        "The plugins that come with MediaSDK, as ``msdk inspect`` describes them. A class is named by its id, in the "
        "tool also by the last part of it. Plugins of your own: :doc:`/start/plugin`.\n",
        ".. list-table::\n   :header-rows: 1\n   :widths: 20 35 45\n   :class: plain\n",
        "   * - plugin\n     - classes\n     - what they do",
    ]
    for module in modules:
        classes = module["classes"]
        parts.append(
            f"   * - :doc:`{name_of(module)}`\n     - "
            + "\n\n       ".join(f"``{one['id'].removeprefix('org.mediasdk.')}``" for one in classes)
            + "\n     - "
            + "\n\n       ".join(said(one["summary"]) for one in classes)
        )
    parts += ["", ".. toctree::\n   :hidden:\n", *(f"   {name_of(module)}" for module in modules)]
    return "\n".join(parts) + "\n"


def write(to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    known = json.loads(tool_help.run("inspect", "--json", "--plugins", PLUGINS))
    if known["refused"]:
        raise SystemExit(f"docs: plugins are refused: {known['refused']}")
    modules = [
        module for module in known["modules"] if not module["path"] or Path(module["path"]).parent.resolve() == Path(PLUGINS).resolve()
    ]
    for module in modules:
        (to / f"{name_of(module)}.rst").write_text(page(module))
    (to / "index.rst").write_text(index(modules))
