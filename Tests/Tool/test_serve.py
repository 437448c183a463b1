"""msdk serve, and msdk send and msdk receive in its room."""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import resource
import secrets
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import termios
import threading
import time
import unittest
import urllib.request
from pathlib import Path

import qr
from pictures import read_ivf
from network import PATTERN, Peers, free_port
from tool import PATIENCE, TOOL, environment, packets, stream


class Served:
    """A running msdk serve, and what it has said."""

    def __init__(self, test: Peers, *words: str) -> None:
        self.process = test.begin("serve", *words, plugins=False)
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.test = test
        self.port = ""
        self.url = self.await_line("MediaSDK:").split()[-1]
        found = re.search(r":(\d+)(?=#|$)", self.url)
        assert found is not None
        self.port = found[1]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.strip())

    def await_line(self, words: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while True:
            found = next((line for line in list(self.lines) if words in line), None)
            if found:
                return found
            self.test.assertLess(time.monotonic(), deadline, f"no {words!r} in {self.lines}")
            self.test.assertIsNone(self.process.poll(), f"it ended: {self.lines}")
            time.sleep(0.02)

    def errors(self) -> str:
        """After the end."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


class ServeTest(Peers):
    def file(self, name: str, text: str) -> str:
        (self.directory / name).write_text(text)
        return name

    def test_two_machines(self) -> None:
        room = Served(self, "standup", "--address", "127.0.0.1")
        self.assertRegex(room.url, r"^livekit\+ws://127\.0\.0\.1:\d+#room=standup$")
        receiver = self.begin("receive", room.url, "--user", "rosa", "--from", "sam", "--renderer", "file:came.ivf", "--sound-renderer", "wav:came.wav", "--json")
        room.await_line("rosa joined")
        sent = self.succeed("send", room.url, "--user", "sam", *PATTERN, "--sound", "tone", "--frames", "40")
        self.assertEqual(sent.count("frames sent"), 40)
        received = self.result(receiver)
        self.assertEqual((received.code, received.errors), (0, ""))
        figures = json.loads(received.output)
        video = stream(figures, "incoming-video")
        self.assertEqual((video["userId"], video["frameWidth"], video["frameHeight"], video["framesCorrupt"]), ("sam", 160, 120, 0))
        self.assertGreaterEqual(video["framesReceived"], 35)
        self.assertGreater(stream(figures, "incoming-audio")["packetsReceived"], 50)
        # Sam left first, and what they sent is counted all the same; the last frame may come after their goodbye, which takes another way.
        self.assertIn(packets(figures, "inbound-rtp", "video")["framesReceived"] - video["framesReceived"], (0, 1))
        self.assertEqual(len(read_ivf(self.directory / "came.ivf").frames), video["framesReceived"])
        room.await_line("sam left")
        room.await_line("rosa left")
        self.assertEqual(room.end(), 0)
        self.assertEqual(sorted(room.lines[-4:]), ["rosa joined", "rosa left", "sam joined", "sam left"])
        self.assertLess(room.lines.index("sam joined"), room.lines.index("sam left"))

    def test_what_a_receiver_prefers(self) -> None:
        room = Served(self, "--address", "127.0.0.1")
        receiver = self.begin("receive", room.url, "--user", "rosa", "--size", "160x120", "--fps", "1")
        room.await_line("rosa joined")
        sent = self.succeed("send", room.url, "--user", "sam", "--producer", "testpattern", "--fps", "30", "--seconds", "12", "--json")
        # 360 without it; less is made after two to four seconds.
        self.assertLess(stream(json.loads(sent.output), "outgoing-video")["framesOffered"], 250)
        self.assertEqual(self.result(receiver).code, 0)
        self.assertEqual(room.end(), 0)

    def test_others_come_and_go(self) -> None:
        """Whose streams are taken is who sends first; that others leave ends nothing."""
        room = Served(self, "--address", "127.0.0.1")
        receiver = self.begin("receive", room.url, "--user", "rosa", "--frames", "30")
        room.await_line("rosa joined")
        sender = self.begin("send", room.url, "--user", "sam", *PATTERN, "--screen")
        room.await_line("sam joined")
        self.succeed("receive", room.url, "--user", "tom", "--frames", "3")
        room.await_line("tom left")
        received = self.result(receiver)
        self.assertEqual((received.code, received.errors), (0, ""))
        self.assertEqual(received.count("frames delivered"), 30)
        # The room goes, and says so.
        self.assertEqual(room.end(), 0)
        sent = self.result(sender)
        self.assertEqual(sent.code, 1)
        self.assertIn("the server is closed", sent.errors)

    def test_tokens(self) -> None:
        mine, anyones = secrets.token_hex(8), secrets.token_hex(8)
        room = Served(self, "--address", "127.0.0.1", "--tokens", self.file("tokens", f"rosa van der Berg  {mine}\n\n{anyones}\n"))
        receive = ["receive", room.url, "--timeout", "0.5", "--token"]
        for name, token, user, code in [("mine", mine, "rosa van der Berg", 0), ("any", anyones, "sam", 0), ("stolen", mine, "sam", 1), ("wrong", mine[:-1], "sam", 1)]:
            done = self.msdk(*receive, self.file(name, token + "\n"), "--user", user)
            # Nobody sends: who is let in hears nothing.
            self.assertEqual((done.code, "nothing was received" in done.errors), (1, code == 0), done.errors)
            self.assertNotIn(token, done.errors)
        self.assert_refused(["receive", room.url, "--timeout", "5"], 1, "token")
        room.end()
        self.assertFalse([line for line in room.lines if mine in line or anyones in line])
        self.assertEqual([line for line in room.lines if "joined" in line], ["rosa van der Berg joined", "sam joined"])
        refused = [line for line in room.errors().splitlines() if "was refused" in line]
        self.assertEqual(len(refused), 3, refused)
        self.assertRegex(refused[0], r'^msdk: warning: room "room": "sam" at 127\.0\.0\.1:\d+ was refused: .*token')
        self.assertFalse([line for line in refused if mine in line or anyones in line])

    def test_access_tokens(self) -> None:
        key = self.file("key", f"key: {secrets.token_hex(16)}\n")
        room = Served(self, "lobby", "--address", "127.0.0.1", "--api-key", key)
        self.assertRegex(room.await_line("LiveKit:"), r"ws://127\.0\.0\.1:\d+$")
        # The token says which room it is.
        self.assertEqual(room.url, "livekit+" + room.await_line("LiveKit:").split()[-1])

        def token(name: str, room: str = "lobby") -> str:
            made = self.msdk("token", "--room", room, "--user", name, "--api-key", key, plugins=False)
            self.assertEqual((made.code, made.errors), (0, ""))
            return self.file(f"token-{name}-{room}", made.output)

        receive = ["receive", room.url, "--timeout", "0.5", "--user", "rosa", "--token"]
        for shown, is_let_in in [(token("rosa"), True), (token("sam"), False), (token("rosa", room="other"), False), (self.file("none", "a.b.c\n"), False)]:
            done = self.msdk(*receive, shown)
            self.assertEqual((done.code, "nothing was received" in done.errors), (1, is_let_in), done.errors)
        self.assert_refused(["receive", room.url, "--timeout", "5"], 1, "token")
        room.end()
        self.assertEqual([line for line in room.lines if "joined" in line], ["rosa joined"])
        refused = [line for line in room.errors().splitlines() if "was refused" in line]
        self.assertEqual(len(refused), 2, refused)  # the rest is refused by the tool itself

    def test_a_certificate_of_ones_own(self) -> None:
        if shutil.which("openssl") is None:
            self.skipTest("there is no openssl, which makes the certificate")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem", "-out", "certificate.pem", "-days",
                        "2", "-subj", "/CN=room"], cwd=self.directory, check=True, capture_output=True, timeout=PATIENCE)
        told = subprocess.run(["openssl", "x509", "-in", "certificate.pem", "-noout", "-fingerprint", "-sha256"], cwd=self.directory, check=True, capture_output=True, text=True,
                              timeout=PATIENCE).stdout
        port = free_port()
        for _ in range(2):
            room = Served(self, "--address", "127.0.0.1", "--port", str(port), "--certificate", "certificate.pem", "--key", "key.pem")
            self.assertEqual(room.url, f"livekit+wss://127.0.0.1:{port}#room=room&fingerprint={told.strip().split('=')[1]}")
            self.assertEqual(room.end(), 0)

    def test_where_it_listens(self) -> None:
        room = Served(self, "--address", "127.0.0.1", "--address", "::1")
        port = room.port
        room.await_line(f"livekit+ws://[::1]:{port}#room=room")
        self.serve_refused(["--address", "127.0.0.1", "--port", port], 1, port)
        room.end()
        behind = Served(self, "--address", "127.0.0.1", "--public-address", "127.0.0.2")
        self.assertEqual(behind.url, f"livekit+ws://127.0.0.2:{behind.port}#room=room")
        behind.end()
        everywhere = Served(self)
        self.assertRegex(everywhere.url, r"^livekit\+wss://[0-9.]+:\d+#room=room&fingerprint=([0-9A-F]{2}:){31}[0-9A-F]{2}$")
        self.assertNotIn("0.0.0.0", everywhere.url)

    def labelled(self, room: Served) -> dict[str, list[str]]:
        """The urls by their labels, in the order in which they were printed."""
        found: dict[str, list[str]] = {}
        label = ""
        for line in room.lines:
            words = line.split()
            label = words[0][:-1] if words and words[0].endswith(":") else label
            found.setdefault(label, []).extend(word for word in words if "://" in word)
        return found

    def test_what_it_prints(self) -> None:
        room = Served(self, "a room", "--address", "127.0.0.1", "--address", "::1", "--qr")
        port = room.port
        room.await_line(f"livekit+ws://[::1]:{port}#room")
        found = self.labelled(room)
        hosts = [f"127.0.0.1:{port}", f"[::1]:{port}"]
        self.assertEqual(list(found), ["page", "WHIP", "WHEP", "MediaSDK"])
        # Nothing but this machine can reach it, so there is no TLS.
        self.assertEqual(found["page"], [f"http://{host}/a%20room" for host in hosts])
        self.assertEqual(found["WHIP"], [f"http://{host}/whip/a%20room" for host in hosts])
        self.assertEqual(found["WHEP"], [f"http://{host}/whep/a%20room" for host in hosts])
        self.assertEqual(found["MediaSDK"], [f"livekit+ws://{host}#room=a%20room" for host in hosts])
        printed = "\n".join(room.lines)
        self.assertEqual(qr.text(printed), found["page"][0])
        self.assertGreaterEqual(min(qr.margins(printed)), qr.QUIET)
        # The code stands between the page and the rest.
        code = [number for number, line in enumerate(room.lines) if "▀" in line]
        self.assertLess(room.lines.index(next(line for line in room.lines if line.startswith("page:"))), code[0])
        self.assertGreater(room.lines.index(next(line for line in room.lines if line.startswith("WHIP:"))), code[-1])
        # The page is there, and the root leads to it.
        for path in (found["page"][0], f"http://127.0.0.1:{port}/"):
            with urllib.request.urlopen(path, timeout=PATIENCE) as page:
                self.assertEqual((page.status, page.url), (200, found["page"][0]))
        self.assertEqual(room.end(), 0)

    def test_other_machines(self) -> None:
        """A phone has to reach the first url: it has no address of this machine alone. A browser gives its camera to https: only."""
        room = Served(self, "lobby")
        found = self.labelled(room)
        self.assertRegex(found["page"][0], r"^https://[0-9.]+:\d+/lobby$")
        fingerprint = room.url.split("fingerprint=")[1]
        self.assertIn(fingerprint, room.lines)
        self.assertEqual([line for line in room.lines if "browsers warn" in line][:1], [line for line in room.lines if "SHA-256" in line])
        others = [url for url in found["page"] if "//127." in url]
        self.assertTrue(not others or others == found["page"], found)
        address = found["page"][0].split("/")[2]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        host, port = address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), PATIENCE) as plain, context.wrap_socket(plain) as line:
            certificate = line.getpeercert(True)
        assert certificate is not None
        self.assertEqual(hashlib.sha256(certificate).hexdigest().upper(), fingerprint.replace(":", ""))
        self.assertNotIn("▀", "".join(room.lines))
        self.assertEqual(room.end(), 0)

    def test_with_a_name(self) -> None:
        port = free_port()
        room = Served(self, "--host", "room.example.org", "--port", str(port), "--tokens", self.file("tokens", "open-sesame\n"))
        found = self.labelled(room)
        self.assertEqual(found["page"], [f"https://room.example.org:{port}/room"])
        self.assertEqual(found["WHIP"], [f"https://room.example.org:{port}/whip/room"])
        self.assertEqual(found["WHEP"], [f"https://room.example.org:{port}/whep/room"])
        self.assertRegex(room.url, rf"^livekit\+wss://room\.example\.org:{port}#room=room&fingerprint=([0-9A-F]{{2}}:){{31}}[0-9A-F]{{2}}$")
        self.assertEqual(list(found), ["page", "WHIP", "WHEP", "MediaSDK"])
        self.assertEqual(len([line for line in room.lines if "#token=" in line]), 1)
        self.assertNotIn("open-sesame", "".join(room.lines))
        self.serve_refused(["--address", "127.0.0.1", "--port", str(port)], 1, str(port))
        room.end()

    def test_a_terminal(self) -> None:
        """There the code is printed by itself, where it fits."""
        for columns, is_read in [(80, True), (20, False)]:
            with self.subTest(columns=columns):
                screen, other = os.openpty()
                fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
                process = subprocess.Popen([str(TOOL), "serve", "lobby", "--address", "127.0.0.1"], cwd=self.directory, env=environment(TERM="xterm"),
                                           stdout=other, stderr=subprocess.DEVNULL)
                os.close(other)
                printed = b""
                while b"livekit+ws" not in printed:
                    printed += os.read(screen, 65_536)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(PATIENCE), 0)
                os.close(screen)
                said = printed.decode()
                found = re.search(r"http://\S+/lobby", said)
                assert found is not None
                self.assertEqual(qr.text(said), found[0] if is_read else "")
                self.assertEqual("--qr" in said, not is_read)

    def test_no_descriptor_is_left(self) -> None:
        """Who is nobody takes all that there are, and whoever is somebody comes in all the same; the server does not look for room all the time."""
        room = Served(self, "standup", "--address", "127.0.0.1")
        process = room.process.pid
        most = len(os.listdir(f"/proc/{process}/fd")) + 6
        resource.prlimit(process, resource.RLIMIT_NOFILE, (most, most))
        strangers = [socket.create_connection(("127.0.0.1", int(room.port)), PATIENCE) for _ in range(40)]
        self.addCleanup(lambda: [stranger.close() for stranger in strangers])

        def used() -> float:
            words = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(1)
        self.assertLess(used() - before, 0.4)
        receiver = self.begin("receive", room.url, "--user", "rosa", "--renderer", "file:came.ivf")
        room.await_line("rosa joined")
        receiver.send_signal(signal.SIGINT)
        receiver.wait(PATIENCE)
        self.assertEqual(room.end(), 0)

    def test_nobody_and_somebody_else(self) -> None:
        room = Served(self)
        url = re.sub(r"//[^/]*:", "//127.0.0.1:", room.url.split("#")[0]) + "#" + room.url.split("#")[1]
        self.assert_refused(["receive", url[:-2] + ("00" if url[-2:] != "00" else "01")], 1, "certificate")
        self.assert_refused(["receive", url.split("&")[0]], 1, "certificate")
        self.assert_refused(["receive", url.replace("#room=", "#room=other-")], 1, "other-room")
        room.end()
        room = Served(self, "--address", "127.0.0.1")
        first = self.begin("receive", room.url, "--user", "rosa")
        room.await_line("rosa joined")
        self.assert_refused(["receive", room.url, "--user", "rosa"], 1, "rosa")
        first.send_signal(signal.SIGINT)
        self.result(first)
        self.assert_refused(["send", room.url, *PATTERN, "--timeout", "0.5"], 1, "no peer")
        sender = self.begin("send", room.url, *PATTERN, "--user", "ada")
        room.await_line("ada joined")
        sender.send_signal(signal.SIGINT)
        sent = self.result(sender)
        self.assertEqual(sent.code, 1)
        self.assertRegex(sent.errors, "interrupted while waiting for (a peer|the connection)\n$")
        room.end()
        self.assert_refused(["receive", room.url], 1, "cannot connect")

    def test_form(self) -> None:
        url = "livekit+wss://127.0.0.1:9#room=room&fingerprint=" + ":".join(["AB"] * 32)
        self.assert_refused(["receive", url, "--sdp-out", "x"], 2, "--sdp-out")
        self.assert_refused(["send", url, *PATTERN, "--keys", "x"], 2, "--keys")
        self.assert_refused(["receive", "rtp://:9", "--user", "x"], 2, "--user")
        self.assert_refused(["receive", "rtp://:9", "--from", "x"], 2, "--from")
        self.assert_refused(["receive", "rtp://:9", "--size", "160x120"], 2, "--size")
        self.assert_refused(["receive", "rtp://:9", "--fps", "15"], 2, "--fps")
        self.assert_refused(["send", url, "--sound", "tone", "--screen"], 2, "--screen")
        self.assert_refused(["receive", "hub://127.0.0.1:9/room"], 1, "livekit+wss://HOST")
        self.assert_refused(["receive", "livekit+ws://192.0.2.7:9#room=room"], 1, "not encrypted")
        self.assert_refused(["receive", "livekit+wss://127.0.0.1:9#room=room&fingerprint=AB"], 1, "fingerprint")
        self.assert_refused(["receive", url, "--token", self.file("two", "a\nb\n")], 1, "two has 2 lines")
        for words, more in [(["--port", "0"], "1..65535"), (["--web", "8443"], "--web"), (["--no-web"], "--no-web"),
                            (["--host", "a/b"], "--host"), (["--api-key", "x", "--tokens", "x"], "--tokens"), (["--most", "0"], "1..1000"), (["--key", "x"], "--certificate"), (["a", "b"], "b"), (["--address", "a"] * 9, "8"), (["--host", ""], "--host")]:
            self.serve_refused(words, 2, more)
        for words, more in [(["--tokens", "none"], "none"), (["--tokens", self.file("empty", "\n")], "empty"), (["--address", "somewhere"], "somewhere"), (["--api-key", self.file("keyless", "x\n")], "KEY: SECRET"),
                            (["--certificate", "none.pem", "--key", "none.pem"], "none.pem"), ([""], "1..255")]:
            self.serve_refused(words, 1, more)

    def serve_refused(self, words: list[str], code: int, more: str) -> None:
        with self.subTest(words=words):
            done = self.msdk("serve", *words, plugins=False)
            self.assertEqual((done.code, done.errors.count("\n")), (code, 1), done.errors)
            self.assertIn(more, done.errors)

    def test_help(self) -> None:
        text = self.msdk("serve", "--help", plugins=False)
        self.assertEqual((text.code, text.errors), (0, ""))
        self.assertIn("USAGE: msdk serve", text.output)
        self.assertIn("fingerprint", text.output)


if __name__ == "__main__":
    unittest.main()
