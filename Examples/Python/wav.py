"""Sends the first ten seconds of a WAV file, and records the mix that another participant hears as a WAV file.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/wav.py INPUT.wav OUTPUT.wav [--seconds N]

INPUT has 16 bits a sample, one or two channels, and a rate that streams accept, for example 48000 Hz.  A loopback room lives inside one
process, so the listener, bob, is here too.
"""
from __future__ import annotations

import argparse
import sys
import wave

from mediasdk import Engine, IncomingAudio, MediaSDKError, ReceiversChanged, SampleFormat

ROOM = "loopback:lobby"
TIMEOUT = 5.0


def record(mix: IncomingAudio, output: wave.Wave_write, timeout: float) -> float:
    """Writes what of the mix is queued, or comes within the time; gives how many seconds."""
    seconds = 0.0
    for buffer in mix.frames(timeout=timeout):
        with buffer:
            output.writeframes(buffer.tobytes())
            seconds += buffer.sample_count / buffer.sample_rate
            if timeout:
                break
    return seconds


def call(engine: Engine, source: wave.Wave_read, output: wave.Wave_write, most: float) -> tuple[float, float]:
    alice, bob = engine.create_session(ROOM, "alice"), engine.create_session(ROOM, "bob")
    alice.connect(TIMEOUT)
    bob.connect(TIMEOUT)
    # Bob hears all others, mixed: a buffer every 20 ms, silent while nobody sends. Nothing is dropped while this thread writes.
    bob.mixed_audio.start(sample_rate=source.getframerate(), sample_format=SampleFormat.S16, queue_ms=5000)
    stream = engine.create_outgoing_audio(sample_rate=source.getframerate(), channels=source.getnchannels())
    alice.start_audio(stream)
    # What is sent before somebody receives it is dropped.
    next(event for event in alice.events(timeout=TIMEOUT) if isinstance(event, ReceiversChanged) and event.count)

    # A tenth of a second at a time. The stream sends in real time: write waits while its queue is full.
    sent = recorded = 0.0
    while sent < most and (piece := source.readframes(source.getframerate() // 10)):
        stream.write(piece, TIMEOUT)
        sent += len(piece) / (2 * source.getnchannels() * source.getframerate())
        recorded += record(bob.mixed_audio, output, 0)
    stream.finish(TIMEOUT)
    stream.wait_played(TIMEOUT)
    # Then the last of it has left. Half a second later it has also passed the mix.
    end = engine.now() + 500_000_000
    while engine.now() < end:
        recorded += record(bob.mixed_audio, output, 0.1)
    return sent, recorded


def main() -> int:
    parser = argparse.ArgumentParser(description="sends a WAV file and records the mix")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--seconds", type=float, default=10)
    arguments = parser.parse_args()
    with Engine() as engine, wave.open(arguments.input, "rb") as source, wave.open(arguments.output, "wb") as output:
        if source.getsampwidth() != 2:
            sys.exit(f"wav.py: {arguments.input} has {8 * source.getsampwidth()} bits a sample; accepted: 16")
        output.setparams((2, 2, source.getframerate(), 0, "NONE", ""))
        sent, recorded = call(engine, source, output, arguments.seconds)
        print(f"sent {sent:.1f} s at {source.getframerate()} Hz, recorded {recorded:.1f} s")
    return 0 if sent else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MediaSDKError, OSError, wave.Error) as error:
        sys.exit(f"wav.py: {error}")
