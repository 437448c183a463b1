"""A server of STUN that keeps silent until it is told to begin."""
from __future__ import annotations

import asyncio
import socket

from aioice import stun


class LateSTUN:
    """Says to whoever asks from the loopback address that they are seen at another one; others get no answer. To be made in a loop."""
    MAPPED = "127.0.0.77"

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self._has_begun = False
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._read)

    def begin(self) -> None:
        self._has_begun = True

    def _read(self) -> None:
        data, address = self._socket.recvfrom(2048)
        if not self._has_begun or address[0] != "127.0.0.1":
            return
        request = stun.parse_message(data)
        response = stun.Message(request.message_method, stun.Class.RESPONSE, request.transaction_id)
        response.attributes["XOR-MAPPED-ADDRESS"] = (self.MAPPED, address[1])
        self._socket.sendto(bytes(response), address)

    def close(self) -> None:
        self._loop.remove_reader(self._socket)
        self._socket.close()
