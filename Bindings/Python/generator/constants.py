"""constants.py: the headers' constants as enumerations and numbers."""
from __future__ import annotations

import keyword
import textwrap
from typing import NamedTuple

from .families import CLOSED, ELSEWHERE, FAMILIES, FLAGS, NOT_BOUND, NUMBER_ENDINGS, NUMBERS, OPEN, Family
from .headers import Constant, HeaderError, Headers
from .text import HEAD, WIDTH

_DOC = '''"""The constants of the headers as enumerations.

A member's value is the C constant of the same name: ``PixelFormat.NV12`` is ``MSDK_PIXEL_NV12``.  Sizes of texts and tokens are in
bytes.  WAIT_FOREVER is for the C functions: in Python a timeout of None has no limit.
"""
from __future__ import annotations

'''


class Sorted(NamedTuple):
    numbers: dict[str, int]
    members: dict[str, dict[str, int]]  # by the family's name


def module(headers: Headers) -> str:
    found = sort(headers.constants)
    numbers = "".join(f"{name} = {value if value < 1 << 31 else f'0x{value:X}'}\n" for name, value in found.numbers.items())
    families = {family.name: family for family in FAMILIES}
    classes = "".join(f"\n\n{_class(families[name], members)}" for name, members in found.members.items())
    enums = ", ".join(name for name in (CLOSED, FLAGS) if f"({name}):" in classes)
    return HEAD + _DOC + f"from enum import {enums}\n\nfrom ._enums import {OPEN}\n\n{numbers}{classes}"


def sort(constants: list[Constant]) -> Sorted:
    """The constants as Python's, in their order; every line of the tables must have served."""
    found = Sorted({}, {})
    unused = {family.name for family in FAMILIES} | set(ELSEWHERE) | set(NUMBERS) | set(NOT_BOUND)
    unknown = []
    for constant in constants:
        name = constant.name
        if name in NUMBERS or name.endswith(NUMBER_ENDINGS):
            found.numbers[name[len("MSDK_"):]] = constant.value
            unused.discard(name)
            continue
        place = _place(name)
        if place is not None:
            found.members.setdefault(place[0], {})[place[1]] = constant.value
            unused -= {name, place[0]}
            continue
        ignored = [prefix for prefix in NOT_BOUND if name.startswith(prefix)]
        unused -= set(ignored)
        if not ignored:
            unknown.append(f"{name} of {constant.header} is of no family; it wants a line in generator/families.py")
    unknown += [f"generator/families.py has {name}, for which the headers have no constant" for name in sorted(unused)]
    unknown += [f"all members of {name} begin with {word}_; its prefix in generator/families.py can be longer"
                for name, members in found.members.items() for word in _common(members)]
    if unknown:
        raise HeaderError("\n".join(unknown))
    return found


def _common(members: dict[str, int]) -> set[str]:
    """The word that all members begin with, if there is one: of a single member that can only be FLAG."""
    words = {member.partition("_")[0] if "_" in member else "" for member in members}
    return words - {""} if len(words) == 1 and (len(members) > 1 or words == {"FLAG"}) else set()


def _place(name: str) -> tuple[str, str] | None:
    """The family and the member that a constant is."""
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    fitting = [family for family in FAMILIES if name.startswith(family.prefix)]
    if not fitting:
        return None
    family = max(fitting, key=lambda family: len(family.prefix))
    member = name[len(family.prefix):]
    if not member.isidentifier():  # MSDK_ROTATE_90
        member = f"{family.prefix.rstrip('_').rsplit('_', 1)[1]}_{member}"
    return family.name, f"{member}_" if keyword.iskeyword(member) else member


def _class(family: Family, members: dict[str, int]) -> str:
    doc = ""
    if family.doc:
        doc = "\n".join(textwrap.wrap(f'"""{family.doc}"""', WIDTH, initial_indent="    ", subsequent_indent="    ")) + "\n\n"
    lines = "".join(f"    {name} = {value if value < 256 else f'0x{value:X}'}\n" for name, value in members.items())
    return f"class {family.name}({family.base}):\n{doc}{lines}"
