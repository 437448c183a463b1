"""The engine: clock, plugins, and all that is made from them."""
from __future__ import annotations

import asyncio
import atexit
import os
import time
import traceback
import weakref
from ctypes import byref, c_uint32
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Sequence

from . import _log, _structs
from ._arguments import listed_argument, switch
from ._call import check, created, decode, encode, filled, listed, nanoseconds, number, sized
from ._memory import take_back_lent
from ._names import member
from ._native import library
from ._unique import Owner
from .commands import Command, command_of
from .constants import (AudioKind, CaptureFlag, ClassFlag, Clock, Codec, Kind, Limits, LogLevel, OpusApplication, Preset, QueuePolicy,
                        SampleFormat, VideoKind)
from .errors import NotFoundError
from .formats import VideoFormat
from .instance import Instance, IsolationLimits
from .outgoing import OutgoingVideo
from .outgoing_audio import OutgoingAudio
from .session import Session
from .stats import EngineStats, snapshot
from .values import Param, native_value, param_of

_destroy = library.msdk_engine_destroy


@dataclass(frozen=True)
class ClassInfo:
    """One class of producers or renderers.

    Attributes:
        id: what :meth:`Engine.create_instance` takes.
        name, summary: for people.
        kinds: what it can do.
        module_path: the plugin's file; "" for a module registered by the program.
    """

    id: str
    name: str
    summary: str
    kinds: Kind
    flags: ClassFlag
    param_count: int
    module_path: str
    module_vendor: str
    module_version: str
    module_license: str
    module_url: str


class Engine(Owner):
    """A program usually makes one; several in one process share loopback rooms and loaded plugin files, and nothing else.

    ``with Engine() as engine:`` or :meth:`close` ends everything made from it: closed objects raise HandleError or ClosedError.
    Frames outlive it.  Everything may be called from any thread.  The binding sets no callbacks: no thread of the SDK's ever
    enters the interpreter.

    Args:
        clock: :attr:`Clock.SYSTEM`, or :attr:`Clock.VIRTUAL`, which moves only in :meth:`advance_clock`.
        ignore_environment: MSDK_PLUGIN_PATH and the like are ignored.
        log_level: the lowest level of the messages that go to the standard ``logging`` module, as :meth:`set_log_level` has it.  None:
            if a handler gets the records of the logger "mediasdk" when the engine is made, that logger's level, else NONE.

    Raises:
        FullError: there are 256 engines.
    """

    _word = "engine"

    def __init__(self, *, clock: Clock | str = Clock.SYSTEM, ignore_environment: bool = False,
                 log_level: LogLevel | str | None = None) -> None:
        clock = member(Clock, clock, "clock")
        options = sized(_structs.EngineOptions, clock=clock, ignore_environment=switch(ignore_environment, "ignore_environment"))
        self._raw_handle = created(library.msdk_engine_create, options)
        self._virtual = clock == Clock.VIRTUAL
        # The same clock without a call into the library, where it is the system's.
        self._quick_now: Callable[[], int] = (time.monotonic_ns if clock == Clock.SYSTEM
                                              else partial(library.msdk_engine_now, self._raw_handle))
        # To give events the objects that the program knows.
        self._objects: weakref.WeakValueDictionary[int, OutgoingVideo | OutgoingAudio | Instance] = weakref.WeakValueDictionary()
        self._sessions: weakref.WeakSet[Session] = weakref.WeakSet()
        _alive.add(self)
        if (level := _log.configured_level() if log_level is None else member(LogLevel, log_level, "log_level")) != LogLevel.NONE:
            _log.set_level(self._handle, level)

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Disconnects its sessions, ends its streams and instances, and stops its threads.  May be called again.  All sessions leave at the
        same time: it waits for servers as long as :meth:`Session.close` of one of them, up to 5 s."""
        if self._closed:
            return
        self._closed = True
        sessions = list(self._sessions)
        try:
            for session in sessions:
                session._begin_to_leave()
            for session in sessions:
                session.close()
            streams = [made for made in list(self._objects.values()) if isinstance(made, (OutgoingVideo, OutgoingAudio))]
            for stream in streams:
                stream.close()
            _log.reader.drain(self._raw_handle)
        finally:  # Ctrl-C may come while a session waits for its server
            _destroy(self._raw_handle)
            for session in sessions:
                session.close()
            take_back_lent()

    async def close_async(self) -> None:
        """:meth:`close` for asyncio, on a thread of the loop's executor, as it may wait."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if self._raw_handle and not self._closed:
            destroy(self._raw_handle)

    # ---------------------------------------------------------------------------------------------------------------- clock

    def now(self) -> int:
        """Nanoseconds on the engine's clock; 0 when it is closed."""
        return int(library.msdk_engine_now(self._raw_handle))

    def advance_clock(self, nanoseconds_on: int) -> None:
        """Moves a virtual clock on by 0..24 h; meanwhile this thread does everything that falls due.

        Raises:
            UnsupportedError: the clock is the system's.
        """
        check(library.msdk_engine_advance_clock(self._handle, nanoseconds(nanoseconds_on, "nanoseconds_on")))

    # ------------------------------------------------------------------------------------------------------------------ log

    def set_log_level(self, level: LogLevel | str) -> None:
        """The lowest level of the messages that go to the loggers "mediasdk.session", "mediasdk.room", "mediasdk.video",
        "mediasdk.audio", "mediasdk.network" and "mediasdk.plugin".  A daemon thread of Python's, one for all engines, pulls them while
        an engine logs.  Each record has the time on the engine's clock as ``timestamp_ns``."""
        _log.set_level(self._handle, member(LogLevel, level, "level"))

    # -------------------------------------------------------------------------------------------------------------- plugins

    def load_plugin(self, path: str | os.PathLike[str]) -> None:
        """Loads one plugin file. Loading it again succeeds and changes nothing.

        Raises:
            NotFoundError, RefusedError: the file.
            PluginABIError: it is not a plugin, or not one for this library; the text says which rule it breaks.
            ExistsError: a class id is taken.
        """
        check(library.msdk_engine_load_plugin(self._handle, encode(path, "path")))

    def add_plugin_dir(self, path: str | os.PathLike[str]) -> int:
        """Loads every .so of a directory; returns how many are loaded now from there.  Refused files do not fail the call."""
        loaded = c_uint32()
        check(library.msdk_engine_add_plugin_dir(self._handle, encode(path, "path"), byref(loaded)))
        return loaded.value

    def load_default_plugins(self) -> int:
        """Loads from MSDK_PLUGIN_PATH and the standard places; returns how many are loaded now from there."""
        return number(c_uint32, library.msdk_engine_load_default_plugins, self._handle)

    def classes(self) -> list[ClassInfo]:
        """The classes of the loaded plugins, in the order in which they were loaded."""
        return [ClassInfo(decode(one.id), decode(one.name), decode(one.summary), Kind(one.kinds), ClassFlag(one.flags), one.param_count,
                          decode(one.module_path), decode(one.module_vendor), decode(one.module_version), decode(one.module_license),
                          decode(one.module_url))
                for one in listed(_structs.ClassInfo, library.msdk_engine_class_at, self._handle)]

    def class_params(self, class_id: str) -> list[Param]:
        """The parameters of a class.

        Raises:
            NotFoundError: no such class.
        """
        structs = listed(_structs.Param, library.msdk_engine_class_param_at, self._handle, encode(class_id, "class_id"))
        if not structs and class_id not in (known := [one.id for one in self.classes()]):
            raise NotFoundError(f"there is no class {class_id!r}; there are {', '.join(known) or 'none'}")
        return [param_of(struct) for struct in structs]

    def class_commands(self, class_id: str) -> list[Command]:
        """The commands of a class, which an :class:`Instance` has as methods.

        Raises:
            NotFoundError: no such class.
        """
        structs = listed(_structs.Command, library.msdk_engine_class_command_at, self._handle, encode(class_id, "class_id"))
        if not structs and class_id not in (known := [one.id for one in self.classes()]):
            raise NotFoundError(f"there is no class {class_id!r}; there are {', '.join(known) or 'none'}")
        return [command_of(struct) for struct in structs]

    def set_codec_params(self, class_id: str, **params: Any) -> None:
        """Parameters for the instances of a codec that streams make from now on: ``set_codec_params("org.mediasdk.av1", speed=7)``.

        Args:
            params: bool, int, float, str, a path, bytes; None restores the class's default.

        Raises:
            NotFoundError: no such class or parameter.
            UnsupportedError: the class is not a codec.
            ValueTypeError: of another type.
            RangeError: out of range, or none of the choices.
            RefusedError: it is read-only.
        """
        types = {param.name: param.type for param in self.class_params(class_id)}
        for name, value in params.items():
            native, kept = (None, None) if value is None else native_value(value, name, types.get(name))
            check(library.msdk_engine_set_codec_param(self._handle, encode(class_id, "class_id"), encode(name, "name"), native))
            del kept  # alive until here: native points into it

    # --------------------------------------------------------------------------------------------------------------- making

    def create_session(self, url: str, user_id: str, display_name: str | None = None, *, event_capacity: int = 0,
                       access_token: str | None = None, capture_path: str | None = None,
                       capture_flags: CaptureFlag | str = CaptureFlag(0), encrypt_frames: bool = False,
                       encrypt_data: bool = False) -> Session:
        """A session, idle.

        Args:
            url: "loopback:NAME", NAME of 1..255 bytes; "rtp:...", a peer over RTP; "webrtc:...", a peer by WebRTC; "whip+https://..."
                and "whep+https://...", a media server; "janus+https://..." and "janus+wss://...", a room of Janus;
                "livekit+wss://...#room=NAME", a room that another process serves (:func:`serve_room`), or "livekit+wss://...", one by
                LiveKit's protocol with a token.
            user_id: 1..255 bytes, unique in the room.
            display_name: None: the user id.
            event_capacity: how many events are queued, 16..65,536; 0: 1,024.
            access_token: shown to the room's verifier, up to 4,095 bytes.
            capture_path: of a session over a network: a file of all its datagrams (pcap), which each connection begins again.
            capture_flags: :attr:`CaptureFlag.PLAIN`: of packets before SRTP protects them.
            encrypt_frames: end-to-end encryption of all streams that the session sends, and it takes no others
                (:meth:`Session.set_frame_key`).
            encrypt_data: the same of data, streams of data and remote procedure calls.
        """
        return Session(self, url, user_id, display_name, event_capacity, access_token, capture_path, capture_flags, encrypt_frames,
                       encrypt_data)

    def create_outgoing_video(self, formats: Sequence[VideoFormat] | VideoFormat = (), *, kind: VideoKind | str = VideoKind.VIRTUAL,
                              codec: Codec | str = Codec.AUTO, limits: Limits | str = Limits.CONFERENCE, target_bitrate: int = 0,
                              min_bitrate: int = 0, max_bitrate: int = 0, preset: Preset | str = Preset.REALTIME,
                              queue_policy: QueuePolicy | str = QueuePolicy.DROP_OLDEST, queue_capacity: int = 0,
                              encoded_input: bool = False, encoder_threads: int = 0, key_frame_interval_ms: int = 0,
                              report_capacity: int = 0, codecs: Sequence[Codec | str] = (), most_layers: int = 0,
                              carries_metadata: bool = False) -> OutgoingVideo:
        """An outgoing stream of video.

        Args:
            formats: 1..64 formats that the program can make, each of a frame rate above 0; their order does not matter.  A screen share may
                have none: then its format is that of its producer, to be attached before it is started.
            kind: :attr:`VideoKind.SCREEN_SHARE` keeps its size and lowers the frame rate instead.  The SDK repeats the last frame, so that
                only changes need to be sent.  The last frame stays in use until the next one.
            codec: :attr:`Codec.AUTO`: raw in a room of this process, VP8 as soon as a member is not in it;
                :attr:`Codec.RAW`: raw frames, which stay in this process; :attr:`Codec.VP8`; or one of a plugin's,
                :attr:`Codec.AV1` say.
            limits: :attr:`Limits.CONFERENCE` or :attr:`Limits.EXTENDED`.
            target_bitrate, min_bitrate, max_bitrate: bits per second; 0: 0.08 bits a pixel, 30,000, 20,000,000.
            preset: :class:`Preset`, how much time the encoder may take.
            queue_policy: :class:`QueuePolicy`, when the encoder cannot keep up.  With :attr:`QueuePolicy.WAIT` frames that come
                faster than the format's rate are not dropped.
            queue_capacity: frames that may wait for the encoder, 1..16; 0: 1.
            encoded_input: the program sends encoded frames instead of raw ones.
            encoder_threads: 1..8; 0: 1, or 2 from 1920x1080 on.
            key_frame_interval_ms: a key frame at the latest after this time; 0: 10,000, for a screen share only on request.
            report_capacity: reports that may wait to be read, 1..4,096; 0: 64; the oldest is dropped.
            codecs: in place of `codec`, the preferred one first: the stream is sent with the first that all members of the room
                decode, and switches to another when a member joins that does not decode it.
            most_layers: sizes in which VP8 is sent at once where each receiver gets one of them (simulcast), 1..3; 0: 3 from 960 pixels
                of the longer side on, 2 from 640, else 1.
            carries_metadata: each frame is sent with its :class:`FrameMetadata` to receivers that take it.

        Raises:
            LimitError: a format outside the limits; the text names the limit.
            UnsupportedError: a format that the codec does not accept, or a codec without an encoder here.
            InvalidError, RangeError: another argument.
        """
        wanted = [member(Codec, one, "codecs") for one in listed_argument(codecs, "codecs", "a sequence of members of Codec")]
        return OutgoingVideo(self, formats, wanted, kind=member(VideoKind, kind, "kind"),
                             codec=member(Codec, codec, "codec"), limits=member(Limits, limits, "limits"), target_bitrate=target_bitrate,
                             min_bitrate=min_bitrate, max_bitrate=max_bitrate, preset=member(Preset, preset, "preset"),
                             queue_policy=member(QueuePolicy, queue_policy, "queue_policy"), queue_capacity=queue_capacity,
                             encoded_input=switch(encoded_input, "encoded_input"), encoder_threads=encoder_threads,
                             key_frame_interval_ms=key_frame_interval_ms, report_capacity=report_capacity, most_layers=most_layers,
                             carries_metadata=switch(carries_metadata, "carries_metadata"))

    def create_outgoing_audio(self, *, sample_rate: int = 48_000, channels: int = 1, sample_format: SampleFormat | str = SampleFormat.S16,
                              buffer_ms: int = 20, kind: AudioKind | str = AudioKind.MICROPHONE, queue_ms: int = 0,
                              report_capacity: int = 0, codec: Codec | str = Codec.AUTO, encoded_input: bool = False,
                              application: OpusApplication | str = OpusApplication.VOIP, bitrate: int = 0, complexity: int = 0,
                              packet_ms: int = 0, fec: bool = False, expected_loss: int = 0, dtx: bool = False) -> OutgoingAudio:
        """An outgoing stream of audio, whose format does not change.

        Args:
            sample_rate: 16000, 22050, 24000, 32000, 44100 or 48000 Hz.
            channels: 1 or 2.
            sample_format: :attr:`SampleFormat.S16` or :attr:`SampleFormat.F32`.
            buffer_ms: duration of a buffer: 10, 20, 30 ... 100.
            kind: :class:`AudioKind`.
            queue_ms: how much audio may wait to be sent: buffer_ms..60,000; 0: 500.
            report_capacity: reports that may wait to be read, 1..4,096; 0: 64; the oldest is dropped.
            codec: :attr:`Codec.AUTO`: raw in a room of this process, Opus as soon as a member is not in it;
                :attr:`Codec.RAW`: raw audio, which stays in this process; :attr:`Codec.OPUS`.
            encoded_input: the program sends Opus packets instead of raw audio.
            application: of Opus: what the encoder is made for.
            bitrate: of Opus: 6,000..510,000 bits per second; 0: 32,000 a channel.
            complexity: of Opus: 1..10; 0: 9.
            packet_ms: of Opus: 10, 20, 40 or 60; 0: 20, or 10 when buffers are of 10 ms.
            fec: of Opus: a packet carries the one before it again, smaller.
            expected_loss: of Opus: per cent, 0..100, which steers fec; 0 with fec: 10.
            dtx: of Opus: silence is not sent, but for a packet every 400 ms.

        Raises:
            RangeError, InvalidError, UnsupportedError: an argument; the text names it and what is accepted.
        """
        return OutgoingAudio(self, kind=member(AudioKind, kind, "kind"), sample_rate=sample_rate, channels=channels,
                             sample_format=member(SampleFormat, sample_format, "sample_format"), buffer_ms=buffer_ms, queue_ms=queue_ms,
                             report_capacity=report_capacity, codec=member(Codec, codec, "codec"),
                             encoded_input=switch(encoded_input, "encoded_input"),
                             application=member(OpusApplication, application, "application"), bitrate=bitrate, complexity=complexity,
                             packet_ms=packet_ms, fec=switch(fec, "fec"), expected_loss=expected_loss, dtx=switch(dtx, "dtx"))

    def create_instance(self, class_id: str, *, isolated: bool | None = None, limits: IsolationLimits | None = None, **params: Any) -> Instance:
        """A producer or renderer, with parameters set: ``create_instance("org.mediasdk.renderer.bw", mode="gray")``.

        With ``isolated=True`` its code runs in a process of its own, within ``limits``: if that process ends, an event reports the reason
        (:attr:`PluginEvent.DIED`), and it is restarted with its parameters.

        Raises:
            NotFoundError: no such class, or no such parameter.
        """
        instance = Instance(self, class_id, isolated, limits)
        try:
            for name, value in params.items():
                instance[name] = value
        except BaseException:
            instance.close()
            raise
        return instance

    # ---------------------------------------------------------------------------------------------------------------- stats

    def stats(self) -> EngineStats:
        take_back_lent()
        return snapshot(EngineStats, filled(_structs.EngineStats, library.msdk_engine_get_stats, self._handle))

    def __repr__(self) -> str:
        return f"<Engine{' closed' if self._closed else ''}>"


_alive: weakref.WeakSet[Engine] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Before the interpreter takes its memory away, in which the SDK may still be reading frames."""
    for engine in list(_alive):
        try:
            engine.close()
        except BaseException:  # the others are to be closed all the same
            traceback.print_exc()
    _log.reader.join()
