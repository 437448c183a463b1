"""GStreamer to the tool, and the tool to GStreamer: VP8 and Opus, plain and protected, with RTCP beside the media and among it."""
from __future__ import annotations

import signal
import time
import unittest
from typing import Optional

import material
from peers import COUNTER, GCM, InteropTest, Keys, Running, free_ports, need
from rtp.relay import Relay

CIPHERS = {COUNTER: ("aes-128-icm", "hmac-sha1-80"), GCM: ("aes-128-gcm", "null")}
VIDEO_CAPS = "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"
AUDIO_CAPS = "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=111"


def seal(keys: Optional[Keys]) -> list[str]:
    """What protects packets on their way out."""
    if keys is None:
        return []
    cipher, auth = CIPHERS[keys.suite]
    return ["!", "srtpenc", f"key={keys.theirs.hex()}", f"rtp-cipher={cipher}", f"rtp-auth={auth}", f"rtcp-cipher={cipher}", f"rtcp-auth={auth}"]


def open_caps(caps: str, keys: Optional[Keys], ssrc: int) -> list[str]:
    """A source's caps and what opens packets that come; it has to know the one who sends them."""
    if keys is None:
        return [f"caps={caps}", "!"]
    cipher, auth = CIPHERS[keys.suite]
    words = f"ssrc=(uint){ssrc},srtp-key=(buffer){keys.own.hex()},srtp-cipher={cipher},srtp-auth={auth},srtcp-cipher={cipher},srtcp-auth={auth}"
    # Among the media come reports, which leave by a pad of their own.
    return [f"caps={caps.replace('x-rtp', 'x-srtp')},{words}", "!", "srtpdec", "name=opened", "opened.rtcp_src", "!", "fakesink", "sync=false", "async=false",
            "opened.rtp_src", "!"]


class GStreamer(InteropTest):
    @classmethod
    def setUpClass(cls) -> None:
        need("gst-launch-1.0", "ffmpeg")

    def setUp(self) -> None:
        super().setUp()
        self.film = material.make_film(self.directory / "film.y4m")
        self.tone = material.make_tone(self.directory / "tone.wav")

    # ------------------------------------------------------------------------------------------------------------------ to us

    def send_by_gstreamer(self, video: int, audio: Optional[int], keys: Optional[Keys], is_multiplexed: bool) -> Running:
        """With an rtpbin, so that there are reports and goodbyes."""
        words = ["gst-launch-1.0", "-q", "rtpbin", "name=bin"]
        media = [
            (0, video, ["filesrc", f"location={self.film}", "!", "y4mdec", "!", "videoconvert", "!", "vp8enc", "deadline=1", "cpu-used=8",
                        "target-bitrate=800000", "keyframe-max-dist=50", "!", "rtpvp8pay", "pt=96", "picture-id-mode=15-bit"]),
            (1, audio, ["filesrc", f"location={self.tone}", "!", "wavparse", "!", "audioconvert", "!", "opusenc", "!", "rtpopuspay", "pt=111"]),
        ]
        for number, port, source in media:
            if port is None:
                continue
            control = port if is_multiplexed else port + 1
            words += [*source, *(seal(keys) if keys else []), "!", "udpsink", "host=127.0.0.1", f"port={port}"] if keys else [
                *source, "!", f"bin.send_rtp_sink_{number}", f"bin.send_rtp_src_{number}", "!", "udpsink", "host=127.0.0.1", f"port={port}",
                f"bin.send_rtcp_src_{number}", "!", "udpsink", "host=127.0.0.1", f"port={control}", "sync=false", "async=false"]
        return self.start(*words)

    def check_to_us(self, suite: Optional[str] = None, is_multiplexed: bool = True, has_sound: bool = True) -> None:
        video, audio = free_ports(2)
        keys, options, query = self.keys(suite)
        url = f"rtp://:{video}?direction=recvonly&rtcp-mux={int(is_multiplexed)}" + (f"&audio={audio}" if has_sound else "&media=video") + query
        receiver = self.msdk("receive", url, *options, "--renderer", "file:came.y4m", *(["--sound-renderer", "wav:came.wav"] if has_sound else []))
        self.await_port(video, *([audio] if has_sound else []), by=receiver)
        sender = self.send_by_gstreamer(video, audio if has_sound else None, keys, is_multiplexed)
        # Protected packets go without reports here, and so without goodbye.
        figures = self.finish_with(receiver, sender, says_goodbye=keys is None)
        self.check_figures(figures)
        if has_sound:
            self.check_tone("came.wav")
            self.assertEqual(figures["incoming-audio"]["packetsLost"], 0)

    def check_figures(self, figures: dict) -> None:
        video = figures["incoming-video"]
        self.assert_nearly_all(video["framesDelivered"], material.FRAMES, figures)
        self.assertEqual((video["framesLost"], video["framesCorrupt"], figures["session"]["packetsLost"]), (0, 0, 0), figures)
        self.check_film("came.y4m", video["framesDelivered"])

    def check_film(self, name: str, count: int) -> None:
        came, went = material.read_luma(self.directory / name), material.read_luma(self.film)
        self.assertEqual(len(came), count)
        least, places = material.likeness(came, went)
        self.assertGreater(least, 26, places)
        self.assertEqual(places, sorted(set(places)), "in their order")

    def check_tone(self, name: str) -> None:
        frequency, length = material.tone(self.directory / name)
        self.assertAlmostEqual(frequency, material.TONE, delta=5)
        self.assertGreater(length, material.SECONDS - 0.7)

    def test_to_us(self) -> None:
        self.check_to_us()

    def test_to_us_with_rtcp_beside(self) -> None:
        self.check_to_us(is_multiplexed=False)

    def test_to_us_protected_by_aes_counter(self) -> None:
        self.check_to_us(COUNTER)

    def test_to_us_protected_by_aes_gcm(self) -> None:
        self.check_to_us(GCM)

    # ------------------------------------------------------------------------------------------------------------------- by us

    def receive_by_gstreamer(self, port: int, caps: str, name: str, keys: Optional[Keys], ssrc: int) -> Running:
        words = ["gst-launch-1.0", "-q", "udpsrc", f"port={port}", *open_caps(caps, keys, ssrc), "rtpjitterbuffer", "latency=200", "!"]
        words += (["rtpvp8depay", "!", "vp8dec", "!", "videoconvert", "!", "video/x-raw,format=I420", "!", "y4menc"] if caps is VIDEO_CAPS else [
            "rtpopusdepay", "!", "opusdec", "!", "audioconvert", "!", "audio/x-raw,format=S16LE", "!", "wavenc"])
        receiver = self.start(*words, "!", "filesink", f"location={name}")
        self.await_port(port, by=receiver)
        return receiver

    def check_by_us(self, suite: Optional[str] = None, is_multiplexed: bool = True) -> None:
        """Through a relay, which tells who sends before GStreamer has to know it."""
        video, audio = free_ports(2)
        keys, options, query = self.keys(suite)
        with Relay() as pictures, Relay() as sound:
            url = f"rtp://127.0.0.1:{pictures.port}?audio={sound.port}&direction=sendonly&rtcp-mux={int(is_multiplexed)}{query}"
            sender = self.msdk("send", url, *options, "--producer", f"file:{self.film}", "--bitrate", "1500000", "--sound", f"wav:{self.tone}")
            receivers = []
            for relay, port, caps, name in [(pictures, video, VIDEO_CAPS, "came.y4m"), (sound, audio, AUDIO_CAPS, "came.wav")]:
                receivers.append(self.receive_by_gstreamer(port, caps, name, keys, relay.await_source()))
                relay.forward(port)
            figures = self.finish(sender)
            time.sleep(1)
        for receiver in receivers:
            self.assertEqual(receiver.end(kind=signal.SIGINT), 0, receiver.said)
        came = len(material.read_luma(self.directory / "came.y4m"))
        self.assert_nearly_all(came, figures["outgoing-video"]["framesSent"])
        self.check_film("came.y4m", came)
        self.check_tone("came.wav")

    def test_by_us(self) -> None:
        self.check_by_us()

    def test_by_us_with_rtcp_beside(self) -> None:
        self.check_by_us(is_multiplexed=False)

    def test_by_us_protected_by_aes_counter(self) -> None:
        self.check_by_us(COUNTER)

    def test_by_us_protected_by_aes_gcm(self) -> None:
        self.check_by_us(GCM)

    def test_our_description(self) -> None:
        """sdpdemux finds its way by what --sdp-out wrote."""
        (video,) = free_ports()
        words = ["send", f"rtp://127.0.0.1:{video}?media=video&direction=sendonly&rtcp-mux=0", "--producer", f"file:{self.film}", "--bitrate", "1500000"]
        self.finish(self.msdk(*words, "--frames", "1", "--sdp-out", "ours.sdp"))
        receiver = self.start("gst-launch-1.0", "-q", "filesrc", "location=ours.sdp", "!", "sdpdemux", "name=demux", "latency=200", "!",
                              "rtpvp8depay", "!", "vp8dec", "!", "videoconvert", "!", "video/x-raw,format=I420", "!", "y4menc", "!", "filesink",
                              "location=came.y4m")
        self.await_port(video, by=receiver)
        figures = self.finish(self.msdk(*words))
        time.sleep(1)
        self.assertEqual(receiver.end(kind=signal.SIGINT), 0, receiver.said)
        came = len(material.read_luma(self.directory / "came.y4m"))
        self.assert_nearly_all(came, figures["outgoing-video"]["framesSent"])
        self.check_film("came.y4m", came)


if __name__ == "__main__":
    unittest.main()
