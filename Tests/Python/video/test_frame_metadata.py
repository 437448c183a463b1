"""What a program sends with a frame: its bounds, and that it arrives with the frame."""
from __future__ import annotations

import unittest

from call import Call
from mediasdk import (Codec, EncodedFrame, FRAME_USER_DATA_MAX, Frame, FrameMetadata, PixelFormat, QueuePolicy, RangeError, StateError,
                      VideoFormat)

NONE = FrameMetadata()


class FrameMetadataTest(unittest.TestCase):
    def test_what_is_set_is_read(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 16, 16)) as frame:
            self.assertEqual(frame.metadata, NONE)
            for metadata in (FrameMetadata(b"\0 bytes \xff"), FrameMetadata(user_timestamp_us=(1 << 64) - 1),
                             FrameMetadata(b"x" * 232, 1, (1 << 32) - 1), FrameMetadata(bytes(FRAME_USER_DATA_MAX)), NONE):
                frame.metadata = metadata
                self.assertEqual(frame.metadata, metadata)
                with frame.convert(width=8, height=8) as copy:
                    self.assertEqual(copy.metadata, metadata)
            frame.metadata = FrameMetadata(b"x")
            frame.metadata = None
            self.assertEqual(frame.metadata, NONE)

    def test_what_does_not_fit(self) -> None:
        with Frame.create(VideoFormat(PixelFormat.GRAY8, 16, 16)) as frame:
            frame.metadata = FrameMetadata(b"kept")
            for metadata in (FrameMetadata(bytes(249)), FrameMetadata(bytes(233), 1, 1), FrameMetadata(bytes(243), frame_id=1),
                             FrameMetadata(frame_id=1 << 32), FrameMetadata(frame_id=-1), FrameMetadata(user_timestamp_us=1 << 64)):
                with self.subTest(metadata), self.assertRaises(RangeError):
                    frame.metadata = metadata
            self.assertEqual(frame.metadata, FrameMetadata(b"kept"))

    @staticmethod
    def after(call: Call, sent: Frame) -> Frame:
        """What came of it; of frames before it some may still come."""
        while (frame := call.read()).sequence < sent.sequence:
            frame.close()
        return frame

    def test_it_comes_with_its_frame(self) -> None:
        for codec in (Codec.RAW, Codec.VP8):
            with self.subTest(codec), Call(codec=codec, queue_policy=QueuePolicy.WAIT, carries_metadata=True) as call:
                self.assertTrue(call.incoming.carries_metadata)
                call.until_received().close()
                for number in range(1, 6):
                    sent = FrameMetadata(b"frame %d" % number, frame_id=number)
                    with call.sender.acquire(5) as frame:
                        for plane in frame.planes:
                            plane.write(bytes([128]) * (plane.rows * plane.row_bytes))
                        frame.metadata = sent
                        call.sender.send(frame)
                        with self.assertRaises(StateError):
                            frame.metadata = sent
                        with self.after(call, frame) as received:
                            self.assertEqual(received.metadata, sent)
                            with self.assertRaises(StateError):
                                received.metadata = None

    def test_without_the_option_it_does_not(self) -> None:
        with Call() as call:
            self.assertFalse(call.incoming.carries_metadata)
            call.until_received().close()
            with call.sender.acquire(5) as frame:
                frame.metadata = FrameMetadata(b"dropped")
                call.sender.send(frame)
                with self.after(call, frame) as received:
                    self.assertEqual(received.metadata, NONE)

    def test_encoded_frames(self) -> None:
        with EncodedFrame.create(b"\xf8\xff\xfe", codec=Codec.OPUS) as frame:
            self.assertEqual(frame.metadata, NONE)
            frame.metadata = FrameMetadata(b"bits", 7, 9)
            self.assertEqual((frame.metadata, bytes(frame)), (FrameMetadata(b"bits", 7, 9), b"\xf8\xff\xfe"))
            with self.assertRaises(RangeError):
                frame.metadata = FrameMetadata(bytes(240), 7)


if __name__ == "__main__":
    unittest.main()
