"""Attacks of those who are not in the room: connections, garbage, and tokens that nobody has looked at yet."""
from __future__ import annotations

import collections
import secrets
import select
import socket
import ssl
import time
from typing import Any, Optional, Sequence

from addresses import ANOTHER, OTHER, RESET, SAME
from pacing import Pace
from room_member import Line
from wire import livekit_wire, stun


def knock(address: tuple[str, int], source: str) -> Optional[socket.socket]:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        if source != SAME:
            made.bind((source, 0))
        made.setblocking(False)
        made.connect_ex(address)
        return made
    except OSError:
        made.close()
        return None


def flood(target: dict[str, Any], seconds: float, rate: int, source: str, garbage: Sequence[bytes], held: float) -> dict[str, Any]:
    """Connections that say one of these and nothing more, each kept for so long."""
    address, made, refused = (target["host"], target["port"]), 0, 0
    open_ones: collections.deque[tuple[float, socket.socket]] = collections.deque()
    unsaid: list[tuple[socket.socket, bytes]] = []
    for now in Pace(rate, seconds):
        unsaid = [(one, words) for one, words in unsaid if not _say(one, words)]
        while open_ones and now - open_ones[0][0] > held:
            open_ones.popleft()[1].close()
        if (one := knock(address, source)) is None:
            refused += 1
            continue
        made += 1
        open_ones.append((now, one))
        if garbage:
            unsaid.append((one, garbage[made % len(garbage)]))
    for _, one in open_ones:
        one.close()
    return {"did": f"{made / seconds:,.0f} connections a second" + (f", {refused} failed" if refused else ""), "effort": made}


def _say(connection: socket.socket, words: bytes) -> bool:
    """Whether that is done."""
    try:
        connection.send(words)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def garbage(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return flood(target, seconds, 2000, SAME, [bytes(range(16))], held=1.5)


def _client_hello() -> bytes:
    """The first message of a handshake: who has it once can say it again and again, and computes nothing."""
    outgoing = ssl.MemoryBIO()
    try:
        _context().wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def hellos(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return flood(target, seconds, 2000, OTHER, [_client_hello()], held=1.5)


def checks(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """As connections of ICE over TCP begin (RFC 4571): with a check for a name that nobody has, or with half of one."""
    datagram = stun.check("stranger", secrets.token_hex(4), secrets.token_hex(12))
    framed = len(datagram).to_bytes(2, "big") + datagram
    return flood(target, seconds, 2000, OTHER, [framed, framed[:10]], held=1.5)


def knocks_same(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return flood(target, seconds, 200, SAME, [], held=12)


def knocks_other(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return flood(target, seconds, 200, OTHER, [], held=12)


def unverified(target: dict[str, Any], seconds: float, most: int = 100) -> dict[str, Any]:
    """A hundred at a time whose requests to join wait for the room's answer, half of them from either address; who is put out comes again."""
    lines: list[Line] = []
    made = most_at_once = 0
    for _ in Pace(100, seconds):
        for line in lines:
            line.messages()
        for line in [line for line in lines if line.is_over]:
            line.close()
            lines.remove(line)
        most_at_once = max(most_at_once, len(lines))
        if len(lines) < most:
            try:
                path = livekit_wire.path(target["room"], f"stranger {made}")
                lines.append(Line(target, path, "who-knows", OTHER if made % 2 else SAME, timeout=1))
                made += 1
            except OSError:
                continue
    for line in lines:
        line.close()
    return {"did": f"{made} requests, {most_at_once} at once", "effort": made}


class _Handshake:
    """A connection whose handshake is done as far as the host lets it."""

    def __init__(self, address: tuple[str, int], source: str, context: ssl.SSLContext) -> None:
        plain = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            plain.bind((source, 0))
            # Over loopback at once, or as soon as the kernel's queue has room.
            plain.settimeout(1)
            plain.connect(address)
            plain.setblocking(False)
            self.socket = context.wrap_socket(plain, do_handshake_on_connect=False)
        except BaseException:
            plain.close()
            raise
        self.is_open = False

    def fileno(self) -> int:
        return self.socket.fileno()

    def step(self) -> bool:
        """Whether it is over, one way or the other."""
        try:
            self.socket.do_handshake()
            self.is_open = True
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return False
        except OSError:
            pass
        self.socket.close()
        return True


def handshakes(target: dict[str, Any], seconds: float, at_once: int = 64) -> dict[str, Any]:
    """Whole handshakes from two addresses, as fast as may be and so many at a time; whoever is through hangs up and comes again."""
    address, sources, done, made = (target["host"], target["port"]), [OTHER, ANOTHER], 0, 0
    context = _context()
    waiting: list[_Handshake] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        while len(waiting) < at_once:
            try:
                one = _Handshake(address, sources[made % len(sources)], context)
            except OSError:
                break
            made += 1
            if not one.step():
                waiting.append(one)
        readable, _, _ = select.select(waiting, [], [], 0.05)
        for one in readable:
            if one.step():
                waiting.remove(one)
                done += one.is_open
    for one in waiting:
        one.socket.close()
    return {"did": f"{done / seconds:,.0f} handshakes a second, of {made / seconds:,.0f} begun", "effort": done}
