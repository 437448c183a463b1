"""A path to a served room that is a hundred milliseconds long, there and back: TCP passes through it late, byte for byte and in order.

    relay.py PORT MILLISECONDS
"""
from __future__ import annotations

import asyncio
import os
import sys

import orders


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """One way: what is read is written that much later."""
    loop, last = asyncio.get_running_loop(), asyncio.Event()

    def late(data: bytes) -> None:
        if data and not writer.is_closing():
            writer.write(data)
        else:
            writer.close()
            last.set()

    try:
        while data := await reader.read(65_536):
            loop.call_later(delay, late, data)
    except OSError:
        pass
    loop.call_later(delay, late, b"")
    await last.wait()


async def serve(port: int, delay: float) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return writer.close()
        await asyncio.gather(carry(reader, back, delay), carry(there, writer, delay), return_exceptions=True)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    orders.say(port=server.sockets[0].getsockname()[1])
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # whoever is still connected has no more to say


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 2000))
