"""msdk inspect."""
from __future__ import annotations

import json
import shutil
import unittest
from pathlib import Path
from typing import Any

from tool import PLUGINS, TOOL, ToolTest, environment

CLASSES = [f"org.mediasdk.{name}" for name in (
    "av1", "filter.blur", "filter.bw", "filter.gain", "filter.overlay", "opus",
    "producer.file", "producer.packets", "producer.pulse", "producer.testpattern", "producer.tone", "producer.wav", "producer.x11",
    "renderer.bw", "renderer.file", "renderer.grid", "renderer.pulse", "renderer.recorder", "renderer.terminal",
    "renderer.wav", "renderer.window", "vp8")]
BUILT_IN = ["org.mediasdk.opus", "org.mediasdk.vp8"]
FILES = 16


class Inspect(ToolTest):
    def classes(self, *arguments: str) -> dict[str, Any]:
        document = json.loads(self.succeed("inspect", "--json", *arguments).output)
        return {one["id"]: one for module in document["modules"] for one in module["classes"]}

    def test_text_is_short(self) -> None:
        text = self.succeed("inspect").output
        for words in [str(PLUGINS), "plugin ABI 1.0", "MediaSDK 0.1.0", "VP8 (VP80), video", "AV1 (AV01), video", "Opus (OPUS), audio", "1920x1080, up to 30 frames a second", "up to 3840x2160, up to 60 frames a second"]:
            self.assertIn(words, text)
        self.assertNotIn("Refused", text)
        self.assertNotIn("parameters", text)
        for name in CLASSES:
            self.assertEqual(len([line for line in text.splitlines() if line.split()[:1] == [name]]), 1, f"a line for {name}")
        self.assertLess(len(text.splitlines()), len(CLASSES) + 40)
        self.assertLessEqual(max(len(line) for line in text.splitlines() if str(PLUGINS) not in line), 80)

    def test_text_of_a_class_is_long(self) -> None:
        for name, *expected in [("file", "path      string, required"), ("org.mediasdk.renderer.bw", "level  u32, default 128, 0..255"),
                                ("testpattern", "one of lines bars counter, live", "NV12 1280x720 at 30, unless set otherwise")]:
            text = self.succeed("inspect", name).output
            for words in expected:
                self.assertIn(words, text)

    def test_json(self) -> None:
        document = json.loads(self.succeed("inspect", "--json").output)
        self.assertEqual(document["version"], "0.1.0")
        self.assertEqual(document["abi"], {"major": 1, "minor": 0})
        self.assertIn({"path": str(PLUGINS), "files": FILES, "loaded": FILES}, document["directories"])
        self.assertEqual(document["refused"], [])
        self.assertIn({"width": 1280, "height": 720, "fps": 30}, document["limits"]["conference"])
        self.assertEqual(document["limits"]["extended"], [{"width": 3840, "height": 2160, "fps": 60}])
        self.assertEqual([(codec["name"], codec["fourcc"]) for codec in document["codecs"]], [("VP8", "VP80"), ("AV1", "AV01"), ("Opus", "OPUS")])
        self.assertEqual({module["vendor"] for module in document["modules"]}, {"MediaSDK"})

    def test_json_of_classes(self) -> None:
        classes = self.classes()
        self.assertEqual(sorted(classes), CLASSES)
        self.assertEqual(classes["org.mediasdk.renderer.bw"]["kinds"], ["video_producer", "video_renderer"])
        pattern, speed = classes["org.mediasdk.producer.testpattern"]["parameters"]
        self.assertEqual((pattern["type"], pattern["default"], pattern["choices"]), ("string", "bars", ["lines", "bars", "counter"]))
        self.assertEqual((speed["minimum"], speed["maximum"], speed["default"], speed["flags"]), (0.0, 16.0, 1.0, ["live"]))
        path = classes["org.mediasdk.producer.file"]["parameters"][0]
        self.assertEqual((path["name"], path["default"], path["flags"]), ("path", None, ["required"]))
        formats = classes["org.mediasdk.producer.testpattern"]["formats"]
        self.assertIn({"pixel_format": "NV12", "width": 640, "height": 360, "fps_num": 30, "fps_den": 1}, formats)
        self.assertIsNone(classes["org.mediasdk.producer.file"]["formats"])
        self.assertEqual([name for name in CLASSES if "makes_encoded_frames" in classes[name]["flags"]], ["org.mediasdk.producer.packets"])

    def test_commands(self) -> None:
        text = self.succeed("inspect", "testpattern").output
        for words in ["    commands\n      set_pattern(pattern: string, speed: f64 = 1)\n        shows a pattern from the next frame on\n",
                      "        pattern  one of lines bars counter; as the parameter 'pattern'\n",
                      "        speed    0..16; how fast lines and box move\n",
                      "      frame_count() -> u64, constant\n        how many frames"]:
            self.assertIn(words, text)
        classes = self.classes()
        self.assertEqual(classes["org.mediasdk.renderer.bw"]["commands"], [])
        set_pattern, frame_count = classes["org.mediasdk.producer.testpattern"]["commands"]
        self.assertEqual((set_pattern["name"], set_pattern["result"], set_pattern["flags"]), ("set_pattern", None, []))
        self.assertEqual((frame_count["result"], frame_count["flags"], frame_count["arguments"]), ("u64", ["constant"], []))
        pattern, speed = set_pattern["arguments"]
        self.assertEqual((pattern["type"], pattern["default"], pattern["choices"]), ("string", None, ["lines", "bars", "counter"]))
        self.assertEqual((speed["minimum"], speed["maximum"], speed["default"], speed["summary"]),
                         (0.0, 16.0, 1.0, "how fast lines and box move"))
        note, = classes["org.mediasdk.producer.tone"]["commands"][0]["arguments"]
        self.assertEqual((note["name"], note["type"], note["minimum"], note["maximum"]), ("note", "i32", 0, 127))

    def test_one_class(self) -> None:
        self.assertEqual(list(self.classes("org.mediasdk.renderer.bw")), ["org.mediasdk.renderer.bw"])
        self.assertEqual(sorted(self.classes("file")), ["org.mediasdk.producer.file", "org.mediasdk.renderer.file"])
        text = self.succeed("inspect", "testpattern").output
        self.assertIn("org.mediasdk.producer.testpattern", text)
        self.assertNotIn("renderer.file", text)
        self.assert_refused(["inspect", "nothing"], 1, '"nothing"', *CLASSES)

    def test_codec_classes(self) -> None:
        """A codec is a class, whether a plugin has it or the library itself."""
        for name, kinds, place in [("vp8", "video encoder, video decoder", "built into the library"), ("av1", "video encoder, video decoder", "av1.so"),
                                   ("org.mediasdk.opus", "audio encoder, audio decoder", "built into the library")]:
            text = self.succeed("inspect", name).output
            self.assertIn(f"  org.mediasdk.{name.split('.')[-1]}\n    {kinds}", text)
            self.assertIn(place, text.splitlines()[0])
        document = json.loads(self.succeed("inspect", "--json").output)
        built_in, = [module for module in document["modules"] if module["path"] is None]
        self.assertEqual(sorted(one["id"] for one in built_in["classes"]), BUILT_IN)
        self.assertEqual(list(self.classes("producer.file")), ["org.mediasdk.producer.file"])
        # A period begins the short name.
        self.assert_refused(["inspect", "p8"], 1, '"p8"', "did you mean org.mediasdk.vp8?")

    def test_refused_files_and_escaping(self) -> None:
        odd = self.directory / 'a "b" \\ c\td\n\x7f\u00e9'
        odd.mkdir()
        (odd / "broken.so").write_text("this is no plugin")
        shutil.copy(PLUGINS / "bw.so", odd / "copy.so")
        document = json.loads(self.succeed("inspect", "--json", "--plugins", str(odd)).output)
        self.assertIn({"path": str(odd), "files": 2, "loaded": 1}, document["directories"])
        reasons = {refusal["path"]: refusal for refusal in document["refused"]}
        broken = reasons[str(odd / "broken.so")]
        self.assertEqual(broken["status"], "abi")
        self.assertIn("not an ELF shared object", broken["reason"])
        # The copy came first, so the class of the original is taken.
        self.assertEqual(reasons[str(PLUGINS / "bw.so")]["status"], "exists")
        text = self.succeed("inspect", "--plugins", str(odd)).output
        self.assertIn("Refused files", text)
        self.assertNotIn("\x7f", text)

    def test_places(self) -> None:
        """From the environment, and beside the program as it is built and as it is installed."""
        nothing = self.msdk("run", "--producer", "testpattern", plugins=False, tool=self.installed("empty/bin"))
        self.assertEqual(nothing.code, 1)
        self.assertIn("none: no plugin was found", nothing.errors)
        for program, plugins in [("built", "built/plugins"), ("prefix/bin", "prefix/lib/mediasdk/plugins-1")]:
            with self.subTest(plugins=plugins):
                shutil.copytree(PLUGINS, self.directory / plugins)
                output = self.msdk("inspect", plugins=False, tool=self.installed(program)).output
                self.assertIn(f"{self.directory.resolve()}/{plugins}: {FILES} files", output)
        chosen = self.msdk("inspect", plugins=False, tool=self.installed("empty/bin"), env=environment(MSDK_PLUGIN_PATH=str(PLUGINS)))
        self.assertIn(f"{PLUGINS}: {FILES} files", chosen.output)

    def test_scanning(self) -> None:
        """With a script in the place of msdk-plugin-host that tells how often it was asked."""
        folder = self.directory / "own"
        folder.mkdir()
        shutil.copy(PLUGINS / "bw.so", folder / "copy.so")
        host = self.directory / "host"

        def inspect(script: str, *arguments: str) -> tuple[dict[str, Any], int]:
            host.write_text(f"#!/bin/sh\necho >> {self.directory}/looked\n{script}\n")
            host.chmod(0o755)
            (self.directory / "looked").write_text("")
            env = environment(MSDK_PLUGIN_HOST=str(host), XDG_CACHE_HOME=str(self.directory / "cache"))
            result = self.msdk("inspect", "--json", *arguments, "--plugins", str(folder), plugins=False, tool=self.installed("bin"), env=env)
            self.assertEqual((result.code, result.errors), (0, ""))
            document = json.loads(result.output)
            document["modules"] = [module for module in document["modules"] if module["path"] is not None]
            return document, len((self.directory / "looked").read_text())

        document, looks = inspect("echo some words >&2; kill -SEGV $$")
        self.assertEqual((document["modules"], looks), ([], 1))
        refusal = document["refused"][0]
        self.assertEqual((refusal["path"], refusal["status"]), (str(folder / "copy.so"), "pluginDied"))
        for words in ("was not loaded", "signal 11", "some words"):
            self.assertIn(words, refusal["reason"])
        good = "printf 'mediasdk-scan 1\\naccepted org.mediasdk.renderer.bw\\nend\\n'"
        document, looks = inspect(good)
        self.assertEqual((document["refused"], looks), ([refusal], 0))
        document, looks = inspect(good, "--rescan")
        self.assertEqual((document["refused"], len(document["modules"]), looks), ([], 1, 1))
        document, looks = inspect("exit 1")
        self.assertEqual((document["refused"], len(document["modules"]), looks), ([], 1, 0))
        document, looks = inspect("exit 1", "--rescan")
        self.assertIn("exit(1)", document["refused"][0]["reason"])

    def test_left_out(self) -> None:
        for variable, value, place, refused in (("MSDK_PLUGIN_DISABLE", "bw.so,*wav*", "prefix/lib/mediasdk/plugins-1", ["bw.so", "wav.so"]),
                                                ("MSDK_PLUGIN_DISABLE", "org.mediasdk.renderer.*", None, None),
                                                ("MSDK_PLUGIN_SAFE_MODE", "1", "prefix/lib/mediasdk/plugins-1", [])):
            with self.subTest(variable=variable, value=value):
                if place and not (self.directory / place).exists():
                    shutil.copytree(PLUGINS, self.directory / place)
                result = self.msdk("inspect", "--json", plugins=False, tool=self.installed("prefix/bin"), env=environment(**{variable: value}))
                document = json.loads(result.output)
                ids = {one["id"] for module in document["modules"] for one in module["classes"]}
                if refused is None:
                    self.assertFalse([one for one in ids if one.startswith("org.mediasdk.renderer.")])
                    self.assertIn("org.mediasdk.producer.wav", ids)  # of a file that has both
                    self.assertTrue(all("MSDK_PLUGIN_DISABLE" in one["reason"] for one in document["refused"]))
                else:
                    self.assertEqual([Path(one["path"]).name for one in document["refused"]], refused)
        outside = self.msdk("inspect", "--json", plugins=False, tool=self.installed("prefix/bin"),
                            env=environment(MSDK_PLUGIN_SAFE_MODE="1", MSDK_PLUGIN_PATH=str(PLUGINS)))
        document = json.loads(outside.output)
        self.assertEqual(len(document["refused"]), FILES)
        self.assertTrue(all("MSDK_PLUGIN_SAFE_MODE" in one["reason"] for one in document["refused"]))

    def installed(self, place: str) -> Any:
        path = self.directory / place / "msdk"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOOL, path)
        return path


if __name__ == "__main__":
    unittest.main()
