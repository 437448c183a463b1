"""msdk send and receive --record: files that another program reads, and what happens where they cannot be written."""
from __future__ import annotations

import json
import shutil
import subprocess
import unittest
from pathlib import Path

from network import PATTERN, Peers, free_port
from tool import PATIENCE, PLUGINS, TOOL, environment


def tracks(path: Path) -> dict[str, int]:
    """How many packets a file has of each codec."""
    words = ["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_name,nb_read_packets", "-of", "json", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return {one["codec_name"]: int(one["nb_read_packets"]) for one in json.loads(done.stdout)["streams"]}


class Record(Peers):
    def test_both_ends(self) -> None:
        port, audio = free_port(), free_port()
        url = f"rtp://127.0.0.1:{port}?audio={audio}"
        receiver = self.begin("receive", f"rtp://:{port}?audio={audio}", "--record", "film.webm", "--renderer", "file:film.ivf")
        self.await_port(port)
        self.await_port(audio)
        sent = self.succeed("send", url, *PATTERN, "--sound", "tone", "--frames", "40", "--record", "sent.webm")
        got = self.result(receiver)
        self.assertEqual((got.code, got.errors), (0, ""))
        self.assertEqual((sent.table["recorded"], got.table["recorded"]), ("sent.webm", "film.webm"))
        # All that was sent, as it was sent; all that came, of which the renderer wrote the same.
        self.assertEqual(tracks(self.directory / "sent.webm"), {"vp8": sent.count("frames sent"), "opus": sent.count("audio packets sent")})
        film = tracks(self.directory / "film.webm")
        self.assertEqual(film["vp8"], tracks(self.directory / "film.ivf")["vp8"])
        self.assertEqual(set(film), {"vp8", "opus"})
        self.assertGreater(film["opus"], 0)
        for name in ["sent.webm", "film.webm"]:
            subprocess.run(["ffmpeg", "-v", "error", "-xerror", "-i", self.directory / name, "-f", "null", "-"], check=True, timeout=PATIENCE)

    def test_one_medium(self) -> None:
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}", "--record", "film.webm")
        self.await_port(port)
        sent = self.succeed("send", f"rtp://127.0.0.1:{port}", *PATTERN, "--frames", "10", "--record", "sent.webm")
        got = self.result(receiver)
        # The same port might have brought audio: it is waited for, two seconds, and then it is said that there is none.
        errors = got.errors.replace("msdk: warning: org.mediasdk.renderer.recorder: the file begins without audio: none arrived\n", "")
        self.assertEqual((got.code, errors), (0, ""))
        self.assertEqual(tracks(self.directory / "sent.webm"), {"vp8": sent.count("frames sent")})
        self.assertEqual(tracks(self.directory / "film.webm"), {"vp8": got.count("frames received")})

    def test_both_on_one_port(self) -> None:
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}", "--record", "film.webm")
        self.await_port(port)
        self.succeed("send", f"rtp://127.0.0.1:{port}", *PATTERN, "--sound", "tone", "--frames", "40")
        got = self.result(receiver)
        self.assertEqual((got.code, got.errors), (0, ""))
        self.assertEqual(set(tracks(self.directory / "film.webm")), {"vp8", "opus"})

    def test_audio_of_a_call(self) -> None:
        port, audio = free_port(), free_port()
        receiver = self.begin("receive", f"rtp://:{port}?audio={audio}", "--record", "voice.opus")
        self.await_port(port)
        self.await_port(audio)
        self.succeed("send", f"rtp://127.0.0.1:{port}?audio={audio}", *PATTERN, "--sound", "tone", "--frames", "40")
        got = self.result(receiver)
        self.assertEqual((got.code, got.errors), (0, ""))
        self.assertEqual(set(tracks(self.directory / "voice.opus")), {"opus"})

    def test_what_cannot_be_recorded(self) -> None:
        port = free_port()
        url = f"rtp://127.0.0.1:{port}"
        for command in (["send", url, *PATTERN], ["receive", url]):
            self.assert_refused([*command, "--record", "film.mp4"], 1, "film.mp4", ".webm, .opus, .ogg")
            self.assert_refused([*command, "--record", "nowhere/film.webm"], 1, "nowhere/film.webm", "No such file")
        self.assert_refused(["send", url, *PATTERN, "--record", "film.opus"], 1, "film.opus", ".webm")
        self.assertEqual([file.name for file in self.directory.iterdir()], [])

    def test_a_full_disk(self) -> None:
        port = free_port()
        for command in (["send", f"rtp://127.0.0.1:{port}", *PATTERN, "--record", "/dev/full"], ["receive", f"rtp://:{port}", "--record", "/dev/full"]):
            with self.subTest(command=command[0]):
                (self.directory / "full.webm").unlink(missing_ok=True)
                (self.directory / "full.webm").symlink_to("/dev/full")
                words = [word if word != "/dev/full" else "full.webm" for word in command]
                other = ["receive", f"rtp://:{port}"] if command[0] == "send" else ["send", f"rtp://127.0.0.1:{port}", *PATTERN]
                peer = self.begin(*other)
                result = self.result(self.begin(*words))
                self.assertEqual(result.code, 1, result.output)
                self.assertIn("No space left", result.errors)
                peer.kill()

    def test_without_the_plugin(self) -> None:
        folder = self.directory / "plugins"
        folder.mkdir()
        shutil.copy(PLUGINS / "testpattern.so", folder)
        tool = self.directory / "elsewhere/msdk"
        tool.parent.mkdir()
        shutil.copy(TOOL, tool)
        url = f"rtp://127.0.0.1:{free_port()}"
        for command in (["send", url, *PATTERN], ["receive", url]):
            result = self.msdk(*command, "--record", "film.webm", "--plugins", str(folder), plugins=False, tool=tool)
            self.assertEqual((result.code, result.errors.count("\n")), (1, 1), result.errors)
            for words in ("--record", "org.mediasdk.renderer.recorder", "msdk doctor"):
                self.assertIn(words, result.errors)
            # Where it is there and was refused, the reason is said.
            result = self.msdk(*command, "--record", "film.webm", env=environment(MSDK_PLUGIN_DISABLE="recorder.so"))
            self.assertEqual(result.code, 1)
            self.assertIn("MSDK_PLUGIN_DISABLE", result.errors.splitlines()[-1])
        self.assertFalse((self.directory / "film.webm").exists())


if __name__ == "__main__":
    unittest.main()
