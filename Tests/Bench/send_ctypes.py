"""The limits for Python: a ctypes call into a function that takes what msdk_frame_sender_send takes and does nothing, and a plain copy.

send_ctypes.py LIBRARY CALLS
"""

from __future__ import annotations

import ctypes
import sys
import time

PICTURE = 1920 * 1080 * 3 // 2
COPIES = 700


def main() -> None:
    send = ctypes.CDLL(sys.argv[1]).bare_send
    send.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
    send.restype = ctypes.c_int32
    count = int(sys.argv[2])
    begin = time.perf_counter()
    for _ in range(count):
        send(1, 2, 3, None, None)
    print("call_us", (time.perf_counter() - begin) / count * 1e6)

    # A copy of a frame, out of four pictures in turn into two: what send_mediasdk.py's receiver leaves of the pool.
    pictures = [bytearray(b"\x80" * PICTURE) for _ in range(4)]
    sources = [(ctypes.c_ubyte * PICTURE).from_buffer(picture) for picture in pictures]
    pool = [(ctypes.c_ubyte * PICTURE)() for _ in range(2)]
    for i in range(2):
        ctypes.memmove(pool[i], sources[i], PICTURE)
    begin = time.perf_counter()
    for i in range(COPIES):
        ctypes.memmove(pool[i % 2], sources[i % 4], PICTURE)
    print("copy_us", (time.perf_counter() - begin) / COPIES * 1e6)


main()
