"""Views: the arithmetic, composing, renderers and shared screens through one."""
from __future__ import annotations

import struct
import tempfile
import time
import unittest
from pathlib import Path

from call import PATIENCE, Call, nv12, picture, plugin_dir
from mediasdk import (Engine, EventType, Frame, IncomingState, NotFoundError, Orientation, PixelFormat, RangeError, Scale,
                      UnsupportedError, VideoFormat, VideoKind, View)


class ViewTest(unittest.TestCase):
    def test_place(self) -> None:
        placed = View(640, 480).place(1280, 720)
        self.assertEqual((placed.source, placed.target), ((0, 0, 1280, 720), (0, 60, 640, 360)))
        placed = View(640, 480, Scale.FILL, Orientation.MIRROR).place(1280, 720, Orientation.ROTATE_90)
        self.assertEqual(placed.target, (0, 0, 640, 480))
        self.assertEqual(placed.orientation, Orientation.MIRROR | Orientation.ROTATE_270)

    def test_bad_views(self) -> None:
        for view, error, word in ((View(0, 4), RangeError, "0x4"), (View(4, 4, background=1 << 24), RangeError, "background"),
                                  (View(4, 4, scale=Scale(9)), UnsupportedError, "view.scale")):
            with self.assertRaisesRegex(error, word):
                view.place(4, 4)
        with self.assertRaises(RangeError):
            View(4, 4).place(0, 4)
        with self.assertRaises((OverflowError, RangeError)):
            View(1 << 32, 4).place(4, 4)

    def test_compose(self) -> None:
        with Engine():
            frame = Frame.create(VideoFormat(PixelFormat.NV12, 64, 32, 30))
            with frame:
                seen = frame.compose(View(64, 64))
                with seen:
                    self.assertEqual((seen.pixel_format, seen.format.width, seen.format.height), (PixelFormat.I420, 64, 64))

    @unittest.skipUnless(plugin_dir().is_dir(), "needs the plugins")
    def test_through_a_view(self) -> None:
        """A picture file tells what the renderer was given: the view's size, then another's, then the stream's."""
        with Call([nv12(320, 240)]) as call, tempfile.TemporaryDirectory() as directory:
            call.engine.add_plugin_dir(plugin_dir())
            renderer = call.engine.create_instance("org.mediasdk.renderer.file")
            for view, size in ((View(64, 64), (64, 64)), (View(40, 20, Scale.FILL), (40, 20)), (None, (320, 240))):
                path = Path(directory, f"{size[0]}.png")
                renderer["path"] = path
                before = call.incoming.stats().frames_rendered
                call.incoming.attach_renderer(renderer, view)
                deadline = time.monotonic() + PATIENCE
                while call.incoming.stats().frames_rendered <= before and time.monotonic() < deadline:
                    call.sender.send_array(picture(call.sender.format))
                    time.sleep(0.02)
                call.incoming.detach_renderer(renderer)
                renderer.release()
                self.assertEqual(struct.unpack(">II", path.read_bytes()[16:24]), size)

    def test_a_shared_screen(self) -> None:
        with Call([nv12(320, 240)]) as call:
            call.engine.add_plugin_dir(plugin_dir())
            renderer = call.engine.create_instance("org.mediasdk.renderer.bw")
            with self.assertRaisesRegex(NotFoundError, "alice"):
                call.bob.start_screen_view("alice", renderer, View(64, 64))
            screen = call.engine.create_outgoing_video(nv12(320, 240), kind=VideoKind.SCREEN_SHARE)
            call.alice.start_video(screen)
            shared = call.event(call.bob, EventType.INCOMING_VIDEO_ADDED).incoming_video
            call.bob.start_screen_view("alice", renderer, View(64, 64))
            self.assertEqual(shared.state, IncomingState.STARTED)
            call.bob.stop_screen_view("alice", renderer)
            self.assertEqual(shared.state, IncomingState.STOPPED)
            with self.assertRaises(NotFoundError):
                call.bob.stop_screen_view("alice", renderer)


if __name__ == "__main__":
    unittest.main()
