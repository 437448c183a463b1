"""msdk send and msdk receive, with each other: by url and by descriptions, plain and protected."""
from __future__ import annotations

import base64
import json
import secrets
import signal
import socket
import time
import unittest

from network import PATTERN, Peers, free_port
from pictures import read_ivf, read_y4m
from tool import CLIP, PATIENCE, packets, stream, transport


class Network(Peers):
    def await_file(self, name: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not (self.directory / name).exists() or not (self.directory / name).read_text().endswith("\n"):
            self.assertLess(time.monotonic(), deadline, f"there is no {name}")
            time.sleep(0.02)

    def keys(self, name: str, *keys: bytes) -> str:
        (self.directory / name).write_text("".join(base64.b64encode(key).decode() + "\n" for key in keys))
        return name

    def test_a_film_with_sound(self) -> None:
        """All that was sent came, and the goodbye ended it."""
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}", "--renderer", "file:came.y4m", "--renderer", "file:came.ivf", "--sound-renderer", "wav:came.wav", "--json")
        self.await_port(port)
        sent = self.succeed("send", f"rtp://127.0.0.1:{port}", *PATTERN, "--sound", "tone", "--frames", "40")
        self.assertIn("1 s: sent ", sent.output)
        self.assertEqual(sent.table["producer"], "org.mediasdk.producer.testpattern")
        self.assertEqual(sent.table["format"], "NV12 160x120 at 20 frames/s")
        received = self.result(receiver)
        self.assertEqual((received.code, received.errors), (0, ""))
        figures = json.loads(received.output)
        video, audio = stream(figures, "incoming-video"), stream(figures, "incoming-audio")
        self.assertEqual((video["frameWidth"], video["frameHeight"], video["codec"], audio["codec"]), (160, 120, "VP80", "OPUS"))
        self.assertIn("127.0.0.1:", video["userId"])
        self.assertEqual(video["framesDelivered"], sent.count("frames sent"))
        self.assertEqual((video["framesLost"], video["framesSkipped"], video["framesCorrupt"]), (0, 0, 0))
        self.assertEqual(video["bytesReceived"], sent.count("bytes sent"))
        self.assertGreater(audio["packetsReceived"], sent.count("audio packets sent") - 10)
        self.assertGreater(transport(figures)["packetsReceived"], 0)
        # The sender left first, and its packets are counted all the same.
        self.assertEqual(packets(figures, "inbound-rtp", "video")["framesReceived"], video["framesReceived"])
        self.assertGreaterEqual(packets(figures, "inbound-rtp", "audio")["packetsReceived"], audio["packetsReceived"])
        self.assertEqual(len(read_y4m(self.directory / "came.y4m").frames), video["framesDelivered"])
        self.assertEqual(len(read_ivf(self.directory / "came.ivf").frames), video["framesReceived"])

    def test_encoded_frames_pass_unchanged(self) -> None:
        """Of a producer of encoded frames a receiver gets what the file has."""
        port = free_port()
        clip = read_ivf(CLIP)
        (self.directory / "clip.ivf").write_bytes(clip.header + b"".join(clip.frames[:30]))
        receiver = self.begin("receive", f"rtp://:{port}", "--renderer", "file:came.ivf")
        self.await_port(port)
        sent = self.succeed("send", f"rtp://127.0.0.1:{port}", "--producer", "packets:clip.ivf")
        received = self.result(receiver)
        self.assertEqual((received.code, received.errors), (0, ""))
        self.assertEqual((sent.table["format"], sent.table["codec"]), ("1280x720 at 25 frames/s", "VP8, encoded by the producer"))
        self.assertEqual((sent.count("frames sent"), sent.count("frames offered")), (30, 30))
        self.assertNotIn("target bitrate", sent.table)
        self.assertEqual([frame[12:] for frame in read_ivf(self.directory / "came.ivf").frames], [frame[12:] for frame in clip.frames[:30]])
        words = ["--producer", "packets:clip.ivf", "--size", "64x64", "--fps", "5", "--codec", "av1"]
        self.assert_refused(["send", f"rtp://127.0.0.1:{port}", *words], 1, "org.mediasdk.producer.packets makes frames of codec vp8",
                            "accepted: without --codec av1, --size, --fps")

    def test_what_was_sent_as_json(self) -> None:
        """Streams, and their packets by W3C's names, in the same object as a receiver's."""
        sent = json.loads(self.succeed("send", f"rtp://127.0.0.1:{free_port()}", *PATTERN, "--frames", "20", "--json").output)
        self.assertEqual(sent["command"], "send")
        video = stream(sent, "outgoing-video")
        self.assertEqual((video["framesSent"], video["frameWidth"], video["pixelFormat"]), (20, 160, "NV12"))
        self.assertEqual([one["kind"] for one in sent["sessions"][0]["stats"] if one["type"] == "outbound-rtp"], ["video"])

    def test_what_came_until_ctrl_c(self) -> None:
        port = free_port()
        sender = self.begin("send", f"rtp://127.0.0.1:{port}", *PATTERN)
        receiver = self.begin("receive", f"rtp://:{port}", "--renderer", "file:cut.y4m")
        assert receiver.stdout is not None
        self.assertIn("1 s: received ", receiver.stdout.readline())
        receiver.send_signal(signal.SIGINT)
        received = self.result(receiver)
        self.assertEqual((received.code, received.errors), (0, ""))
        self.assertGreater(received.count("frames delivered"), 0)
        self.assertEqual(len(read_y4m(self.directory / "cut.y4m").frames), received.count("frames delivered"))
        sender.send_signal(signal.SIGINT)
        self.result(sender)

    def test_ctrl_c_before_anything_came(self) -> None:
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}")
        self.await_port(port)
        receiver.send_signal(signal.SIGINT)
        received = self.result(receiver)
        self.assertEqual(received.code, 1)
        self.assertRegex(received.errors, r"nothing was received .* within \d+\.\d s")

    def test_ctrl_c_while_a_server_is_silent(self) -> None:
        for words in [["send", *PATTERN], ["bench-link"]]:
            with self.subTest(words=words), socket.create_server(("127.0.0.1", 0)) as silent:
                scheme, path = ("whip+http", "/lobby") if words[0] == "send" else ("livekit+ws", "#room=lobby")
                tool = self.begin(words[0], f"{scheme}://127.0.0.1:{silent.getsockname()[1]}{path}", *words[1:], plugins=words[0] == "send")
                silent.settimeout(PATIENCE)
                connection, _ = silent.accept()
                self.addCleanup(connection.close)
                began = time.monotonic()
                tool.send_signal(signal.SIGINT)
                done = self.result(tool)
                self.assertEqual((done.code, done.output, done.errors), (1, "", "msdk: interrupted while waiting for the connection\n"))
                self.assertLess(time.monotonic() - began, 10, "it waits for a server for 30 s")

    def test_so_many_frames(self) -> None:
        port = free_port()
        sender = self.begin("send", f"rtp://127.0.0.1:{port}", *PATTERN)
        done = self.succeed("receive", f"rtp://:{port}", "--frames", "10", "--renderer", "file:ten.y4m")
        self.assertEqual(done.count("frames delivered"), 10)
        self.assertEqual(len(read_y4m(self.directory / "ten.y4m").frames), 10)
        sender.send_signal(signal.SIGINT)
        sent = self.result(sender)
        self.assertEqual((sent.code, sent.errors), (0, ""))
        self.assertGreaterEqual(sent.count("frames sent"), 10)

    def test_with_keys(self) -> None:
        for suite, size in [("AES_CM_128_HMAC_SHA1_80", 30), ("AEAD_AES_128_GCM", 28), ("AEAD_AES_256_GCM", 44)]:
            port, one, other = free_port(), secrets.token_bytes(size), secrets.token_bytes(size)
            receiver = self.begin("receive", f"rtp://:{port}?srtp={suite}", "--keys", self.keys("receiver", other, one))
            self.await_port(port)
            sent = self.succeed("send", f"rtp://127.0.0.1:{port}?srtp={suite}", "--keys", self.keys("sender", one, other), *PATTERN, "--frames", "20")
            received = self.result(receiver)
            self.assertEqual(received.code, 0, received.errors)
            self.assertEqual(received.count("frames delivered"), sent.count("frames sent"))

    def test_of_another_key_nothing_comes(self) -> None:
        port, key = free_port(), secrets.token_bytes(30)
        url = "rtp://127.0.0.1:{}?srtp=AES_CM_128_HMAC_SHA1_80".format(port)
        sender = self.begin("send", url, "--keys", self.keys("sender", key, key), *PATTERN)
        other = self.keys("receiver", key, secrets.token_bytes(30))
        done = self.msdk("receive", f"rtp://:{port}?srtp=AES_CM_128_HMAC_SHA1_80", "--keys", other, "--timeout", "5")
        self.assertEqual(done.code, 1)
        self.assertIn("nothing was received", done.errors)
        self.assertIn("not authentic", done.errors)
        sender.send_signal(signal.SIGINT)
        self.assertEqual(self.result(sender).code, 0)

    def test_offer_and_answer(self) -> None:
        sender = self.begin("send", "rtp:?direction=sendonly", *PATTERN, "--sound", "tone", "--frames", "30", "--sdp-out", "offer.sdp", "--sdp", "answer.sdp",
                            "--sdp-type", "answer")
        self.await_file("offer.sdp")
        self.assertEqual((self.directory / "offer.sdp").stat().st_mode & 0o777, 0o600)
        received = self.succeed("receive", "rtp:?direction=recvonly", "--sdp", "offer.sdp", "--sdp-type", "offer", "--sdp-out", "answer.sdp")
        sent = self.result(sender)
        self.assertEqual(sent.code, 0, sent.errors)
        self.assertEqual(received.count("frames delivered"), sent.count("frames sent"))
        self.assertGreater(received.count("audio packets received"), 20)

    def test_an_announcement(self) -> None:
        """Of a sender that is started a second time, as what it says of itself stays the same."""
        port = free_port()
        words = ["send", f"rtp://127.0.0.1:{port}?media=video&direction=sendonly", *PATTERN]
        path = self.directory / "sender.sdp"
        path.write_text("of before")
        path.chmod(0o644)
        self.succeed(*words, "--frames", "1", "--sdp-out", "sender.sdp")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        receiver = self.begin("receive", "rtp:", "--sdp", "sender.sdp", "--sdp-type", "announced")
        self.await_port(port)
        sent = self.succeed(*words, "--frames", "20")
        received = self.result(receiver)
        self.assertEqual(received.code, 0, received.errors)
        self.assertEqual(received.count("frames delivered"), sent.count("frames sent"))

    def test_nobody(self) -> None:
        port = free_port()
        self.assert_refused(["receive", f"rtp://:{port}", "--timeout", "0.5"], 1, "nothing was received", str(port), "0.5 s")
        self.assert_refused(["send", f"rtp://:{port}", *PATTERN, "--timeout", "0.5"], 1, "no peer", str(port))
        self.assert_refused(["send", "rtp:", *PATTERN, "--timeout", "0.5", "--sdp-out", "a.sdp", "--sdp", "b.sdp", "--sdp-type", "answer"], 1, "b.sdp")

    def test_form(self) -> None:
        self.assert_refused(["send", "rtp://127.0.0.1:9"], 2, "--producer", "--sound")
        self.assert_refused(["send"], 2, "url")
        self.assert_refused(["send", "rtp://127.0.0.1:9", "--sound", "tone", "--size", "64x64"], 2, "--size", "--producer")
        self.assert_refused(["receive", "rtp://:9", "--sdp", "x"], 2, "--sdp-type")
        self.assert_refused(["receive", "rtp:", "--sdp", "x", "--sdp-type", "wish"], 2, "wish", "announced")
        self.assert_refused(["receive", "rtp:", "--sdp", "x", "--sdp-type", "answer"], 2, "--sdp-out")
        self.assert_refused(["receive", "rtp://:9", "--seconds", "1", "--frames", "1"], 2, "--seconds", "--frames")
        self.assert_refused(["receive", "rtp://:9", "--timeout", "0"], 2, "above 0")

    def test_what_cannot_be(self) -> None:
        port = free_port()
        self.assert_refused(["receive", f"rtp://:{port}?colour=red"], 1, "colour")
        self.assert_refused(["receive", "rtp:", "--sdp", "none.sdp", "--sdp-type", "announced"], 1, "none.sdp", "No such file")
        (self.directory / "bad.sdp").write_text("v=0\r\nnonsense\r\n")
        self.assert_refused(["receive", "rtp:", "--sdp", "bad.sdp", "--sdp-type", "announced"], 1, "SDP")
        self.assert_refused(["send", f"rtp://127.0.0.1:{port}", *PATTERN, "--codec", "raw"], 1, "VP8")
        self.assert_refused(["receive", f"rtp://:{port}?srtp=AES_CM_128_HMAC_SHA1_80"], 1, "keys")
        url = f"rtp://:{port}?srtp=AES_CM_128_HMAC_SHA1_80"
        (self.directory / "one").write_text("QUJD\n")
        self.assert_refused(["receive", url, "--keys", "one"], 1, "one has 1 lines", "two of base64")
        (self.directory / "odd").write_text("secret!\nQUJD\n")
        refused = self.msdk("receive", url, "--keys", "odd")
        self.assertEqual((refused.code, "secret" in refused.errors), (1, False), refused.errors)
        self.assert_refused(["receive", url, "--keys", self.keys("short", b"abc", b"def")], 1, "own", "30")

    def test_help(self) -> None:
        for command in ["send", "receive"]:
            text = self.msdk(command, "--help", plugins=False)
            self.assertEqual((text.code, text.errors), (0, ""))
            self.assertIn(f"USAGE: msdk {command}", text.output)
            self.assertIn("Example", text.output)


if __name__ == "__main__":
    unittest.main()
