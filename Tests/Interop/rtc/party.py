"""One end of a call over webrtc:, in a process of its own: sends numbered pictures and a tone, and tells of what comes, of descriptions and candidates,
each in a line of JSON. What the other end says of those comes by standard input; with that it ends.

    rtc/party.py ours|theirs SIZE [offers] [restarts]
"""
from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from typing import Any, AsyncIterator

import numpy as np

import material
import mediasdk
import numbered
from ours import OurEnd

NUMBERS = {"ours": 1, "theirs": 2}  # of their streams of pictures
TONES = {"ours": 660.0, "theirs": material.TONE}
_telling = threading.Lock()


def tell(what: str, **more: Any) -> None:
    line = json.dumps({"what": what, "at": time.monotonic(), **more})
    with _telling:
        print(line, flush=True)


def tell_picture(picture: np.ndarray) -> None:
    stream, number = numbered.read(picture) or (None, None)
    tell("shown", stream=stream, number=number, width=picture.shape[1])


def tell_sound(samples: np.ndarray, of: str, made_up: bool) -> None:
    """`samples`: -1..1, 48 kHz."""
    turn = np.exp(-2j * np.pi * TONES[of] / 48_000 * np.arange(len(samples)))
    power = float(np.square(samples).mean())
    share = abs(samples @ turn / len(samples)) ** 2 * 2 / power if power > 1e-9 else 0.0
    tell("heard", of=of, ms=len(samples) / 48, level=round(power ** 0.5, 4), tone=round(float(share), 3), made_up=made_up)


async def messages() -> AsyncIterator[dict[str, Any]]:
    reader = asyncio.StreamReader(1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


class Ours(OurEnd):
    def __init__(self, offers: bool, restarts: bool) -> None:
        super().__init__("webrtc:?max-bitrate=4000000", NUMBERS["ours"], TONES["ours"])
        self.may_offer, self.restarts = offers, restarts
        produce = self.sent.produce

        def made(frame: mediasdk.Frame) -> None:
            tell("made", stream=NUMBERS["ours"], number=self.sent.number)
            produce(frame)

        setattr(self.sent, "produce", made)
        self.handle(self.follow)

    def describe(self) -> None:
        kind = self.session.describe()
        tell("description", type=kind.name.lower(), sdp=self.session.local_description())

    async def follow(self, event: mediasdk.Event) -> None:
        if isinstance(event, mediasdk.NegotiationNeeded) and self.may_offer:
            self.describe()
        elif isinstance(event, mediasdk.LocalCandidate):
            tell("candidate", candidate=event.candidate, mid=event.mid)
        elif isinstance(event, mediasdk.CandidatesComplete):
            tell("candidate", candidate="", mid="")
        elif isinstance(event, mediasdk.SessionStateChanged):
            tell("state", state=event.state.name, words=event.text)
        elif isinstance(event, mediasdk.EstimateChanged):
            tell("estimate", value=event.bitrate)
        elif isinstance(event, mediasdk.RestartWanted):
            tell("restart")
            if self.restarts:
                self.session.restart_ice()

    async def take(self, message: dict[str, Any]) -> None:
        if message["what"] == "candidate":
            self.session.add_remote_candidate(message["candidate"], message["mid"] or None)
            return
        kind = mediasdk.SdpType[message["type"].upper()]
        self.session.set_remote_description(kind, message["sdp"])
        if kind == mediasdk.SdpType.OFFER:
            self.describe()
        self.may_offer = True

    async def _keep_pictures(self, stream: mediasdk.IncomingVideo) -> None:
        async for frame in stream:
            with frame:
                tell_picture(frame.plane_array(0))

    async def _keep_samples(self, stream: mediasdk.IncomingAudio) -> None:
        async for buffer in stream:
            with buffer:
                tell_sound(buffer.to_numpy()[:, 0], "theirs", bool(buffer.flags & mediasdk.FrameFlag.CORRUPT))


def make_theirs(offers: bool) -> Any:
    from rtc.end import Caller

    class Theirs(Caller):
        def __init__(self) -> None:
            super().__init__(self.picture)
            self.connection.on("connectionstatechange", lambda: tell("state", state=self.connection.connectionState))
            if offers:
                asyncio.ensure_future(self.begin())

        @staticmethod
        def picture(number: int) -> np.ndarray:
            tell("made", stream=NUMBERS["theirs"], number=number)
            return numbered.luma(NUMBERS["theirs"], number, False, material.WIDTH, material.HEIGHT)

        async def begin(self) -> None:
            tell("description", **await self.offer())

        async def take(self, message: dict[str, Any]) -> None:
            if message["what"] == "candidate":
                await self.add_candidate(message["candidate"], message["mid"])
            elif message["type"] == "offer":
                tell("description", **await self.answer(message))
            else:
                await super().take(message)

        async def _take(self, track: Any) -> None:
            while True:
                frame = await track.recv()
                if track.kind == "video":
                    tell_picture(frame.to_ndarray(format="yuv420p")[:frame.height])
                else:
                    tell_sound(frame.to_ndarray().reshape(-1, len(frame.layout.channels))[:, 0] / 32_768, "ours", False)

        def check(self) -> None:
            pass

    return Theirs()


async def main() -> None:
    who, size, *rest = sys.argv[1:]
    material.WIDTH, material.HEIGHT = map(int, size.split("x"))
    end = Ours("offers" in rest, "restarts" in rest) if who == "ours" else make_theirs("offers" in rest)
    async for message in messages():
        await end.take(message)
        end.check()
    await end.close()
    tell("over")


if __name__ == "__main__":
    asyncio.run(main())
