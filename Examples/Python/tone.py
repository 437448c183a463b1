"""A tone: alice sings a sine to the call, and bob, who listens, prints what was heard.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/tone.py [--frequency HZ] [--seconds N] [--codec opus|raw]

A loopback room lives inside one process, so that the listener joins from here too.
"""
from __future__ import annotations

import argparse
import math
from array import array

from mediasdk import Codec, Engine, IncomingAudio, IncomingAudioAdded, Session

ROOM = "loopback:lobby"
RATE = 48_000
TIMEOUT = 5.0  # seconds for what takes milliseconds


def sine(frequency: float, first: int, count: int) -> array[int]:
    """`count` samples of the tone from the sample `first` on, at a quarter of full scale."""
    return array("h", (round(8192 * math.sin(2 * math.pi * frequency * (first + number) / RATE)) for number in range(count)))


def offered(session: Session) -> IncomingAudio:
    """The first audio that a participant offers."""
    for event in session.events(timeout=TIMEOUT):
        if isinstance(event, IncomingAudioAdded) and event.audio_format is not None:
            print(f"{event.user_id} sends {event.codec.name}, {event.audio_format.sample_rate} Hz")
            return event.incoming_audio
    raise SystemExit(f"no audio was offered for {TIMEOUT:g} seconds")


class Listener:
    """Bob: counts what is heard, how loud it is, and how often it rises through zero."""

    def __init__(self, stream: IncomingAudio) -> None:
        self._stream = stream
        self._stream.start(sample_rate=RATE, channels=1)
        self.samples = self.rises = 0
        self.loudest = 127  # 0 is the loudest there is, 127 silence
        self._last = 0.0

    def listen(self, timeout: float = 0) -> None:
        """Takes the buffers that wait."""
        for frame in self._stream.frames(timeout):
            with frame:
                self.samples += len(frame)
                self.loudest = min(self.loudest, frame.level)
                for sample in frame.samples:
                    self.rises += self._last < 0 <= sample
                    self._last = sample


def main() -> None:
    parser = argparse.ArgumentParser(description="sends a sine to a participant of a call")
    parser.add_argument("--frequency", type=float, default=440, help="Hz")
    parser.add_argument("--seconds", type=float, default=2, help="how long")
    parser.add_argument("--codec", choices=["opus", "raw"], default="opus")
    arguments = parser.parse_args()
    with Engine() as engine:
        alice, bob = engine.create_session(ROOM, "alice"), engine.create_session(ROOM, "bob")
        # 1. A stream of audio, on a session that is not connected yet: it starts as soon as that is.
        voice = engine.create_outgoing_audio(sample_rate=RATE, codec=Codec.OPUS if arguments.codec == "opus" else Codec.RAW)
        alice.start_audio(voice)
        alice.connect()
        bob.connect()
        listener = Listener(offered(bob))
        # 2. Samples of any number: write cuts them into buffers, and waits while half a second of audio is ahead.
        total = round(arguments.seconds * RATE)
        for first in range(0, total, RATE // 10):
            voice.write(sine(arguments.frequency, first, min(RATE // 10, total - first)))
            listener.listen()
        # 3. The rest of the last buffer is silence; then the audio is heard to its end.
        voice.finish()
        voice.wait_played(TIMEOUT)
        listener.listen(timeout=0.2)
        voice.close()
    seconds = listener.samples / RATE
    pitch = listener.rises / seconds if seconds else 0
    print(f"bob heard {seconds:.2f} s of {pitch:.0f} Hz, at its loudest -{listener.loudest} dB")


if __name__ == "__main__":
    main()
