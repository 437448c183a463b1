"""One user's membership of a room: connecting, participants, events."""
from __future__ import annotations

import asyncio
import weakref
from ctypes import addressof, byref, c_uint32, c_uint64, c_void_p, create_string_buffer
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Iterable, Iterator, TypeVar

from . import _structs, data as _data
from ._arguments import duration, expected, octets, switch, utf8_or_octets
from ._call import bounded, check, created, deadline_of, decode, encode, filled, listed, number, sized
from ._events_queue import EventQueue
from ._names import member
from ._native import library
from ._reading import event_of
from ._unique import Owner
from .audio_format import audio_format_of
from .constants import (FRAME_KEY_MAX, AudioKind, CaptureFlag, Codec, DataChannelFlag, DescriptionOutcome, Limits, Permission, Preset,
                        SdpType, SessionState, Status, VideoKind)
from .data import Data
from .data_channel import DataChannel
from .data_stream import DataStreams
from .errors import ClosedError, HandleError, InvalidError, MediaTimeout, RangeError
from .events import (DataAvailable, DataStreamAvailable, DataWritable, Event, IncomingAudioRemoved, IncomingVideoRemoved, RpcAvailable,
                     SessionStateChanged)
from .formats import format_of
from .incoming import IncomingVideo
from .incoming_audio import IncomingAudio
from .instance import Instance
from .outgoing import OutgoingVideo
from .outgoing_audio import OutgoingAudio
from .pacing import Steps, asleep, paced
from .rpc import Rpc
from .stats import SessionStats, snapshot
from .view import View

if TYPE_CHECKING:
    from .engine import Engine

T = TypeVar("T", IncomingVideo, IncomingAudio)

_destroy = library.msdk_session_destroy

_SHORTEST, _LONGEST = 0.001, 0.02  # seconds between two looks at whether the session is connected
_REASON_TRIES = 50  # looks for the event with the reason, which may come a moment after the state


def _key(value: Any, name: str) -> tuple[bytes, int]:
    data = octets(value, name)
    return data, len(data)


def _owner(user_id: str | None) -> bytes | None:
    return None if user_id is None else encode(user_id, "user_id")


@dataclass(frozen=True)
class Participant:
    """A member of the room.

    Attributes:
        is_local: this session itself.
        video_stream_count, audio_stream_count: published now.
        is_speaking: an active speaker.
        audio_level: of the loudest stream when speech was last detected, 0 (loudest) to 127 (silence).
        permissions: what the room permits them.
        is_sharing_screen: sends a stream of the kind :attr:`VideoKind.SCREEN_SHARE`.
        attributes: their attributes (:meth:`Session.set_attribute`), in the order of the keys.
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
    attributes: dict[str, str] = field(default_factory=dict, hash=False)


class Session(Owner):
    """A membership, made by :meth:`Engine.create_session`.  States change in the background; each change is an event.

    ``with session:`` or :meth:`close` leaves the room and ends the session.
    """

    _word = "session"

    def __init__(self, engine: Engine, url: str, user_id: str, display_name: str | None = None, event_capacity: int = 0,
                 access_token: str | None = None, capture_path: str | None = None,
                 capture_flags: CaptureFlag | str = CaptureFlag(0), encrypt_frames: bool = False, encrypt_data: bool = False) -> None:
        options = sized(_structs.SessionOptions, event_capacity=event_capacity, url=encode(url, "url"),
                        user_id=encode(user_id, "user_id"), encrypt_frames=int(bool(encrypt_frames)),
                        encrypt_data=int(bool(encrypt_data)))
        if display_name is not None:
            options.display_name = encode(display_name, "display_name")
        if access_token is not None:
            options.access_token = encode(access_token, "access_token")
        if capture_path is not None:
            options.capture_path = encode(capture_path, "capture_path")
        options.capture_flags = member(CaptureFlag, capture_flags, "capture_flags")
        self._raw_handle = created(library.msdk_session_create, engine._handle, options)
        self._engine = engine
        self.url = url
        self.user_id = user_id
        self._events = EventQueue(self._handle)
        self._last_state: SessionStateChanged | None = None
        self._incoming: weakref.WeakValueDictionary[int, IncomingVideo | IncomingAudio] = weakref.WeakValueDictionary()
        # What is started or attached must not be collected while it is.
        self._started: dict[int, OutgoingVideo | OutgoingAudio] = {}
        self._renderers: dict[int, dict[int, Instance]] = {}
        self._screen_views: dict[int, Instance] = {}
        engine._sessions.add(self)

    # ------------------------------------------------------------------------------------------------------------ lifetime

    def close(self) -> None:
        """Leaves the room, stops the session's streams and ends it.  May be called again.  It may wait until a server has what the session
        sent: over ``livekit+`` for up to 5 s, over ``janus+`` for up to 1 s, if the server is gone."""
        if not self._closed:
            self._closed = True
            try:
                _destroy(self._raw_handle)
            finally:  # Ctrl-C may come while it waits for its server
                self._let_go()

    def _let_go(self) -> None:
        self._events.close()
        for stream in list(self._incoming.values()):
            stream._readiness.close()
        for started in self._started.values():
            started._session = None
        self._incoming.clear()
        self._started.clear()
        self._renderers.clear()
        self._screen_views.clear()

    async def close_async(self) -> None:
        """:meth:`close` for asyncio, on a thread of the loop's executor, as it may wait."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def _begin_to_leave(self) -> None:
        """Of an engine that closes its sessions: what :meth:`close` waits for begins in all of them."""
        if not self._closed:
            library.msdk_session_disconnect(self._handle)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, destroy: Any = _destroy) -> None:
        if self._raw_handle and not self._closed:
            destroy(self._raw_handle)

    @property
    def engine(self) -> Engine:
        return self._engine

    # -------------------------------------------------------------------------------------------------------------- the room

    def connect(self, timeout: float | None = 30, *, wait: bool = True) -> None:
        """Joins the room, and returns when the session is connected.  No event is consumed meanwhile: all can be read afterwards.

        Args:
            timeout: seconds to wait; None: no limit.  A virtual clock has to be advanced by another thread meanwhile.
            wait: False: returns at once; the result is a :class:`SessionStateChanged`, and :meth:`connected` waits for it.

        Raises:
            StateError: neither idle nor disconnected.
            RefusedError, ExistsError, FullError: the room refuses the access token; has the user id already; takes no more members.
            MediaSDKError: another reason, as it is the error of the event.
            MediaTimeout: not connected in time; the session goes on trying until :meth:`disconnect` or :meth:`close`.
            ClosedError: disconnected or closed meanwhile.
        """
        deadline_of(timeout)  # before anything begins
        self._last_state = None
        check(library.msdk_session_connect(self._handle))
        if wait and not paced(self._connecting(), timeout):
            raise self._late(timeout)

    async def connected(self, timeout: float | None = 30) -> None:
        """:meth:`connect` for asyncio: begins to connect if the session is idle, and returns when it is connected.

        Raises:
            RefusedError, ExistsError, FullError, MediaTimeout, ClosedError: as :meth:`connect`; of a session that is disconnected
                already, the reason of that.
        """
        deadline_of(timeout)
        if self.state == SessionState.IDLE:
            self.connect(wait=False)
        if not await asleep(self._connecting(), timeout):
            raise self._late(timeout)

    def _connecting(self) -> Steps[bool]:
        """Waits until the session is connected; it reads the state and no event, as another thread may be reading those."""
        pause, tries = _SHORTEST, 0
        while True:
            state = self.state
            if state == SessionState.CONNECTED:
                return True
            if state in (SessionState.IDLE, SessionState.DISCONNECTED):
                self._events.read_ahead(self._event)
                last = self._last_state
                if last is not None and last.state == SessionState.DISCONNECTED or tries >= _REASON_TRIES:
                    raise (last.error if last is not None else None) or ClosedError(f"the session of {self.user_id} is disconnected")
                tries += 1
            yield pause, False
            pause = min(2 * pause, _LONGEST)

    def _late(self, timeout: float | None) -> MediaTimeout:
        return MediaTimeout(f"the session of {self.user_id} is not connected to {self.url} after {timeout} s: it is {self.state.name}")

    def disconnect(self) -> None:
        """Begins to leave the room. It succeeds also when there is nothing to leave."""
        check(library.msdk_session_disconnect(self._handle))

    def set_srtp_keys(self, own: bytes, theirs: bytes) -> None:
        """The keys of a session whose url has ``srtp=SUITE``: master key and salt, concatenated.  To be set before :meth:`connect`.

        Args:
            own: protects what is sent.
            theirs: protects what comes.

        Raises:
            StateError: connected already, or no ``srtp`` in the url.
        """
        check(library.msdk_session_set_srtp_keys(self._handle, *_key(own, "own"), *_key(theirs, "theirs")))

    def set_remote_sdp(self, kind: SdpType | str, sdp: str) -> None:
        """Sets the peer's description, for a session whose url is ``rtp:``.

        Raises:
            InvalidError: it is not a description, or answers no offer.
            StateError: connected already, or the url is another.
        """
        check(library.msdk_session_set_remote_sdp(self._handle, member(SdpType, kind, "kind"), encode(sdp, "sdp")))

    def local_sdp(self) -> str:
        """The local description: the answer if an offer was set, else an offer; if the url has an address, what a receiver needs.  Its
        ports are
        bound from now on."""
        return self._text(library.msdk_session_get_local_sdp)

    def describe(self) -> SdpType:
        """Makes the next description of this end and sets it, for a session whose url is ``webrtc:``: the answer to an offer of the peer
        that waits for one, else an offer.  :meth:`local_description` returns its text.

        Raises:
            StateError: not connecting or connected, an offer waits for the peer's answer, or the url is another.
        """
        kind = c_uint32()
        check(library.msdk_session_describe(self._handle, byref(kind)))
        return SdpType(kind.value)

    def local_description(self) -> str:
        """The description that :meth:`describe` made last, with the candidates that are known by now.

        Raises:
            StateError: there is none.
        """
        return self._text(library.msdk_session_get_local_description)

    def set_remote_description(self, kind: SdpType | str, sdp: str = "") -> DescriptionOutcome:
        """Sets a description of the peer over ``webrtc:``; ``ROLLBACK`` has no text.

        Returns:
            ``IGNORED`` for an offer that met one of this end, which is not polite; it is not to be answered.

        Raises:
            InvalidError: it is malformed, or does not fit what was offered.  Nothing has changed then.
            StateError: there is nothing to be answered or taken back, or as :meth:`describe`.
        """
        outcome = c_uint32()
        kind = member(SdpType, kind, "kind")
        check(library.msdk_session_set_remote_description(self._handle, kind, encode(sdp, "sdp"), byref(outcome)))
        return DescriptionOutcome(outcome.value)

    def add_remote_candidate(self, candidate: str, mid: str | None = None) -> None:
        """A candidate of the peer over ``webrtc:``, of a section by its name; an empty one says that none follows.

        Raises:
            InvalidError: it is malformed.
            NotFoundError: no description has that section.
        """
        section = None if mid is None else encode(mid, "mid")
        check(library.msdk_session_add_remote_candidate(self._handle, encode(candidate, "candidate"), section))

    def add_ice_server(self, uri: str, user: str | None = None, password: str | None = None) -> None:
        """A server of STUN (``stun:HOST:PORT``) or TURN (``turn:``, ``turns:``; with user and password), for a session whose url is
        ``webrtc:``.

        Raises:
            InvalidError: it is not such a server, or it is a relay without user or password.
        """
        secrets = (None if text is None else encode(text, name) for text, name in ((user, "user"), (password, "password")))
        check(library.msdk_session_add_ice_server(self._handle, encode(uri, "uri"), *secrets))

    def restart_ice(self) -> None:
        """The next offer of this end restarts ICE, over ``webrtc:``: all paths are sought again.

        Raises:
            StateError: not connecting or connected, or the url is another.
        """
        check(library.msdk_session_restart_ice(self._handle))

    def open_data_channel(
        self, label: str, protocol: str = "", *, ordered: bool = True, max_retransmits: int | None = None, lifetime_ms: int | None = None,
        number: int | None = None
    ) -> DataChannel:
        """Opens a channel for messages to the peer over ``webrtc:``.  What is sent at once waits for the peer;
        :class:`DataChannelOpened` says that it is there.

        Args:
            label, protocol: up to 1,024 bytes each, which the peer gets.
            ordered: messages arrive in the order in which they were sent.
            max_retransmits, lifetime_ms: how often, or how long, a lost message is sent again; None: until it arrives.
            number: both programs open the channel with this number, 0 to 1,023, and neither end asks the other.

        Raises:
            UnsupportedError: the url is another.
            StateError: not connecting or connected.
            ExistsError: the number is in use.
        """
        flags = DataChannelFlag(0) if ordered else DataChannelFlag.UNORDERED
        for flag, value in ((DataChannelFlag.LIMITED_RETRANSMITS, max_retransmits), (DataChannelFlag.LIMITED_LIFETIME, lifetime_ms),
                            (DataChannelFlag.NEGOTIATED, number)):
            flags |= DataChannelFlag(0) if value is None else flag
        options = sized(
            _structs.DataChannelOptions,
            flags=flags, label=encode(label, "label"), protocol=encode(protocol, "protocol"), number=number or 0,
            max_retransmits=max_retransmits or 0, lifetime_ms=lifetime_ms or 0)
        channel = c_uint64()
        check(library.msdk_session_open_data_channel(self._handle, byref(options), byref(channel)))
        return DataChannel(self, channel.value)

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
        return SessionState(number(c_uint32, library.msdk_session_get_state, self._handle))

    def participants(self) -> list[Participant]:
        """The members of the room now: this session first, then the others in the order in which they joined."""
        return [Participant(decode(one.user_id), decode(one.display_name), bool(one.is_local), one.video_stream_count,
                            one.audio_stream_count, bool(one.is_speaking), one.audio_level, Permission(one.permissions),
                            bool(one.is_sharing_screen), self.attributes(decode(one.user_id)))
                for one in listed(_structs.Participant, library.msdk_session_participant_at, self._handle)]

    def set_attribute(self, key: str, value: str | None) -> None:
        """Sets an attribute of this participant, which all members of the room can read, also those that join later; the others are
        notified by :class:`ParticipantAttributeChanged`.  The session keeps its attributes when it disconnects.

        Args:
            key: 1 to 63 of a-z, 0-9, ".", "_" and "-".
            value: up to 1,023 bytes; None: removes it.

        Raises:
            InvalidError: an argument.
            FullError: there are 32 already.
            RefusedError: the access token does not permit it (:attr:`Grant.UPDATE_METADATA`).
            UnsupportedError: the session is over rtp:, which has no attributes.
        """
        check(library.msdk_session_set_attribute(self._handle, encode(key, "key"), None if value is None else encode(value, "value")))

    def attributes(self, user_id: str | None = None) -> dict[str, str]:
        """The attributes of a participant, in the order of the keys; empty if no participant has that user id.

        Args:
            user_id: None: those of this session, also while it is not connected.
        """
        name = encode(self.user_id if user_id is None else user_id, "user_id")
        return {decode(one.key): decode(one.value)
                for one in listed(_structs.Attribute, library.msdk_session_participant_attribute_at, self._handle, name)}

    def set_access_token(self, token: str | None) -> None:
        """Replaces the access token.  A connected session shows it to the room's verifier at once, and gets the answer as
        :class:`AccessRenewed`; until then, and when it is refused, it keeps the access that it has.  A session that is not connected shows
        it when it next connects.

        Raises:
            InvalidError: it is longer than 4,095 bytes.
            UnsupportedError: the session is over rtp:, which has no tokens.
        """
        check(library.msdk_session_set_access_token(self._handle, None if token is None else encode(token, "token")))

    def remove_participant(self, user_id: str, reason: str = "") -> None:
        """Removes another member from the room: their session becomes disconnected, with :class:`RemovedError` and the reason.

        Raises:
            RefusedError: this session may not moderate.
            NotFoundError: no member has that id.
            InvalidError: it is the id of this session.
        """
        check(library.msdk_session_remove_participant(self._handle, encode(user_id, "user_id"), encode(reason, "reason")))

    def mute_participant(self, user_id: str, muted: bool = True) -> None:
        """Mutes what another member sends now; they may unmute it.  False reverts that: what they muted themselves stays muted.

        Raises:
            RefusedError, NotFoundError, InvalidError: as :meth:`remove_participant`.
        """
        check(library.msdk_session_mute_participant(self._handle, encode(user_id, "user_id"), int(bool(muted))))

    # ---------------------------------------------------------------------------------------------------------- encryption

    def set_frame_key(self, key: bytes | str | None, user_id: str | None = None, *, index: int = 0) -> None:
        """Sets a key of end-to-end encryption, or (None) removes it, in every state of the session.  It takes tens of milliseconds.

        What no key decrypts is dropped, and :class:`StreamEncryptionChanged` or :class:`DataEncryptionChanged` says it.

        Args:
            key: a passphrase or random bytes, 1..FRAME_KEY_MAX.
            user_id: whose frames it is for; None: those of everybody without a key of the index.  What this session sends is encrypted with
                the key of its own user id, or else with that of everybody.
            index: 0..FRAME_KEY_INDEX_MAX.

        Raises:
            RangeError, InvalidError, ValueTypeError: an argument.
            FullError: the session has 4,096 keys.
        """
        data = b"" if key is None else utf8_or_octets(key, "key")
        if key is not None and not data:
            raise RangeError(f"key has 0 bytes; accepted: 1..{FRAME_KEY_MAX}, or None to remove it")
        check(library.msdk_session_set_frame_key(self._handle, _owner(user_id), bounded(index, 32, "index"), data, len(data)))

    def select_frame_key(self, index: int) -> None:
        """Encrypts with the key of that index from the next frame on; 0 at first.

        Raises:
            RangeError: the index.
        """
        check(library.msdk_session_select_frame_key(self._handle, bounded(index, 32, "index")))

    def ratchet_frame_key(self, user_id: str | None = None, *, index: int = 0) -> None:
        """Replaces a key by the one that is derived of it, which receivers follow.  Each can be had from the other.

        Raises:
            NotFoundError: no such key is set.
            RangeError, InvalidError: an argument.
        """
        check(library.msdk_session_ratchet_frame_key(self._handle, _owner(user_id), bounded(index, 32, "index")))

    # ---------------------------------------------------------------------------------------------------------------- data

    @property
    def data_streams(self) -> DataStreams:
        """Texts and files of any length, to and from others."""
        return DataStreams(self)

    @property
    def rpc(self) -> Rpc:
        """Remote procedure calls: methods that others call, and calls of theirs."""
        return Rpc(self)

    def send_data(
        self, data: bytes | bytearray | memoryview, *, topic: str = "", to: str | Iterable[str] | None = None, lossy: bool = False
    ) -> None:
        """Sends data to other members of the room, and never waits.  Rooms of ``loopback:`` and ``livekit+wss:`` have data.

        Args:
            data: up to DATA_MAX bytes.
            topic: up to DATA_TOPIC_MAX bytes, by which the parts of a program distinguish their data.
            to: the user id of a member, or up to DATA_RECIPIENTS_MAX of them; None: everybody else.
            lossy: it may be lost, and may overtake other data: for what the next one replaces, such as positions.  False: reliable, and
                in order with other reliable data of this session.

        Raises:
            AgainError: too much has not been passed on yet, or the session is reconnecting; :class:`DataWritable` says when there is room.
                Lossy data is lost instead.
            NotFoundError: a recipient is not another member of the room; the data was sent to none of them.
            RefusedError: the room does not permit it (:attr:`Permission.SEND_DATA`).
            StateError: not connected.
            RangeError, InvalidError: an argument.
            UnsupportedError: rooms of the session's url have no data.
        """
        _data.send(self._handle, data, topic, to, lossy)

    def read_data(self) -> Data | None:
        """The oldest data that has come; None: there is none now, and :class:`DataAvailable` follows when there is.

        Raises:
            UnsupportedError: rooms of the session's url have no data.
        """
        return _data.read(self._handle)

    def next_data(self, timeout: float | None = None) -> Data:
        """Takes the oldest data that has come.  Events that come meanwhile can be read afterwards, or by another thread.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the session was closed meanwhile.
            HandleError: it was closed before.
            UnsupportedError: as :meth:`read_data`.
        """
        return self._events.until(self._event, self.read_data, timeout, "data")

    def data(self, timeout: float | None = None) -> Iterator[Data]:
        """Data until the session is closed, or until none came for `timeout` seconds, which begin again with each."""
        while True:
            try:
                data = self.next_data(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return
            yield data

    async def next_data_async(self, timeout: float | None = None) -> Data:
        """:meth:`next_data` for asyncio."""
        return await self._events.until_async(self._event, self.read_data, timeout, "data")

    async def data_async(self, timeout: float | None = None) -> AsyncIterator[Data]:
        """:meth:`data` for asyncio: ``async for data in session.data_async()``."""
        while True:
            try:
                data = await self.next_data_async(timeout)
            except (ClosedError, HandleError, MediaTimeout):
                return
            yield data

    # --------------------------------------------------------------------------------------------------------------- stats

    def stats(self) -> SessionStats:
        return snapshot(SessionStats, filled(_structs.SessionStats, library.msdk_session_get_stats, self._handle))

    def stats_json(self) -> str:
        """These and more stats from JSON: a list of objects with the names and units of W3C webrtc-stats."""
        return self._text(library.msdk_session_get_stats_json)

    # --------------------------------------------------------------------------------------------------------------- video

    def start_video(self, stream: OutgoingVideo) -> None:
        """Offers a stream to the room: at once if the session is connected, and whenever it connects, until it is stopped or
        closed.  Its states and its sender come as events.

        Raises:
            StateError: it is started or attached already.
            RefusedError: the room does not permit it; of an attached stream this is the error of an
                :class:`OutgoingVideoStateChanged`.
        """
        check(library.msdk_session_start_video(self._handle, expected(stream, OutgoingVideo, "stream")._handle))
        self._started[stream._raw_handle] = stream
        stream._session = self

    def stop_video(self, stream: OutgoingVideo) -> None:
        """Withdraws and detaches it.  Frames that were sent are still reported.

        Raises:
            StateError: it is neither started nor attached here.
        """
        check(library.msdk_session_stop_video(self._handle, expected(stream, OutgoingVideo, "stream")._handle))
        self._started.pop(stream._raw_handle, None)
        stream._session = None

    # -------------------------------------------------------------------------------------------------------------- feeders

    def set_ingest(self, *, transmission_token: bytes, reception_token: bytes, port: int | None = None, socket_path: str | None = None,
                   limits: Limits | str = Limits.CONFERENCE, codec: Codec | str = Codec.AUTO, fps: int = 0,
                   preset: Preset | str = Preset.REALTIME, target_bitrate: int = 0) -> None:
        """Opens a local ingest, through which another process of this machine feeds a screen share, see :mod:`mediasdk.feeder`.
        Its changes are events, :class:`IngestChanged`.  An ingest that was open is closed first.

        Args:
            transmission_token: what the feeder must prove, 16 to 255 bytes; it is not sent.
            reception_token: what is proved to the feeder; a different one.
            port: on 127.0.0.1, 1..65,535, or PORT_ANY, a free one, see :attr:`ingest_port`; None: none.
            socket_path: of a Unix socket; None: none.
            fps: frames a second at most; 0: 15.

        Raises:
            ExistsError: the port or the socket is taken.
        """
        if port == 0:
            raise InvalidError("port is 0; accepted: 1..65535, PORT_ANY, or None for none")
        secrets = [octets(transmission_token, "transmission_token"), octets(reception_token, "reception_token")]
        tokens = [create_string_buffer(secret, len(secret) or 1) for secret in secrets]
        options = sized(_structs.IngestOptions, transmission_token_size=len(secrets[0]), reception_token_size=len(secrets[1]),
                        port=0 if port is None else bounded(port, 32, "port"), limits=member(Limits, limits, "limits"),
                        codec=member(Codec, codec, "codec"), fps=fps, preset=member(Preset, preset, "preset"),
                        target_bitrate=target_bitrate)
        options.transmission_token, options.reception_token = (addressof(token) for token in tokens)
        if socket_path is not None:
            options.socket_path = encode(socket_path, "socket_path")
        check(library.msdk_session_set_ingest(self._handle, byref(options)))

    def close_ingest(self) -> None:
        """Closes the ingest; its share ends. It succeeds also when there is none."""
        check(library.msdk_session_set_ingest(self._handle, None))

    @property
    def ingest_port(self) -> int:
        """The port of the open ingest; 0 when it has only a socket.

        Raises:
            StateError: there is no ingest.
        """
        return number(c_uint32, library.msdk_session_get_ingest_port, self._handle)

    # --------------------------------------------------------------------------------------------------------------- audio

    def start_audio(self, stream: OutgoingAudio) -> None:
        """Offers a stream of audio to the room: at once if the session is connected, and whenever it connects, until it is
        stopped or closed.  Up to 8.

        Raises:
            StateError: it is started or attached already.
            FullError: there are 8.
        """
        check(library.msdk_session_start_audio(self._handle, expected(stream, OutgoingAudio, "stream")._handle))
        self._started[stream._raw_handle] = stream
        stream._session = self

    def stop_audio(self, stream: OutgoingAudio) -> None:
        """Withdraws and detaches it.  What waits to be sent is reported as dropped.

        Raises:
            StateError: it is neither started nor attached here.
        """
        check(library.msdk_session_stop_audio(self._handle, expected(stream, OutgoingAudio, "stream")._handle))
        self._started.pop(stream._raw_handle, None)
        stream._session = None

    @property
    def mixed_audio(self) -> IncomingAudio:
        """The mix: the audio of all other participants. It is there until the session is closed."""
        handle = created(library.msdk_session_get_mixed_audio, self._handle)
        known = self._incoming.get(handle)
        if not isinstance(known, IncomingAudio):
            known = self._incoming[handle] = IncomingAudio(handle, self, "", None, None, Codec.RAW)
        return known

    # -------------------------------------------------------------------------------------------------------------- streams

    def incoming_videos(self) -> list[IncomingVideo]:
        """The streams of others that are there now: also those whose events were lost."""
        found = []
        for handle in listed(c_void_p, library.msdk_session_incoming_video_at, self._handle):
            info = _structs.IncomingVideoInfo()
            if library.msdk_incoming_video_get_info(handle, byref(info)) == Status.OK:
                found.append(self._incoming_of(IncomingVideo, handle.value, lambda handle: IncomingVideo(
                    handle, self, decode(info.user_id), format_of(info.format), Codec(info.codec), VideoKind(info.kind))))
        return [stream for stream in found if stream is not None]

    def incoming_audios(self) -> list[IncomingAudio]:
        """The same of audio; the mix is not among them."""
        found = []
        for handle in listed(c_void_p, library.msdk_session_incoming_audio_at, self._handle):
            info = _structs.IncomingAudioInfo()
            if library.msdk_incoming_audio_get_info(handle, byref(info)) == Status.OK:
                found.append(self._incoming_of(IncomingAudio, handle.value, lambda handle: IncomingAudio(
                    handle, self, decode(info.user_id), AudioKind(info.kind), audio_format_of(info.format), Codec(info.codec))))
        return [stream for stream in found if stream is not None]

    # ------------------------------------------------------------------------------------------------------------ rendering

    def attach_renderer(self, renderer: Instance, include_local: bool = False) -> None:
        """Renders the whole call: passes the frames and names of all participants, and who speaks and is muted, to a renderer of several
        streams,
        ``org.mediasdk.renderer.grid`` say.  Streams that are not started are started for it.  Up to 8, in any state of the session.
        One that fails is reported by :class:`PluginReported` and detached.

        Args:
            include_local: also this participant, with the streams of this session.

        Raises:
            UnsupportedError: it renders a single stream.
            StateError: it is attached to something already.
        """
        options = sized(_structs.SessionRendererOptions, include_local=switch(include_local, "include_local"))
        check(library.msdk_session_attach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle, byref(options)))
        self._renderers.setdefault(self._raw_handle, {})[renderer._raw_handle] = renderer

    def detach_renderer(self, renderer: Instance) -> None:
        """When it returns, the renderer is no longer called.

        Raises:
            NotFoundError: it is not attached here.
        """
        check(library.msdk_session_detach_renderer(self._handle, expected(renderer, Instance, "renderer")._handle))
        self._renderers.get(self._raw_handle, {}).pop(renderer._raw_handle, None)

    def start_screen_view(self, user_id: str, renderer: Instance, view: View) -> None:
        """Shows the screen that a participant shares, through a view; starts to receive it if it is not started.

        Raises:
            NotFoundError: no participant with that user id shares a screen.
        """
        check(library.msdk_session_start_screen_view(self._handle, encode(user_id, "user_id"),
                                                     expected(renderer, Instance, "renderer")._handle,
                                                     byref(expected(view, View, "view")._struct())))
        self._screen_views[renderer._raw_handle] = renderer

    def stop_screen_view(self, user_id: str, renderer: Instance) -> None:
        """Stops showing it, and stops receiving it if no other renderer shows it.

        Raises:
            NotFoundError: the renderer does not show that user's screen.
        """
        check(library.msdk_session_stop_screen_view(self._handle, encode(user_id, "user_id"),
                                                    expected(renderer, Instance, "renderer")._handle))
        self._screen_views.pop(renderer._raw_handle, None)

    # --------------------------------------------------------------------------------------------------------------- events

    def set_audio_level_interval(self, seconds: float) -> None:
        """Requests an :class:`AudioLevelMeasured` for each audio stream of the session, sent or received, at an interval.

        Args:
            seconds: 0.05..60; 0, the default: none.

        Raises:
            RangeError: another interval.
        """
        check(library.msdk_session_set_audio_level_interval(self._handle, bounded(duration(seconds, "seconds", 1000), 32, "seconds")))

    def set_stats_interval(self, seconds: float) -> None:
        """Requests a :class:`StatsDue` at an interval, upon which the program reads :meth:`stats` or :meth:`stats_json`.

        Args:
            seconds: 0.05..60; 0, the default: none.

        Raises:
            RangeError: another interval.
        """
        check(library.msdk_session_set_stats_interval(self._handle, bounded(duration(seconds, "seconds", 1000), 32, "seconds")))

    def next_event(self, timeout: float | None = None) -> Event:
        """Takes the oldest event.

        Args:
            timeout: seconds to wait; 0: does not wait; None: no limit.

        Raises:
            MediaTimeout: none came.
            ClosedError: the session was closed meanwhile.
            HandleError: it was closed before.
        """
        return self._events.take(self._event, timeout)

    def events(self, timeout: float | None = None) -> Iterator[Event]:
        """Events until the session is closed, or until none came for `timeout` seconds, which begin again with each event."""
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
        return self._events.fileno()

    async def next_event_async(self, timeout: float | None = None) -> Event:
        """:meth:`next_event` for asyncio."""
        return await self._events.take_async(self._event, timeout)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            try:
                event = await self.next_event_async()
            except (ClosedError, HandleError):
                return
            yield event

    def _event(self, struct: _structs.Event) -> Event:
        event = event_of(self, struct)
        if isinstance(event, SessionStateChanged):
            self._last_state = event
        elif isinstance(event, (DataAvailable, DataStreamAvailable, DataWritable, RpcAvailable)):
            self._events.announce()
        elif isinstance(event, IncomingVideoRemoved):
            self._renderers.pop(event.incoming_video._raw_handle, None)
        elif isinstance(event, IncomingAudioRemoved):
            self._renderers.pop(event.incoming_audio._raw_handle, None)
        return event

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
