"""Texts and files of any length between participants."""
from __future__ import annotations

import asyncio
import threading
import unittest

from call import PATIENCE, Room
from mediasdk import (DATA_STREAM_ATTACHMENTS_MAX, DATA_STREAM_CHUNK_MAX, DATA_STREAM_ID_MAX, Clock, DataPart, DataStreamAvailable,
                      DataStreamPart, DataStreamType, Engine, ExistsError, FullError, InvalidError, MediaTimeout, NotFoundError,
                      RangeError, Session, StateError, UnsupportedError)

MS = 1_000_000


def read_all(session: Session) -> list[DataStreamPart]:
    parts = []
    while (part := session.data_streams.read()) is not None:
        parts.append(part)
    return parts


class DataStreamTest(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room(Clock.VIRTUAL)
        self.addCleanup(self.room.close)
        self.alice, self.bob = (self.room.join(user_id) for user_id in ("alice", "bob"))
        self.bob.data_streams.accept()

    def pass_on(self) -> None:
        self.room.engine.advance_clock(MS)

    def test_a_text(self) -> None:
        with self.alice.data_streams.open_text("lk.chat", attributes={"lk.segment": "7"}) as stream:
            stream.write("grüß")
            stream.write(" dich")
        self.pass_on()
        self.assertEqual(sum(isinstance(event, DataStreamAvailable) for event in self.bob.events(timeout=0)), 1)
        first, *rest = read_all(self.bob)
        self.assertEqual((first.part, first.type, first.user_id, first.topic, first.attributes, first.mime_type, first.name, first.total_size),
                         (DataPart.BEGAN, DataStreamType.TEXT, "alice", "lk.chat", {"lk.segment": "7"}, "text/plain", "", None))
        self.assertGreater(first.began, 1_700_000_000)
        self.assertEqual([(part.part, part.data.decode()) for part in rest],
                         [(DataPart.CHUNK, "grüß"), (DataPart.CHUNK, " dich"), (DataPart.ENDED, "")])
        self.assertEqual({part.stream for part in rest}, {first.stream})
        self.assertEqual(rest[-1].attributes, {"lk.segment": "7"})
        with self.assertRaises(NotFoundError):
            stream.write("more")

    def test_reprs(self) -> None:
        self.assertEqual(repr(self.alice.data_streams), "<DataStreams of alice>")
        self.assertEqual(repr(self.alice.data_streams.open_text(id="mine")), "<DataStreamWriter mine of alice>")

    def test_a_text_with_files(self) -> None:
        streams = self.alice.data_streams
        with streams.open_text("chat") as first, streams.open_bytes("file", name="a.bin") as file:
            self.assertNotEqual(first.id, file.id)
        with streams.open_text("chat", id="second", reply_to=first.id, attachments=(file.id, "to come")) as second:
            with self.assertRaises(ExistsError):
                streams.open_text(id=second.id)
        with streams.open_text("chat", attachments="one"):
            pass
        self.pass_on()
        began = [part for part in read_all(self.bob) if part.part == DataPart.BEGAN]
        self.assertEqual([(part.id, part.reply_to, part.attachments) for part in began[:3]],
                         [(first.id, "", ()), (file.id, "", ()), ("second", first.id, (file.id, "to come"))])
        self.assertEqual(began[3].attachments, ("one",))
        with self.assertRaises(InvalidError):
            streams.open_text(id="")
        with self.assertRaises(RangeError):
            streams.open_text(attachments=["a file"] * (DATA_STREAM_ATTACHMENTS_MAX + 1))
        with self.assertRaises(InvalidError):
            streams.open_text(reply_to="x" * (DATA_STREAM_ID_MAX + 1))

    def test_a_long_text_is_cut_between_characters(self) -> None:
        text = "ä€" * 12_000
        with self.alice.data_streams.open_text(total_size=len(text.encode())) as stream:
            stream.write(text)
        self.pass_on()
        parts = read_all(self.bob)
        self.assertEqual("".join(part.data.decode() for part in parts), text)
        self.assertTrue(all(len(part.data) <= DATA_STREAM_CHUNK_MAX for part in parts))
        self.assertEqual(parts[-1].part, DataPart.ENDED)

    def test_an_exception_aborts(self) -> None:
        with self.assertRaises(ZeroDivisionError), self.alice.data_streams.open_bytes("x", name="a.bin", to="bob") as stream:
            stream.write(b"123")
            _ = 1 / 0
        self.pass_on()
        last = read_all(self.bob)[-1]
        self.assertEqual((last.part, last.text, last.name, last.type), (DataPart.ABORTED, "division by zero", "a.bin", DataStreamType.BYTES))

    def test_an_exception_goes_on_where_it_cannot_be_reported(self) -> None:
        with self.assertRaises(ZeroDivisionError), self.alice.data_streams.open_bytes("x") as stream:
            stream.write(b"123")
            self.alice.disconnect()
            _ = 1 / 0
        with self.assertRaises(NotFoundError):
            stream.close()

    def test_what_is_wrong(self) -> None:
        streams = self.alice.data_streams
        with self.assertRaises(NotFoundError):
            streams.open_text(to=["bob", "nobody"])
        with self.assertRaises(RangeError):
            streams.open_text(to=[])
        with self.assertRaises(InvalidError):
            streams.open_text("t" * 256)
        with self.assertRaises(InvalidError):
            streams.open_text(attributes={"k" * 64: "v"})
        with self.assertRaises(RangeError):
            streams.open_bytes(total_size=-1)
        stream = streams.open_text(total_size=4)
        with self.assertRaises(InvalidError):
            stream.write(b"\xff")
        with self.assertRaises(RangeError):
            stream.write("12345")
        stream.write("123")
        with self.assertRaises(StateError):
            stream.close()
        stream.close("enough")
        for _ in range(256):
            streams.open_text()
        with self.assertRaises(FullError):
            streams.open_text()
        with self.assertRaises(ExistsError):
            self.bob.data_streams.accept("x")
        with self.assertRaises(MediaTimeout):
            self.alice.data_streams.next(timeout=0)

    def test_without_room_it_waits(self) -> None:
        stream = self.alice.data_streams.open_bytes()
        with self.assertRaises(MediaTimeout):
            stream.write(bytes(2_000_000), timeout=0)
        self.pass_on()
        sent = sum(len(part.data) for part in read_all(self.bob))
        self.assertGreater(sent, 1_000_000)
        stream.write(bytes(DATA_STREAM_CHUNK_MAX), timeout=0)
        self.pass_on()
        self.assertEqual([len(part.data) for part in read_all(self.bob)], [DATA_STREAM_CHUNK_MAX])

    def test_other_rooms_have_none(self) -> None:
        with Engine() as engine, engine.create_session("rtp://127.0.0.1:9?local=127.0.0.1:0", "alice") as session:
            with self.assertRaises(UnsupportedError):
                session.data_streams.accept()


class LiveDataStreamTest(unittest.TestCase):
    """On the system's clock: the reader is another thread, or a task."""

    def setUp(self) -> None:
        self.room = Room()
        self.addCleanup(self.room.close)
        self.alice, self.bob = (self.room.join(user_id) for user_id in ("alice", "bob"))
        self.bob.data_streams.accept("files")

    def test_a_file_of_many_chunks(self) -> None:
        sent = bytes(range(256)) * 40_000

        def send() -> None:
            with self.alice.data_streams.open_bytes("files", name="a.bin", total_size=len(sent)) as stream:
                stream.write(sent, timeout=PATIENCE)

        sender = threading.Thread(target=send)
        sender.start()
        parts = [self.bob.data_streams.next(timeout=PATIENCE)]
        while parts[-1].part not in (DataPart.ENDED, DataPart.ABORTED):
            parts.append(self.bob.data_streams.next(timeout=PATIENCE))
        sender.join(PATIENCE)
        self.assertEqual((parts[-1].part, parts[-1].text), (DataPart.ENDED, ""))
        self.assertEqual(b"".join(part.data for part in parts), sent)

    def test_tasks(self) -> None:
        async def send() -> None:
            stream = self.alice.data_streams.open_bytes("files")
            await stream.write_async(bytes(3_000_000), timeout=PATIENCE)
            await stream.close_async(timeout=PATIENCE)

        async def read() -> int:
            count = 0
            while (part := await self.bob.data_streams.next_async(timeout=PATIENCE)).part != DataPart.ENDED:
                count += len(part.data)
            return count

        async def both() -> int:
            return (await asyncio.gather(send(), read()))[1]

        self.assertEqual(asyncio.run(both()), 3_000_000)
