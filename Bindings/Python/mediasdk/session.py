"""One user's membership of a room: connecting, participants, events."""
from __future__ import annotations

import weakref
from ctypes import addressof, byref, c_int32, c_uint32, c_uint64, create_string_buffer, sizeof
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Iterator, TypeVar

from . import _structs
from ._call import check, created, decode, encode, failure, filled, number, sized, wait
from ._native import library
from .audio_format import audio_format_of
from .constants import (INGEST_ANY_PORT, AudioKind, CaptureFlag, Codec, Direction, EventFlag, EventType, Limits, Moderation, Permission, Preset, SdpType,
                        SessionState, Status, VideoKind)
from .errors import ClosedError, HandleError, MediaTimeout
from .events import Event, state_of
from .formats import format_of
from .incoming import IncomingVideo
from .incoming_audio import IncomingAudio
from .instance import Instance
from .outgoing import OutgoingVideo
from .outgoing_audio import OutgoingAudio
from .readiness import Readiness
from .stats import SessionStats, snapshot

if TYPE_CHECKING:
    from .engine import Engine
    from .view import View

T = TypeVar("T", IncomingVideo, IncomingAudio)

_destroy = library.msdk_session_destroy
_next_event = library.msdk_session_next_event


@dataclass(frozen=True)
class Participant:
    """A member of the room.

    Attributes:
        is_local: this session itself.
        video_stream_count, audio_stream_count: published now.
        is_speaking: an active speaker.
        audio_level: of the loudest stream when speaking was last looked at, 0 (loudest) to 127 (silence).
        permissions: what the room lets him do.
        is_sharing_screen: sends a stream of the kind :attr:`VideoKind.SCREEN_SHARE`.
    """

    user_id: str
    display_name: str
    is_local: bool
    video_stream_count: int
    audio_stream_count: int = 0
    is_speaking: bool = False
    audio_level: int = 127
    permissions: Permission = Permission(0)
    is_sharing_screen: bool = False


class Session:
    """A membership, made by :meth:`Engine.create_session`.  States change in the background; each change is an event.

    ``with session:`` or :meth:`close` leaves the room and ends the session.
    """

    def __init__(self, engine: Engine, url: str, user_id: str, display_name: str | None = None, event_capacity: int = 0,
                 access_token: str | None = None, capture_path: str | None = None, capture_flags: CaptureFlag = CaptureFlag(0)) -> None:
        options = sized(_structs.SessionOptions, event_capacity=event_capacity, url=encode(url, "url"),
                        user_id=encode(user_id, "user_id"))
        if display_name is not None:
            options.display_name = encode(display_name, "display_name")
        if access_token is not None:
            options.access_token = encode(access_token, "access_token")
        if capture_path is not None:
            options.capture_path = encode(capture_path, "capture_path")
        options.capture_flags = int(capture_flags)
        self._handle = 0
        self._handle = created(library.msdk_session_create, engine._handle, options)
        self._engine = engine
        self.url = url
        self.user_id = user_id
        self._closed = False
        self._readiness = Readiness(library.msdk_session_event_fd, self._handle)
        self._incoming: weakref.WeakValueDictionary[int, IncomingVideo | IncomingAudio] = weakref.WeakValueDictionary()
        # What is started or attached must not be collected while it is.
        self._started: dict[int, OutgoingVideo | OutgoingAudio] = {}
        self._renderers: dict[int, dict[int, Instance]] = {}
        self._screen_views: dict[int, Instance] = {}
        engine._sessions.add(self)

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Leaves the room, stops the session's streams and ends it.  May be called again."""
        if not self._closed:
            self._closed = True
            _destroy(self._handle)
            self._readiness.close()
            for stream in list(self._incoming.values()):
                stream._readiness.close()
            for started in self._started.values():
                started._session = None
            self._incoming.clear()
            self._started.clear()
            self._renderers.clear()
            self._screen_views.clear()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if getattr(self, "_handle", 0) and not getattr(self, "_closed", True):
            destroy(self._handle)

    @property
    def engine(self) -> Engine:
        return self._engine

    # -------------------------------------------------------------------------------------------------------------- the room

    def connect(self) -> None:
        """Begins to connect; what happens comes as :attr:`EventType.SESSION_STATE`: connected, or disconnected with an error
        that is a :class:`RefusedError`, an :class:`ExistsError` or a :class:`RoomFullError`.

        Raises:
            StateError: neither idle nor disconnected.
        """
        check(library.msdk_session_connect(self._handle))

    def disconnect(self) -> None:
        """Begins to leave.  A success when there is nothing to leave."""
        check(library.msdk_session_disconnect(self._handle))

    def set_srtp_keys(self, own: bytes, theirs: bytes) -> None:
        """The keys of a session whose url has ``srtp=SUITE``: master key and salt in a row.  To be set before :meth:`connect`.

        Args:
            own: protects what is sent.
            theirs: protects what comes.

        Raises:
            StateError: connected already, or no ``srtp`` in the url.
        """
        check(library.msdk_session_set_srtp_keys(self._handle, bytes(own), len(own), bytes(theirs), len(theirs)))

    def set_remote_sdp(self, kind: SdpType, sdp: str) -> None:
        """Takes the other end's description, of a session whose url is ``rtp:``.

        Raises:
            InvalidError: it is no description, or answers no offer.
            StateError: connected already, or the url is another.
        """
        check(library.msdk_session_set_remote_sdp(self._handle, int(kind), encode(sdp, "sdp")))

    def local_sdp(self) -> str:
        """This end's description: the answer once an offer was set, else an offer; by url what a receiver has to know.  Its ports are
        bound from now on."""
        return self._text(library.msdk_session_local_sdp)

    def _text(self, function: Any) -> str:
        needed, size = c_uint64(), 4096
        while True:
            room = create_string_buffer(size)
            result = function(self._handle, room, size, needed)
            if result != Status.BUFFER_SMALL or needed.value <= size:
                check(result)
                return decode(room.value)
            size = needed.value

    @property
    def state(self) -> SessionState:
        return SessionState(number(c_uint32, library.msdk_session_state, self._handle))

    def participants(self) -> list[Participant]:
        """The members of the room now, oneself first."""
        capacity, count = 16, c_uint32()
        while True:
            array = (_structs.Participant * capacity)()
            for element in array:
                element.struct_size = sizeof(element)
            result = library.msdk_session_participants(self._handle, array, capacity, count)
            if result != Status.BUFFER_SMALL:
                check(result)
                return [Participant(decode(one.user_id), decode(one.display_name), bool(one.is_local), one.video_stream_count,
                                    one.audio_stream_count, bool(one.is_speaking), one.audio_level, Permission(one.permissions),
                                    bool(one.is_sharing_screen))
                        for one in array[:count.value]]
            capacity = max(count.value, 2 * capacity)

    def remove_participant(self, user_id: str, reason: str = "") -> None:
        """Takes another member out of the room: his session becomes disconnected, with :class:`RemovedError` and the reason.

        Raises:
            RefusedError: this session may not moderate.
            NotFoundError: nobody has that id.
            InvalidError: it is one's own.
        """
        check(library.msdk_session_remove_participant(self._handle, encode(user_id, "user_id"), encode(reason, "reason")))

    def mute_participant(self, user_id: str, muted: bool = True) -> None:
        """Mutes what another member sends now; he may unmute himself.  False takes that back: what he muted himself stays muted.

        Raises:
            RefusedError, NotFoundError, InvalidError: as :meth:`remove_participant`.
        """
        check(library.msdk_session_mute_participant(self._handle, encode(user_id, "user_id"), int(bool(muted))))

    def stats(self) -> SessionStats:
        return snapshot(SessionStats, filled(_structs.SessionStats, library.msdk_session_stats_get, self._handle))

    def stats_json(self) -> str:
        """The same and more as JSON: a list of objects by the names and units of W3C's webrtc-stats."""
        return self._text(library.msdk_session_stats_json)

    # --------------------------------------------------------------------------------------------------------------- video

    def start_video(self, stream: OutgoingVideo) -> None:
        """Offers a stream to the room.  Its states and its sender come as events.

        Raises:
            StateError: the session is not connected, or the stream is started.
            RefusedError: the room does not permit it.
        """
        check(library.msdk_session_start_video(self._handle, stream._handle))
        self._started[stream._handle] = stream
        stream._session = self

    def stop_video(self, stream: OutgoingVideo) -> None:
        """Withdraws it.  Frames that were sent are still reported.

        Raises:
            StateError: it is not started on this session.
        """
        check(library.msdk_session_stop_video(self._handle, stream._handle))
        self._started.pop(stream._handle, None)
        stream._session = None

    # -------------------------------------------------------------------------------------------------------------- feeders

    def set_ingest(self, *, transmission_token: bytes, reception_token: bytes, port: int | None = None, socket_path: str | None = None,
                   limits: Limits = Limits.CONFERENCE, codec: Codec = Codec.NONE, fps: int = 0, preset: Preset = Preset.REALTIME,
                   target_bitrate: int = 0) -> None:
        """Opens a door through which another process of this machine feeds a screen share, see :mod:`mediasdk.feeder`.  What happens
        there comes as :attr:`EventType.INGEST`.  A door that was open is closed first.

        Args:
            transmission_token: what the feeder must prove, 16 to 255 bytes; it is not sent.
            reception_token: what is proved to it, another.
            port: on 127.0.0.1; 0: any that is free, see :attr:`ingest_port`; None: none.
            socket_path: of a Unix socket; None: none.
            fps: frames a second at most; 0: 15.

        Raises:
            ExistsError: the port or the socket is taken.
        """
        options = sized(_structs.IngestOptions, transmission_token_size=len(transmission_token), reception_token_size=len(reception_token),
                        port=0 if port is None else port or INGEST_ANY_PORT, limits=limits, codec=codec, fps=fps, preset=preset,
                        target_bitrate=target_bitrate)
        tokens = [create_string_buffer(bytes(token), len(token) or 1) for token in (transmission_token, reception_token)]
        options.transmission_token, options.reception_token = (addressof(token) for token in tokens)
        if socket_path is not None:
            options.socket_path = encode(socket_path, "socket_path")
        check(library.msdk_session_set_ingest(self._handle, byref(options)))

    def close_ingest(self) -> None:
        """Closes the door; its share ends.  A success when there is none."""
        check(library.msdk_session_set_ingest(self._handle, None))

    @property
    def ingest_port(self) -> int:
        """The port of the open door; 0 when it has only a socket.

        Raises:
            StateError: there is no door.
        """
        return number(c_uint32, library.msdk_session_ingest_port, self._handle)

    # --------------------------------------------------------------------------------------------------------------- sound

    def start_audio(self, stream: OutgoingAudio) -> None:
        """Offers a stream of sound to the room: at once when connected, else whenever the session gets connected, until it is
        stopped or closed.  Up to 8.

        Raises:
            StateError: it is started or attached already.
            NoMemoryError: there are 8.
        """
        check(library.msdk_session_start_audio(self._handle, stream._handle))
        self._started[stream._handle] = stream
        stream._session = self

    def stop_audio(self, stream: OutgoingAudio) -> None:
        """Withdraws and detaches it.  What waits to be sent is reported as dropped.

        Raises:
            StateError: it is neither started nor attached here.
        """
        check(library.msdk_session_stop_audio(self._handle, stream._handle))
        self._started.pop(stream._handle, None)
        stream._session = None

    @property
    def mixed_audio(self) -> IncomingAudio:
        """The room's sound, all participants but oneself mixed; it is there until the session's end."""
        handle = created(library.msdk_session_mixed_audio, self._handle)
        known = self._incoming.get(handle)
        if not isinstance(known, IncomingAudio):
            known = self._incoming[handle] = IncomingAudio(handle, self, "", None, None, Codec.NONE)
        return known

    # ------------------------------------------------------------------------------------------------------------ rendering

    def attach_renderer(self, renderer: Instance, include_local: bool = False) -> None:
        """Renders the whole call: hands everybody's pictures, names, and who speaks and is muted, to a renderer of several streams,
        ``org.mediasdk.renderer.grid`` say.  Streams that nobody started are started for it.  Up to 8, in any state of the session.
        One that fails is reported by :attr:`EventType.PLUGIN` and detached.

        Args:
            include_local: oneself too, with the own streams.

        Raises:
            UnsupportedError: it renders a single stream.
            StateError: it is attached to something already.
        """
        options = sized(_structs.SessionRendererOptions, include_local=int(include_local))
        check(library.msdk_session_attach_renderer(self._handle, renderer._handle, byref(options)))
        self._renderers.setdefault(self._handle, {})[renderer._handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        """When it returns, the renderer is not being called any more.

        Raises:
            NotFoundError: it is not attached here.
        """
        check(library.msdk_session_detach_renderer(self._handle, renderer._handle))
        self._renderers.get(self._handle, {}).pop(renderer._handle, None)

    def start_screen_view(self, user_id: str, renderer: Instance, view: View) -> None:
        """Shows the screen that a participant shares, through a view; begins to receive it unless that was done.

        Raises:
            NotFoundError: nobody of that user id shares a screen.
        """
        check(library.msdk_session_start_screen_view(self._handle, encode(user_id, "user_id"), renderer._handle, byref(view._struct())))
        self._screen_views[renderer._handle] = renderer

    def stop_screen_view(self, user_id: str, renderer: Instance) -> None:
        """Ends that, and receiving, when this was the last to show it.

        Raises:
            NotFoundError: the renderer does not show that user's screen.
        """
        check(library.msdk_session_stop_screen_view(self._handle, encode(user_id, "user_id"), renderer._handle))
        self._screen_views.pop(renderer._handle, None)

    # --------------------------------------------------------------------------------------------------------------- events

    def next_event(self, timeout: float | None = None) -> Event:
        """Takes the oldest event.

        Args:
            timeout: seconds to wait; 0: looks only; None: for ever.

        Raises:
            MediaTimeout: none came.
            ClosedError: the session was closed meanwhile.
            HandleError: it was closed before.
        """
        struct = _structs.Event()
        result = wait(lambda milliseconds: _next_event(self._handle, milliseconds, byref(struct)), timeout)
        if result < 0:
            raise failure(result)
        return self._event(struct)

    def events(self, timeout: float | None = None) -> Iterator[Event]:
        """Events until the session is closed, or until none came for `timeout` seconds."""
        while True:
            try:
                event = self.next_event(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return
            yield event

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    def fileno(self) -> int:
        """A descriptor that poll() finds readable while events wait.  Do not read, write or close it."""
        return number(c_int32, library.msdk_session_event_fd, self._handle)

    async def next_event_async(self, timeout: float | None = None) -> Event:
        """:meth:`next_event` for asyncio."""
        return await self._readiness.until(self.next_event, timeout, "event")

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            try:
                event = await self.next_event_async()
            except (ClosedError, HandleError):
                return
            yield event

    def _event(self, struct: _structs.Event) -> Event:
        kind = EventType(struct.type)
        user_id = decode(struct.user_id)
        format = format_of(struct.format) if struct.format.pixel_format else None
        audio_format = audio_format_of(struct.audio_format) if struct.audio_format.sample_format else None
        codec = Codec(struct.codec)
        objects = self._engine._objects
        video, audio, made = (objects.get(handle or 0) for handle in (struct.outgoing_video, struct.outgoing_audio, struct.instance))
        outgoing = video if isinstance(video, OutgoingVideo) else None
        incoming = self._incoming_of(IncomingVideo, struct.incoming_video, lambda handle: IncomingVideo(
            handle, self, user_id, format, codec, VideoKind(struct.kind or VideoKind.VIRTUAL)))
        heard = self._incoming_of(IncomingAudio, struct.incoming_audio, lambda handle: IncomingAudio(
            handle, self, user_id, AudioKind(struct.kind or AudioKind.MICROPHONE), audio_format, codec))
        if kind in (EventType.INCOMING_VIDEO_REMOVED, EventType.INCOMING_AUDIO_REMOVED):
            self._renderers.pop(struct.incoming_video or struct.incoming_audio, None)
        return Event(
            type=kind, timestamp_ns=struct.timestamp_ns, lost=bool(struct.flags & EventFlag.LOST),
            state=state_of(kind, struct.state), status=struct.status, outgoing_video=outgoing,
            sender=outgoing._sender_of(struct.sender, format) if outgoing is not None and struct.sender else None,
            incoming_video=incoming, instance=made if isinstance(made, Instance) else None, format=format, codec=codec,
            user_id=user_id, text=decode(struct.text), value=struct.value,
            outgoing_audio=audio if isinstance(audio, OutgoingAudio) else None, incoming_audio=heard, audio_format=audio_format,
            kind=_stream_kind(struct),
            muted=bool(struct.value) if kind in (EventType.INCOMING_AUDIO_ADDED, EventType.INCOMING_AUDIO_MUTED) else None,
            speaking=bool(struct.state) if kind == EventType.ACTIVE_SPEAKER else None,
            moderation=Moderation(struct.value) if kind == EventType.MODERATED else None,
            direction=Direction(struct.direction) if kind == EventType.NETWORK_QUALITY else None)

    def _incoming_of(self, wanted: type[T], handle: int | None, make: Callable[[int], T]) -> T | None:
        """The stream of a handle, the same object each time."""
        if not handle:
            return None
        known = self._incoming.get(handle)
        if isinstance(known, wanted):
            return known
        made = self._incoming[handle] = make(handle)
        return made

    def __repr__(self) -> str:
        return f"<Session {self.user_id} in {self.url}{' closed' if self._closed else ''}>"


def _stream_kind(struct: _structs.Event) -> AudioKind | VideoKind | None:
    """What kind of stream an event is about."""
    if not struct.kind:
        return None
    if struct.outgoing_audio or struct.incoming_audio:
        return AudioKind(struct.kind)
    return VideoKind(struct.kind)
