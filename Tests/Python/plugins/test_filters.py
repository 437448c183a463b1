"""Filters in streams of pictures and of sound."""
from __future__ import annotations

import gc
import unittest

from call import Call, nv12, plugin_dir
from mediasdk import Clock, HandleError, InstanceState, Kind, NotFoundError, StateError, UnsupportedError

BW = "org.mediasdk.filter.bw"
BLUR = "org.mediasdk.filter.blur"
GAIN = "org.mediasdk.filter.gain"


class Filters(unittest.TestCase):
    def setUp(self) -> None:
        self.call = Call(nv12(), clock=Clock.VIRTUAL)
        self.addCleanup(self.call.close)
        self.call.engine.add_plugin_dir(plugin_dir())

    def chroma(self) -> set[int]:
        """Of the newest picture, those before it thrown away."""
        self.call.until_received().close()
        with self.call.until_received() as frame:
            return set(frame.tobytes()[frame.format.width * frame.format.height:])

    def test_outgoing(self) -> None:
        bw = self.call.engine.create_instance(BW)
        self.assertNotEqual(self.chroma(), {128})
        self.call.stream.add_filter(bw)
        self.assertEqual(bw.state(Kind.VIDEO_FILTER), InstanceState.READY)
        self.assertEqual(self.chroma(), {128})
        self.assertEqual(bw.state(Kind.VIDEO_FILTER), InstanceState.STARTED)
        self.assertGreater(self.call.stream.stats().total_filter_time_ns, 0)
        self.call.stream.remove_filter(bw)
        self.assertNotEqual(self.chroma(), {128})
        with self.assertRaises(NotFoundError):
            self.call.stream.remove_filter(bw)

    def test_incoming(self) -> None:
        bw = self.call.engine.create_instance(BW, mode="threshold")
        self.call.incoming.add_filter(bw)
        self.assertEqual(self.chroma(), {128})
        self.assertGreater(self.call.incoming.stats().total_filter_time_ns, 0)
        self.call.incoming.remove_filter(bw)
        self.assertNotEqual(self.chroma(), {128})

    def test_those_that_are_added_are_kept(self) -> None:
        """Python lets go of the filters; the streams do not."""
        self.call.stream.add_filter(self.call.engine.create_instance(BW))
        self.call.incoming.add_filter(self.call.engine.create_instance(BLUR, radius=3))
        gc.collect()
        self.assertEqual(self.chroma(), {128})

    def test_refusals(self) -> None:
        gain = self.call.engine.create_instance(GAIN, gain_db=-6.0)
        blur = self.call.engine.create_instance(BLUR)
        with self.assertRaises(UnsupportedError):
            self.call.stream.add_filter(gain)
        with self.assertRaises(UnsupportedError):
            self.call.incoming.add_filter(gain)
        self.call.stream.add_filter(blur)
        with self.assertRaises(StateError):
            self.call.incoming.add_filter(blur)
        blur.close()
        with self.assertRaises(HandleError):
            self.call.stream.remove_filter(blur)

    def test_sound(self) -> None:
        gain = self.call.engine.create_instance(GAIN, gain_db=-6.0)
        stream = self.call.engine.create_outgoing_audio()
        stream.add_filter(gain)
        self.assertEqual(gain.state(Kind.AUDIO_FILTER), InstanceState.READY)
        self.assertEqual(stream.stats().total_filter_time_ns, 0)
        stream.remove_filter(gain)
        mix = self.call.bob.mixed_audio
        mix.add_filter(gain)
        mix.remove_filter(gain)


if __name__ == "__main__":
    unittest.main()
