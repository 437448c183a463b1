"""A way to a server over TCP that can be cut: what goes over it is passed on, until then."""
from __future__ import annotations

import asyncio


class Way:
    """To a port of this machine, from `open` to `close`."""

    def __init__(self, port: int) -> None:
        self._target, self.port = port, 0
        self._writers: set[asyncio.StreamWriter] = set()

    async def open(self) -> Way:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, other_writer}
        await asyncio.gather(self._copy(reader, other_writer), self._copy(other_reader, writer), return_exceptions=True)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()

    def cut(self) -> None:
        """Resets what is open. The next connection is passed on again."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def close(self) -> None:
        self.cut()
        self._server.close()
        await self._server.wait_closed()
