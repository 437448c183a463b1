"""In the child of a fork every call is refused and none hangs."""
from __future__ import annotations

import os
import time
import unittest
import warnings

from call import PATIENCE, Call, nv12, picture
from mediasdk import Engine, ForkedError, VideoFormat


def refused(call: Call, frame: object) -> list[str]:
    """The calls that were not refused with ForkedError."""
    uses = {
        "engine": lambda: Engine(), "stats": lambda: call.engine.stats(), "session": lambda: call.engine.create_session("loopback:x", "x"),
        "event": lambda: call.alice.next_event(0.1), "connect": lambda: call.alice.connect(), "acquire": lambda: call.sender.acquire(0.1),
        "send": lambda: call.sender.send(frame), "array": lambda: call.sender.send_array(picture(call.sender.format)),
        "read": lambda: call.incoming.read(0.1), "report": lambda: call.stream.read_report(0.1),
        "sound": lambda: call.engine.create_outgoing_audio(), "mix": lambda: call.bob.mixed_audio,
        "convert": lambda: frame.convert(width=8, height=8), "create": lambda: type(frame).create(VideoFormat(frame.pixel_format, 4, 4)),
    }
    wrong = []
    for name, use in uses.items():
        try:
            use()
            wrong.append(f"{name} succeeded")
        except ForkedError:
            pass
        except Exception as error:
            wrong.append(f"{name} raised {error!r}")
    for close in (frame.close, call.incoming.close, call.stream.close, call.alice.close, call.engine.close):
        close()
    return wrong


@unittest.skipUnless(hasattr(os, "fork"), "needs fork")
class ForkTest(unittest.TestCase):
    def test_child(self) -> None:
        with Call(nv12(64, 48)) as call:
            frame = call.until_received()
            reader, writer = os.pipe()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is what this test is about
                child = os.fork()
            if child == 0:
                try:
                    answer = "\n".join(refused(call, frame)) or "good"
                except BaseException as error:
                    answer = repr(error)
                os.write(writer, answer.encode())
                os._exit(0)
            os.close(writer)
            with os.fdopen(reader, "rb") as pipe:
                deadline = time.monotonic() + PATIENCE
                while os.waitpid(child, os.WNOHANG) == (0, 0):
                    if time.monotonic() > deadline:
                        os.kill(child, 9)
                        os.waitpid(child, 0)
                        self.fail("the child hung")
                    time.sleep(0.01)
                self.assertEqual(pipe.read().decode(), "good")
            self.assertGreater(frame.references, 0)  # the parent goes on
            call.sender.send_array(picture(call.sender.format))
            call.read().close()
            frame.close()


if __name__ == "__main__":
    unittest.main()
