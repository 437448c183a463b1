"""Speech from a synthesiser, sent by a bot as Opus, comes out of the mix that a third participant hears with the waveform that went in."""
from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
import wave
from array import array
from pathlib import Path

from mediasdk import Clock, Codec
from sound import AudioCall, correlation, floats, mono

TEXT = "Good morning. The meeting begins in five minutes, and everybody is invited to say what they think."
RATE = 22_050


def speech() -> array[int]:
    """What espeak-ng says: 22,050 Hz, 16 bits, one channel."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "speech.wav")
        subprocess.run(["espeak-ng", "-w", str(path), TEXT], check=True, timeout=60)
        with wave.open(str(path), "rb") as file:
            assert (file.getframerate(), file.getsampwidth(), file.getnchannels()) == (RATE, 2, 1), file.getparams()
            return array("h", file.readframes(file.getnframes()))


def hear(clock: Clock) -> tuple[float, float]:
    """The bot is alice; bob is there too, and says nothing; carol hears the mix: how alike it is, and how many seconds were said."""
    said = speech()
    seconds = len(said) / RATE
    with AudioCall(codec=Codec.OPUS, clock=clock, sample_rate=RATE, channels=1, start=None) as call:
        carol = call.join("carol")
        quiet = call.engine.create_outgoing_audio(codec=Codec.OPUS, dtx=True)
        call.bob.start_audio(quiet)
        call.incoming = carol.mixed_audio
        call.incoming.start(sample_rate=RATE, channels=1, queue_ms=60_000)
        call.until(lambda: call.stream.stats().receivers == 1 and quiet.stats().receivers == 1)
        quiet.write(bytes(quiet.buffer_size * 20))
        frames = call.play(said)
    likeness, late_ms = correlation(floats(said), mono(frames), RATE, latest_ms=600)
    print(f"speech of {seconds:.2f} s, {clock.name.lower()} clock: correlation {likeness:.4f}, {late_ms:.1f} ms late")
    return likeness, seconds


@unittest.skipUnless(shutil.which("espeak-ng"), "needs espeak-ng")
class SpeechTest(unittest.TestCase):
    def test_on_the_virtual_clock(self) -> None:
        likeness, _ = hear(Clock.VIRTUAL)
        self.assertGreater(likeness, 0.95)


if __name__ == "__main__":
    unittest.main()
