"""What the C headers declare, as clang of the Swift toolchain reads them."""
from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Iterator, NamedTuple

# Numbers that are macros, since a C11 enum cannot have them.
MACROS = ("MSDK_WAIT_FOREVER",)
_MACRO = "macro_"


class HeaderError(Exception):
    """The headers have something that the generator cannot bind yet; the text says what to do."""


class Constant(NamedTuple):
    name: str
    value: int
    header: str


class Field(NamedTuple):
    name: str
    type: str  # as C writes it; of an anonymous union the name of its Record


class Record(NamedTuple):
    """A struct, or an anonymous union in one."""

    name: str
    fields: tuple[Field, ...]
    is_union: bool


class Function(NamedTuple):
    name: str
    result: str
    parameters: tuple[str, ...]
    header: str


class Headers(NamedTuple):
    constants: list[Constant]
    records: dict[str, Record]  # complete ones, in their order; a union before its struct
    functions: list[Function]
    typedefs: dict[str, str]


def read(include: Path) -> Headers:
    """All of mediasdk.h and what it includes."""
    macros = "".join(f"enum : unsigned long long {{ {_MACRO}{name} = {name} }};\n" for name in MACROS)
    return _declarations(_syntax_tree(f"#include <mediasdk/mediasdk.h>\n{macros}", include))


def _syntax_tree(source: str, include: Path) -> Any:
    command = [_clang(), "-std=c11", "-Wno-c23-extensions", f"-I{include}", "-x", "c", "-Xclang", "-ast-dump=json", "-fsyntax-only", "-"]
    result = subprocess.run(command, input=source, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise HeaderError(f"clang refuses the headers:\n{result.stderr}")
    return json.loads(result.stdout)


def _clang() -> str:
    """The one on the PATH, or beside swift."""
    found = shutil.which("clang")
    swift = shutil.which("swift")
    if found is None and swift is not None:
        found = shutil.which("clang", path=str(Path(swift).resolve().parent))
    if found is None:
        raise HeaderError("there is no clang on the PATH; the Swift toolchain has one")
    return found


def _declarations(tree: Any) -> Headers:
    headers = Headers([], {}, [], {})
    for node, header in _with_headers(tree["inner"]):
        name, kind = node.get("name", ""), node["kind"]
        if kind == "EnumDecl":
            headers.constants.extend(_constants(node, header))
        elif kind == "RecordDecl" and name.startswith("msdk_") and node.get("completeDefinition"):
            headers.records.update((record.name, record) for record in _records(node, name))
        elif kind == "FunctionDecl" and name.startswith("msdk_") and _is_exported(node):
            result, _, _ = node["type"]["qualType"].partition("(")
            parameters = tuple(part["type"]["qualType"] for part in node["inner"] if part["kind"] == "ParmVarDecl")
            headers.functions.append(Function(name, result.strip(), parameters, header))
        elif kind == "TypedefDecl":
            headers.typedefs[name] = node["type"]["qualType"]
    return headers


def _with_headers(nodes: list[Any]) -> Iterator[tuple[Any, str]]:
    """Each declaration, and the name of the file it is in: clang says a file only where it is another than at the last place."""
    file = ""
    for node in nodes:
        place = node.get("loc", {})
        for said in _files(place):
            file = said
        yield node, Path(file).name
        for said in _files({key: value for key, value in node.items() if key != "loc"}):
            file = said


def _files(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for element in value:
            yield from _files(element)
    elif isinstance(value, dict):
        for key, element in value.items():
            if key == "file":
                yield element
            elif key != "includedFrom":
                yield from _files(element)


def _is_exported(node: Any) -> bool:
    return any(part["kind"] == "VisibilityAttr" for part in node.get("inner", [])) and node["name"] != "msdk_plugin_entry_v1"


def _constants(node: Any, header: str) -> Iterator[Constant]:
    following = 0
    for part in node.get("inner", []):
        if part["kind"] != "EnumConstantDecl":
            continue
        given = [inner for inner in part.get("inner", []) if inner["kind"] != "FullComment"]
        value = _evaluated(given) if given else following
        following = value + 1
        name = part["name"][len(_MACRO):] if part["name"].startswith(_MACRO) else part["name"]
        if name.startswith("MSDK_"):
            yield Constant(name, value, header)


def _evaluated(nodes: list[Any]) -> int:
    """The value of an enumerator, which clang has computed for the outermost constant expression under the casts."""
    node = nodes[0]
    return int(node["value"]) if node["kind"] == "ConstantExpr" else _evaluated(node["inner"])


def _records(node: Any, name: str) -> Iterator[Record]:
    """The struct, and before it the union that it may have."""
    fields: list[Field] = []
    union = f"{name}_union"
    for part in node["inner"]:
        if part["kind"] == "RecordDecl":
            if part["tagUsed"] != "union" or any(field.type == union for field in fields):
                raise HeaderError(f"struct {name} has more in it than one anonymous union")
            yield from _records(part, union)
        elif part["kind"] == "FieldDecl":
            type = part["type"]["qualType"]
            fields.append(Field(part["name"], union if re.search(r"\((unnamed|anonymous)", type) else type))
    yield Record(name, tuple(fields), node["tagUsed"] == "union")
