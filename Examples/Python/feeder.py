"""A feeder: sends a moving test pattern into the session of another process, which has opened an ingest for it: see Examples/C/ingest.c.

    PYTHONPATH=Bindings/Python/mediasdk python3 Examples/Python/feeder.py KEY [--seconds N]

KEY is the file that ingest made.  It holds the address of the listener and both tokens.  The program needs only the binding's file
feeder.py: neither libmediasdk nor the rest of the package is loaded.
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mediasdk.feeder import Feeder, FeederError
else:
    # The module, not this file, which has its name too.
    sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]
    from feeder import Feeder, FeederError

WIDTH, HEIGHT, FPS = 1280, 720, 15


def image(number: int) -> bytes:
    """NV12: a bright column that walks from left to right over grey."""
    left = number * 16 % (WIDTH - 64)
    row = b"\x50" * left + b"\xdc" * 64 + b"\x50" * (WIDTH - 64 - left)
    return row * HEIGHT + b"\x80" * (WIDTH * HEIGHT // 2)


def main() -> None:
    parser = argparse.ArgumentParser(description="feeds the screen share of another process with a test image")
    parser.add_argument("key", type=Path, help="the file that ingest made")
    parser.add_argument("--seconds", type=float, default=10, help="how long")
    arguments = parser.parse_args()
    try:
        where, show, expect = arguments.key.read_text().split()
        listener = {"socket_path": where} if "/" in where else {"port": int(where)}
        sent = dropped = 0
        with Feeder(**listener, transmission_token=bytes.fromhex(show), reception_token=bytes.fromhex(expect)) as feeder:
            begin = time.monotonic()
            for number in range(round(arguments.seconds * FPS)):
                if feeder.send("NV12", WIDTH, HEIGHT, image(number)):
                    sent += 1
                else:
                    dropped += 1
                time.sleep(max(0.0, begin + (number + 1) / FPS - time.monotonic()))
            feeder.flush()
    except (OSError, ValueError, FeederError) as error:
        raise SystemExit(f"feeder: {error}") from None
    print(f"sent {sent} frames, dropped {dropped}")


if __name__ == "__main__":
    main()
