"""msdk params, and what it saved given to msdk run."""
from __future__ import annotations

import json
import os
import subprocess
import unittest
from pathlib import Path

from tool import ToolTest

ROOT = Path(__file__).resolve().parents[2]
SECRET = "hunter2-secret"
CLASS = "org.mediasdk.test.secretive"


class Params(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.folder = self.directory / "own"
        self.folder.mkdir()
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-fPIC", "-shared", f"-I{ROOT}/Include", str(ROOT / "Tests/Tool/secretive.c"),
                        "-o", str(self.folder / "secretive.so")], check=True)

    def own(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """Output and errors of a run with the class of every type."""
        result = self.msdk(*arguments, "--plugins", str(self.folder))
        self.assertEqual(result.code, code, result.errors)
        return result.output, result.errors

    def write(self, parameters: str, name: str = "p.json") -> str:
        (self.directory / name).write_text(f'{{"class": "{CLASS}", "parameters": {parameters}}}')
        return name

    def test_saved_and_restored(self) -> None:
        settings = {"level": "7", "wide": "-9223372036854775808", "big": "18446744073709551615", "ratio": "-0.25", "any": "1e300",
                    "flag": "true", "blob": "ab\x7f", "text": "q\"\\ \u00e9 \U0001F600 a=b\n", "device": "front"}
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        self.assertEqual(self.own("params", CLASS, *words, "--save", "one.json"), ("", ""))
        saved = json.loads((self.directory / "one.json").read_text())
        self.assertEqual(saved["class"], CLASS)
        self.assertEqual(saved["parameters"], {"level": 7, "wide": -1 << 63, "big": (1 << 64) - 1, "count": 0, "ratio": -0.25, "any": 1e300,
                                               "flag": True, "blob": [97, 98, 127], "text": settings["text"], "device": "front"})
        output, _ = self.own("params", CLASS, "--params", "one.json", "--save", "two.json")
        self.assertEqual(output, "")
        self.assertEqual((self.directory / "two.json").read_bytes(), (self.directory / "one.json").read_bytes())
        output, _ = self.own("params", CLASS, "--params", "one.json", "--set", "level=1")
        self.assertEqual(json.loads(output)["parameters"]["level"], 1)
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["one.json", "own", "two.json"])

    def test_defaults(self) -> None:
        output, _ = self.own("params", CLASS)
        values = json.loads(output)["parameters"]
        self.assertEqual((values["ratio"], values["text"], values["blob"]), (0.5, "none", []))
        self.assertNotIn("device", values)  # found at run time, and not set
        self.assertNotIn("serial", values)  # for reading only
        output = self.succeed("params", "org.mediasdk.producer.file").output
        self.assertNotIn("path", json.loads(output)["parameters"])  # required, and not set

    def test_secrets_are_nowhere(self) -> None:
        output, errors = self.own("params", CLASS, "--set", f"token={SECRET}", "--set", "pin=7391", "--save", "s.json")
        seen = output + errors + (self.directory / "s.json").read_text()
        self.assertIn("not saved, because they are secret: token, pin", errors)
        path = self.write(json.dumps({"token": SECRET, "pin": 7391, "level": 2}))
        output, errors = self.own("params", CLASS, "--params", path)
        seen += output + errors
        self.assertEqual(json.loads(output)["parameters"]["level"], 2)
        _, errors = self.own("params", CLASS, "--set", f"token={SECRET}", "--set", f"text={SECRET}", code=0)
        self.assertNotIn(SECRET, errors)
        for wrong in ({"pin": 73910}, {"pin": SECRET}, {"token": [SECRET]}, {"pin": 7391.5}, {"token": 7391}):
            path = self.write(json.dumps(wrong))
            output, errors = self.own("params", CLASS, "--params", path, code=1)
            seen += output + errors
        _, errors = self.own("params", CLASS, "--set", "token=refuse-this", code=1)
        seen += errors.replace("refuse-this", SECRET)
        seen += "".join(self.own("inspect", CLASS)) + "".join(self.own("inspect", "--json", CLASS))
        run = ["run", "--producer", f"{CLASS},token={SECRET},pin=7391", "--frames", "2"]
        result = self.msdk(*run, "--codec", "raw", "--plugins", str(self.folder))
        seen += result.output + result.errors
        for secret in (SECRET, "7391", "default-secret"):
            self.assertNotIn(secret, seen)

    def test_given_to_run(self) -> None:
        self.succeed("params", "testpattern", "--set", "pattern=counter", "--save", "pattern.json")
        result = self.succeed("run", "--producer", "testpattern", "--params", "pattern.json", "--frames", "3", "--renderer", "file:a.png")
        self.assertEqual(result.count("frames delivered"), 3)
        self.succeed("run", "--producer", "testpattern:lines", "--params", "pattern.json", "--frames", "3", "--renderer", "file:b.png")
        self.assertNotEqual((self.directory / "a.png").read_bytes(), (self.directory / "b.png").read_bytes())
        self.assert_refused(["run", "--producer", "testpattern", "--params", "pattern.json", "--params", "pattern.json"], 1, "both for the class")
        (self.directory / "bw.json").write_text('{"class": "org.mediasdk.renderer.bw", "parameters": {"level": 300}}')
        self.assert_refused(["run", "--producer", "testpattern", "--params", "bw.json"], 1, "bw.json", "not part of this run")
        self.assert_refused(["run", "--producer", "testpattern", "--renderer", "bw", "--params", "bw.json"], 1, "bw.json, \"level\"", "0..255")

    def test_what_a_class_refuses_names_file_and_key(self) -> None:
        for values, words in (({"nope": 1}, ['p.json, "nope"', "level, wide"]), ({"level": 10}, ['p.json, "level"', "10", "0..9"]),
                              ({"level": "7"}, ['p.json, "level"', "string", "i32"]), ({"level": 1.5}, ['"level"', "f64"]),
                              ({"level": None}, ['"level"', "null"]), ({"level": {}}, ['"level"', "an object"]), ({"level": [1]}, ["an array"]),
                              ({"count": -1}, ['"count"', "-1"]), ({"count": 1 << 32}, ['"count"', "4294967296"]),
                              ({"big": 1 << 64}, ['"big"', "64 bits"]), ({"flag": 1}, ['"flag"', "bool"]), ({"text": 1}, ['"text"', "string"]),
                              ({"text": "a\0b"}, ['"text"', "NUL"]), ({"blob": "text"}, ['"blob"', "bytes"]), ({"blob": [256]}, ['"blob"', "element 0"]),
                              ({"blob": [0, "a"]}, ["element 1"]), ({"serial": 1}, ['"serial"', "read-only"]),
                              ({"device": "left"}, ['"device"', '"front"']), ({"text": "x" * 70000}, ['"text"', "65536"])):
            path = self.write(json.dumps(values))
            with self.subTest(values=str(values)[:60]):
                _, errors = self.own("params", CLASS, "--params", path, code=1)
                for word in words:
                    self.assertIn(word, errors)

    def test_malformed_files(self) -> None:
        good = f'{{"class": "{CLASS}", "parameters": {{"level": 1}}}}'
        for text, words in (
                ("", ["line 1, column 1", "the file ends"]), (good[:-1], ["a comma or }"]), (good + "x", ["the end of the file"]),
                ("[]", ["is not an object"]), ("{}", ['"class"']), ('{"class": 1, "parameters": {}}', ['"class" is missing or not a text']),
                ('{"class": "a"}', ['"parameters"']), ('{"class": "a", "parameters": []}', ['"parameters" is missing or not an object']),
                (good[:-1] + ', "more": 1}', ['"more"']), (good[:-1] + ', "class": "x"}', ["each name once"]),
                ('{"a" 1}', ["line 1, column 6", "a colon"]), ("{\n  1: 2}", ["line 2, column 3", "a name in quotes"]), ('{"a": 1,}', ["a name in quotes"]),
                ('{"a": [1,]}', ["a value"]), ('{"a": 01}', ["zeros"]), ('{"a": -}', ["a digit"]), ('{"a": 1.}', ["a digit"]), ('{"a": 1e}', ["a digit"]),
                ('{"a": .5}', ["a value"]), ('{"a": +1}', ["a value"]), ('{"a": NaN}', ["a value"]), ('{"a": 1e999}', ["1.8e308"]), ('{"a": nul}', ["a value"]),
                ('{"a": "\t"}', ["control character"]), ('{"a": "\\x"}', ["one of"]), ('{"a": "\\u12"}', ["hexadecimal"]), ('{"a": "\\ud800"}', ["pair"]),
                ('{"a": "\\udc00"}', ["pair"]), ('{"a": "b', ["closing quote"]), ("// no\n{}", ["a value"]), ("[" * 100, ["64 levels"]),
                ("[" * 1000000, ["64 levels"]), (" " * ((1 << 20) + 1), ["1048576"])):
            (self.directory / "bad.json").write_text(text)
            with self.subTest(text=text[:40]):
                self.assert_refused(["params", "testpattern", "--params", "bad.json"], 1, "bad.json", *words)
        (self.directory / "bad.json").write_bytes(b'{"a": "\xff"}')
        self.assert_refused(["params", "testpattern", "--params", "bad.json"], 1, "bad.json", "UTF-8")
        (self.directory / "bad.json").write_text(good)
        self.assert_refused(["params", "testpattern", "--params", "bad.json"], 1, "bad.json", CLASS, "org.mediasdk.producer.testpattern")
        self.assert_refused(["params", "testpattern", "--params", "missing.json"], 1, "missing.json")
        self.assert_refused(["params", "testpattern", "--params", "."], 1, ".")

    def test_the_command_line(self) -> None:
        self.assert_refused(["params", "file"], 1, "org.mediasdk.producer.file or org.mediasdk.renderer.file")
        self.assert_refused(["params", "nothing"], 1, "nothing", "org.mediasdk.producer.testpattern")
        self.assert_refused(["params", "testpattern", "--set", "speed"], 2, "key=value")
        self.assert_refused(["params", "testpattern", "--set", "speed=fast"], 1, "speed")
        self.assert_refused(["params", "testpattern", "--save", "no/such/place.json"], 1, "no/such/place.json")
        output, _ = self.own("params", CLASS, "--set", "any=inf", code=1)
        self.assertEqual(output, "")

    def test_inspect_shows_what_there_is_now(self) -> None:
        output, _ = self.own("inspect", CLASS)
        self.assertIn("choices found at run time", output)
        self.assertIn('now: "front", the front camera', output)
        self.assertIn("default not shown", output)
        self.assertNotIn("\x1b", output)
        output, _ = self.own("inspect", "--json", CLASS)
        classes = [one for module in json.loads(output)["modules"] for one in module["classes"]]
        device = next(one for one in classes[0]["parameters"] if one["name"] == "device")
        self.assertIsNone(device["choices"])
        self.assertEqual(device["choices_now"][0], {"value": "front", "label": "the front camera"})
        self.assertEqual(device["choices_now"][1]["label"], "back \x1b[31m")
        self.assertIn("choices_found_at_run_time", device["flags"])
        env_less = self.msdk("inspect", "--json", "x11", env={name: value for name, value in os.environ.items() if name != "DISPLAY"})
        monitor = next(one for module in json.loads(env_less.output)["modules"] for cls in module["classes"] for one in cls["parameters"]
                       if one["name"] == "monitor")
        self.assertIsNone(monitor["choices_now"])
        self.assertIn("no display", monitor["choices_error"])


if __name__ == "__main__":
    unittest.main()
