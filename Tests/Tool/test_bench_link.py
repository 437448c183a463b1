"""msdk bench-link: in a served room, and over RTP through a relay that drops and delays packets."""
from __future__ import annotations

import heapq
import json
import select
import socket
import threading
import time
import unittest
from typing import Any

from network import Peers, free_port
from tool import PATIENCE

FITS = ["1080p30", "720p30", "540p30", "360p30", "180p15", "audio only", "nothing"]


class Relay(threading.Thread):
    """Between a sender, whoever sends to its port, and a receiver. Each `drop`th packet of RTP is dropped; all are `delay` seconds late."""

    def __init__(self, to_port: int, drop: int, delay: float) -> None:
        super().__init__(daemon=True)
        self.near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.near.bind(("127.0.0.1", 0))
        self.far.bind(("127.0.0.1", 0))
        self.port = self.near.getsockname()[1]
        self.receiver = ("127.0.0.1", to_port)
        self.drop, self.delay = drop, delay
        self.ended = threading.Event()

    def run(self) -> None:
        held: list[tuple[float, int, socket.socket, bytes, Any]] = []
        sender = None
        count = number = 0
        while not self.ended.is_set():
            for one in select.select([self.near, self.far], [], [], 0.005)[0]:
                data, address = one.recvfrom(65_536)
                number += 1
                if one is self.near:
                    sender = address
                    # Packet types of RTCP (RFC 5761).
                    is_media = not 192 <= data[1] <= 223
                    count += is_media
                    if is_media and count % self.drop == 0:
                        continue
                    heapq.heappush(held, (time.monotonic() + self.delay, number, self.far, data, self.receiver))
                elif sender is not None:
                    heapq.heappush(held, (time.monotonic() + self.delay, number, self.near, data, sender))
            while held and held[0][0] <= time.monotonic():
                _, _, via, data, address = heapq.heappop(held)
                try:
                    via.sendto(data, address)
                except OSError:
                    pass  # nobody listens there any more

    def end(self) -> None:
        self.ended.set()
        self.join()
        self.near.close()
        self.far.close()


class BenchLink(Peers):
    def bench(self, *words: str) -> dict[str, Any]:
        result = self.result(self.begin("bench-link", *words, "--json", plugins=False))
        self.assertEqual((result.code, result.errors), (0, ""))
        document: dict[str, Any] = json.loads(result.output)
        self.assertEqual(list(document), ["url", "duration", "roundTripTime", "to", "from", "verdict"])
        for name in ("to", "from"):
            if document[name] is not None:
                self.assertEqual(list(document[name]), ["bitrate", "fractionLost", "jitter", "estimate", "fits"])
                self.assertIn(document[name]["fits"], FITS)
                self.assertIn(document[name]["fits"], document["verdict"])
        return document

    def room(self, *words: str) -> str:
        room = self.begin("serve", "room", "--address", "127.0.0.1", *words, plugins=False)
        assert room.stdout is not None
        return next(line for line in room.stdout if line.startswith("MediaSDK:")).split()[-1]

    def test_a_room(self) -> None:
        url = self.room()
        found = self.bench(url, "--seconds", "4", "--bitrate", "700000")
        self.assertEqual(found["url"], url)
        self.assertGreater(found["roundTripTime"], 0)
        # Both directions, of which one's own congestion control knows one.
        self.assertGreater(found["to"]["bitrate"], 0)
        self.assertGreater(found["from"]["bitrate"], 0)
        self.assertLess(found["to"]["bitrate"], 1_000_000)
        self.assertGreater(found["to"]["estimate"], 0)
        self.assertIsNone(found["from"]["estimate"])
        # For people.
        result = self.result(self.begin("bench-link", url, "--seconds", "2", plugins=False))
        self.assertEqual((result.code, result.errors), (0, ""))
        self.assertEqual(list(result.table), ["round trip", "to there", "from there", "verdict"])

    def test_tokens(self) -> None:
        (self.directory / "tokens").write_text("open-sesame\n")
        (self.directory / "mine").write_text("open-sesame\n")
        (self.directory / "other").write_text("open-barley\n")
        url = self.room("--tokens", "tokens")
        self.assertGreater(self.bench(url, "--token", "mine", "--seconds", "2")["to"]["bitrate"], 0)
        refused = self.result(self.begin("bench-link", url, "--token", "other", "--seconds", "2", plugins=False))
        self.assertEqual(refused.code, 1)
        self.assertIn("not accepted", refused.errors)

    def test_what_a_peer_gets(self) -> None:
        """Frames of any size, which it decodes."""
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}")
        self.await_port(port)
        found = self.bench(f"rtp://127.0.0.1:{port}", "--seconds", "4", "--bitrate", "400000")
        got = self.result(receiver)
        self.assertEqual((got.code, got.table["size"], got.table["frames corrupt"]), (0, "320x180", "0"))
        self.assertEqual(got.count("frames decoded"), got.count("key frames decoded"))
        self.assertGreater(got.count("frames decoded"), 0)
        self.assertIsNone(found["from"])
        self.assertGreater(found["to"]["bitrate"], 0)

    def test_a_bad_path(self) -> None:
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}?rtcp-mux=1")
        self.await_port(port)
        relay = Relay(port, drop=4, delay=0.16)
        relay.start()
        self.addCleanup(relay.end)
        found = self.bench(f"rtp://127.0.0.1:{relay.port}?rtcp-mux=1", "--seconds", "8", "--bitrate", "600000")
        # No packet is earlier than the relay lets it; a busy machine makes them later.
        self.assertGreaterEqual(found["roundTripTime"], 0.32)
        self.assertGreater(found["to"]["fractionLost"], 0.1)
        self.assertEqual(found["to"]["fits"], "audio only")
        self.assertIn("interrupt", found["verdict"])
        receiver.kill()

    def test_nobody(self) -> None:
        url = f"rtp://127.0.0.1:{free_port()}"
        started = time.monotonic()
        result = self.result(self.begin("bench-link", url, "--seconds", "2", plugins=False))
        self.assertEqual(result.code, 1)
        for words in (url, "reported", "try: msdk receive"):
            self.assertIn(words, result.errors)
        self.assertLess(time.monotonic() - started, PATIENCE)

    def test_refused(self) -> None:
        for words, text in (
            (["loopback:room"], "livekit+wss://HOST"),
            (["rtp://127.0.0.1:9", "--seconds", "1"], "2..600"),
            (["rtp://127.0.0.1:9", "--bitrate", "2000"], "100000..50000000"),
            (["rtp://127.0.0.1:9", "--token", "x"], "--token"),
            (["livekit+ws://127.0.0.1:9#room=room", "--keys", "x"], "--keys"),
        ):
            with self.subTest(words=words):
                result = self.result(self.begin("bench-link", *words, plugins=False))
                self.assertEqual((result.code, result.errors.count("\n")), (2, 1), result.errors)
                self.assertIn(text, result.errors)
                self.assertIn("msdk help bench-link", result.errors)


if __name__ == "__main__":
    unittest.main()
