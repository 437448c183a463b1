"""A member of a served room whose messages and packets are this program's to make: one who can do what members of the SDK never do."""
from __future__ import annotations

import re
import secrets
import socket
import ssl
import time
from typing import Any, Callable, Optional

from addresses import SAME
from wire import livekit_wire, rtp_wire, stun, web_wire
from wire.dtls import Handshake, fingerprint
from wire.livekit_wire import AUDIO, Refused
from wire.srtp import Forged
from wire.web_wire import MID, OPUS, RID, VP8, Frames, Section

_CANDIDATE = re.compile(r"candidate:\S+ 1 udp \d+ ([\d.]+) (\d+) typ host", re.I)
_SIZES = {"q": (320, 180), "h": (640, 360)}  # of the layers in which video is sent


class Line:
    """A WebSocket to a served room.  What does not go out at once waits; what comes is taken by `messages`."""

    def __init__(self, target: dict[str, Any], path: str, token: str, source: str = SAME, timeout: float = 3.0) -> None:
        plain = socket.create_connection((target["host"], target["port"]), timeout, (source, 0) if source != SAME else None)
        self.socket = plain
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if target["tls"]:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                self.socket = context.wrap_socket(plain)
        except BaseException:
            plain.close()
            raise
        self.socket.setblocking(False)
        self.is_over = False
        self._outgoing, self._head = web_wire.upgrade(path, token), b""
        self._frames: Optional[Frames] = None
        self._flush()

    def close(self) -> None:
        self.is_over = True
        self.socket.close()

    def send(self, message: bytes) -> None:
        self._outgoing += web_wire.frame(message)
        self._flush()

    def _flush(self) -> None:
        try:
            while self._outgoing and not self.is_over:
                self._outgoing = self._outgoing[self.socket.send(self._outgoing):]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
            pass
        except OSError:
            self.is_over = True

    def _drain(self, most: int = 1000) -> bytes:
        """What has come, as it came."""
        pieces = []
        try:
            for _ in range(most if not self.is_over else 0):
                piece = self.socket.recv(65_536)
                if not piece:
                    self.is_over = True
                    break
                pieces.append(piece)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            pass
        except OSError:
            self.is_over = True
        return b"".join(pieces)

    def messages(self) -> list[bytes]:
        data = self._drain()
        if self._frames is None:
            self._head += data
            head, end, data = self._head.partition(b"\r\n\r\n")
            if not end:
                return []
            if b" 101 " not in head[:16]:
                # The room's refusal.
                self.is_over = True
                return []
            self._frames = Frames()
        found = self._frames.take(data)
        if self._frames.answers:
            self._outgoing, self._frames.answers = self._outgoing + self._frames.answers, b""
        self._flush()
        self.is_over = self.is_over or self._frames.is_over
        return found


def udp(source: str) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    made.bind((source, 0))
    made.setblocking(False)
    return made


def wait(until: Callable[[], bool], doing: Callable[[], None], timeout: float, words: str) -> None:
    deadline = time.monotonic() + timeout
    while not until():
        doing()
        if time.monotonic() > deadline:
            raise Refused(words)
        time.sleep(0.002)


class Member:
    """Somebody in a served room, whose messages and media are this program's to make: by one connection of WebRTC they send audio or video,
    and hear one other's."""

    def __init__(self, target: dict[str, Any], user: str, sends: str = "", hears: str = "") -> None:
        self.socket = udp(SAME)
        self.ssrc = secrets.randbelow(1 << 31)
        self.tracks: dict[str, list[str]] = {}  # of others
        self.sid = ""  # of the own track
        self.wanted = 0  # notices of what receivers want
        self.heard: list[bytes] = []  # payloads that nobody has taken
        layers = tuple(_SIZES) if sends == livekit_wire.VIDEO else ()
        self._sections = [Section(sends, True, self.ssrc, layers)] if sends else []
        self._sections += [Section(hears, False)] if hears else []
        self._user, self._password, self._offers, self._answers = secrets.token_hex(4), secrets.token_hex(16), 1, 0
        self._remote: Optional[tuple[str, str]] = None  # user and password
        self._place: Optional[tuple[str, int]] = None  # of the other end
        self._keys, self._has_path, self._next_step, self._count = Handshake(), False, 0.0, 0
        path = livekit_wire.path_of_one(target["room"], user, [livekit_wire.track(sends)] if sends else [], self._offer())
        self.line = Line(target, path, target["token"])
        try:
            wait(lambda: self._keys.up is not None, self.listen, 5, f"{user} is not let in")
            if sends:
                self._begin(sends)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.line.close()
        self.socket.close()
        self._keys.close()

    def _offer(self) -> str:
        port = self.socket.getsockname()[1]
        return web_wire.room_offer(self._sections, self._user, self._password, fingerprint(), port, self._offers)

    def _begin(self, kind: str) -> None:
        """A track is one of the room's as soon as something of it has come."""
        wait(lambda: bool(self.sid), self.listen, 5, "a track is not published")
        for _ in range(3):
            self.speak(rtp_wire.OPUS_20_MS + bytes(60)) if kind == AUDIO else self.show()

    # ------------------------------------------------------------------------------------------------------------ messages

    def listen(self) -> None:
        """To both the room's messages and its packets."""
        for message in self.line.messages():
            for kind, body in livekit_wire.fields(message):
                self._take(kind, body)
        if self.line.is_over:
            return
        self._arrive()
        if self._keys.up is None and self._remote and self._place and time.monotonic() > self._next_step:
            self._next_step = time.monotonic() + 0.2
            if not self._has_path:
                self._transmit(stun.check(self._user, *self._remote))
            else:
                self._shake()

    def _take(self, kind: int, body: Any) -> None:
        if kind in (livekit_wire.JOIN, livekit_wire.UPDATE):
            for one in livekit_wire.participants(kind, body):
                self.tracks[one.identity] = one.tracks
        elif kind == livekit_wire.PUBLISHED:
            self.sid = livekit_wire.value(livekit_wire.value(body, 2), 1).decode()
        elif kind == livekit_wire.ANSWER:
            self._answers += 1
            sdp = livekit_wire.value(body, 2).decode()
            lines = dict(line[2:].partition(":")[::2] for line in sdp.split("\r\n") if line.startswith("a=ice-"))
            self._remote = lines["ice-ufrag"], lines["ice-pwd"]
            self._find(sdp)
        elif kind == livekit_wire.TRICKLE:
            self._find(livekit_wire.value(body, 1).decode())
        elif kind == livekit_wire.LEAVE:
            self.line.is_over = True
        self.wanted += kind == livekit_wire.SUBSCRIBED_QUALITIES

    def _find(self, text: str) -> None:
        """The candidate of this machine."""
        for address, port in _CANDIDATE.findall(text):
            if address == SAME:
                self._place = address, int(port)

    def await_track(self, user: str, timeout: float = 5.0) -> str:
        """The sid."""
        wait(lambda: bool(self.tracks.get(user)), self.listen, timeout, f"no track of {user}")
        return self.tracks[user][0]

    def hear(self, sid: str) -> None:
        """In the section for it, which another offer gives to the room."""
        self._offers += 1
        self.line.send(livekit_wire.subscribe(sid))
        self.line.send(livekit_wire.offer(self._offer(), self._offers))
        wait(lambda: self._answers == self._offers, self.listen, 5, "an offer is not answered")

    # --------------------------------------------------------------------------------------------------------------- media

    def _transmit(self, packet: bytes) -> int:
        """Its size."""
        try:
            return self.socket.sendto(packet, self._place) if self._place else 0
        except OSError:
            return 0

    def _shake(self, datagram: bytes = b"") -> None:
        for record in self._keys.step(datagram):
            self._transmit(record)

    def send(self, packet: bytes, front: int = 12) -> int:
        """Sealed; its size."""
        if self._keys.up is None:
            return 0
        return self._transmit(self._keys.up.protect_control(packet) if rtp_wire.is_rtcp(packet) else self._keys.up.protect(packet, front))

    def speak(self, payload: bytes) -> None:
        self.send(rtp_wire.rtp(OPUS, self._count, self._count * 960, self.ssrc, payload))
        self._count += 1

    def show(self) -> None:
        """A picture in each layer."""
        for place, (name, size) in enumerate(_SIZES.items()):
            packet = rtp_wire.rtp(VP8 | 0x80, self._count, self._count * 3000, self.ssrc + place, rtp_wire.picture(*size))
            packet = rtp_wire.extended(packet, {MID: "0", RID: name})
            self.send(packet, rtp_wire.header_size(packet))
        self._count += 1

    def take_heard(self) -> list[bytes]:
        """Payloads that came."""
        self._arrive()
        found, self.heard = self.heard, []
        return found

    def _arrive(self) -> None:
        for _ in range(64):
            try:
                packet, place = self.socket.recvfrom(2048)
            except OSError:
                return
            if stun.is_message(packet):
                self._take_check(packet, place)
            elif 20 <= packet[0] < 64:
                self._shake(packet)
            elif self._keys.down and len(packet) >= 12 and not rtp_wire.is_rtcp(packet):
                front = rtp_wire.header_size(packet)
                try:
                    self.heard.append(self._keys.down.unprotect(packet, front)[front:])
                except Forged:
                    continue

    def _take_check(self, packet: bytes, place: tuple[str, int]) -> None:
        if stun.is_request(packet):
            self.socket.sendto(stun.answer(packet, place, self._password), place)
        elif stun.is_success(packet) and not self._has_path:
            self._has_path = True
            self._shake()
