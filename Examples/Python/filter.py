"""Filters: alice's clip is made black and white, and bob blurs what is received, more and more; one frame of each kind is measured.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/filter.py --plugins DIR --input clip.ivf

A loopback room lives inside one process, so that the receiver joins from here too.
"""
from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from mediasdk import Engine, IncomingVideo, IncomingVideoAdded, Limits, PixelFormat, Session

ROOM = "loopback:filters"
TIMEOUT = 5.0  # seconds for what takes milliseconds


def connected(engine: Engine, user_id: str) -> Session:
    session = engine.create_session(ROOM, user_id)
    session.connect(TIMEOUT)
    return session


def offered(session: Session) -> IncomingVideo:
    """The first video that a participant offers."""
    while True:
        event = session.next_event(TIMEOUT)
        if isinstance(event, IncomingVideoAdded):
            return event.incoming_video


def measure(stream: IncomingVideo, what: str) -> None:
    """How much colour there is, and how much detail: the mean distance of chroma from grey, and of a pixel from its neighbour."""
    for _ in range(4):  # frames that were in flight
        stream.read(TIMEOUT).close()
    with stream.read(TIMEOUT) as frame:
        size = frame.format.width * frame.format.height
        data = frame.tobytes()
    luma, chroma = data[:size:7], data[size::7]
    near = data[1:size + 1:7]
    colour = sum(abs(byte - 128) for byte in chroma) / len(chroma)
    detail = sum(abs(one - other) for one, other in zip(luma, near)) / len(luma)
    print(f"{what:<28} colour {colour:6.2f}, detail {detail:6.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugins", type=Path, required=True, help="directory of the plugins")
    parser.add_argument("--input", type=Path, required=True, help="what alice shows: y4m or ivf")
    arguments = parser.parse_args()

    with Engine() as engine:
        engine.add_plugin_dir(arguments.plugins)
        alice, bob = connected(engine, "alice"), connected(engine, "bob")
        # 1. A stream that a producer makes, raw, so that nothing but the filters changes it.
        producer = engine.create_instance("org.mediasdk.producer.file", path=arguments.input)
        outgoing = engine.create_outgoing_video(replace(producer.formats()[0], pixel_format=PixelFormat.NV12), limits=Limits.EXTENDED)
        outgoing.attach_producer(producer)
        alice.start_video(outgoing)
        incoming = offered(bob)
        incoming.start()
        measure(incoming, "as it is")
        # 2. What alice sends, everybody sees so.
        bw = engine.create_instance("org.mediasdk.filter.bw")
        outgoing.add_filter(bw)
        measure(incoming, "black and white")
        # 3. What bob receives, only bob sees so.  Parameters may change while frames pass.
        blur = engine.create_instance("org.mediasdk.filter.blur")
        incoming.add_filter(blur)
        measure(incoming, "and blurred")
        blur["radius"] = 32
        measure(incoming, "more")
        # 4. Taken out, they are not called any more when the function returns.
        outgoing.remove_filter(bw)
        incoming.remove_filter(blur)
        measure(incoming, "as it is, again")


if __name__ == "__main__":
    main()
