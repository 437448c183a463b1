"""The modules of the binding that are generated from the headers, and what the generator makes of small ones."""
from __future__ import annotations

import difflib
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import generator
from generator import constants, functions, structs
from generator.families import CLOSED, FLAGS, OPEN, Family
from generator.headers import HeaderError, Headers, read

HEADER = """
#include <stdint.h>
#define MSDK_EXPORT __attribute__((visibility("default")))
#define MSDK_WAIT_FOREVER UINT32_MAX
typedef int32_t msdk_result;
typedef uint32_t msdk_type;
typedef struct msdk_thing msdk_thing;
typedef struct msdk_module { void (*init)(void); } msdk_module;
enum { MSDK_PART_MAX = 3, MSDK_SHAPE_ROUND = 1 << 3, /**< as a ball */ MSDK_SHAPE_FLAT /**< as a board */ };
enum { MSDK_SHAPE_FLAG_HOLLOW = 1 }; /* a prefix within a prefix */
enum { MSDK_TURN_90 = 0x5000, MSDK_TURN_CLASS = 1, MSDK_LEFT = -2 };
/** One of many.
 * \\sa msdk_thing */
typedef struct msdk_part {
  uint32_t struct_size;
  msdk_type type; // a typedef of a typedef
  union { double f; const char *text; } u;
  const char *const *names;
  char label[256]; /**< for people */
} msdk_part;
typedef void (*msdk_done_fn)(void *user, const msdk_part *part);
typedef struct msdk_picture { uint8_t *data; } msdk_picture;
typedef struct msdk_order { const msdk_part *parts; uint64_t at[4]; msdk_done_fn done; msdk_thing *thing; } msdk_order;
typedef struct msdk_unused { float half; } msdk_unused;
/** \\return whether it was made */
MSDK_EXPORT msdk_result msdk_thing_create(const msdk_order *order, msdk_thing **out);
MSDK_EXPORT void msdk_thing_destroy(msdk_thing *thing);
MSDK_EXPORT msdk_result msdk_thing_picture(msdk_thing *thing, uint32_t *count, msdk_picture **out);
MSDK_EXPORT msdk_result msdk_thing_show(msdk_thing *, const msdk_picture *, const msdk_module *, msdk_done_fn, void *user);
void msdk_not_exported(void);
"""
FAMILIES = (Family("Shape", "MSDK_SHAPE_", OPEN, "Its form."), Family("ShapeFlag", "MSDK_SHAPE_FLAG_", FLAGS),
            Family("Turn", "MSDK_TURN_", CLOSED))


def small(text: str) -> Headers:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "mediasdk", "mediasdk.h")
        file.parent.mkdir()
        file.write_text(text)
        return read(Path(directory))


class GeneratedTest(unittest.TestCase):
    def test_modules_are_those_of_the_headers(self) -> None:
        for path, text in generator.generated().items():
            lines = [path.read_text().splitlines(), text.splitlines()]
            difference = list(difflib.unified_diff(*lines, path.name, "what the headers say", lineterm="", n=1))
            with self.subTest(path.name):
                if difference:
                    self.fail("\n".join(["run `make python-bindings`:", *difference]))

    def test_no_line_is_longer_than_the_margin(self) -> None:
        for path, text in generator.generated().items():
            self.assertLessEqual(max(map(len, text.splitlines())), 140, path.name)


class GeneratorTest(unittest.TestCase):
    def setUp(self) -> None:
        tables = {"FAMILIES": FAMILIES, "ELSEWHERE": {"MSDK_LEFT": ("Turn", "LEFT")}, "NUMBERS": ("MSDK_WAIT_FOREVER",), "NOT_BOUND": ()}
        for name, table in tables.items():
            patch = mock.patch.object(constants, name, table)
            patch.start()
            self.addCleanup(patch.stop)

    def test_constants(self) -> None:
        text = constants.module(small(HEADER))
        self.assertIn("PART_MAX = 3\nWAIT_FOREVER = 0xFFFFFFFF\n", text)
        self.assertIn('class Shape(OpenEnum):\n    """Its form."""\n\n    ROUND = 8\n    FLAT = 9\n', text)
        self.assertIn("class ShapeFlag(IntFlag):\n    HOLLOW = 1\n", text)
        self.assertIn("class Turn(IntEnum):\n    TURN_90 = 0x5000\n    CLASS = 1\n    LEFT = -2\n", text)

    def test_structs(self) -> None:
        headers = small(HEADER)
        text = structs.module(headers, structs.made_by_sdk(headers))
        self.assertIn('class PartUnion(Union):\n    _fields_ = [("f", c_double), ("text", c_char_p)]\n', text)
        self.assertIn('class Part(SizedStruct):\n    _fields_ = [("struct_size", c_uint32), ("type", c_uint32), ("u", PartUnion), '
                      '("names", POINTER(c_char_p)), ("label", c_char * 256)]\n', text)
        self.assertIn('class Order(Structure):\n    _fields_ = [("parts", POINTER(Part)), ("at", c_uint64 * 4), ("done", c_void_p), '
                      '("thing", c_void_p)]\n', text)
        self.assertIn('class Picture(Structure):\n    _fields_ = [("data", c_void_p)]\n', text)
        self.assertNotIn("Unused", text)  # no function takes it
        self.assertNotIn("Module", text)  # only plugins look into it

    def test_functions(self) -> None:
        headers = small(HEADER)
        text = functions.module(headers, structs.made_by_sdk(headers))
        self.assertIn('    # mediasdk.h\n    "msdk_thing_create": (c_int32, POINTER(s.Order), POINTER(c_void_p)),\n', text)
        self.assertIn('    "msdk_thing_destroy": (None, c_void_p),\n', text)
        self.assertIn('    "msdk_thing_picture": (c_int32, c_void_p, POINTER(c_uint32), POINTER(c_void_p)),\n', text)
        self.assertIn('    "msdk_thing_show": (c_int32, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),\n', text)
        self.assertNotIn("msdk_not_exported", text)

    def test_what_it_was_not_told_of_is_named(self) -> None:
        later = HEADER.replace("MSDK_SHAPE_FLAG_HOLLOW", "MSDK_HOLLOW").replace("MSDK_LEFT", "MSDK_TURN_LEFT")
        with self.assertRaises(HeaderError) as caught:
            constants.module(small(later))
        for words in ("MSDK_HOLLOW of mediasdk.h is of no family", "has ShapeFlag, for which the", "has MSDK_LEFT, for which the"):
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(HeaderError, "all members of ShapeFlag begin with FLAG_"), mock.patch.object(
                constants, "FAMILIES", (*FAMILIES[:1], FAMILIES[1]._replace(prefix="MSDK_FORM_"), FAMILIES[2])):
            constants.module(small(HEADER.replace("MSDK_SHAPE_FLAG_", "MSDK_FORM_FLAG_")))
        with self.assertRaisesRegex(HeaderError, r"the type float\[4\] is not bound"):
            headers = small(HEADER.replace("uint64_t at[4]", "float at[4]"))
            structs.module(headers, structs.made_by_sdk(headers))
        with self.assertRaisesRegex(HeaderError, "clang refuses the headers"):
            small("#include <stdint.h>\n")


if __name__ == "__main__":
    unittest.main()
