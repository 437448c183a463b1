"""A client of WHIP and a player of WHEP, by aiortc and the HTTP of Python's own library."""
from __future__ import annotations

import asyncio
import ssl
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urljoin

from aiortc import RTCSessionDescription

from rtc.end import Caller, Viewer


def _candidates(sdp: str, only: str) -> str:
    """A description with the candidates of an address, or all."""
    return "".join(line for line in sdp.splitlines(True) if not line.startswith("a=candidate:") or f" {only or line.split()[4]} " in line)


class WebSession:
    """What a server says, and the session that it names. Its certificate is not looked at."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url, self.token = url, token
        self.location, self.etag = "", ""
        self._context = ssl._create_unverified_context() if url.startswith("https:") else None

    def _request(self, method: str, url: str, body: bytes | None, kind: str) -> tuple[int, dict[str, str], str]:
        headers = {"Content-Type": kind} if body is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(url, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60, context=self._context) as response:
                return response.status, dict(response.headers), response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode()

    async def request(self, method: str, url: str, body: bytes | None = None, kind: str = "application/sdp") -> tuple[int, dict[str, str], str]:
        return await asyncio.to_thread(self._request, method, url, body, kind)

    async def open(self, connection: Any, only: str = "") -> None:
        """Offers what the connection has; aiortc has all candidates in it. `only`: this address of the server is the only one that is known to
        the client, and the server does not know those of the client."""
        await connection.setLocalDescription(await connection.createOffer())
        offer = connection.localDescription.sdp
        status, headers, text = await self.request("POST", self.url, (_candidates(offer, "none") if only else offer).encode())
        if status != 201:
            raise AssertionError(f"{self.url}: {status} {text}")
        assert headers["Content-Type"] == "application/sdp" and headers["ETag"], headers
        self.location, self.etag = urljoin(self.url, headers["Location"]), headers["ETag"]
        await connection.setRemoteDescription(RTCSessionDescription(_candidates(text, only), "answer"))

    async def end(self) -> int:
        return (await self.request("DELETE", self.location))[0]


class Sender(Caller):
    """Sends pictures and a tone."""

    async def open(self, url: str, only: str = "") -> WebSession:
        for transceiver in self.connection.getTransceivers():
            transceiver.direction = "sendonly"
        session = WebSession(url)
        await session.open(self.connection, only)
        return session


class Player(Viewer):
    """Keeps what comes."""

    async def open(self, url: str) -> WebSession:
        for kind in ("audio", "video"):
            self.connection.addTransceiver(kind, direction="recvonly")
        session = WebSession(url)
        await session.open(self.connection)
        return session
