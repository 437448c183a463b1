"""One created producer or renderer."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_int32, c_uint32, c_uint64
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, TypeVar

from . import _structs
from ._arguments import duration, expected
from ._call import bounded, check, created, decode, encode, failure, filled, listed, number, pull, sized, taken
from ._names import member
from ._native import library
from ._unique import Owner
from .audio_format import AudioFormat, audio_format_of
from .audio_frame import AudioFrame
from .commands import Command, arranged, bound, run
from .constants import Containment, EventFlag, InstanceState, IsolatedFlag, Isolation, Kind, PluginEvent, QueuePolicy, Status
from .errors import ClosedError, HandleError, MediaSDKError, MediaTimeout, RangeError
from .events import InstanceEvent
from .formats import VideoFormat, format_of
from .frame import Frame
from .readiness import Readiness
from .values import Choice, Param, Scalar, native_value, python_value

if TYPE_CHECKING:
    from .engine import Engine

_destroy = library.msdk_instance_destroy

Taken = TypeVar("Taken", Frame, AudioFrame)


@dataclass
class IsolationLimits:
    """What an isolated instance may take and cost; None is the default of ``msdk_instance_options``.

    Attributes:
        control_deadline, media_deadline: seconds for one call, of the kinds that ``plugin.h`` distinguishes (5 and 1).
        memory_mb: MiB of address space (2,048).
        cpu_seconds: processor time of one process (no limit).
        restarts: how often in a row it is restarted after less than 2 s of life, before it is given up (no limit).
        may_fork: whether the plugin may make processes.
        no_network: True: it has no access to the network.
        read_only: True: it may read files, and not write any.  If the kernel cannot enforce one of these two, the instance is not made
            (:class:`UnsupportedError`).
    """

    control_deadline: float | None = None
    media_deadline: float | None = None
    memory_mb: int | None = None
    cpu_seconds: int | None = None
    restarts: int | None = None
    may_fork: bool = False
    no_network: bool = False
    read_only: bool = False

    def _fill(self, options: _structs.InstanceOptions) -> None:
        for name, value in (("control_deadline_ms", self.control_deadline), ("media_deadline_ms", self.media_deadline)):
            if value is not None:
                setattr(options, name, bounded(max(1, duration(value, name[:-3], 1000)), 32, name[:-3]))
        for name, value in (("memory_max_mb", self.memory_mb), ("cpu_max_s", self.cpu_seconds), ("restarts_max", self.restarts)):
            if value is not None:
                if value == 0:  # which is the default in C alone
                    raise RangeError(f"{name} is 0; 1 or more is accepted, and None for the default")
                setattr(options, name, bounded(value, 32, name))
        wishes = ((IsolatedFlag.MAY_FORK, self.may_fork), (IsolatedFlag.NO_NETWORK, self.no_network), (IsolatedFlag.READ_ONLY, self.read_only))
        options.flags = sum(flag for flag, wanted in wishes if wanted)


class Instance(Owner):
    """A producer or renderer, made by :meth:`Engine.create_instance` from a plugin's class.

    Its parameters are read and set like items: ``instance["path"] = "clip.y4m"``.  Its commands are methods:
    ``instance.set_pattern("bars", speed=2.0)``; a command with the name of a method of this class is called by :meth:`call`.  Attached to a
    stream, it is driven by the
    core; what it is attached to keeps it alive.  ``with instance:`` or :meth:`close` detaches and destroys it.

    Attributes:
        class_id: the id of its class.

    ``isolated`` says where its code runs: True in a process of its own, False in this one, None as the environment or the class decides.
    """

    _word = "instance"

    def __init__(self, engine: Engine, class_id: str, isolated: bool | None = None, limits: IsolationLimits | None = None) -> None:
        self.class_id = class_id
        options = _structs.InstanceOptions()
        options.isolation = Isolation.DEFAULT if isolated is None else Isolation.PROCESS if isolated else Isolation.NONE
        if limits is not None:
            expected(limits, IsolationLimits, "limits")._fill(options)
        self._raw_handle = created(library.msdk_instance_create, engine._handle, encode(class_id, "class_id"), ctypes.byref(options))
        self._engine = engine
        self._renderers: dict[int, Instance] = {}
        self._readiness = Readiness(library.msdk_instance_get_event_fd, self._handle)
        self._frame_readiness = Readiness(library.msdk_instance_get_fd, self._handle)
        self._audio_readiness = Readiness(library.msdk_instance_get_fd_audio, self._handle)
        self._params: list[Param] | None = None
        self._commands: Mapping[str, Command] | None = None
        engine._objects[self._handle] = self

    @property
    def _handle(self) -> int:
        """It ends with its engine."""
        if self._engine._closed and not self._closed:
            raise HandleError("the engine of the instance is closed")
        return super()._handle

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Detaches, releases and destroys it.  May be called again."""
        if not self._closed:
            self._closed = True
            _destroy(self._raw_handle)
            for readiness in (self._readiness, self._frame_readiness, self._audio_readiness):
                readiness.close()
            self._renderers.clear()

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if self._raw_handle and not self._closed:
            destroy(self._raw_handle)

    def release(self) -> None:
        """Ends rendering: detaches the renderer and releases it, so that what it writes is complete."""
        check(library.msdk_instance_release(self._handle))

    @property
    def is_isolated(self) -> bool:
        """Whether its code runs in a process of its own."""
        return bool(self._isolation().is_isolated)

    @property
    def containment(self) -> Containment:
        """What contains its process on this machine; no flags if it runs in this process."""
        return Containment(self._isolation().containment)

    def _isolation(self) -> Any:
        return filled(_structs.InstanceIsolation, library.msdk_instance_get_isolation, self._handle)

    def state(self, kind: Kind | str) -> InstanceState:
        """Its state as one of its kinds."""
        return InstanceState(number(c_uint32, library.msdk_instance_get_state, self._handle, bounded(member(Kind, kind, "kind"), 32, "kind")))

    # ----------------------------------------------------------------------------------------------------------- parameters

    def params(self) -> list[Param]:
        """What the class says about its parameters."""
        if self._params is None:
            self._params = self._engine.class_params(self.class_id)
        return list(self._params)

    def __setitem__(self, name: str, value: Scalar | Any) -> None:
        """Sets a parameter: bool, int, float, str, a path, bytes.

        Raises:
            NotFoundError: no such parameter.
            ValueTypeError: of another type.
            RangeError: out of range, or none of the choices.
            StateError: it cannot be set while the instance is started.
            RefusedError: it is read-only.
        """
        wanted = next((param.type for param in self.params() if param.name == name), None)
        native, kept = native_value(value, name, wanted)
        check(library.msdk_instance_set_param(self._handle, encode(name, "name"), native))
        del kept  # alive until here: native points into it

    def set_text(self, name: str, text: str) -> None:
        """Sets a parameter from text, read as its type: "true", "false", decimal numbers, or the text itself."""
        check(library.msdk_instance_set_param_text(self._handle, encode(name, "name"), encode(text, "text")))

    def __getitem__(self, name: str) -> Scalar:
        """Reads a parameter.

        Raises:
            NotFoundError: no such parameter.
            RefusedError: it is secret: it can be set, not read.
        """
        native, needed, size = _structs.Value(), c_uint64(), 256
        wanted = encode(name, "name")
        while True:
            room = ctypes.create_string_buffer(size)
            result = library.msdk_instance_get_param(self._handle, wanted, native, room, size, needed)
            if result != Status.BUFFER_SMALL or needed.value <= size:
                check(result)
                return python_value(native)
            size = needed.value

    def choices(self, name: str) -> list[Choice]:
        """What a text parameter accepts: those of the class, or with :attr:`ParamFlag.DYNAMIC_CHOICES` what the plugin finds now.

        Raises:
            NotFoundError: no such parameter.
            UnsupportedError: it has no choices.
            DeviceLostError, MediaIOError, ...: the plugin failed to list them.
        """
        wanted, room, needed = encode(name, "name"), ctypes.create_string_buffer(4096), c_uint64()
        if all(param.name != name for param in self.params()):
            check(library.msdk_instance_get_param(self._handle, wanted, _structs.Value(), None, 0, needed))
        found: list[Choice] = []
        while True:
            out = _structs.Choice()
            result = library.msdk_instance_param_choice_at(self._handle, wanted, len(found), byref(out), room, len(room), needed)
            if result == Status.NOT_FOUND:
                return found
            check(result)
            found.append(Choice(decode(out.value), decode(out.label)))

    # --------------------------------------------------------------------------------------------------------------- events

    def next_event(self, timeout: float | None = None) -> InstanceEvent:
        """Takes the oldest event; the last 64 are kept.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the instance was closed meanwhile.
            HandleError: it was closed before.
        """
        struct = _structs.InstanceEvent()
        result = pull(lambda milliseconds: library.msdk_instance_next_event(self._handle, milliseconds, byref(struct)), timeout)
        if result < 0:
            raise failure(result)
        return InstanceEvent(PluginEvent(struct.event), struct.timestamp_ns, self, bool(struct.flags & EventFlag.LOST), struct.status,
                             decode(struct.text))

    def events(self, timeout: float | None = None) -> Iterator[InstanceEvent]:
        """Events until the instance is closed, or until none came for `timeout` seconds, which begin again with each."""
        while True:
            try:
                event = self.next_event(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return
            yield event

    def fileno(self) -> int:
        """A descriptor that poll() finds readable while events are queued.  Do not read, write or close it."""
        return number(c_int32, library.msdk_instance_get_event_fd, self._handle)

    async def next_event_async(self, timeout: float | None = None) -> InstanceEvent:
        """:meth:`next_event` for asyncio."""
        return await self._readiness.until(self.next_event, timeout, "event")

    # ------------------------------------------------------------------------------------------------------------- commands

    @property
    def commands(self) -> Mapping[str, Command]:
        """What the class says about its commands, by name."""
        if self._commands is None:
            self._commands = MappingProxyType({one.name: one for one in self._engine.class_commands(self.class_id)})
        return self._commands

    def call(self, name: str, /, *args: Any, **keywords: Any) -> Scalar:
        """Calls a command, with bool, int, float, str, a path or bytes; returns its result, or None if it has none.

        Raises:
            NotFoundError: no such command.
            InvalidError: too many or too few arguments, or other names.
            ValueTypeError: an argument of another type.
            RangeError: an argument out of range, or none of the choices.
            MediaSDKError: the plugin's own error, with its text.
        """
        command = self.commands.get(name)
        if command is None:
            return run(self._handle, name, [])  # the library says what there is
        return run(self._handle, name, arranged(command, args, keywords), command.args)

    def __getattr__(self, name: str) -> Callable[..., Scalar]:
        """A command, as a function."""
        if name.startswith("_") or name == "commands":  # else this would look for itself
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            command = self.commands.get(name)
        except MediaSDKError as error:
            raise AttributeError(f"{self.class_id} no longer lists its commands: {error}") from error
        if command is None:
            raise AttributeError(f"{self.class_id} has no command {name!r}; it has {', '.join(self.commands) or 'none'}")
        return bound(command, self.class_id, self.call)

    def __dir__(self) -> Iterable[str]:
        return sorted({*super().__dir__(), *self.commands})

    # ------------------------------------------------------------------------------------------------- frames and audio

    def formats(self) -> list[VideoFormat]:
        """The formats that a producer can make; it is initialised if necessary.

        Raises:
            UnsupportedError: it is not a producer.
            NotFoundError, MediaIOError, ...: it cannot be initialised.
        """
        structs = listed(_structs.VideoFormat, library.msdk_instance_format_at, self._handle, never_empty=True)
        return [format_of(struct) for struct in structs]

    def audio_format(self) -> AudioFormat:
        """The format that a producer of audio makes, or prefers; it is initialised if necessary.

        Raises:
            UnsupportedError: it is not a producer of audio, or does not report the format.
        """
        return audio_format_of(filled(_structs.AudioFormat, library.msdk_instance_get_audio_format, self._handle))

    def attach_renderer(self, renderer: Instance) -> None:
        """Attaches a renderer, which gets what this instance produces. Up to 8."""
        check(library.msdk_instance_attach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle))
        self._renderers[renderer._raw_handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        check(library.msdk_instance_detach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle))
        self._renderers.pop(renderer._raw_handle, None)

    def render(self, frame: Frame | AudioFrame) -> None:
        """Renders a frame or a buffer of audio on this thread; the renderer is attached to nothing. It is converted if necessary.
        The frame is read-only from then on."""
        if isinstance(frame, AudioFrame):
            check(library.msdk_instance_render_audio(self._handle, frame._pointer))
        else:
            check(library.msdk_instance_render(self._handle, expected(frame, Frame, "frame")._open()))
        frame._mine = False

    # -------------------------------------------------------------------------------------------------------------- pulling

    def start_pull(self, format: VideoFormat | None = None, *, queue_capacity: int = 0,
                   queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST) -> None:
        """Starts a video producer that is attached to nothing.  :meth:`read` and :meth:`frames` return its frames, without a stream.

        Args:
            format: what all frames are to be; None: what the producer prefers.
            queue_capacity: how many frames may wait to be read, 1..64; 0: 3.
            queue_policy: which end a full queue gives up; not :attr:`QueuePolicy.WAIT`.

        Raises:
            StateError: attached, or pulled already.
            UnsupportedError: not a video producer, or one without a format of its own.
            FormatError: the producer cannot make the format.
            NotFoundError, MediaIOError, ...: the producer cannot be opened.
        """
        options = sized(_structs.VideoPullOptions, queue_capacity=queue_capacity, queue_policy=member(QueuePolicy, queue_policy, "queue_policy"))
        wanted = None if format is None else byref(expected(format, VideoFormat, "format")._struct())
        check(library.msdk_instance_start_pull(self._handle, wanted, byref(options)))

    def start_pull_audio(self, format: AudioFormat | None = None, *, queue_ms: int = 0,
                         queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST) -> None:
        """The same for an audio producer, :meth:`read_audio` and :meth:`audio_frames`.

        Args:
            queue_ms: how much may wait to be read, 20..60,000; 0: 500.
        """
        options = sized(_structs.AudioPullOptions, queue_ms=queue_ms, queue_policy=member(QueuePolicy, queue_policy, "queue_policy"))
        wanted = None if format is None else byref(expected(format, AudioFormat, "format")._struct())
        check(library.msdk_instance_start_pull_audio(self._handle, wanted, byref(options)))

    def stop_pull(self) -> None:
        """Stops and releases the producer.  What waits to be read is gone, readers get ClosedError."""
        check(library.msdk_instance_stop_pull(self._handle))

    def stop_pull_audio(self) -> None:
        """The same for audio."""
        check(library.msdk_instance_stop_pull_audio(self._handle))

    def read(self, timeout: float | None = None) -> Frame:
        """The oldest frame that waits, read-only.  A gap in :attr:`Frame.sequence` is what was dropped.

        Args:
            timeout: seconds to wait; 0: looks only; None: without a limit.

        Raises:
            MediaTimeout: none came.
            StateError: no pull was started.
            ClosedError: the pull was stopped, or the producer has ended and all was read; :meth:`next_event` says why.
            HandleError: the instance was closed.
        """
        return Frame(taken(library.msdk_instance_read, self._handle, timeout))

    def read_audio(self, timeout: float | None = None) -> AudioFrame:
        """The same for audio."""
        return AudioFrame(taken(library.msdk_instance_read_audio, self._handle, timeout))

    def frames(self, timeout: float | None = None) -> Iterator[Frame]:
        """What :meth:`read` gives until the producer ends or is stopped, or until nothing came for `timeout` seconds."""
        return _until_closed(self.read, timeout)

    def audio_frames(self, timeout: float | None = None) -> Iterator[AudioFrame]:
        """The same for audio."""
        return _until_closed(self.read_audio, timeout)

    def pull_fileno(self) -> int:
        """A descriptor that poll() finds readable while frames wait to be read, and when no more will come.  Do not read, write or
        close it."""
        return number(c_int32, library.msdk_instance_get_fd, self._handle)

    def pull_audio_fileno(self) -> int:
        """The same for audio."""
        return number(c_int32, library.msdk_instance_get_fd_audio, self._handle)

    async def read_async(self, timeout: float | None = None) -> Frame:
        """:meth:`read` for asyncio."""
        return await self._frame_readiness.until(self.read, timeout, "frame")

    async def read_audio_async(self, timeout: float | None = None) -> AudioFrame:
        """:meth:`read_audio` for asyncio."""
        return await self._audio_readiness.until(self.read_audio, timeout, "buffer")

    def snapshot(self) -> Frame:
        """What a renderer would show now, as a new frame.

        Raises:
            UnsupportedError: it keeps no frame.
            AgainError: there is none yet.
        """
        return Frame(created(library.msdk_instance_snapshot, self._handle), None, True)

    def __repr__(self) -> str:
        return f"<Instance {self.class_id}{' closed' if self._closed else ''}>"


def _until_closed(read: Callable[[float | None], Taken], timeout: float | None) -> Iterator[Taken]:
    while True:
        try:
            yield read(timeout)
        except (ClosedError, HandleError, MediaTimeout):
            return
