"""A NAT that hands on each port with its number (1:1), for one port of UDP."""
from __future__ import annotations

import asyncio
from typing import Any


class Forwarding:
    """From outside to inside, by a socket for each sender, at which the answers come."""

    def __init__(self, inside: tuple[str, int]) -> None:
        self.inside, self.inward = inside, 0
        self._outside: Any = None
        self._senders: dict[tuple[str, int], asyncio.Future[Any]] = {}

    @classmethod
    async def open(cls, outside: str, inside: str, port: int) -> Forwarding:
        self = cls((inside, port))
        self._outside, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Received(self._enter), local_addr=(outside, port))
        return self

    def close(self) -> None:
        for transport in [self._outside, *(sender.result() for sender in self._senders.values() if sender.done())]:
            transport.close()

    def _enter(self, data: bytes, source: tuple[str, int]) -> None:
        self.inward += 1
        if source not in self._senders:
            self._senders[source] = asyncio.ensure_future(self._connect(source))
        self._senders[source].add_done_callback(lambda sender: sender.result().sendto(data))

    async def _connect(self, source: tuple[str, int]) -> Any:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Received(lambda data, _: self._outside.sendto(data, source)), remote_addr=self.inside)
        return transport


class _Received(asyncio.DatagramProtocol):
    def __init__(self, take: Any) -> None:
        self.datagram_received = take
