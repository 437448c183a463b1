"""The binding's structs, constants and functions against the C compiler and the headers."""
from __future__ import annotations

import ctypes
import enum
import re
import shutil
import subprocess
import tempfile
import unittest
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path

import headers
from mediasdk import _native, _structs, constants

# The C prefix of each enumeration.
PREFIXES = {
    "Status": "MSDK_E_", "ValueType": "MSDK_T_", "PixelFormat": "MSDK_PIXEL_", "Memory": "MSDK_MEMORY_", "Matrix": "MSDK_MATRIX_",
    "Content": "MSDK_CONTENT_", "FrameFlag": "MSDK_FRAME_", "Orientation": "MSDK_", "Codec": "MSDK_CODEC_",
    "EncodedFlag": "MSDK_ENCODED_", "Clock": "MSDK_CLOCK_", "LogLevel": "MSDK_LOG_", "QueuePolicy": "MSDK_POLICY_",
    "SessionState": "MSDK_SESSION_", "SdpType": "MSDK_SDP_", "EventType": "MSDK_EVENT_", "EventFlag": "MSDK_EVENT_", "PluginEvent": "MSDK_PLUGIN_EVENT_",
    "VideoKind": "MSDK_VIDEO_", "Limits": "MSDK_LIMITS_", "OutgoingState": "MSDK_OUTGOING_", "Preset": "MSDK_PRESET_",
    "Outcome": "MSDK_OUTCOME_", "DropReason": "MSDK_DROP_", "IncomingState": "MSDK_INCOMING_", "Delivery": "MSDK_DELIVERY_",
    "Output": "MSDK_OUTPUT_", "NetworkFlag": "MSDK_NETWORK_", "InstanceState": "MSDK_INSTANCE_", "Isolation": "MSDK_ISOLATION_",
    "IsolatedFlag": "MSDK_ISOLATED_", "Containment": "MSDK_CONTAINED_", "Kind": "MSDK_KIND_",
    "ClassFlag": "MSDK_CLASS_", "CommandFlag": "MSDK_COMMAND_", "ParamFlag": "MSDK_PARAM_", "SampleFormat": "MSDK_SAMPLE_", "AudioKind": "MSDK_AUDIO_",
    "OpusApplication": "MSDK_OPUS_", "Scale": "MSDK_SCALE_", "IngestState": "MSDK_INGEST_", "FeedReason": "MSDK_FEED_", "ScreenShareState": "MSDK_SCREEN_SHARE_",
    "IngestState": "MSDK_INGEST_", "FeedReason": "MSDK_FEED_", "Permission": "MSDK_MAY_", "Duplicate": "MSDK_DUPLICATE_", "Moderation": "MSDK_MODERATION_",
    "Quality": "MSDK_QUALITY_", "CaptureFlag": "MSDK_CAPTURE_", "Direction": "MSDK_DIRECTION_",
    "IngestState": "MSDK_INGEST_", "FeedReason": "MSDK_FEED_",
}
RENAMED = {("Status", "OK"): "MSDK_OK", ("Matrix", "UNSPECIFIED"): "MSDK_COLOR_UNSPECIFIED"}
NUMBERS = {"MSDK_WAIT_FOREVER": constants.WAIT_FOREVER, "MSDK_TEXT_MAX": constants.TEXT_MAX, "MSDK_NAME_MAX": constants.NAME_MAX,
           "MSDK_PLANES_MAX": constants.PLANES_MAX, "MSDK_ARGS_MAX": constants.ARGS_MAX, "MSDK_DIMENSION_MAX": constants.DIMENSION_MAX,
           "MSDK_INGEST_ANY_PORT": constants.INGEST_ANY_PORT, "MSDK_INGEST_TOKEN_MIN": constants.INGEST_TOKEN_MIN,
           "MSDK_INGEST_TOKEN_MAX": constants.INGEST_TOKEN_MAX, "MSDK_CHANNELS_MAX": constants.CHANNELS_MAX, "MSDK_SDP_MAX": constants.SDP_MAX, "MSDK_ACCESS_TOKEN_MAX": constants.ACCESS_TOKEN_MAX,
           "MSDK_INGEST_ANY_PORT": constants.INGEST_ANY_PORT, "MSDK_INGEST_TOKEN_MIN": constants.INGEST_TOKEN_MIN,
           "MSDK_INGEST_TOKEN_MAX": constants.INGEST_TOKEN_MAX}
# What only plugin authors or C's preprocessor need.
NOT_BOUND = re.compile(r"MSDK_(ABI|VERSION|PRODUCER|ENCODE)_")
FRAMES = (_structs.VideoFrame, _structs.AudioFrame, _structs.EncodedFrame)


def c_name(kind: type) -> str:
    """VideoFrame -> msdk_video_frame"""
    return "msdk" + re.sub(r"([A-Z])", lambda match: "_" + match.group(1).lower(), kind.__name__)


def structs() -> list[type]:
    return [kind for kind in vars(_structs).values()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind not in (_structs.SizedStruct, ctypes.Structure)]


def constant_names() -> dict[str, int]:
    """Each C constant that the binding has, and the binding's value."""
    found = dict(NUMBERS)
    for name, kind in vars(constants).items():
        if isinstance(kind, type) and issubclass(kind, enum.Enum) and kind not in (enum.IntEnum, enum.IntFlag, constants.OpenEnum):
            for member, value in kind.__members__.items():
                found[RENAMED.get((name, member), PREFIXES[name] + member)] = int(value)
    return found


def compile_and_run(source: str) -> dict[str, int]:
    """The numbers that a C program prints, one "name number" on a line."""
    with tempfile.TemporaryDirectory() as directory:
        file, program = Path(directory, "layout.c"), Path(directory, "layout")
        file.write_text(source)
        subprocess.run([shutil.which("cc") or "cc", "-std=c11", "-Wall", "-Werror", f"-I{headers.INCLUDE}", str(file), "-o", str(program)],
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
        expected = constant_names()
        lines = [f'printf("{name} %lld\\n", (long long){name});' for name in expected]
        self.assertGreater(len(expected), 150)
        self.assertEqual(compile_and_run(program(lines)), expected)


class CompletenessTest(unittest.TestCase):
    def test_every_constant_is_bound(self) -> None:
        missing = [name for name in headers.enumerators() if name not in constant_names() and not NOT_BOUND.match(name)]
        self.assertEqual(missing, [])

    def test_every_member_is_bound_in_order(self) -> None:
        declared = headers.struct_members()
        for kind in structs():
            with self.subTest(c_name(kind)):
                self.assertEqual([member for member, _ in kind._fields_], declared[c_name(kind)])

    def test_every_function_is_bound_as_declared(self) -> None:
        declared = headers.functions()
        self.assertGreater(len(declared), 100)
        self.assertEqual(set(_native.DECLARATIONS), set(declared))
        for name, (result, parameters) in declared.items():
            with self.subTest(name):
                bound = _native.DECLARATIONS[name]
                self.assertIn(bound[0], acceptable(result))
                self.assertEqual(len(bound) - 1, len(parameters))
                for kind, parameter in zip(bound[1:], parameters):
                    self.assertIn(kind, acceptable(parameter), parameter)


def program(lines: list[str]) -> str:
    includes = "#include <mediasdk/mediasdk.h>\n#include <stddef.h>\n#include <stdio.h>\n"
    return includes + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"


def acceptable(declared: str) -> list[object]:
    """The ctypes types that may stand for a C type."""
    numbers = {"int32_t": c_int32, "msdk_result": c_int32, "uint32_t": c_uint32, "int64_t": c_int64, "uint64_t": c_uint64,
               "double": c_double}
    kind = declared[len("const"):] if declared.startswith("const") else declared
    if kind == "void":
        return [None]
    if kind in numbers:
        return [numbers[kind]]
    if kind.endswith("_fn"):
        return [c_void_p]
    if kind == "char*":
        return [c_char_p]
    if kind.endswith("**"):
        return [POINTER(c_void_p)]
    if kind[:-1] in numbers:
        return [POINTER(numbers[kind[:-1]])]
    for struct in structs():
        if kind == c_name(struct) + "*":
            # Frames that the SDK made cross as plain addresses.
            return [POINTER(struct)] + ([c_void_p] if struct in FRAMES else [])
    return [c_void_p] if kind.endswith("*") else []


if __name__ == "__main__":
    unittest.main()
