"""Speech from a synthesiser, sent by a bot as Opus, comes out of the mix that a third participant hears with the waveform that went in."""
from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
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


@unittest.skipUnless(shutil.which("espeak-ng"), "needs espeak-ng")
class SpeechTest(unittest.TestCase):
    def hear(self, clock: Clock) -> tuple[float, float]:
        """The bot is alice; bob is there too, and says nothing; carol hears the mix."""
        said = speech()
        with AudioCall(codec=Codec.OPUS, clock=clock, sample_rate=RATE, channels=1, start=None) as call:
            carol = call.join("carol")
            quiet = call.engine.create_outgoing_audio(codec=Codec.OPUS, dtx=True)
            call.bob.start_audio(quiet)
            call.incoming = carol.mixed_audio
            call.incoming.start(sample_rate=RATE, channels=1, queue_ms=60_000)
            call.until(lambda: call.stream.stats().receivers == 1 and quiet.stats().receivers == 1)
            start = time.monotonic()
            quiet.write(bytes(quiet.buffer_size * 20))
            frames = call.play(said)
            seconds = len(said) / RATE
            if clock == Clock.SYSTEM:
                self.assertGreater(time.monotonic() - start, 0.9 * seconds)  # speech leaves in real time
        likeness, late_ms = correlation(floats(said), mono(frames), RATE, latest_ms=600)
        print(f"speech of {seconds:.2f} s, {clock.name.lower()} clock: correlation {likeness:.4f}, {late_ms:.1f} ms late")
        return likeness, late_ms

    def test_on_the_virtual_clock(self) -> None:
        likeness, _ = self.hear(Clock.VIRTUAL)
        self.assertGreater(likeness, 0.95)

    def test_on_the_system_clock(self) -> None:
        """A busy machine may make sound late, which leaves a gap: there are three tries."""
        for _ in range(3):
            likeness, _ = self.hear(Clock.SYSTEM)
            if likeness > 0.95:
                return
        self.fail(f"at last the correlation was {likeness:.4f}")


if __name__ == "__main__":
    unittest.main()
