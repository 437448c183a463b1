"""Producers, renderers and filters written in Python.

They are pulled: the program's own thread or task runs them (:meth:`OutgoingVideo.run`, :meth:`OutgoingAudio.run`,
:meth:`IncomingVideo.run`, :meth:`IncomingAudio.run`), and no thread of the SDK's enters the interpreter.
"""
from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generator, Generic, Optional, Sequence, Tuple, TypeVar, Union

from ._arguments import is_numpy_bool
from .audio_format import AudioFormat
from .audio_frame import AudioFrame
from .constants import OutgoingState
from .errors import ClosedError, HandleError, MediaTimeout, StaleSenderError, StateError, ValueTypeError
from .formats import Rate, VideoFormat
from .frame import Frame
from .frame_pacer import FramePacer

if TYPE_CHECKING:
    from .outgoing import OutgoingVideo
    from .outgoing_audio import OutgoingAudio

T = TypeVar("T", bound=Union[Frame, AudioFrame])

_LOOK = 0.01  # seconds between two looks at whether a stream is started, or a producer of audio has some
_DROPPED = 0.001  # seconds after a buffer that a filter drops; the shortest buffer has ten times as many


class VideoProducer(ABC):
    """Makes the frames of an :class:`OutgoingVideo`, one each time one is due."""

    def format_changed(self, format: VideoFormat) -> None:
        """Called before the first frame, and before the first one of another format."""

    @abstractmethod
    def produce(self, frame: Frame) -> bool | None:
        """Draws into a writable frame of the format, whose ``timestamp_ns`` says when it is due.  False: there is no such frame, and the
        stream ends."""


class AudioProducer(ABC):
    """Makes the audio of an :class:`OutgoingAudio`, as fast as its queue takes it."""

    @abstractmethod
    def produce(self, format: AudioFormat) -> Any:
        """The audio that follows, of any length, as :meth:`OutgoingAudio.write` takes it; empty: there is none now, and this is called
        again in 10 ms; None: there is no more.  A buffer of the stream has ``format.frames_per_buffer`` samples per channel."""


class Renderer(ABC, Generic[T]):
    """Takes what is received: a ``Renderer[Frame]`` that of an :class:`IncomingVideo`, a ``Renderer[AudioFrame]`` audio."""

    @abstractmethod
    def render(self, frame: T) -> bool | None:
        """Takes a frame, which is read-only, and closed after the call; its planes and arrays live on.  False: wants no more."""


class Filter(ABC, Generic[T]):
    """Changes or drops frames between a stream and its producer or renderer."""

    @abstractmethod
    def filter(self, frame: T) -> T | None:
        """The frame that goes on: this one, changed in place where it is writable, as those of a producer are; a new one of the same
        format; or None, to drop it.  A filter of an :class:`OutgoingAudio` gets buffers of the stream's length, at the end of the
        producer a shorter one; they have no timestamp, and may become longer or shorter."""


def check_roles(role: object, name: str, methods: Sequence[str], filters: Sequence[Any]) -> None:
    """Refuses what is not such a role or a filter, and a coroutine function in place of a function."""
    for one, said, wanted in [(role, name, methods), *((one, "a filter", ("filter",)) for one in filters)]:
        for method in wanted:
            function = getattr(one, method, None)
            if isinstance(one, type) or not callable(function):
                raise ValueTypeError(f"{said} is {one!r:.100}; an object with the method {method} is accepted")
            if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
                raise ValueTypeError(f"{said}'s {method} is an async function; a function is accepted, also in run_async")


def is_end(answer: object) -> bool:
    """Whether a producer or a renderer has answered False, also as a bool of numpy's, which is never the same object."""
    if inspect.isawaitable(answer):
        raise ValueTypeError(f"a producer or renderer returned {answer!r:.100}; a bool or None is accepted")
    return answer is False or (is_numpy_bool(answer) and not answer)


def filtered(frame: T, filters: Sequence[Filter[T]]) -> T | None:
    """What the filters make of a frame; all others are closed."""
    for one in filters:
        made = one.filter(frame)
        if made is not None and not isinstance(made, type(frame)):
            raise ValueTypeError(f"{type(one).__name__}.filter returned {made!r:.100}; the frame that it got, another "
                                 f"{type(frame).__name__}, or None, which drops it, is accepted")
        if made is not frame:
            frame.close()
        if made is None:
            return None
        frame = made
    return frame


def rendered(frame: T, renderer: Renderer[T], filters: Sequence[Filter[T]]) -> bool:
    """Hands a frame to a renderer, and gives whether it wants more."""
    with frame:
        shown = filtered(frame, filters)
        if shown is None:
            return True
        with shown:
            return not is_end(renderer.render(shown))


def video_steps(stream: OutgoingVideo, producer: VideoProducer, filters: Sequence[Filter[Frame]],
                fps: Rate | None) -> Generator[Tuple[float, Optional[int]], None, int]:
    """Sends what a producer makes until there is no more, or the stream is stopped or ends; gives how many frames were sent."""
    check_roles(producer, "producer", ("produce", "format_changed"), filters)
    sent, sender, pacer = 0, None, None
    while True:
        try:
            current = stream.sender
        except StateError:
            if sender is not None:
                return sent
            yield _LOOK, sent
            continue
        except HandleError:
            return sent
        wanted = fps or current.format.fps
        if pacer is None:
            pacer = FramePacer(stream.engine, wanted)
        if current is not sender:
            producer.format_changed(current.format)
            pacer.set_fps(wanted)
            sender = current
        yield 0.0, sent  # also where a slow producer is never early: a loop has other tasks
        try:
            due = yield from pacer.steps()
            frame = current.acquire()
        except (StaleSenderError, StateError):
            continue
        except MediaTimeout:  # all frames of the pool are in use: this one is skipped
            continue
        except (ClosedError, HandleError):
            return sent
        with frame:
            frame.timestamp_ns = due
            if is_end(producer.produce(frame)):
                return sent
            made = filtered(frame, filters)
            if made is None:
                continue
            with made:
                try:
                    current.send(made, made.timestamp_ns or due)
                    sent += 1
                except (StaleSenderError, StateError, HandleError):
                    pass  # what has become of the stream is seen above


def _pieces(stream: OutgoingAudio, rest: bytearray, is_last: bool) -> Generator[AudioFrame, None, None]:
    """Takes buffers of the stream's length off what a producer has made; at its end also a shorter one, padded to a whole sample."""
    size = stream.buffer_size
    while len(rest) >= size or (is_last and rest):
        piece = bytes(rest[:size])
        del rest[:size]
        count = -(-len(piece) // stream.format.sample_bytes)
        frame = AudioFrame.create(stream.format, count)
        frame.samples.cast("B")[:] = piece.ljust(count * stream.format.sample_bytes, b"\0")
        yield frame


def _is_started(stream: OutgoingAudio) -> bool:
    """Asked where nothing is sent, which would find out."""
    try:
        return stream.state == OutgoingState.STARTED
    except HandleError:
        return False


def audio_steps(stream: OutgoingAudio, producer: AudioProducer,
                filters: Sequence[Filter[AudioFrame]]) -> Generator[Tuple[float, int], None, int]:
    """The same of audio; gives how many bytes were taken."""
    check_roles(producer, "producer", ("produce",), filters)
    taken, rest = 0, bytearray()
    try:
        while stream.state != OutgoingState.STARTED:
            yield _LOOK, taken
    except HandleError:
        return taken
    while True:
        yield 0.0, taken  # also where the queue always has room: a loop has other tasks
        samples = producer.produce(stream.format)
        data = memoryview(b"") if samples is None else stream._bytes_of(samples)
        if samples is not None and not data:
            yield _LOOK, taken
            if not _is_started(stream):
                return taken
        if filters:
            # They get what the stream sends: buffer by buffer, however the producer cuts its audio.
            rest += data
            for frame in _pieces(stream, rest, samples is None):
                with frame:
                    made = filtered(frame, filters)
                    if made is None:
                        yield _DROPPED, taken
                        if not _is_started(stream):
                            return taken
                        continue
                    with made:
                        data = stream._bytes_of(made)
                        try:
                            taken += yield from stream._writing.write(data)
                        except (StateError, HandleError):
                            return taken
            data = memoryview(b"")
        try:
            if samples is None:
                yield from stream._writing.finish()
                return taken
            taken += yield from stream._writing.write(data)
        except (StateError, HandleError):
            return taken
