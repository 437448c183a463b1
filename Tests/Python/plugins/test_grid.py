"""A whole call on one renderer, the grid of the plugins."""
from __future__ import annotations

import gc
import unittest
import weakref

from call import Call, nv12, plugin_dir
from mediasdk import AgainError, Clock, MediaSDKError, NotFoundError, PixelFormat, StateError, UnsupportedError

GRID = "org.mediasdk.renderer.grid"


@unittest.skipUnless(plugin_dir().is_dir(), f"needs the plugins in {plugin_dir()}")
class GridTest(unittest.TestCase):
    def setUp(self) -> None:
        self.call = Call(nv12(64, 36, 30), clock=Clock.VIRTUAL, start=None)
        self.addCleanup(self.call.close)
        self.call.engine.add_plugin_dir(plugin_dir())
        self.grid = self.call.engine.create_instance(GRID, width=640, height=360, names=False)

    def turn(self) -> None:
        self.call.engine.advance_clock(10_000_000)

    def luma(self, x: int, y: int) -> int:
        with self.grid.snapshot() as seen:
            self.assertEqual((seen.format.pixel_format, seen.format.width, seen.format.height), (PixelFormat.I420, 640, 360))
            return seen.planes[0][y][x]

    def test_everybody_is_shown(self) -> None:
        with self.assertRaises(AgainError):
            self.grid.snapshot()  # nobody
        self.call.bob.attach_renderer(self.grid)
        self.turn()
        ground = self.luma(2, 2)
        self.call.sender.send_array(b"\xC8" * (64 * 36) + b"\x80" * (64 * 18))
        self.turn()
        self.assertAlmostEqual(self.luma(320, 180), 200, delta=1)  # alice alone
        self.call.bob.detach_renderer(self.grid)
        self.call.bob.attach_renderer(self.grid, include_local=True)
        self.turn()
        self.call.sender.send_array(b"\xC8" * (64 * 36) + b"\x80" * (64 * 18))
        self.turn()
        self.assertEqual(self.luma(4, 180), ground)  # bob, who sends nothing, on the left
        self.assertAlmostEqual(self.luma(480, 180), 200, delta=1)

    def test_what_is_wrong(self) -> None:
        pattern = self.call.engine.create_instance("org.mediasdk.renderer.bw")
        with self.assertRaisesRegex(UnsupportedError, "renders one stream"):
            self.call.bob.attach_renderer(pattern)
        self.call.bob.attach_renderer(self.grid)
        with self.assertRaises(StateError):
            self.call.alice.attach_renderer(self.grid)
        self.call.bob.detach_renderer(self.grid)
        with self.assertRaises(NotFoundError):
            self.call.bob.detach_renderer(self.grid)
        for name, value in (("width", 641), ("background", "red"), ("scale", "stretch"), ("fps", 0)):
            with self.assertRaises(MediaSDKError):
                self.grid[name] = value

    def test_it_is_kept_while_it_is_attached(self) -> None:
        self.call.bob.attach_renderer(self.grid)
        alive = weakref.ref(self.grid)
        del self.grid
        gc.collect()
        self.assertIsNotNone(alive())
        self.call.bob.close()
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
