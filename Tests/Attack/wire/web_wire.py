"""HTTP, session descriptions and WebSocket as one who attacks writes them."""
from __future__ import annotations

import re
import secrets
import socket
import struct
from dataclasses import dataclass
from typing import Sequence

from addresses import RESET, SAME

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n", re.S)
_LENGTH = re.compile(rb"content-length: *(\d+)", re.I)
_PRINT = ":".join(["AB"] * 32)
_BYTES, _CLOSE, _PING, _PONG = 2, 8, 9, 10  # kinds of frames
_EXTENSIONS = {3: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01", 4: "urn:ietf:params:rtp-hdrext:sdes:mid",
               5: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"}
MID, RID = 4, 5  # the numbers of the latter
OPUS, VP8 = 111, 96  # payload types

# A frame of a length that is not allowed, with reserved bits.
MASKED_GARBAGE = b"\xf1\xff" + b"\xff" * 8 + bytes(64)


class Connection:
    """A connection that does not wait; what does not go out at once goes out later."""

    def __init__(self, address: tuple[str, int], source: str) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            if source != SAME:
                self.socket.bind((source, 0))
            self.socket.setblocking(False)
            self.socket.connect_ex(address)
        except OSError:
            self.socket.close()
            raise
        self.is_over = False
        self._outgoing, self._incoming = b"", b""

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.is_over = True
        self.socket.close()

    def send(self, data: bytes = b"") -> None:
        # What nobody takes does not become more.
        self._outgoing = (self._outgoing + data)[:2 << 20]
        try:
            while self._outgoing:
                self._outgoing = self._outgoing[self.socket.send(self._outgoing):]
        except (BlockingIOError, OSError):
            pass

    def read(self) -> bool:
        """Whether something came."""
        came = False
        self.send()
        try:
            while not self.is_over:
                piece = self.socket.recv(65_536)
                self.is_over = not piece
                self._incoming += piece
                came = came or bool(piece)
        except BlockingIOError:
            pass
        except OSError:
            self.is_over = True
        return came

    def statuses(self) -> list[str]:
        """Of whole answers."""
        found = []
        while match := _STATUS.match(self._incoming):
            length = _LENGTH.search(match[2])
            size = match.end() + (int(length[1]) if length else 0)
            if len(self._incoming) < size:
                break
            self._incoming = self._incoming[size:]
            found.append(match[1].decode())
        return found


def request(method: str, path: str, body: bytes, fields: dict[str, str]) -> bytes:
    """Content-Length is that of the body, unless it is given or the body comes in chunks."""
    if not {"Content-Length", "Transfer-Encoding"} & fields.keys():
        fields = fields | {"Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\nHost: attacked\r\n{head}\r\n".encode() + body


def endless_head(room: str) -> bytes:
    return f"GET /{room} HTTP/1.1\r\nHost: attacked\r\nX-Endless: ".encode()


def upgrade(path: str, token: str = "") -> bytes:
    """To WebSocket."""
    head = f"Authorization: Bearer {token}\r\n" if token else ""
    return (f"GET {path} HTTP/1.1\r\nHost: attacked\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{head}"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()


def page_upgrade(room: str) -> bytes:
    return upgrade(f"/ws/{room}")


def frame(data: bytes, kind: int = _BYTES) -> bytes:
    """A message of WebSocket, under a mask of zeros."""
    size = len(data)
    length = bytes([0x80 | size]) if size < 126 else b"\xFE" + struct.pack(">H", size) if size < 65_536 else b"\xFF" + struct.pack(">Q", size)
    return bytes([0x80 | kind]) + length + bytes(4) + data


class Frames:
    """What a server says by WebSocket after its head."""

    def __init__(self) -> None:
        self._incoming = b""
        self.answers = b""  # to pings
        self.is_over = False

    def take(self, data: bytes) -> list[bytes]:
        """Messages of bytes; a server of MediaSDK sends none in pieces."""
        self._incoming += data
        found, at = [], 0
        while place := self._place(at):
            start, end = place
            kind, body = self._incoming[at] & 15, self._incoming[start:end]
            self.is_over = self.is_over or kind == _CLOSE
            if kind == _PING:
                self.answers += frame(body, _PONG)
            elif kind == _BYTES:
                found.append(body)
            at = end
        self._incoming = self._incoming[at:]
        return found

    def _place(self, at: int) -> tuple[int, int] | None:
        """Where the content of the frame begins and ends; None: it has not come as a whole."""
        if len(self._incoming) < at + 2:
            return None
        size, start = self._incoming[at + 1] & 127, at + 2
        if size > 125:
            wide = 2 if size == 126 else 8
            size, start = int.from_bytes(self._incoming[start:start + wide], "big"), start + wide
        return (start, start + size) if len(self._incoming) >= start + size else None


def _section(number: int) -> str:
    return ("m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=rtcp-mux\r\na=sendonly\r\na=setup:actpass\r\n"
            f"a=mid:{number}\r\na=rtpmap:111 opus/48000/2\r\n")


def _description(sections: int) -> str:
    mids = " ".join(map(str, range(sections)))
    return (f"v=0\r\no=- {secrets.randbits(60)} 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE {mids}\r\n"
            f"a=ice-ufrag:{secrets.token_hex(4)}\r\na=ice-pwd:{secrets.token_hex(16)}\r\na=fingerprint:sha-256 {_PRINT}\r\n"
            + "".join(map(_section, range(sections))))


@dataclass(frozen=True)
class Section:
    """Of an offer to a room: of "audio" or "video", sent in these layers or heard."""

    kind: str
    is_sent: bool
    ssrc: int = 0
    layers: tuple[str, ...] = ()

    def text(self, mid: int) -> str:
        name, number = ("opus/48000/2", OPUS) if self.kind == "audio" else ("VP8/90000", VP8)
        lines = [f"m={self.kind} 9 UDP/TLS/RTP/SAVPF {number}", "c=IN IP4 0.0.0.0", "a=rtcp-mux", "a=rtcp-rsize", "a=setup:active", f"a=mid:{mid}",
                 f"a={'sendonly' if self.is_sent else 'recvonly'}", f"a=rtpmap:{number} {name}", f"a=rtcp-fb:{number} transport-cc"]
        lines += [f"a=extmap:{extension} {uri}" for extension, uri in _EXTENSIONS.items()]
        if self.is_sent:
            lines.append(f"a=msid:- {self.kind}")
        if self.layers:
            lines += [f"a=rid:{layer} send" for layer in self.layers] + [f"a=simulcast:send {';'.join(self.layers)}"]
        elif self.is_sent:
            lines.append(f"a=ssrc:{self.ssrc} cname:attack")
        return "".join(f"{line}\r\n" for line in lines)


def room_offer(sections: Sequence[Section], user: str, password: str, fingerprint: str, port: int, version: int) -> str:
    """Of one connection of WebRTC to a room, from that port of this machine."""
    mids = " ".join(map(str, range(len(sections))))
    return (f"v=0\r\no=- 1 {version} IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE {mids}\r\na=ice-ufrag:{user}\r\n"
            f"a=ice-pwd:{password}\r\na=fingerprint:sha-256 {fingerprint}\r\n"
            + "".join(section.text(mid) for mid, section in enumerate(sections))
            + f"a=candidate:1 1 UDP 2130706431 127.0.0.1 {port} typ host\r\n")


def offer() -> bytes:
    """One microphone, at an address at which nobody is."""
    return (_description(1) + "a=candidate:1 1 UDP 2130706431 127.0.0.9 9 typ host\r\n").encode()


def long_offer(sections: int, size: int) -> bytes:
    """Of so many sections; what is left are lines that nobody knows."""
    text = _description(sections).encode()
    line = b"a=x-unknown:" + bytes([0x61]) * 50 + b"\r\n"
    return text + line * ((size - len(text)) // len(line))
