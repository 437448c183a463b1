"""What is wrong on a command line is named together with what is accepted: exit code 2 for its form, 1 for what it asks for."""
from __future__ import annotations

import unittest

from tool import CLIP, ToolTest

PATTERN = ["run", "--producer", "testpattern"]


class Arguments(ToolTest):
    def test_form(self) -> None:
        self.assert_refused(["run"], 2, "--producer")
        walk = self.msdk("walk", plugins=False)
        self.assertEqual((walk.code, walk.errors), (2, "msdk: Unexpected argument 'walk'\n"))
        self.assert_refused([*PATTERN, "--colour", "red"], 2, "--colour")
        for size in ["12", "0x10", "10x", "axb", "1x2x3", "-1x5", "16385x1"]:
            self.assert_refused([*PATTERN, f"--size={size}"], 2, size, "WIDTHxHEIGHT", "1..16384")
        self.assert_refused([*PATTERN, "--codec", "h264"], 2, "h264", "vp8", "none")
        for rate in ["0", "30/0", "x", "1/2/3"]:
            self.assert_refused([*PATTERN, f"--fps={rate}"], 2, rate, "30000/1001")
        self.assert_refused([*PATTERN, "--bitrate", "999"], 2, "999", "1000..100000000")
        self.assert_refused([*PATTERN, "--seconds", "nan"], 2, "nan", "above 0")
        self.assert_refused([*PATTERN, "--frames", "0"], 2, "1..1000000000")
        self.assert_refused([*PATTERN, "--seconds", "1", "--frames", "1"], 2, "--seconds", "--frames")
        self.assert_refused([*PATTERN, "--codec", "none", "--bitrate", "100000"], 2, "--bitrate", "--codec none")

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
        self.assert_refused(["run", "--producer", "org.mediasdk.renderer.file"], 1, "no producer")
        self.assert_refused([*PATTERN, "--renderer", "screen"], 1, '"screen"', "bw, file")
        self.assert_refused([*PATTERN, "--plugins", "/nowhere"], 1, "/nowhere")

    def test_parameters(self) -> None:
        self.assert_refused([*PATTERN[:2], "testpattern,hue=1"], 1, '"hue"', "pattern, speed")
        self.assert_refused([*PATTERN[:2], "testpattern,speed=17"], 1, "17", "0.0..16.0")
        self.assert_refused([*PATTERN[:2], "testpattern,speed=fast"], 1, '"fast"', "f64")
        self.assert_refused([*PATTERN[:2], "testpattern:plaid"], 1, "plaid", "lines, bars, counter")
        self.assert_refused([*PATTERN, "--renderer", "bw,level=256"], 1, "256", "0.0..255.0")
        self.assert_refused([*PATTERN, "--frames", "2", "--renderer", "file"], 1, '"path"', "must be set")

    def test_files(self) -> None:
        self.assert_refused(["run", "--producer", "file:nothing.ivf"], 1, "nothing.ivf", "No such file")
        self.assert_refused(["demo", "--input", "nothing.ivf"], 1, "nothing.ivf", "No such file")
        (self.directory / "file").write_text("")
        self.assert_refused(["demo", "--input", str(CLIP), "--output", "file/out"], 1, "file/out", "Not a directory")
        self.assert_refused(["demo", "--input", str(CLIP), "--output", ""], 1, "--output")

    def test_formats(self) -> None:
        self.assert_refused([*PATTERN, "--size", "5000x5000"], 1, "5000x5000", "3840x2160")
        self.assert_refused([*PATTERN, "--fps", "61"], 1, "61", "at most 60")
        self.assert_refused(["run", "--producer", f"file:{CLIP}", "--size", "320x240"], 1, "320x240", "1280x720")
        self.assert_refused(["run", "--producer", f"file:{CLIP}", "--fps", "30"], 1, "30", "25")

    def test_help(self) -> None:
        for command in ["inspect", "run", "demo"]:
            text = self.msdk(command, "--help", plugins=False)
            self.assertEqual((text.code, text.errors), (0, ""))
            self.assertIn(f"USAGE: msdk {command}", text.output)
            self.assertIn("Example", text.output)
        version = self.msdk("--version", plugins=False)
        self.assertEqual((version.code, version.output), (0, "0.1.0\n"))


if __name__ == "__main__":
    unittest.main()
