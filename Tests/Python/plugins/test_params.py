"""Choices of parameters, found at run time too, and what an instance tells."""
from __future__ import annotations

import os
import shutil
import subprocess
import threading
import unittest

from call import PATIENCE, plugin_dir
from mediasdk import (Choice, ClosedError, Engine, HandleError, MediaIOError, MediaTimeout, NotFoundError, ParamFlag, PluginEvent,
                      RangeError, StateError, UnsupportedError)

PATTERN = "org.mediasdk.producer.testpattern"
BW = "org.mediasdk.renderer.bw"
X11 = "org.mediasdk.producer.x11"


@unittest.skipUnless(plugin_dir().is_dir(), f"needs the plugins in {plugin_dir()}")
class ParamTest(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine(ignore_environment=True)
        self.addCleanup(self.engine.close)
        self.engine.add_plugin_dir(plugin_dir())

    def test_choices_of_the_class(self) -> None:
        with self.engine.create_instance(BW) as renderer:
            self.assertEqual(renderer.choices("mode"), [Choice("gray", "gray"), Choice("threshold", "threshold")])
            with self.assertRaisesRegex(UnsupportedError, "level"):
                renderer.choices("level")
            with self.assertRaisesRegex(NotFoundError, "nothing"):
                renderer.choices("nothing")
        with self.assertRaises(HandleError):
            renderer.choices("mode")

    def test_what_cannot_be_told_is_an_error(self) -> None:
        without = dict(os.environ)
        self.addCleanup(os.environ.update, without)
        os.environ.pop("DISPLAY", None)
        with self.engine.create_instance(X11) as producer:
            monitor = next(param for param in producer.params() if param.name == "monitor")
            self.assertTrue(monitor.flags & ParamFlag.DYNAMIC_CHOICES)
            self.assertIsNone(monitor.choices)
            with self.assertRaisesRegex(MediaIOError, "no display"):
                producer.choices("monitor")
            with self.assertRaisesRegex(MediaIOError, "no display"):
                producer["monitor"] = "screen"

    @unittest.skipUnless(shutil.which("Xvfb"), "needs Xvfb")
    def test_choices_found_at_run_time(self) -> None:
        reading, writing = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "320x200x24", "-noreset", "-nolisten", "tcp"],
                                  pass_fds=[writing], stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            display = ":" + pipe.readline().strip()
        with self.engine.create_instance(X11, display=display) as producer:
            found = producer.choices("monitor")
            self.assertEqual([choice.value for choice in found], ["", "screen"])
            self.assertIn("320x200", found[1].label)
            producer["monitor"] = found[1].value
            self.assertEqual(producer["monitor"], "screen")
            with self.assertRaisesRegex(RangeError, '"screen"'):
                producer["monitor"] = "beamer"

    def test_events(self) -> None:
        with self.engine.create_instance(PATTERN) as producer:
            with self.assertRaises(MediaTimeout):
                producer.next_event(0)
            producer["speed"] = 2
            producer["speed"] = 3
            told = list(producer.events(0))
            self.assertEqual([(event.type, event.text) for event in told], [(PluginEvent.PARAM_CHANGED, "speed")] * 2)
            self.assertIs(told[0].instance, producer)
            self.assertIsNone(told[0].error)
            self.assertFalse(told[0].lost)
            self.assertLessEqual(told[0].timestamp_ns, told[1].timestamp_ns)
            for _ in range(70):
                producer["speed"] = 1
            told = list(producer.events(0))
            self.assertEqual((len(told), told[0].lost, told[1].lost), (64, True, False))
        self.assertEqual(list(producer.events(0)), [])

    def test_closing_wakes_who_waits(self) -> None:
        producer = self.engine.create_instance(PATTERN)
        result: list[Exception] = []

        def wait() -> None:
            try:
                producer.next_event(PATIENCE)
            except Exception as error:
                result.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        producer.close()
        thread.join(PATIENCE)
        self.assertIsInstance(result[0], (ClosedError, HandleError, StateError))


if __name__ == "__main__":
    unittest.main()
