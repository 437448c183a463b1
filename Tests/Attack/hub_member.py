"""A member of a hub's room whose messages and packets are this program's to make: one who can do what members of the SDK never do."""
from __future__ import annotations

import socket
import ssl
import time
from typing import Any, Optional

import hub_wire
import rtp_wire
from hub_wire import Refused, Stream, Welcome
from srtp import Direction, Forged


class Line:
    """A connection of TLS to a hub.  What does not go out at once waits; what comes is taken by `messages`."""

    def __init__(self, address: tuple[str, int], source: str = "", timeout: float = 3.0) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        plain = socket.create_connection(address, timeout, (source, 0) if source else None)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket = context.wrap_socket(plain)
        except BaseException:
            plain.close()
            raise
        self.socket.setblocking(False)
        self.is_over = False
        self._outgoing, self._incoming = b"", b""

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.is_over = True
        self.socket.close()

    def send(self, data: bytes = b"") -> None:
        self._outgoing += data
        try:
            while self._outgoing and not self.is_over:
                self._outgoing = self._outgoing[self.socket.send(self._outgoing):]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        except OSError:
            self.is_over = True

    def drain(self, most: int = 1000) -> bytes:
        """What has come, as it came."""
        pieces = []
        try:
            for _ in range(most if not self.is_over else 0):
                piece = self.socket.recv(65_536)
                if not piece:
                    self.is_over = True
                    break
                pieces.append(piece)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.is_over = True
        return b"".join(pieces)

    def messages(self) -> list[bytes]:
        self._incoming += self.drain()
        found = []
        while len(self._incoming) >= 2:
            size = int.from_bytes(self._incoming[:2], "big")
            if len(self._incoming) < 2 + size:
                break
            found.append(self._incoming[2:2 + size])
            self._incoming = self._incoming[2 + size:]
        return found


class Member:
    """Somebody in a hub's room, whose messages and media are this program's to make."""

    def __init__(self, target: dict[str, Any], user: str, token: str = "", source: str = "127.0.0.1") -> None:
        self.address = (target["host"], target["port"])
        self.line = Line(self.address, source)
        self.streams: dict[str, Stream] = {}
        self.wanted = 0  # notices of what receivers want
        self._counted, self._confirmed, self._said = 0, 0, time.monotonic()
        self.welcome: Optional[Welcome] = None
        self.line.send(hub_wire.hello(target["room"], user, token))
        deadline = time.monotonic() + 5
        while self.welcome is None:
            self.listen()
            if self.line.is_over or time.monotonic() > deadline:
                self.line.close()
                raise Refused(f"{user} is not let in")
            time.sleep(0.005)
        self.terms = self.welcome
        self._up, self._down = Direction(self.terms.up), Direction(self.terms.down)
        self.socket = udp(source)
        self.end_ssrc = self.terms.base | 63
        self._arrivals: dict[int, float] = {}
        self._latest, self._feedback, self._feedback_due = 0, 0, 0.0
        self._is_heard = False

    def close(self) -> None:
        self.line.close()
        self.socket.close()

    # ------------------------------------------------------------------------------------------------------------ messages

    def listen(self) -> None:
        for message in self.line.messages():
            if message[0] == hub_wire.WELCOME:
                self.welcome = Welcome.parse(message)
            elif message[0] == hub_wire.ENDED:
                self.line.is_over = True
            elif message[0] == hub_wire.STREAM_ADDED:
                stream = Stream.parse(message)
                self.streams[stream.user] = stream
            self.wanted += message[0] == hub_wire.WANTED
            self._counted += message[0] >= hub_wire.FIRST_COUNTED
        # As an honest member confirms, and so that they are heard when there is nothing else to say.
        if self.welcome and (self._counted - self._confirmed >= 64 or time.monotonic() - self._said > 1):
            self._confirmed = self._counted
            self.say(hub_wire.received(self._counted))

    def say(self, message: bytes) -> None:
        self._said = time.monotonic()
        self.line.send(message)

    def await_stream(self, user: str, timeout: float = 5.0) -> Stream:
        deadline = time.monotonic() + timeout
        while user not in self.streams:
            self.listen()
            if self.line.is_over or time.monotonic() > deadline:
                raise Refused(f"no stream of {user}")
            time.sleep(0.005)
        return self.streams[user]

    # --------------------------------------------------------------------------------------------------------------- media

    def transmit(self, packet: bytes, over: Optional[socket.socket] = None) -> int:
        """Sealed, over the own socket or another; its size."""
        sealed = self._up.protect_control(packet) if rtp_wire.is_rtcp(packet) else self._up.protect(packet)
        try:
            return (over or self.socket).sendto(sealed, (self.address[0], self.terms.port))
        except OSError:
            return 0

    def greet(self, over: Optional[socket.socket] = None) -> int:
        return self.transmit(rtp_wire.empty_report(self.end_ssrc), over)

    def arrived(self) -> list[tuple[int, bytes]]:
        """Media that came: place and payload.  Challenges are returned."""
        found = []
        for _ in range(64):
            try:
                packet = self.socket.recv(2048)
            except OSError:
                break
            try:
                if len(packet) < 12 or rtp_wire.is_rtcp(packet):
                    self._take_control(packet)
                    continue
                front = rtp_wire.header_size(packet)
                payload = self._down.unprotect(packet, front)[front:]
            except Forged:
                continue
            self._is_heard = True
            self._note(rtp_wire.transport_sequence(packet, self.terms.transport_sequence))
            found.append((packet[11] & 63, payload))
        return found

    def _take_control(self, packet: bytes) -> None:
        if len(packet) > 28 and (answer := rtp_wire.returned_challenge(self.end_ssrc, self._down.unprotect_control(packet))):
            self.transmit(answer)

    def _note(self, sequence: Optional[int]) -> None:
        if sequence is not None:
            self._latest += (sequence - self._latest + 0x8000 & 0xFFFF) - 0x8000
            self._arrivals[self._latest] = time.monotonic()

    def report(self) -> None:
        """What came, as a member does, ten times a second; before anything did, that one is here."""
        now = time.monotonic()
        if now < self._feedback_due:
            return
        self._feedback_due = now + 0.1
        if not self._is_heard:
            self.greet()
        if not self._arrivals:
            return
        self.transmit(rtp_wire.transport_feedback(self.end_ssrc, self.terms.base | 0x80 | 63, self._feedback, self._arrivals))
        self._feedback += 1
        self._arrivals = {}


def udp(source: str) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    made.bind((source, 0))
    made.setblocking(False)
    return made
