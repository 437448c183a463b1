"""What a command costs a Python program, against a ctypes call into a function of two arguments that does nothing.

command_mediasdk.py LIBRARY PLUGINS CALLS
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Callable

from mediasdk import Engine


def per_call(count: int, call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count * 1e6


def main() -> None:
    bare = ctypes.CDLL(sys.argv[1]).bare_state
    bare.argtypes, bare.restype = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint32)], ctypes.c_int32
    count, number = int(sys.argv[3]), ctypes.c_uint32()
    with Engine(ignore_environment=True) as engine:
        engine.add_plugin_dir(sys.argv[2])
        pattern = engine.create_instance("org.mediasdk.producer.testpattern")
        pictures, tone = pattern.frame_count, engine.create_instance("org.mediasdk.producer.tone")
        print("bare_us", per_call(count, lambda: bare(1, number)))
        print("pictures_us", per_call(count, pictures))
        print("set_pattern_us", per_call(count, lambda: pattern.set_pattern("bars", speed=2.0)))
        print("play_note_us", per_call(count, lambda: tone.call("play_note", 69)))


main()
