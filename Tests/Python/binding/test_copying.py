"""What stands for an object of the SDK's is neither copied nor pickled: a second owner would end the first one's."""
from __future__ import annotations

import copy
import pickle
import unittest
from typing import Iterator

from call import Call, nv12, plugin_dir, room
from mediasdk import (AudioFormat, AudioFrame, Codec, EncodedFrame, PixelFormat, SessionState, VideoFormat, View, access_requests,
                      configure_room, serve_room)


class CopyingTest(unittest.TestCase):
    def objects(self, call: Call) -> Iterator[object]:
        yield from (call.engine, call.alice, call.stream, call.sender, call.incoming, call.bob.mixed_audio)
        yield call.engine.create_outgoing_audio()
        yield call.engine.create_instance("org.mediasdk.producer.tone")
        frame = call.sender.acquire()
        yield from (frame, frame.planes[0])
        call.sender.send(frame)
        yield EncodedFrame.create(b"\xFC\xFF\xFE", codec=Codec.OPUS)
        yield AudioFrame.create(AudioFormat(), 480)
        configure_room(call.engine, url := room(), verified=True)
        guest = call.engine.create_session(url, "guest")
        guest.connect(wait=False)
        yield next(access_requests(call.engine, url, 20))
        with serve_room(call.engine, room(), "127.0.0.1") as server:
            yield server

    def test_refused(self) -> None:
        with Call(nv12(64, 48)) as call:
            call.engine.add_plugin_dir(plugin_dir())
            for object in self.objects(call):
                for what, attempt in (("copy", copy.copy), ("deepcopy", copy.deepcopy), ("pickle", pickle.dumps)):
                    with self.subTest(type(object).__name__, what=what):
                        with self.assertRaisesRegex(TypeError, f"^{type(object).__name__} objects cannot be copied or pickled: "):
                            attempt(object)
            self.assertEqual(call.alice.state, SessionState.CONNECTED)

    def test_values_may(self) -> None:
        format = VideoFormat(PixelFormat.NV12, 64, 48, 30)
        for value in (format, AudioFormat(44_100, 2), View(320, 240), PixelFormat.I420, PixelFormat(7)):
            with self.subTest(value):
                self.assertEqual(copy.copy(value), value)
                self.assertEqual(copy.deepcopy(value), value)
                self.assertEqual(pickle.loads(pickle.dumps(value)), value)


if __name__ == "__main__":
    unittest.main()
