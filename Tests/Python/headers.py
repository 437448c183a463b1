"""What the C headers declare, read from their text, for tests that compare the binding with them."""
from __future__ import annotations

import re
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "Include"


def text() -> str:
    """All headers, without comments; feeder.h is of another library, which Python does not use."""
    paths = [path for path in sorted((INCLUDE / "mediasdk").glob("*.h")) if path.name != "feeder.h"]
    joined = "\n".join(path.read_text() for path in paths)
    return re.sub(r"/\*.*?\*/", " ", joined, flags=re.S)


def enumerators() -> list[str]:
    """The names of all constants that enums define."""
    bodies = re.findall(r"\benum\s*\{([^}]*)\}", text())
    return [name for body in bodies for name in re.findall(r"\b(MSDK_\w+)\s*(?:=|,|$)", body)]


def struct_members() -> dict[str, list[str]]:
    """Each struct's members, in order; anonymous unions count as one member."""
    found = {}
    for match in re.finditer(r"typedef struct (\w+) \{(.*?)\n\} \1;", text(), flags=re.S):
        body = re.sub(r"union\s*\{.*?\}\s*(\w+);", r"int \1;", match.group(2), flags=re.S)
        members = []
        for declaration in body.split(";"):
            pointer = re.search(r"\(\*(\w+)\)\s*\(", declaration)
            if pointer:
                members.append(pointer.group(1))
            elif declaration.strip():
                members += [re.search(r"(\w+)\s*(?:\[\w+\])?\s*$", part).group(1) for part in declaration.split(",")]
        found[match.group(1)] = members
    return found


def functions() -> dict[str, tuple[str, list[str]]]:
    """Each exported function's result and parameter types, without the parameters' names."""
    found = {}
    for result, name, parameters in re.findall(r"MSDK_EXPORT\s+([\w\s]+?[\s*]+)(msdk_\w+)\(([^;{]*?)\);", text()):
        if name == "msdk_plugin_entry_v1":
            continue
        types = []
        for parameter in parameters.split(","):
            if parameter.strip() != "void":
                types.append(re.sub(r"\w+\s*$", "", parameter.strip()).replace(" ", ""))
        found[name] = (result.replace(" ", ""), types)
    return found
