"""What is wrong on a command line is named together with what is accepted: exit code 2 for its form, 1 for what it asks for."""
from __future__ import annotations

import subprocess
import unittest

from tool import CLIP, PATIENCE, PLUGINS, TOOL, ToolTest, environment

PATTERN = ["run", "--producer", "testpattern"]


class Arguments(ToolTest):
    def test_form(self) -> None:
        self.assert_refused(["run"], 2, "--producer")
        walk = self.msdk("walk", plugins=False)
        self.assertEqual(walk.code, 2)
        self.assertIn('there is no command "walk" of msdk; there are inspect, run,', walk.errors)
        self.assert_refused([*PATTERN, "--colour", "red"], 2, "--colour")
        for size in ["12", "0x10", "10x", "axb", "1x2x3", "-1x5", "16385x1"]:
            self.assert_refused([*PATTERN, f"--size={size}"], 2, size, "WIDTHxHEIGHT", "1..16384")
        self.assert_refused([*PATTERN, "--codec", "h264"], 2, "h264", "vp8", "raw")
        for rate in ["0", "30/0", "x", "1/2/3"]:
            self.assert_refused([*PATTERN, f"--fps={rate}"], 2, rate, "30000/1001")
        self.assert_refused([*PATTERN, "--bitrate", "999"], 2, "999", "1000..100000000")
        self.assert_refused([*PATTERN, "--seconds", "nan"], 2, "nan", "above 0")
        self.assert_refused([*PATTERN, "--frames", "0"], 2, "1..1000000000")
        self.assert_refused([*PATTERN, "--seconds", "1", "--frames", "1"], 2, "--seconds", "--frames")
        self.assert_refused([*PATTERN, "--codec", "raw", "--bitrate", "100000"], 2, "--bitrate", "--codec raw")

    def test_a_negative_number_is_a_value(self) -> None:
        self.assert_refused([*PATTERN, "--seconds", "-1"], 2, "'-1'", "seconds, above 0")
        self.assert_refused([*PATTERN, "--bitrate", "-5"], 2, "'-5'", "1000..100000000")

    def test_suggestions(self) -> None:
        cases: list[tuple[list[str], int, str]] = [
            (["isnpect"], 2, "did you mean inspect?"), (["plugin", "chek", "x.so"], 2, "did you mean check?"),
            (["run", "--producr", "testpattern"], 2, "of msdk run; did you mean --producer?"),
            (["plugin", "check", "--secnds=1", "x.so"], 2, "of msdk plugin check; did you mean --seconds?"),
            (["run", "--producer", "testpatern"], 1, "did you mean testpattern?"),
            (["run", "--producer", "testpattern,sped=1"], 1, "did you mean speed?"),
            (["params", "testpattern", "--set", "sped=1"], 1, "did you mean speed?"),
            (["inspect", "testpatern"], 1, "did you mean org.mediasdk.producer.testpattern?"),
            (["inspect", "org.mediasdk.producer.testpatern"], 1, "did you mean org.mediasdk.producer.testpattern?"),
        ]
        for arguments, code, words in cases:
            self.assert_refused(arguments, code, words)
        far = self.msdk("run", "--producer", "camera")
        self.assertNotIn("did you mean", far.errors, "nothing is near")

    def test_what_to_try_next(self) -> None:
        for arguments, code, words in (
            (["run", "--producer", "testpatern"], 1, "did you mean testpattern? Try: msdk inspect org.mediasdk.producer.testpattern\n"),
            (["run", "--producer", "camera"], 1, "; try: msdk inspect\n"),
            (["run", "--producer", "testpattern,sped=1"], 1, "Try: msdk inspect org.mediasdk.producer.testpattern\n"),
            (["inspect", "zzzzzzzz"], 1, "; try: msdk doctor"),
            (["run", "--producr", "testpattern"], 2, "did you mean --producer? Try: msdk help run\n"),
            (["plugin", "check"], 2, "; try: msdk help plugin check\n"),
            (["fly"], 2, "; try: msdk help\n"),
            ([*PATTERN, "--codec", "H264"], 1, "; try: msdk doctor\n"),
            (["receive", "rtp://:59988", "--timeout", "0.2"], 1, "; try: msdk doctor --port 59988, and msdk bench-link on the other machine\n"),
        ):
            self.assert_refused(arguments, code, words)
        # The plugins say what is wrong with a device, and the tool what to look at.
        env = {name: value for name, value in environment(PULSE_SERVER="unix:/nowhere").items() if name != "DISPLAY"}
        for arguments, words in (
            (["run", "--producer", "x11"], "; try: msdk doctor. The classes testpattern, file and terminal need no display\n"),
            ([*PATTERN, "--renderer", "window"], "; try: msdk doctor. The classes testpattern, file and terminal need no display\n"),
            (["run", "--sound", "--producer", "tone", "--renderer", "pulse"], "; try: msdk doctor. The classes tone and wav need no sound server\n"),
        ):
            with self.subTest(arguments=arguments):
                result = self.msdk(*arguments, env=env)
                self.assertEqual(result.code, 1)
                self.assertIn(words, result.errors)

    def test_refused_plugins(self) -> None:
        folder = self.directory / "own"
        folder.mkdir()
        (folder / "text.so").write_text("this is no library")
        result = self.msdk(*PATTERN, "--frames", "1", "--plugins", str(folder))
        self.assertEqual(result.code, 0)
        self.assertIn("text.so", result.errors)
        self.assertTrue(result.errors.endswith("; try: msdk doctor\n"), result.errors)

    def test_a_class_of_another_kind(self) -> None:
        for name in ["tone", "org.mediasdk.producer.tone"]:
            self.assert_refused(["run", "--producer", name], 1, "org.mediasdk.producer.tone is a class for: audio producer",
                                "msdk run --sound --producer tone")
        self.assert_refused([*PATTERN, "--renderer", "testpattern"], 1, "org.mediasdk.producer.testpattern is a class for: video producer")

    def test_form_of_items(self) -> None:
        self.assert_refused(["run", "--producer", "testpattern,bw"], 2, "one item", "it has 2")
        self.assert_refused(["run", "--producer", ":x"], 2, "no name")
        self.assert_refused(["run", "--producer", "a=b"], 2, "begins with a parameter")
        self.assert_refused([*PATTERN, "--renderer", "file:x\\"], 2, "backslash")
        self.assert_refused([*PATTERN, "--renderer", "bw,,file:x"], 2, "no name")

    def test_form_of_the_network(self) -> None:
        for spec in ["bandwidth=5", "delay=-1", "delay=20000", "loss=101", "loss=nan", "speed=1", "delay", "delay=1,delay=2", ","]:
            self.assert_refused([*PATTERN, f"--network={spec}"], 2, "bandwidth=BITS", "loss=PERCENT")

    def test_classes(self) -> None:
        self.assert_refused(["run", "--producer", "camera"], 1, '"camera"', "file", "testpattern")
        self.assert_refused(["run", "--producer", "org.example.none"], 1, '"org.example.none"', "testpattern")
        self.assert_refused(["run", "--producer", "org.mediasdk.renderer.file"], 1, "not for: producer")
        self.assert_refused([*PATTERN, "--renderer", "screen"], 1, '"screen"', "bw, file")
        self.assert_refused([*PATTERN, "--plugins", "/nowhere"], 1, "/nowhere")

    def test_parameters(self) -> None:
        self.assert_refused([*PATTERN[:2], "testpattern,hue=1"], 1, '"hue"', "pattern, speed")
        self.assert_refused([*PATTERN[:2], "testpattern,speed=17"], 1, "17", "0.0..16.0")
        self.assert_refused([*PATTERN[:2], "testpattern,speed=fast"], 1, '"fast"', "f64")
        self.assert_refused([*PATTERN[:2], "testpattern:plaid"], 1, "plaid", "lines, bars, counter")
        self.assert_refused([*PATTERN, "--renderer", "bw,level=256"], 1, "256", "0..255")
        self.assert_refused([*PATTERN, "--frames", "2", "--renderer", "file"], 1, '"path"', "must be set")

    def test_files(self) -> None:
        self.assert_refused(["run", "--producer", "file:nothing.ivf"], 1, "nothing.ivf", "No such file")
        self.assert_refused(["demo", "--input", "nothing.ivf"], 1, "nothing.ivf", "No such file")
        (self.directory / "file").write_text("")
        self.assert_refused(["demo", "--input", str(CLIP), "--output", "file/out"], 1, "file/out", "Not a directory")
        self.assert_refused(["demo", "--input", str(CLIP), "--output", ""], 1, "--output")

    def test_formats(self) -> None:
        self.assert_refused([*PATTERN, "--size", "5000x5000"], 1, "--size", "5000x5000", "3840x2160")
        self.assertNotIn("options.", self.msdk(*PATTERN, "--size", "5000x5000").errors, "a word of the C contract")
        self.assert_refused([*PATTERN, "--fps", "61"], 1, "61", "at most 60")
        self.assert_refused(["run", "--producer", f"file:{CLIP}", "--size", "320x240"], 1, "320x240", "1280x720")
        self.assert_refused(["run", "--producer", f"file:{CLIP}", "--fps", "30"], 1, "30", "25")

    def test_in_the_tool_s_own_words(self) -> None:
        """The library names members of the C contract."""
        cases: list[tuple[list[str], str]] = [
            (["serve", "--address", "somewhere"], "--address"), (["serve", "--public-address", "somewhere"], "--public-address"),
            (["serve", "a\nb"], "the room"), (["receive", "http://127.0.0.1:9"], "the url"),
            (["receive", "rtp://:99999"], "the url"), (["send", "rtp://127.0.0.1:9", *PATTERN[1:], "--codec", "raw"], "VP8"),
            (["receive", "livekit+wss://127.0.0.1:9#room=r&fingerprint=" + "AB" * 32, "--user", "u" * 300], "(--user)"),
            ([*PATTERN, "--size", "5000x5000"], "--size"), ([*PATTERN, "--codec", "XYZ1"], "XYZ1"),
        ]
        for arguments, word in cases:
            with self.subTest(arguments=arguments):
                result = self.msdk(*arguments, plugins=arguments[0] != "serve")
                self.assertEqual(result.code, 1, result.errors)
                self.assertIn(word, result.errors)
                for name in ["options.", "room_url", "MSDK_", " 0x"]:
                    self.assertNotIn(name, result.errors)

    def test_help(self) -> None:
        for command in ["inspect", "run", "demo"]:
            text = self.msdk(command, "--help", plugins=False)
            self.assertEqual((text.code, text.errors), (0, ""))
            self.assertIn(f"USAGE: msdk {command}", text.output)
            self.assertIn("Example", text.output)
        refused = self.msdk("help", "nope", plugins=False)
        self.assertEqual((refused.code, refused.output), (2, ""))
        self.assertIn('there is no command "nope"', refused.errors)
        version = self.msdk("--version", plugins=False)
        self.assertEqual((version.code, version.output), (0, "0.1.0\n"))

    def test_output_that_cannot_be_written(self) -> None:
        own = ["--plugins", str(PLUGINS)]
        for words in [["--version"], ["help", "run"], ["inspect", "--json"], ["params", "testpattern", *own],
                      [*PATTERN, "--frames", "1", "--json", *own]]:
            with self.subTest(words=words), open("/dev/full", "w") as full:
                done = subprocess.run([str(TOOL), *words], env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
                self.assertEqual((done.returncode, done.stderr), (1, "msdk: standard output cannot be written: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
