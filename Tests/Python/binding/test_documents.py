"""What the documents show runs: the README's snippets and the example programs."""
from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import wave
from array import array
from pathlib import Path
from typing import Any, Iterator

import mediasdk
from call import free_ports, plugin_dir
from programs import EXAMPLES, ROOT, SOUND, environment, run
from sound import sine

# The coroutine of the README counts what a sender in the same room sends.
COUNTING = """
import threading, time
from call import nv12, picture
from mediasdk import Limits, OutgoingState

def send(session, stream):
    deadline = time.monotonic() + 10
    while stream.stats().frames_sent < 5 and time.monotonic() < deadline:
        stream.sender.send_array(picture(stream.sender.format), timeout=1)
        time.sleep(0.02)
    session.stop_video(stream)

with Engine() as engine:
    session = engine.create_session("loopback:lobby", "alice")
    session.connect()
    stream = engine.create_outgoing_video(nv12(), limits=Limits.EXTENDED)
    session.start_video(stream)
    while stream.state != OutgoingState.STARTED:
        time.sleep(0.01)
    sending = threading.Timer(0.1, send, (session, stream))
    sending.start()
    print("counted", asyncio.run(count(engine)) > 0)
    sending.join()
"""

# Somebody with the right token, and somebody without.
GUARDED = """
import threading
from mediasdk import RefusedError, configure_room

URL = "loopback:guarded"
with Engine() as engine:
    configure_room(engine, URL, verified=True)
    guarding = threading.Thread(target=guard, args=(engine, URL, {"open sesame"}))
    guarding.start()
    for token in ("open sesame", "guessed"):
        session = engine.create_session(URL, "alice", access_token=token)
        try:
            session.connect()
            print("connected")
        except RefusedError as error:
            print("refused", error.code)
        session.close()
guarding.join(10)
print("guarding", guarding.is_alive())
"""


@contextlib.contextmanager
def killed_on_error(process: "subprocess.Popen[Any]") -> Iterator[None]:
    """The end of its block waits for a process, also where a check in the block has failed."""
    try:
        yield
    except BaseException:
        process.kill()
        raise


def answer_in(directory: Path) -> Path:
    """A WAV file of 0.8 s."""
    path = directory / "answer.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22_050)
        file.writeframes(sine(600, 0.8, 22_050).tobytes())
    return path


class ReadmeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.snippets = re.findall(r"```python\n(.*?)```", (ROOT / "Bindings" / "Python" / "README.md").read_text(), flags=re.S)

    def test_five_steps(self) -> None:
        root = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S)
        assert root is not None
        for program in (self.snippets[0], root[1]):
            done = run("-c", program)
            self.assertEqual(done.stderr, "")
            seen = re.fullmatch(r"bob received \d+x\d+, and its first pixel is (\d+), (\d+), (\d+)\n", done.stdout)
            self.assertTrue(seen, done.stdout)
            for value, sent in zip(seen.groups(), (255, 128, 0)):
                self.assertAlmostEqual(int(value), sent, delta=8)

    def test_events(self) -> None:
        done = run("-c", self.snippets[1])
        self.assertEqual((done.stdout, done.stderr), ("CONNECTING \nCONNECTED \n", ""))

    def test_roles(self) -> None:
        done = run("-c", self.snippets[2])
        self.assertEqual((done.stdout, done.stderr), ("15 frames sent\n", ""))

    def test_asyncio(self) -> None:
        done = run("-c", self.snippets[6] + COUNTING)
        self.assertEqual((done.stdout, done.stderr), ("counted True\n", ""))

    def test_parameters(self) -> None:
        done = run("-c", self.snippets[3].replace("load_default_plugins()", f"add_plugin_dir({os.environ['MSDK_PLUGIN_DIR']!r})"))
        self.assertEqual((done.stdout, done.stderr), ("100 ['gray', 'threshold']\nPARAM_CHANGED level\nPARAM_CHANGED mode\n", ""))

    def test_sound(self) -> None:
        done = run("-c", self.snippets[4])
        self.assertEqual((done.stdout, done.stderr), ("True, as loud as -15 dB\n", ""))

    def test_who_may_enter(self) -> None:
        done = run("-c", self.snippets[5] + GUARDED)
        self.assertEqual((done.stdout, done.stderr), ("connected\nrefused -10\nguarding False\n", ""))

    def test_log(self) -> None:
        done = run("-c", self.snippets[7])
        self.assertIn('INFO:mediasdk.session:session "alice" at loopback:lobby is connected\n', done.stderr)

    def test_every_snippet_is_run(self) -> None:
        self.assertEqual(len(self.snippets), 8)


class ExampleTest(unittest.TestCase):
    def test_send(self) -> None:
        done = run(str(EXAMPLES / "send.py"), "5")
        self.assertEqual(done.stderr, "")
        self.assertIn("making NV12 1280x720 at 30 a second\nmaking NV12 640x360 at 30 a second\n", done.stdout)
        self.assertRegex(done.stdout, r"sent \d{2,3} frames: .*'encoded': \d+")

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_receive(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            picture = Path(directory, "frame.ppm")
            done = run(str(EXAMPLES / "receive.py"), "--plugins", str(plugin_dir()), "--output", str(picture), "--frames", "20")
            self.assertEqual(done.stderr, "")
            self.assertIn("received 20 frames", done.stdout)
            self.assertTrue(picture.read_bytes().startswith(b"P6 640 360 255\n"))
            self.assertEqual(picture.stat().st_size, 15 + 640 * 360 * 3)

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_command(self) -> None:
        done = run(str(EXAMPLES / "command.py"), "--plugins", str(plugin_dir()))
        self.assertEqual(done.stderr, "")
        self.assertIn("set_pattern(pattern: str, speed: float = 1.0) -> None: shows a pattern", done.stdout)
        self.assertIn("frames made: 0\nrefused: argument \"speed\" of set_pattern is 99", done.stdout)

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_parameter(self) -> None:
        done = run(str(EXAMPLES / "parameter.py"), "--plugins", str(plugin_dir()))
        self.assertEqual(done.stderr, "")
        self.assertIn('pattern, also while it runs\n  "lines": ', done.stdout)
        self.assertIn('refused: ', done.stdout)
        self.assertRegex(done.stdout, r"changed: speed is 2.0\nchanged: pattern is 'counter'\nmade: frame \d+ of 1280x720\n\Z")

    def test_tone(self) -> None:
        for codec in ("opus", "raw"):
            done = run(str(EXAMPLES / "tone.py"), "--seconds", "1", "--frequency", "500", "--codec", codec)
            self.assertEqual(done.stderr, "")
            heard = re.search(r"bob heard ([\d.]+) s of (\d+) Hz, at its loudest -(\d+) dB", done.stdout)
            self.assertTrue(heard, done.stdout)
            self.assertAlmostEqual(float(heard[1]), 1, delta=0.1)
            self.assertAlmostEqual(int(heard[2]), 500, delta=50)
            self.assertAlmostEqual(int(heard[3]), 15, delta=1)

    def test_webrtc(self) -> None:
        done = run(str(EXAMPLES / "webrtc.py"), "--frames", "10")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("alice is CONNECTED\n", done.stdout)
        found = re.search(r"^bob received 10 frames; mean colour of the last (\d+) (\d+) (\d+)$", done.stdout, re.M)
        assert found, done.stdout
        for part, wanted in zip(found.groups(), (0, 0, 255)):
            self.assertAlmostEqual(int(part), wanted, delta=10)

    def test_bot(self) -> None:
        done = run(str(EXAMPLES / "bot.py"), "--seconds", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for user_id, colour in (("alice", (200, 30, 30)), ("carol", (30, 30, 200))):
            found = re.search(rf"^{user_id}: (\d+) frames, mean colour (\d+) (\d+) (\d+)$", done.stdout, re.M)
            assert found, done.stdout
            self.assertGreater(int(found[1]), 0)
            for part, wanted in zip(found.groups()[1:], colour):
                self.assertAlmostEqual(int(part), wanted, delta=3)

    def test_wav(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file, clip = Path(directory, "heard.wav"), SOUND
            done = run(str(EXAMPLES / "wav.py"), str(clip), str(file), "--seconds", "2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("sent 2.0 s at 48000 Hz, recorded ", done.stdout)
            with wave.open(str(clip), "rb") as sent, wave.open(str(file), "rb") as heard:
                self.assertEqual((heard.getnchannels(), heard.getsampwidth(), heard.getframerate()), (2, 2, 48_000))
                self.assertGreater(heard.getnframes(), 96_000)
                loudest = [max(map(abs, array("h", one.readframes(count)))) for one, count in ((sent, 96_000), (heard, heard.getnframes()))]
            # On a busy machine the mix may have a gap, and nothing louder than what was sent.
            self.assertGreater(loudest[1], loudest[0] // 4)
            self.assertLess(loudest[1], loudest[0] * 1.1)

    def test_renderer(self) -> None:
        done = run(str(EXAMPLES / "renderer.py"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = re.search(r"^the meter saw (\d+) frames, from (\d+) to (\d+)$", done.stdout, re.M)
        assert found, done.stdout
        self.assertTrue(0 < int(found[1]) <= 30 and 16 <= int(found[2]) < int(found[3]) <= 190, done.stdout)

    def test_tap(self) -> None:
        done = run(str(EXAMPLES / "tap.py"), "--seconds", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('INFO [mediasdk.session] session "alice" at loopback:lobby is connected\n', done.stdout)
        found = re.search(r"^tapped (\d+) frames; (\d+) encoded frames, (\d+) of them key frames, (\d+) bytes$", done.stdout, re.M)
        assert found, done.stdout
        self.assertTrue(all(int(number) > 0 for number in found.groups()), done.stdout)

    def test_answer(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            done = run(str(EXAMPLES / "answer.py"), str(answer_in(Path(directory))))
            self.assertEqual(done.stderr, "")
            self.assertRegex(done.stdout, r"the bot heard caller speak for 1\.\d s, and answers for 0\.8 s\n")
            self.assertRegex(done.stdout, r"the caller heard the answer [01]\.\d\d s after the question, for 0\.[789] s\n")

    def test_answer_of_a_missing_file(self) -> None:
        done = run(str(EXAMPLES / "answer.py"), "missing.wav")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.wav", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_record(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "call.webm")
            done = run(str(EXAMPLES / "record.py"), "--plugins", str(plugin_dir()), "--output", str(file), "--seconds", "2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("recording alice\n", done.stdout)
            data = file.read_bytes()
            self.assertTrue(data.startswith(b"\x1a\x45\xdf\xa3") and b"V_VP8" in data and b"A_OPUS" in data)

    @unittest.skipUnless(plugin_dir().is_dir() and shutil.which("gst-launch-1.0"), "needs the plugins and GStreamer")
    def test_rtp(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file, port = Path(directory, "mirrored.ppm"), free_ports(4)
            done = run(str(EXAMPLES / "rtp.py"), "--plugins", str(plugin_dir()), "--run", "--output", str(file), "--frames", "20",
                       "--ports", str(port), str(port + 2))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("20 frames came back", done.stdout)
            data = file.read_bytes()
            self.assertTrue(data.startswith(b"P6 640 360 255\n"))
            row = [data[15 + 3 * (100 * 640 + x):][:3] for x in (40, 600)]  # the bars, of which blue is the last and white the first
            self.assertTrue(row[0][2] > 128 > row[0][0] and row[1][0] > 128, row)

    def test_rtp_on_a_port_that_is_taken(self) -> None:
        port = free_ports(4)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("", port))
            done = run(str(EXAMPLES / "rtp.py"), "--plugins", str(plugin_dir()), "--ports", str(port), str(port + 2))
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(port), done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_serve(self) -> None:
        command = [sys.executable, "-u", str(EXAMPLES / "serve.py"), "--plugins", str(plugin_dir()), "--seconds"]
        with subprocess.Popen([*command, "5", "--token", "sesame"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as host, \
                killed_on_error(host):
            assert host.stdout is not None
            url = host.stdout.readline().strip()
            self.assertRegex(url, r"^livekit\+ws://127\.0\.0\.1:\d+#room=lobby$")
            refused = run(*command[2:], "1", "--token", "guess", "--join", url)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("MSDK_E_PERMISSION", refused.stderr)
            self.assertNotIn("Traceback", refused.stderr)
            guest = run(*command[2:], "1", "--token", "sesame", "--join", url)
            self.assertEqual((guest.returncode, guest.stderr), (0, ""))
            self.assertRegex(guest.stdout, r"host sent \d+ frames of 640x360")
            output, errors = host.communicate(timeout=60)
            self.assertEqual((host.returncode, errors), (0, ""))
            self.assertRegex(output, r"guest sent \d+ frames of 640x360")

    def test_chat_with_nobody(self) -> None:
        done = subprocess.run([sys.executable, str(EXAMPLES / "chat.py"), "loopback:lobby", "alice"], input="hello\n@bob are you there?",
                              env=environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r'^not sent: MSDK_E_NOT_FOUND: [^\n]*"bob"[^\n]*\n\Z')

    def test_chat(self) -> None:
        """A chat in a process of its own, with a member of the room that this process serves."""
        with mediasdk.Engine(ignore_environment=True) as engine:
            access = ("key", "a secret of thirty-two characters")
            server = mediasdk.serve_room(engine, "loopback:chat", "127.0.0.1", access=access)
            token = mediasdk.create_access_token(api_key=access[0], api_secret=access[1], room="chat", user_id="alice")
            host = engine.create_session("loopback:chat", "host")
            host.connect()
            command = [sys.executable, str(EXAMPLES / "chat.py"), server.url(), "alice"]
            with subprocess.Popen(command, env={**environment(), "TOKEN": token}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as chat, killed_on_error(chat):
                assert chat.stdin is not None and chat.stdout is not None
                self.assertEqual(chat.stdout.readline(), "host is here\n")
                host.send_data("willkommen, \x1b[1mAnna".encode(), topic="chat", to="alice")
                host.send_data(b"for another program", topic="positions")
                self.assertEqual(chat.stdout.readline(), "host: willkommen, ?[1mAnna\n")
                chat.stdin.write("grüß dich\n@host und nur dich")
                chat.stdin.close()
                found = [host.next_data(timeout=60) for _ in range(2)]
                self.assertEqual([(one.data.decode(), one.user_id, one.topic) for one in found],
                                 [("grüß dich", "alice", "chat"), ("und nur dich", "alice", "chat")])
                self.assertEqual(chat.wait(60), 0)
                self.assertTrue(any(isinstance(event, mediasdk.ParticipantLeft) for event in host.events(timeout=5)))

    def test_files(self) -> None:
        """Two processes, in a room that this one serves, of which one sends the other a file and a text."""
        with mediasdk.Engine(ignore_environment=True) as engine, tempfile.TemporaryDirectory() as folder:
            access = ("key", "a secret of thirty-two characters")
            server = mediasdk.serve_room(engine, "loopback:files", "127.0.0.1", access=access)

            def command(user_id: str, *sent: str) -> "tuple[list[str], dict[str, str]]":
                token = mediasdk.create_access_token(api_key=access[0], api_secret=access[1], room="files", user_id=user_id)
                return [sys.executable, str(EXAMPLES / "files.py"), server.url(), user_id, *sent], {**environment(), "TOKEN": token}

            path, received = Path(folder, "sent.bin"), Path(folder, "received")
            path.write_bytes(bytes(range(256)) * 8_000)
            received.mkdir()
            words, variables = command("bob")
            with subprocess.Popen(words, env=variables, cwd=received, stdout=subprocess.PIPE, text=True) as bob, killed_on_error(bob):
                words, variables = command("alice", "bob", str(path), "have a look")
                done = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                assert bob.stdout is not None
                self.assertEqual([bob.stdout.readline(), bob.stdout.readline()], ["alice: sent.bin\n", "alice: have a look\n"])
                bob.send_signal(signal.SIGINT)
                self.assertEqual(bob.wait(60), 0)
            self.assertEqual((received / "sent.bin").read_bytes(), path.read_bytes())

    def test_rpc(self) -> None:
        """Two processes, in a room that this one serves, of which each calls this process or is called by it."""
        with mediasdk.Engine(ignore_environment=True) as engine:
            access = ("key", "a secret of thirty-two characters")
            server = mediasdk.serve_room(engine, "loopback:calls", "127.0.0.1", access=access)
            host = engine.create_session("loopback:calls", "host")
            host.connect()

            def command(user_id: str, *call: str) -> "tuple[list[str], dict[str, str]]":
                token = mediasdk.create_access_token(api_key=access[0], api_secret=access[1], room="calls", user_id=user_id)
                return [sys.executable, str(EXAMPLES / "rpc.py"), server.url(), user_id, *call], {**environment(), "TOKEN": token}

            words, variables = command("bob")
            with subprocess.Popen(words, env=variables) as bob, killed_on_error(bob):
                next(event for event in host.events(timeout=60) if isinstance(event, mediasdk.ParticipantJoined))
                host.rpc.call("bob", "sum", "1 2 3.5")
                self.assertEqual(host.rpc.next(timeout=60).payload, "6.5")
                host.rpc.call("bob", "sum", "1 two")
                self.assertEqual(host.rpc.next(timeout=60).code, 1)
                for method, expected, code in (("sum", "bob: 6\n", 0), ("product", "bob: failure 1400: ", 1)):
                    words, variables = command("alice", "bob", method, "1 2 3")
                    done = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=60)
                    self.assertEqual((done.returncode, done.stderr), (code, ""))
                    self.assertTrue(done.stdout.startswith(expected), done.stdout)
                bob.send_signal(signal.SIGINT)
                self.assertEqual(bob.wait(60), 0)

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_grid(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            film, picture = Path(directory, "call.webm"), Path(directory, "call.png")
            done = run(str(EXAMPLES / "grid.py"), "--plugins", str(plugin_dir()), "--output", str(film), "--image", str(picture),
                       "--seconds", "2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("alice speaks\n", done.stdout)
            data = film.read_bytes()
            self.assertTrue(data.startswith(b"\x1a\x45\xdf\xa3") and b"V_VP8" in data and b"A_OPUS" in data)
            self.assertEqual(picture.read_bytes()[12:24], b"IHDR\0\0\x05\0\0\0\x02\xd0")

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_layers(self) -> None:
        done = run(str(EXAMPLES / "layers.py"), "--plugins", str(plugin_dir()))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^alice sends 2 of 3 layers\nbob sees 1280x720, \d+ frames a second\ncarol sees 320x180, \d+ frames a second\n$")

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_encrypted(self) -> None:
        done = run(str(EXAMPLES / "encrypted.py"), "--plugins", str(plugin_dir()))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^bob: ACTIVE, \d+ frames received, [1-9]\d* decoded, reads only bob reads this\n"
                         r"eve: NO_KEY, [1-9]\d* frames received, 0 decoded, reads nothing\n$")

    def test_metadata(self) -> None:
        done = run(str(EXAMPLES / "metadata.py"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^bob received ([1-9]\d*) frames, and found the box in \1\n$")

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_filter(self) -> None:
        done = run(str(EXAMPLES / "filter.py"), "--plugins", str(plugin_dir()), "--input", str(ROOT / "Tests/Media/bunny-720p25.ivf"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertIn("colour   0.00", lines[1])

    def test_every_example_helps(self) -> None:
        for name in ("tone.py", "answer.py", "record.py", "grid.py", "rtp.py", "demo.py", "receive.py", "filter.py", "serve.py", "webrtc.py",
                     "chat.py", "files.py", "rpc.py", "layers.py", "encrypted.py", "metadata.py"):
            done = run(str(EXAMPLES / name), "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertIn("usage: ", done.stdout)


if __name__ == "__main__":
    unittest.main()
