"""When sound was captured, as its receivers are told, over every transport: clicks half a second apart, captured 100 ms before they were
sent."""
from __future__ import annotations

from math import nan
from typing import Iterator, Optional

from clicks import BUFFER, RATE, Listener, Speaker
from ends import PATHS, Ends, codec_name, loopback, packet
from table import Row

from mediasdk import Codec, EventType, IncomingAudio, IncomingAudioAdded, IncomingState, MediaTimeout, Output

AGE = 100_000_000


def _heard(ends: Ends, codec: Codec, seconds: float, packets: Optional[list[bytes]] = None) -> list[float]:
    """By how much clicks are stamped late, in the order in which they are heard, for so long."""
    stream = ends.sending.create_outgoing_audio(codec=codec, encoded_input=packets is not None)
    ends.alice.start_audio(stream)
    incoming: Optional[IncomingAudio] = None
    speaker, listener = Speaker(ends, stream, AGE, packets), Listener()
    while listener.seconds < seconds:
        if speaker.number * BUFFER > 15 * seconds * RATE:
            raise TimeoutError(f"{listener.seconds:g} of {seconds:g} seconds of sound came")
        speaker.speak()
        ends.wait(10_000_000)
        try:
            event = None if incoming is not None else ends.bob.next_event(0)
            if isinstance(event, IncomingAudioAdded):
                incoming = event.incoming_audio
        except MediaTimeout:
            continue
        if incoming is not None:
            if incoming.state == IncomingState.AVAILABLE:
                incoming.start()
            listener.hear(incoming)
    stream.close()
    return listener.errors(speaker.origin)


def _packets(seconds: float) -> list[bytes]:
    """The clicks as packets of Opus, to be repeated: whole periods."""
    with loopback(virtual=True) as ends:
        stream = ends.sending.create_outgoing_audio(codec=Codec.OPUS)
        ends.alice.start_audio(stream)
        incoming = ends.event(ends.bob, EventType.INCOMING_AUDIO_ADDED).incoming_audio
        incoming.start(output=Output.ENCODED)
        speaker, packets = Speaker(ends, stream, 0), []
        while len(packets) * BUFFER < seconds * RATE:
            speaker.speak()
            ends.wait(20_000_000)
            while (found := packet(incoming)) is not None:
                packets.append(found)
        return packets


def _rows(ends: Ends, name: str, late: list[float]) -> Iterator[Row]:
    yield Row(f"{name}: capture time, at any time", max(map(abs, late), default=nan), "ms", at_most=ends.within(20))
    yield Row(f"{name}: capture time, settled", max(map(abs, late[3:]), default=nan), "ms", at_most=ends.within(5))


def rows(quick: bool) -> Iterator[Row]:
    # Clicks are half a second apart; the ends know each other's clocks after a second.
    seconds = 2.5 if quick else 4.5
    packets = _packets(seconds)
    for name, path in PATHS.items():
        for codec in (Codec.RAW, Codec.OPUS):
            with path() as ends:
                if codec == Codec.OPUS or ends.carries_raw:
                    yield from _rows(ends, f"{name}, {codec_name(codec)} sound", _heard(ends, codec, seconds))
        with path() as ends:
            yield from _rows(ends, f"{name}, pushed OPUS", _heard(ends, Codec.OPUS, seconds, packets))
