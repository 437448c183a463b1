"""A bot that answers: hears one participant to the end of what they say, and plays a WAV file.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/answer.py ANSWER.wav [--question QUESTION.wav]

A loopback room lives inside one process, so that the caller joins from here too: they ask a question, a second of a tone if there is
no file, and listens to the room.  Everything happens in one asyncio loop; no thread is made.
"""
from __future__ import annotations

import argparse
import asyncio
import math
import sys
import wave
from array import array
from dataclasses import dataclass
from pathlib import Path

from mediasdk import Codec, Engine, IncomingAudio, IncomingAudioAdded, MediaSDKError, MediaTimeout, OutgoingAudio

ROOM = "loopback:lobby"
SPEECH = 50  # a buffer of this level (-dBov: smaller is louder) or louder is speech
PAUSE = 0.6  # seconds without speech that end an utterance
TIMEOUT = 10.0


@dataclass
class Clip:
    """Audio of 16 bits."""

    samples: bytes
    rate: int
    channels: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / (2 * self.channels * self.rate)


def read_clip(path: Path) -> Clip:
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise SystemExit(f"{path} has samples of {8 * file.getsampwidth()} bits; 16 are accepted")
        return Clip(file.readframes(file.getnframes()), file.getframerate(), file.getnchannels())


def hello() -> Clip:
    """What the caller says without a file: a second of 300 Hz."""
    rate = 48_000
    return Clip(array("h", (round(8000 * math.sin(2 * math.pi * 300 * number / rate)) for number in range(rate))).tobytes(), rate, 1)


def voice_for(engine: Engine, clip: Clip) -> OutgoingAudio:
    return engine.create_outgoing_audio(sample_rate=clip.rate, channels=clip.channels, codec=Codec.OPUS)


async def say(voice: OutgoingAudio, clip: Clip) -> None:
    """Speaks, and waits until all of it was heard."""
    await voice.write_async(clip.samples)
    await voice.finish_async()
    await voice.wait_played_async()


async def utterance(stream: IncomingAudio) -> float:
    """Hears speech to its end: until PAUSE seconds without it have passed.  Gives how many seconds were spoken.  A participant who is
    silent may send silence, or nothing at all: both are a pause."""
    spoken = pause = 0.0
    while not spoken or pause < PAUSE:
        try:
            with await stream.read_async(timeout=PAUSE) as frame:
                seconds = frame.duration_ns / 1e9
                if frame.level <= SPEECH:
                    spoken += pause + seconds if spoken else seconds
                    pause = 0
                else:
                    pause += seconds
        except MediaTimeout:
            pause += PAUSE
    return spoken


async def bot(engine: Engine, answer: Clip) -> None:
    session = engine.create_session(ROOM, "bot")
    voice = voice_for(engine, answer)
    session.start_audio(voice)  # starts as soon as the session is connected
    await session.connected(TIMEOUT)
    async for event in session:
        if isinstance(event, IncomingAudioAdded):
            # The form that a speech recogniser likes, whatever the caller sends.
            event.incoming_audio.start(sample_rate=16_000, channels=1, buffer_ms=20)
            spoken = await utterance(event.incoming_audio)
            print(f"the bot heard {event.user_id} speak for {spoken:.1f} s, and answers for {answer.seconds:.1f} s", flush=True)
            await say(voice, answer)
            return


async def caller(engine: Engine, question: Clip) -> None:
    session = engine.create_session(ROOM, "caller")
    room = session.mixed_audio
    room.start(buffer_ms=20)
    voice = voice_for(engine, question)
    session.start_audio(voice)
    await session.connected(TIMEOUT)
    async for event in session:
        if isinstance(event, IncomingAudioAdded):  # the bot is there
            break
    await say(voice, question)
    asked = engine.now()
    while True:
        with await room.read_async(TIMEOUT) as frame:
            if frame.level <= SPEECH:
                break
            if engine.now() - asked > TIMEOUT * 1e9:
                raise SystemExit("there was no answer")
    delay = (engine.now() - asked) / 1e9
    spoken = await utterance(room)
    print(f"the caller heard the answer {delay:.2f} s after the question, for {spoken:.1f} s")


async def meet(answer: Clip, question: Clip) -> None:
    with Engine() as engine:
        await asyncio.gather(bot(engine, answer), caller(engine, question))


def main() -> int:
    parser = argparse.ArgumentParser(description="hears one participant, and answers with a WAV file")
    parser.add_argument("answer", type=Path, help="WAV of 16 bits, 16000 to 48000 Hz, 1 or 2 channels")
    parser.add_argument("--question", type=Path, help="what the caller says, likewise")
    arguments = parser.parse_args()
    try:
        asyncio.run(meet(read_clip(arguments.answer), read_clip(arguments.question) if arguments.question else hello()))
    except (MediaSDKError, OSError, wave.Error, EOFError) as error:
        print(f"answer.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
