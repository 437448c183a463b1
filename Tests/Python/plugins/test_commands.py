"""Commands of plugins as methods: positional and named arguments, defaults, documentation, and what is refused."""
from __future__ import annotations

import inspect
import unittest

from mediasdk import (CommandFlag, Engine, HandleError, Instance, InvalidError, MediaSDKError, NotFoundError, RangeError,
                      ValueType, ValueTypeError)
from plugins.test_instances import BW, PATTERN, PluginTest

TONE = "org.mediasdk.producer.tone"


class CommandTest(PluginTest):
    def setUp(self) -> None:
        super().setUp()
        self.pattern = self.engine.create_instance(PATTERN)
        self.tone = self.engine.create_instance(TONE)

    def test_arguments_go_in_their_place_or_by_name(self) -> None:
        self.assertIsNone(self.pattern.set_pattern("lines", speed=2.0))
        self.assertEqual((self.pattern["pattern"], self.pattern["speed"]), ("lines", 2.0))
        self.pattern.set_pattern(speed=3, pattern="counter")  # an int for a float
        self.assertEqual((self.pattern["pattern"], self.pattern["speed"]), ("counter", 3.0))
        self.pattern.set_pattern("bars")
        self.assertEqual((self.pattern["pattern"], self.pattern["speed"]), ("bars", 1.0))
        self.pattern.call("set_pattern", "lines", 16)
        self.assertEqual((self.pattern["pattern"], self.pattern["speed"]), ("lines", 16.0))

    def test_results(self) -> None:
        self.assertEqual(self.pattern.frame_count(), 0)
        self.assertEqual(self.tone.play_note(69), 440.0)
        self.assertAlmostEqual(self.tone.play_note(note=60), 261.6255653, 6)
        self.assertAlmostEqual(self.tone["frequency"], 261.6255653, 6)

    def test_wrong_names(self) -> None:
        with self.assertRaisesRegex(AttributeError, "has no command 'set_colour'; it has set_pattern, frame_count"):
            self.pattern.set_colour("red")
        with self.assertRaisesRegex(NotFoundError, "has no command \"set_colour\"; it has set_pattern, frame_count"):
            self.pattern.call("set_colour", "red")
        with self.assertRaisesRegex(AttributeError, "has no command 'anything'; it has none"):
            self.engine.create_instance(BW).anything()
        with self.assertRaisesRegex(InvalidError, "set_pattern has no argument 'colour'; it has pattern, speed"):
            self.pattern.set_pattern("bars", colour="red")
        self.assertFalse(hasattr(self.pattern, "_set_pattern"))
        self.assertFalse(hasattr(Instance.__new__(Instance), "commands"))  # one that is not made yet

    def test_wrong_counts(self) -> None:
        with self.assertRaisesRegex(InvalidError, "argument \"pattern\" of set_pattern is missing"):
            self.pattern.set_pattern()
        with self.assertRaisesRegex(InvalidError, "argument 'pattern' of set_pattern is missing"):
            self.pattern.set_pattern(speed=1)
        with self.assertRaisesRegex(InvalidError, "takes 2 arguments .pattern, speed.; 3 were given"):
            self.pattern.set_pattern("bars", 1, 2)
        with self.assertRaisesRegex(InvalidError, "is given twice"):
            self.pattern.set_pattern("bars", pattern="bars")

    def test_wrong_values(self) -> None:
        before = (self.pattern["pattern"], self.pattern["speed"])
        for value in (17, -0.5, float("nan"), float("inf"), 1 << 63, 1 << 70):
            with self.subTest(value), self.assertRaises(RangeError):
                self.pattern.set_pattern("lines", value)
        for value in ("fast", True, b"1", None, [1]):
            with self.subTest(value), self.assertRaises(ValueTypeError):
                self.pattern.set_pattern("lines", value)
        with self.assertRaisesRegex(RangeError, "accepted: lines, bars, counter"):
            self.pattern.set_pattern("stripes")
        with self.assertRaises(ValueTypeError):
            self.pattern.set_pattern(1)
        with self.assertRaisesRegex(InvalidError, "NUL"):
            self.pattern.set_pattern("bars\0and more")
        with self.assertRaises(InvalidError):
            self.pattern.set_pattern("\udcff")  # a byte that is no UTF-8
        for value in (-1, 128, 1 << 40):
            with self.subTest(value), self.assertRaises(RangeError):
                self.tone.play_note(value)
        with self.assertRaises(ValueTypeError):
            self.tone.play_note(69.0)
        self.assertEqual((self.pattern["pattern"], self.pattern["speed"]), before)

    def test_the_listing(self) -> None:
        commands = self.pattern.commands
        self.assertEqual(list(commands), ["set_pattern", "frame_count"])
        command = commands["set_pattern"]
        self.assertEqual((command.result, command.flags), (ValueType.VOID, CommandFlag(0)))
        self.assertEqual([(arg.name, arg.type, arg.default) for arg in command.args],
                         [("pattern", ValueType.STRING, None), ("speed", ValueType.F64, 1.0)])
        self.assertEqual(command.args[0].choices, ("lines", "bars", "counter"))
        self.assertEqual((command.args[1].minimum, command.args[1].maximum), (0, 16))
        self.assertEqual((commands["frame_count"].result, commands["frame_count"].flags), (ValueType.U64, CommandFlag.CONST))
        self.assertEqual(self.engine.class_commands(BW), [])
        with self.assertRaises(NotFoundError):
            self.engine.class_commands("org.example.nothing")

    def test_they_look_like_methods(self) -> None:
        function = self.pattern.set_pattern
        self.assertEqual(function.__name__, "set_pattern")
        self.assertEqual(str(inspect.signature(function)), "(pattern: str, speed: float = 1.0) -> None")
        self.assertIn("shows a pattern from the next frame on", function.__doc__ or "")
        self.assertIn("speed: how fast lines and box move; f64, 0..16", function.__doc__ or "")
        self.assertIn("set_pattern", dir(self.pattern))
        self.assertTrue(hasattr(self.pattern, "frame_count") and not hasattr(self.pattern, "no_command"))

    def test_a_method_hides_a_command_of_its_name(self) -> None:
        class Hiding(Instance):
            def frame_count(self) -> str:
                return "mine"

        instance = Hiding(self.engine, PATTERN)
        self.assertEqual(instance.frame_count(), "mine")
        self.assertEqual(instance.call("frame_count"), 0)

    def test_closed(self) -> None:
        self.pattern.set_pattern("bars")
        function = self.pattern.set_pattern
        self.pattern.close()
        for call in (function, self.pattern.set_pattern):
            with self.assertRaises(HandleError):
                call("bars")
        engine = Engine(ignore_environment=True)
        with self.assertRaises(MediaSDKError):
            Instance(engine, "org.example.nothing")
        engine.close()


if __name__ == "__main__":
    unittest.main()
