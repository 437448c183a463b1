"""An engine's log in the standard logging module."""
from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
import unittest

from call import PATIENCE, room
from mediasdk import Engine, HandleError, LogLevel
from mediasdk._log import configured_level


def is_running() -> bool:
    return any(thread.name == "mediasdk-log" for thread in threading.enumerate())


class Kept(logging.Handler):
    """Keeps the records, and the threads that brought them."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []
        self.threads: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)
        self.threads.add(threading.current_thread().name)


class LogTest(unittest.TestCase):
    def setUp(self) -> None:
        self.logger, self.kept = logging.getLogger("mediasdk"), Kept()
        self.addCleanup(self.logger.removeHandler, self.kept)
        self.addCleanup(self.logger.setLevel, self.logger.level)

    def eventually(self, what: object) -> None:
        end = time.monotonic() + PATIENCE
        while not what() and time.monotonic() < end:  # type: ignore[operator]
            time.sleep(0.005)
        self.assertTrue(what())  # type: ignore[operator]

    def connect(self, engine: Engine, user: str) -> None:
        engine.create_session(room(), user).connect(timeout=PATIENCE)

    def test_records_go_to_the_logger_of_their_category(self) -> None:
        self.logger.addHandler(self.kept)
        self.logger.setLevel(logging.INFO)
        with Engine(ignore_environment=True) as engine:
            before = engine.now()
            self.connect(engine, "alice")
            self.eventually(lambda: len(self.kept.records) >= 2)
            first = self.kept.records[0]
            self.assertEqual((first.name, first.levelno), ("mediasdk.session", logging.INFO))
            self.assertIn("alice", first.getMessage())
            self.assertTrue(before <= first.__dict__["timestamp_ns"] <= engine.now())
            self.assertEqual(self.kept.threads, {"mediasdk-log"})
        self.eventually(lambda: not is_running())  # with the last engine

    def test_the_end_is_logged_too(self) -> None:
        self.logger.addHandler(self.kept)
        self.logger.setLevel(logging.INFO)
        with Engine(ignore_environment=True, log_level="info") as engine:
            session = engine.create_session(room(), "alice")
            session.connect(timeout=PATIENCE)
        self.assertTrue(any("is disconnected" in record.getMessage() for record in self.kept.records))

    def test_records_stay_in_order_when_an_engine_is_closed(self) -> None:
        """Its last records are handed over by the thread that closes it, after what the log's own thread is handing over."""
        self.logger.addHandler(self.kept)
        self.logger.setLevel(logging.INFO)
        def slow(record: logging.LogRecord) -> bool:
            if threading.current_thread().name == "mediasdk-log":
                time.sleep(0.05)
            return True

        self.kept.addFilter(slow)
        with Engine(ignore_environment=True) as engine:
            self.connect(engine, "alice")
        self.eventually(lambda: not is_running())
        times = [record.__dict__["timestamp_ns"] for record in self.kept.records]
        self.assertGreater(len(times), 3)
        self.assertEqual(times, sorted(times))

    def test_a_handler_closes_an_engine(self) -> None:
        with Engine(ignore_environment=True) as engine:
            class Closing(logging.Handler):
                def emit(self, record: logging.LogRecord) -> None:
                    engine.close()

            closing = Closing()
            self.logger.addHandler(closing)
            self.addCleanup(self.logger.removeHandler, closing)
            self.logger.setLevel(logging.INFO)
            engine.set_log_level("info")
            engine.create_session(room(), "alice").connect(wait=False)
            self.eventually(lambda: not is_running())

    def test_without_a_handler_nothing_runs(self) -> None:
        self.assertEqual(configured_level(), LogLevel.NONE)
        with Engine(ignore_environment=True) as engine:
            self.connect(engine, "alice")
            self.assertFalse(is_running())
            self.logger.addHandler(self.kept)  # later than the engine
            self.logger.setLevel(logging.INFO)
            engine.set_log_level(LogLevel.INFO)
            self.connect(engine, "bob")
            self.eventually(lambda: any("bob" in record.getMessage() for record in self.kept.records))
        with self.assertRaises(HandleError):
            engine.set_log_level("info")

    def test_the_level_is_the_logger_s(self) -> None:
        self.logger.addHandler(self.kept)
        for level, expected in ((logging.DEBUG, LogLevel.DEBUG), (15, LogLevel.INFO), (logging.WARNING, LogLevel.WARN),
                                (logging.ERROR, LogLevel.ERROR), (logging.CRITICAL, LogLevel.NONE)):
            self.logger.setLevel(level)
            self.assertEqual(configured_level(), expected)
        child = logging.getLogger("mediasdk.plugin")
        child.setLevel(logging.INFO)
        self.addCleanup(child.setLevel, logging.NOTSET)
        self.assertEqual(configured_level(), LogLevel.INFO)

    def test_dropped_records_are_counted(self) -> None:
        self.logger.addHandler(self.kept)
        self.logger.setLevel(logging.INFO)
        held = threading.Event()
        self.kept.addFilter(lambda record: held.wait(PATIENCE))  # a handler that is slow
        with Engine(ignore_environment=True) as engine:
            session = engine.create_session(room(), "alice")
            for _ in range(80):  # four records each
                session.connect(timeout=PATIENCE)
                session.disconnect()
            held.set()
            self.eventually(lambda: any("were dropped" in record.getMessage() for record in self.kept.records))

    def test_a_handler_that_raises_does_not_end_the_log(self) -> None:
        class Failing(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                raise ValueError("not now")

        failing = Failing()
        self.logger.addHandler(failing)
        self.addCleanup(self.logger.removeHandler, failing)
        self.addCleanup(setattr, logging, "raiseExceptions", logging.raiseExceptions)
        logging.raiseExceptions = False
        self.logger.addHandler(self.kept)
        self.logger.setLevel(logging.INFO)
        with Engine(ignore_environment=True) as engine:
            self.connect(engine, "alice")
            self.logger.removeHandler(failing)
            self.connect(engine, "bob")
            self.eventually(lambda: any("bob" in record.getMessage() for record in self.kept.records))

    def run_program(self, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", text], env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=PATIENCE * 2)

    PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
from mediasdk import Engine
engine = Engine()
engine.create_session("loopback:log", "alice").connect(timeout=60)
"""

    def test_a_program_that_ends_without_closing_its_engine(self) -> None:
        done = self.run_program(self.PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('mediasdk.session INFO session "alice" at loopback:log is connected', done.stdout)
        self.assertIn("is disconnected", done.stdout)

    def test_the_environment_s_level_works_as_for_every_program(self) -> None:
        done = self.run_program(self.PROGRAM, MSDK_LOG="info")
        self.assertIn("msdk: info: session", done.stderr)
        self.assertIn("mediasdk.session INFO", done.stdout)


if __name__ == "__main__":
    unittest.main()
