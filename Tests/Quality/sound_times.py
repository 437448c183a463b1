"""When audio was captured, as its receivers read it, over every transport: clicks half a second apart, captured 100 ms before they were
sent."""
from __future__ import annotations

from functools import lru_cache, partial
from math import nan
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import cells
from clicks import BUFFER, RATE, Listener, Speaker
from ends import BAD_PATHS, LOSSES, PATHS, Ends, loopback, packet, side_by_side, why_no_link
from metadata import known_plugin
from table import Row

from call import plugin_dir
from mediasdk import Codec, EventType, IncomingAudio, IncomingAudioAdded, IncomingState, Instance, MediaTimeout, Output

AGE = 100_000_000


def _listen(ends: Ends, seconds: float, speak: Callable[[], None]) -> Listener:
    """What is heard, until it is so long."""
    incoming: Optional[IncomingAudio] = None
    listener, begun = Listener(), ends.now()
    while listener.seconds < seconds:
        if ends.now() - begun > 15 * seconds * 1e9:
            raise TimeoutError(f"{listener.seconds:g} of {seconds:g} seconds of audio came")
        speak()
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
    return listener


def _heard(ends: Ends, codec: Codec, seconds: float, packets: Optional[list[bytes]] = None, *filters: Instance) -> list[float]:
    """By how much clicks are stamped late, in the order in which they are heard, for so long."""
    with ends.sending.create_outgoing_audio(codec=codec, encoded_input=packets is not None) as stream:
        for filter in filters:
            stream.add_filter(filter)
        ends.alice.start_audio(stream)
        speaker = Speaker(ends, stream, AGE, packets)
        return _listen(ends, seconds, speaker.speak).errors(speaker.origin)


def _filtered(ends: Ends, codec: Codec, seconds: float, isolated: bool) -> list[float]:
    ends.sending.add_plugin_dir(plugin_dir())
    with ends.sending.create_instance("org.mediasdk.filter.gain", isolated=isolated) as filter:
        return _heard(ends, codec, seconds, None, filter)


def _produced(ends: Ends, codec: Codec, seconds: float, plugin: Path, isolated: bool) -> list[float]:
    """Of a producer, in this process or another one."""
    ends.sending.load_plugin(plugin)
    with ends.sending.create_instance("org.mediasdk.quality.clicks", isolated=isolated) as producer, \
            ends.sending.create_outgoing_audio(codec=codec) as stream:
        stream.attach_producer(producer)
        ends.alice.start_audio(stream)
        found = _listen(ends, seconds, lambda: None).errors(0)
        stream.detach_producer()
        return found


@lru_cache(maxsize=None)
def packets(seconds: float) -> list[bytes]:
    """The clicks as packets of Opus, to be repeated: whole periods."""
    with loopback(virtual=True) as ends:
        stream = ends.sending.create_outgoing_audio(codec=Codec.OPUS)
        ends.alice.start_audio(stream)
        incoming = ends.event(ends.bob, EventType.INCOMING_AUDIO_ADDED).incoming_audio
        incoming.start(output=Output.ENCODED)
        speaker, made = Speaker(ends, stream, 0), []
        while len(made) * BUFFER < seconds * RATE:
            speaker.speak()
            ends.wait(20_000_000)
            while (found := packet(incoming)) is not None:
                made.append(found)
        return made


def _rows(path: str, column: str, ends: Callable[[], Any], measure: Callable[[Ends], list[float]]) -> list[Row]:
    with ends() as call:
        late = measure(call)
        rows = [Row(f"{path}, {column}: capture time, at any time", max(map(abs, late), default=nan), "ms", at_most=call.within(20)),
                Row(f"{path}, {column}: capture time, settled", max(map(abs, late[3:]), default=nan), "ms", at_most=call.within(5))]
    cells.put(path, column, {"capture time": cells.OK if all(row.good for row in rows) else cells.WRONG})
    return rows


def rows(quick: bool) -> Iterator[Row]:
    # Clicks are half a second apart; the ends know each other's clocks after a second.
    seconds = 2.5 if quick else 4.5
    clicks = packets(seconds)
    sources: dict[str, Callable[[Ends], list[float]]] = {
        "raw audio": lambda ends: _heard(ends, Codec.RAW, seconds), "Opus": lambda ends: _heard(ends, Codec.OPUS, seconds),
        "pushed Opus": lambda ends: _heard(ends, Codec.OPUS, seconds, clicks)}
    jobs = []
    if why_no_link():
        cells.skip(iter(cells.LINKS))
    for paths in (PATHS, {} if why_no_link() else BAD_PATHS):
        for path, ends in paths.items():
            if quick and paths is BAD_PATHS and path != f"served room, {LOSSES[-1]} % lost":
                continue
            jobs += [partial(_rows, path, column, ends, source) for column, source in sources.items() if column not in cells.PATHS[path]]
    with known_plugin() as plugin:
        for isolated in (False, True):
            where = ", isolated" if isolated else ""
            for column, codec in (("raw audio", Codec.RAW), ("Opus", Codec.OPUS)):
                if quick and (column == "raw audio" or not isolated):
                    continue
                jobs.append(partial(_rows, f"filter{where}", column, loopback, partial(
                    lambda ends, codec, isolated: _filtered(ends, codec, seconds, isolated), codec=codec, isolated=isolated)))
                jobs.append(partial(_rows, f"producer{where}", column, loopback, partial(
                    lambda ends, codec, isolated: _produced(ends, codec, seconds, plugin, isolated), codec=codec, isolated=isolated)))
        yield from side_by_side(jobs)
