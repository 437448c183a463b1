"""Instances in processes of their own."""
from __future__ import annotations

import contextlib
import os
import signal
import unittest

from call import PATIENCE, plugin_dir
from mediasdk import Containment, Engine, IsolationLimits, PluginDiedError, PluginEvent, RangeError, UnsupportedError

PATTERN = "org.mediasdk.producer.testpattern"


def children() -> list[int]:
    """Of this process: there is one for each isolated instance."""
    found = []
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/self/task/{thread}/children") as file:  # unless it has just ended
            found += [int(child) for child in file.read().split()]
    return found


class IsolationTests(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Engine()
        self.addCleanup(self.engine.close)
        self.engine.add_plugin_dir(plugin_dir())

    def test_where_it_runs(self) -> None:
        before = set(children())
        with self.engine.create_instance(PATTERN, isolated=True, pattern="bars") as instance:
            self.assertTrue(instance.is_isolated)
            self.assertEqual(instance["pattern"], "bars")
            self.assertEqual(len(set(children()) - before), 1)
        self.assertEqual(set(children()) - before, set())
        with self.engine.create_instance(PATTERN, isolated=False) as instance:
            self.assertFalse(instance.is_isolated)

    def test_zero_is_no_default(self) -> None:
        for limits in (IsolationLimits(restarts=0), IsolationLimits(memory_mb=0), IsolationLimits(cpu_seconds=0)):
            with self.assertRaisesRegex(RangeError, "is 0; 1 or more is accepted"):
                self.engine.create_instance(PATTERN, isolated=True, limits=limits)

    def test_it_comes_back(self) -> None:
        before = set(children())
        with self.engine.create_instance(PATTERN, isolated=True, pattern="bars") as instance:
            # The program around the plugin dies, and the plugin with it.
            for child in set(children()) - before:
                os.kill(child, signal.SIGKILL)
            seen = []
            for event in instance.events(PATIENCE):
                seen.append(event.type)
                if event.type == PluginEvent.RESTARTED:
                    break
                if event.type == PluginEvent.DIED:
                    self.assertIn(PATTERN, event.text)
            self.assertEqual([kind for kind in seen if kind in (PluginEvent.DIED, PluginEvent.RESTARTED)],
                             [PluginEvent.DIED, PluginEvent.RESTARTED])
            self.assertEqual(instance["pattern"], "bars")

    def test_what_holds_it(self) -> None:
        with self.engine.create_instance(PATTERN, isolated=False) as instance:
            self.assertEqual(instance.containment, 0)
        for limits, wanted in ((IsolationLimits(no_network=True), Containment.NETWORK), (IsolationLimits(read_only=True), Containment.FILES)):
            with self.subTest(limits=limits):
                try:
                    with self.engine.create_instance(PATTERN, isolated=True, limits=limits) as instance:
                        self.assertTrue(instance.containment & wanted)
                except UnsupportedError as error:
                    self.assertIn("MSDK_ISOLATED_", str(error))  # this kernel refuses it

    def test_commands_are_methods(self) -> None:
        with self.engine.create_instance(PATTERN, isolated=True) as instance:
            self.assertTrue(instance.is_isolated)
            instance.set_pattern("bars", speed=2.0)
            self.assertEqual(instance["pattern"], "bars")
            self.assertEqual(instance.frame_count(), 0)
            with self.assertRaises(RangeError):
                instance.set_pattern("nothing of the kind")
            for child in children():
                os.kill(child, signal.SIGKILL)
            try:
                made = instance.frame_count()
            except PluginDiedError:  # it was called while its process was dying
                made = instance.frame_count()
            self.assertEqual(made, 0)

    def test_filters(self) -> None:
        with self.engine.create_instance("org.mediasdk.filter.bw", isolated=True, mode="threshold") as instance:
            self.assertTrue(instance.is_isolated)
            self.assertEqual(instance["mode"], "threshold")

    def test_limits(self) -> None:
        with self.engine.create_instance(PATTERN, isolated=True, limits=IsolationLimits(control_deadline=2.5, memory_mb=512, may_fork=True)):
            pass
        for limits in (IsolationLimits(memory_mb=1), IsolationLimits(control_deadline=0.001), IsolationLimits(cpu_seconds=100_000)):
            with self.assertRaises(RangeError):
                self.engine.create_instance(PATTERN, isolated=True, limits=limits)


if __name__ == "__main__":
    unittest.main()
