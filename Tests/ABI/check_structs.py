"""What the rules of types.h promise of structs and of states: sized structs are never embedded in others, so that one may grow without
moving the members of another; frozen ones state their size, which is the compiler's; no struct has padding that no member names, since what
has no name cannot be required to be 0; and the states of two kinds of object never have the same value."""
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "Include" / "mediasdk"
ALL = "#include <mediasdk/mediasdk.h>\n#include <mediasdk/feeder.h>\n"
STATES = ["MSDK_SESSION", "MSDK_OUTGOING", "MSDK_INCOMING", "MSDK_SCREEN_SHARE", "MSDK_INGEST", "MSDK_QUALITY", "MSDK_SPEAKER", "MSDK_INSTANCE"]


def compiled(source: str, *options: str) -> list[str]:
    """What gcc says of all headers and `source`, a line each."""
    command = ["gcc", "-std=c11", f"-I{INCLUDE.parent}", *options, "-fsyntax-only", "-x", "c", "-"]
    result = subprocess.run(command, input=ALL + source, capture_output=True, text=True, timeout=120)
    return [line for line in result.stderr.splitlines() if re.search(r": (?:warning|(?:fatal )?error): ", line)]


def layout(structs: dict[str, tuple[str, str]], stated: dict[str, str]) -> list[str]:
    """The faults of sizes and of padding."""
    source = "".join(f'_Static_assert(sizeof({name}) == {size}, "{name} does not have the {size} bytes that its comment states");\n'
                     for name, size in stated.items())
    wrong = [re.sub(r"^.*static assertion failed: ", "", line) for line in compiled(source)]
    wrong += [line.replace(f"{INCLUDE.parent}/", "") for line in compiled("", "-Wpadded")]
    silent = [name for name, (is_frozen, _) in structs.items() if is_frozen and name not in stated]
    return wrong + [f"{name} is frozen and does not state its size" for name in silent]


def main() -> int:
    headers = {path.name: path.read_text() for path in sorted(INCLUDE.glob("*.h"))}
    text = "\n".join(headers.values())
    structs = {name: (is_frozen, body) for name, is_frozen, body in
               re.findall(r"typedef struct (\w+) \{(?: /\* (frozen)[^\n]*)?(.*?)\n\} \1;", text, flags=re.S)}
    sized = {name for name, (is_frozen, body) in structs.items() if "uint32_t struct_size;" in body and not is_frozen}
    stated = dict(re.findall(r"typedef struct (\w+) \{ /\* frozen, (\d+) bytes", text))
    wrong = layout(structs, stated)
    for name, (is_frozen, body) in structs.items():
        if "uint32_t struct_size;" not in body and not is_frozen:
            wrong.append(f"{name} has neither struct_size nor the mark \"frozen\"")
        for member in re.findall(r"\b(msdk_\w+) \w+(?:\[\w+\])?[;,]", re.sub(r"/\*.*?\*/", "", body, flags=re.S)):
            if member in sized:
                wrong.append(f"{name} embeds {member}, which may grow")
    families = {prefix: {int(value, 16) for value in re.findall(rf"\b{prefix}_[A-Z_]+ = (0x[0-9A-Fa-f]+)", text)} for prefix in STATES}
    for prefix, values in families.items():
        if not values:
            wrong.append(f"no state begins with {prefix}")
        for other, others in families.items():
            if prefix < other and values & others:
                wrong.append(f"{prefix} and {other} share values")
        if len({value >> 8 for value in values} | {0}) != 2:
            wrong.append(f"{prefix} has values of several ranges, or below 0x100")
    for one in wrong:
        print(f"check_structs: {one}")
    print(f"check_structs: {len(structs)} structs, {len(sized)} of which may grow, {len(stated)} of a stated size; "
          f"{len(families)} families of states")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
