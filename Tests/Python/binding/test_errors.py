"""Errors: codes, names, words, Python's own classes; objects after close."""
from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import mediasdk
from call import Call, nv12, room
from mediasdk import (ClosedError, Engine, HandleError, InvalidError, MediaSDKError, MediaTimeout, NotFoundError, RangeError, StateError,
                      Status, errors)
from mediasdk._call import wait
from mediasdk._native import library


class ErrorTest(unittest.TestCase):
    def test_every_code_has_a_class_and_the_librarys_name(self) -> None:
        for status in Status:
            if status is Status.OK:
                continue
            with self.subTest(status.name):
                error = errors.error_for(status, "words")
                self.assertEqual(error.name, library.msdk_status_string(status).decode())
                self.assertEqual((error.code, error.text, str(error)), (status, "words", f"{error.name}: words"))
                self.assertEqual(type(error) is MediaSDKError, status is Status.FAIL)
        self.assertEqual(errors.error_for(-999, "").name, "MSDK_E_UNKNOWN")

    def test_pythons_own_classes(self) -> None:
        for kind, own in ((MediaTimeout, TimeoutError), (InvalidError, ValueError), (RangeError, ValueError), (NotFoundError, LookupError),
                          (mediasdk.NoMemoryError, MemoryError), (mediasdk.MediaIOError, OSError),
                          (mediasdk.RefusedError, PermissionError), (mediasdk.ValueTypeError, TypeError)):
            self.assertTrue(issubclass(kind, own) and issubclass(kind, MediaSDKError), kind)

    def test_pickling(self) -> None:
        error = pickle.loads(pickle.dumps(errors.error_for(Status.LIMIT, "too wide")))
        self.assertEqual((type(error), error.code, error.text), (mediasdk.LimitError, Status.LIMIT, "too wide"))

    def test_words_are_the_threads_own(self) -> None:
        with Engine(ignore_environment=True) as engine:
            def fail(name: str, texts: list[str]) -> None:
                for _ in range(200):
                    try:
                        engine.create_instance(name)
                    except NotFoundError as error:
                        texts.append(error.text)

            results: list[list[str]] = [[], []]
            threads = [threading.Thread(target=fail, args=(f"org.example.number{index}", results[index])) for index in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for index, texts in enumerate(results):
                self.assertEqual(len(texts), 200)
                self.assertTrue(all(f"number{index}" in text for text in texts), texts[0])


class NewerLibraryTest(unittest.TestCase):
    def test_unknown_values_are_no_errors(self) -> None:
        for kind in (mediasdk.SessionState, mediasdk.EventType, mediasdk.Codec, mediasdk.Outcome, mediasdk.PixelFormat):
            with self.subTest(kind.__name__):
                value = kind(9999)
                self.assertEqual((value, value.name, isinstance(value, kind)), (9999, "UNKNOWN_9999", True))
        with self.assertRaises(ValueError):
            mediasdk.SessionState("connected")
        with self.assertRaises(mediasdk.UnsupportedError):
            mediasdk.plane_shapes(9999, 4, 4)

    def test_members_of_two_enumerations_are_never_equal(self) -> None:
        good, connected = mediasdk.Quality.GOOD, mediasdk.SessionState(int(mediasdk.Quality.GOOD))
        self.assertTrue(good != connected and not good == connected and connected not in (good,))
        self.assertTrue(good == int(connected) and int(connected) == good and not good != int(connected) and good == mediasdk.Quality.GOOD)
        self.assertTrue(good != "good" and good is not None and {int(good): 1}[good] == 1)
        # What it knows nothing of is asked in its turn.
        self.assertTrue(good == mock.ANY and not good != mock.ANY)


class ClosedTest(unittest.TestCase):
    GONE = (HandleError, ClosedError)

    def test_everything_after_the_engine(self) -> None:
        call = Call(nv12(64, 48))
        call.until_received().close()
        call.close()
        call.close()
        for use in (lambda: call.engine.stats(), lambda: call.engine.create_session(room(), "x"), lambda: call.engine.advance_clock(1),
                    lambda: call.engine.create_outgoing_video(nv12()), lambda: call.engine.classes(),
                    lambda: call.alice.state, lambda: call.alice.connect(), lambda: call.alice.next_event(0),
                    lambda: call.alice.participants(), lambda: call.alice.stats(), lambda: call.alice.fileno(),
                    lambda: call.alice.start_video(call.stream), lambda: call.stream.state, lambda: call.stream.sender,
                    lambda: call.stream.stats(), lambda: call.stream.read_report(0), lambda: call.stream.set_bitrate(5000),
                    lambda: call.sender.acquire(), lambda: call.sender.send_array(bytes(64 * 48 * 3 // 2)),
                    lambda: call.sender.send_buffer(bytes(64 * 48 * 3 // 2)), lambda: call.incoming.state,
                    lambda: call.incoming.read(0), lambda: call.incoming.read_encoded(0), lambda: call.incoming.start(),
                    lambda: call.incoming.stats(), lambda: call.incoming.fileno(), lambda: call.incoming.request_key_frame()):
            with self.assertRaises(self.GONE) as raised:
                use()
            self.assertTrue(raised.exception.text)
        self.assertEqual(call.engine.now(), 0)
        self.assertEqual(list(call.alice.events()), [])
        self.assertEqual(list(call.incoming.frames()), [])
        call.alice.close()
        call.stream.close()
        call.incoming.close()

    def test_session_alone(self) -> None:
        with Call(nv12(64, 48)) as call:
            call.bob.close()
            call.bob.close()
            for use in (lambda: call.bob.state, lambda: call.incoming.read(0)):
                with self.assertRaises(self.GONE):
                    use()
            self.assertEqual(call.alice.state, mediasdk.SessionState.CONNECTED)

    def test_stream_alone(self) -> None:
        with Call(nv12(64, 48)) as call:
            call.stream.close()
            call.stream.close()
            with self.assertRaises(self.GONE):
                call.stream.state
            with self.assertRaises((*self.GONE, mediasdk.StaleSenderError, StateError)):
                call.sender.send_array(bytes(64 * 48 * 3 // 2))

    def test_closed_between_two_looks(self) -> None:
        """A wait is a row of short ones: whoever closes between two of them ends it as one who closes within one."""
        for results, expected in (([Status.TIMEOUT, Status.HANDLE], Status.CLOSED), ([Status.HANDLE], Status.HANDLE)):
            with self.subTest(results):
                self.assertEqual(wait(lambda _: results.pop(0), None), expected)

    def test_handles_of_another_kind(self) -> None:
        with Engine(ignore_environment=True) as engine, engine.create_session(room(), "alice") as session:
            self.assertEqual(library.msdk_engine_advance_clock(session._handle, 0), Status.HANDLE)
            self.assertEqual(library.msdk_session_connect(engine._handle), Status.HANDLE)
            for garbage in (0, 1, 0xDEADBEEF, (1 << 64) - 1):
                self.assertEqual(library.msdk_session_connect(garbage), Status.HANDLE)
                self.assertEqual(library.msdk_video_frame_unref(garbage), Status.OK if garbage == 0 else Status.HANDLE)
                self.assertEqual(library.msdk_video_frame_get_references(garbage, None), Status.HANDLE)


class LoadingTest(unittest.TestCase):
    """Which library is loaded, seen from other interpreters."""

    def python(self, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
        merged = {**os.environ, "PYTHONPATH": str(Path(mediasdk.__file__).parents[1]), **environment}
        return subprocess.run([sys.executable, "-c", code], env=merged, capture_output=True, text=True, timeout=60)

    def test_missing(self) -> None:
        done = self.python("import mediasdk", MEDIASDK_LIBRARY="/nonexistent/libmediasdk.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError", done.stderr)
        self.assertIn("/nonexistent/libmediasdk.so", done.stderr)

    def test_another_library(self) -> None:
        libc = next((line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libc.so.6" in line), None)
        if libc is None:
            self.skipTest("no libc.so.6 to load in its place")
        done = self.python("import mediasdk", MEDIASDK_LIBRARY=libc)
        self.assertIn("has no function msdk_version", done.stderr)

    def test_directory(self) -> None:
        library_path = Path(os.environ["MEDIASDK_LIBRARY"]).absolute()
        directory = library_path if library_path.is_dir() else library_path.parent
        done = self.python("import mediasdk; print(mediasdk.version())", MEDIASDK_LIBRARY=str(directory))
        self.assertEqual(done.stdout.strip(), mediasdk.version(), done.stderr)

    def test_exit_with_everything_open(self) -> None:
        code = ("from call import Call, nv12, picture\n"
                "call = Call(nv12(64, 48)); frame = call.until_received()\n"
                "data = bytearray(picture(call.sender.format)); call.sender.send_buffer(data); plane = frame.planes[0]\n"
                "print('done')\n")
        path = os.pathsep.join([str(Path(mediasdk.__file__).parents[1]), str(Path(__file__).parents[1])])
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], env={**os.environ, "PYTHONPATH": path}, cwd=directory,
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "done", ""))


if __name__ == "__main__":
    unittest.main()
