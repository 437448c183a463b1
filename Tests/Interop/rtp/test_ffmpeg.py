"""FFmpeg to the tool, and the tool to FFmpeg: VP8 and Opus, plain and protected, by url and by description."""
from __future__ import annotations

import time
import unittest
from typing import Optional

import material
from peers import COUNTER, InteropTest, Keys, Running, free_ports, need


class FFmpeg(InteropTest):
    @classmethod
    def setUpClass(cls) -> None:
        need("ffmpeg")

    def setUp(self) -> None:
        super().setUp()
        self.film = material.make_film(self.directory / "film.y4m")
        self.tone = material.make_tone(self.directory / "tone.wav")

    def check_film(self, count: int) -> None:
        came, went = material.read_luma(self.directory / "came.y4m"), material.read_luma(self.film)
        self.assertEqual(len(came), count)
        least, places = material.likeness(came, went)
        self.assertGreater(least, 26, places)
        self.assertEqual(places, sorted(set(places)), "in their order")

    def check_tone(self) -> None:
        frequency, length = material.tone(self.directory / "came.wav")
        self.assertAlmostEqual(frequency, material.TONE, delta=5)
        self.assertGreater(length, material.SECONDS - 0.7)

    # ------------------------------------------------------------------------------------------------------------------ to us

    def send_by_ffmpeg(self, video: int, audio: int, keys: Optional[Keys], description: Optional[str] = None) -> Running:
        """As a film is sent in its own time. The payload types of a description are its own."""
        scheme, seal, goodbye = "rtp", [], ["-rtpflags", "send_bye"]
        if keys is not None:
            scheme, seal = "srtp", ["-srtp_out_suite", keys.suite, "-srtp_out_params", Keys.text(keys.theirs)]
        words = ["ffmpeg", "-nostdin", "-v", "error", "-re", "-i", self.film, "-re", "-i", self.tone]
        words += ["-map", "0:v", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "800k", "-g", "50", "-f", "rtp", *goodbye, "-payload_type", "96",
                  *seal, f"{scheme}://127.0.0.1:{video}"]
        words += ["-map", "1:a", "-c:a", "libopus", "-b:a", "64k", "-f", "rtp", *goodbye, "-payload_type", "111", *seal, f"{scheme}://127.0.0.1:{audio}"]
        return self.start(*words, *(["-sdp_file", description] if description else []))

    def check_to_us(self, receiver: Running, sender: Running, says_goodbye: bool = True) -> None:
        figures = self.finish_with(receiver, sender, says_goodbye)
        video = figures["incoming-video"]
        self.assert_nearly_all(video["framesDelivered"], material.FRAMES, figures)
        self.assertEqual((video["framesLost"], video["framesCorrupt"], figures["session"]["packetsLost"]), (0, 0, 0), figures)
        self.check_film(video["framesDelivered"])
        self.assertGreater(figures["incoming-audio"]["packetsReceived"], material.SECONDS * 45, figures)
        self.check_tone()

    def receive(self, url: str, *options: str) -> Running:
        return self.msdk("receive", url, *options, "--renderer", "file:came.y4m", "--sound-renderer", "wav:came.wav")

    def check_to_us_by_url(self, suite: Optional[str] = None, is_multiplexed: bool = False) -> None:
        video, audio = free_ports(2)
        keys, options, query = self.keys(suite)
        receiver = self.receive(f"rtp://:{video}?audio={audio}&direction=recvonly&rtcp-mux={int(is_multiplexed)}{query}", *options)
        self.await_port(video, audio, by=receiver)
        # FFmpeg's goodbye goes to the next port, where nobody may listen.
        self.check_to_us(receiver, self.send_by_ffmpeg(video, audio, keys), says_goodbye=not is_multiplexed)

    def test_to_us(self) -> None:
        self.check_to_us_by_url()

    def test_to_us_without_its_reports(self) -> None:
        self.check_to_us_by_url(is_multiplexed=True)

    def test_to_us_protected(self) -> None:
        self.check_to_us_by_url(COUNTER)

    def check_to_us_as_announced(self, suite: Optional[str]) -> None:
        """What -sdp_file wrote is all that is told; FFmpeg is started a first time for it, as it sends at once."""
        video, audio = free_ports(2)
        keys, _, _ = self.keys(suite)
        first = self.send_by_ffmpeg(video, audio, keys, "theirs.sdp")
        self.await_file("theirs.sdp", 2, first)
        first.kill()
        receiver = self.receive("rtp:", "--sdp", "theirs.sdp", "--sdp-type", "announced")
        self.await_port(video, audio, by=receiver)
        self.check_to_us(receiver, self.send_by_ffmpeg(video, audio, keys))

    def await_file(self, name: str, media: int, by: Running) -> None:
        """Until it describes so many media."""
        path, deadline = self.directory / name, time.monotonic() + 30
        while not path.exists() or path.read_text().count("m=") < media or path.read_text().count("a=rtpmap") < media:
            self.assertLess(time.monotonic(), deadline, by.said)
            time.sleep(0.05)
        time.sleep(0.2)

    def test_to_us_as_announced(self) -> None:
        self.check_to_us_as_announced(None)

    def test_to_us_as_announced_with_keys(self) -> None:
        self.check_to_us_as_announced(COUNTER)

    # ------------------------------------------------------------------------------------------------------------------- by us

    def check_by_us(self, suite: Optional[str] = None, is_multiplexed: bool = False) -> None:
        """Our description is all that it is told."""
        video, audio = free_ports(2)
        _, options, query = self.keys(suite)
        url = f"rtp://127.0.0.1:{video}?audio={audio}&direction=sendonly&rtcp-mux={int(is_multiplexed)}{query}"
        words = ["send", url, *options, "--producer", f"file:{self.film}", "--bitrate", "1500000", "--sound", f"wav:{self.tone}"]
        # Once for the description; then it can be there before anything is sent.
        self.finish(self.msdk(*words, "--frames", "1", "--sdp-out", "ours.sdp"))
        self.assertEqual((self.directory / "ours.sdp").stat().st_mode & 0o777, 0o600)
        receiver = self.start(
            "ffmpeg", "-nostdin", "-v", "error", "-y", "-protocol_whitelist", "file,udp,rtp,srtp,crypto", "-i", "ours.sdp", "-map", "0:v", "-fps_mode", "passthrough",
            "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "came.y4m", "-map", "0:a", "-c:a", "pcm_s16le", "came.wav")
        self.await_port(video, audio, by=receiver)
        figures = self.finish(self.msdk(*words))
        # It ends with our goodbye, or else is told to.
        time.sleep(2)
        receiver.end()
        came = len(material.read_luma(self.directory / "came.y4m"))
        self.assert_nearly_all(came, figures["outgoing-video"]["framesSent"])
        self.check_film(came)
        self.check_tone()

    def test_by_us(self) -> None:
        self.check_by_us()

    def test_by_us_with_rtcp_among_the_media(self) -> None:
        self.check_by_us(is_multiplexed=True)

    def test_by_us_protected(self) -> None:
        self.check_by_us(COUNTER)


if __name__ == "__main__":
    unittest.main()
