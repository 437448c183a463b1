"""HTTP, session descriptions and WebSocket as one who attacks writes them."""
from __future__ import annotations

import re
import secrets
import socket

from strangers import SAME, RESET

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n", re.S)
_LENGTH = re.compile(rb"content-length: *(\d+)", re.I)
_PRINT = ":".join(["AB"] * 32)

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


def upgrade(room: str) -> bytes:
    return (f"GET /ws/{room} HTTP/1.1\r\nHost: attacked\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()


def _section(number: int) -> str:
    return ("m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=rtcp-mux\r\na=sendonly\r\na=setup:actpass\r\n"
            f"a=mid:{number}\r\na=rtpmap:111 opus/48000/2\r\n")


def _description(sections: int) -> str:
    mids = " ".join(map(str, range(sections)))
    return (f"v=0\r\no=- {secrets.randbits(60)} 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE {mids}\r\n"
            f"a=ice-ufrag:{secrets.token_hex(4)}\r\na=ice-pwd:{secrets.token_hex(16)}\r\na=fingerprint:sha-256 {_PRINT}\r\n"
            + "".join(map(_section, range(sections))))


def offer() -> bytes:
    """One microphone, at an address at which nobody is."""
    return (_description(1) + "a=candidate:1 1 UDP 2130706431 127.0.0.9 9 typ host\r\n").encode()


def long_offer(sections: int, size: int) -> bytes:
    """Of so many sections; what is left are lines that nobody knows."""
    text = _description(sections).encode()
    line = b"a=x-unknown:" + bytes([0x61]) * 50 + b"\r\n"
    return text + line * ((size - len(text)) // len(line))
