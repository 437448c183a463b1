"""What the generator makes of the headers, against the C compiler: the size of every struct, the place of every member, every constant."""
from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from generator.headers import read
from mediasdk import _structs

INCLUDE = Path(__file__).resolve().parents[3] / "Include"


def c_name(kind: type) -> str:
    """VideoFrame -> msdk_video_frame"""
    return "msdk" + re.sub(r"([A-Z])", lambda match: "_" + match.group(1).lower(), kind.__name__)


def structs() -> list[type]:
    return [kind for kind in vars(_structs).values()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind not in (_structs.SizedStruct, ctypes.Structure)]


def compile_and_run(source: str) -> dict[str, int]:
    """The numbers that a C program prints, one "name number" on a line."""
    with tempfile.TemporaryDirectory() as directory:
        file, program = Path(directory, "layout.c"), Path(directory, "layout")
        file.write_text(source)
        subprocess.run([shutil.which("cc") or "cc", "-std=c11", "-Wall", "-Werror", f"-I{INCLUDE}", str(file), "-o", str(program)],
                       check=True, timeout=120)
        output = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=30).stdout
    return {name: int(number) for name, number in (line.split() for line in output.splitlines())}


@unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
class LayoutTest(unittest.TestCase):
    def test_structs_are_the_compilers(self) -> None:
        lines, expected = [], {}
        for kind in structs():
            name = c_name(kind)
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected[name] = ctypes.sizeof(kind)
            for member, _ in kind._fields_:
                field = getattr(kind, member)
                for measure, value in (("offsetof({0}, {1})", field.offset), ("sizeof((({0} *)0)->{1})", field.size)):
                    label = measure.format(name, member).replace(" ", "")
                    lines.append(f'printf("{label} %zu\\n", {measure.format(name, member)});')
                    expected[label] = value
        self.assertGreater(len(structs()), 25)
        self.assertEqual(compile_and_run(program(lines)), expected)

    def test_union_members_are_the_compilers(self) -> None:
        members = [member for member, _ in _structs.ValueUnion._fields_]
        lines = [f'printf("{member} %zu\\n", sizeof(((msdk_value *)0)->u.{member}));' for member in members]
        self.assertEqual(compile_and_run(program(lines)), {member: getattr(_structs.ValueUnion, member).size for member in members})

    def test_constants_are_the_compilers(self) -> None:
        expected = {constant.name: constant.value for constant in read(INCLUDE).constants}
        lines = [f'printf("{name} %lld\\n", (long long){name});' for name in expected]
        self.assertGreater(len(expected), 150)
        self.assertEqual(compile_and_run(program(lines)), expected)


def program(lines: list[str]) -> str:
    includes = "#include <mediasdk/mediasdk.h>\n#include <stddef.h>\n#include <stdio.h>\n"
    return includes + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"


if __name__ == "__main__":
    unittest.main()
