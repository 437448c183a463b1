"""A bad link between two network namespaces: TUN at either end, and between them delay, jitter, loss, a rate and a queue, each way by itself.

    impair.py NAMESPACE ADDRESS NAMESPACE ADDRESS [name=value ...]

The values are for both ways, and may be changed while it runs by lines on standard input: "rate=300", "up loss=2 delay=40" (up is from the first
namespace to the second, down the way back).  delay and jitter in milliseconds, loss in per cent, rate in kbit/s, queue in packets; 0 of a rate is
unlimited, and udp=0 loses all datagrams of UDP.  Says "ready", and at the end of its input how many packets came, were lost and found the queue full.  The line "late" asks by how many
milliseconds packets left later than was set, at worst since it was last asked.
"""
from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field, replace

SET_INTERFACE, TUN, NO_HEADER = 0x400454CA, 0x0001, 0x1000  # linux/if_tun.h
MTU = 1500
UDP = 17  # protocol of IPv4
LONGEST_SLEEP = 0.5


@dataclass(frozen=True)
class Settings:
    delay: float = 0
    jitter: float = 0
    loss: float = 0
    rate: float = 0
    queue: float = 100
    udp: float = 1

    def changed(self, words: list[str]) -> "Settings":
        values = dict(word.split("=", 1) for word in words)
        return replace(self, **{name: float(value) for name, value in values.items()})


@dataclass
class Way:
    """From one namespace to the other.  A packet waits until those before it are through, at whatever rate there is then; order is kept."""

    settings: Settings
    random: random.Random
    waiting: "deque[bytes]" = field(default_factory=deque)
    under_way: "list[tuple[float, int, bytes]]" = field(default_factory=list)
    through_at: float = 0  # the first of those that wait
    arrives_at: float = 0  # the last of those under way
    came: int = 0
    lost: int = 0
    overflown: int = 0
    late: float = 0

    def take(self, packet: bytes, now: float) -> None:
        self._send(now)
        self.came += 1
        is_blocked = not self.settings.udp and packet[9] == UDP
        if is_blocked or self.random.random() * 100 < self.settings.loss:
            self.lost += 1
        elif len(self.waiting) >= self.settings.queue:
            self.overflown += 1
        else:
            self.waiting.append(packet)
            if len(self.waiting) == 1:
                self.through_at = max(now, self.through_at) + self._duration(packet)

    def _duration(self, packet: bytes) -> float:
        return len(packet) * 8 / (self.settings.rate * 1000) if self.settings.rate else 0

    def _send(self, now: float) -> None:
        while self.waiting and self.through_at <= now:
            packet = self.waiting.popleft()
            delay = max(0.0, self.settings.delay + self.random.uniform(-1, 1) * self.settings.jitter) / 1000
            self.arrives_at = max(self.arrives_at, self.through_at + delay)
            heapq.heappush(self.under_way, (self.arrives_at, self.came, packet))
            if self.waiting:
                self.through_at += self._duration(self.waiting[0])

    def arrived(self, now: float) -> list[bytes]:
        self._send(now)
        packets = []
        while self.under_way and self.under_way[0][0] <= now:
            self.late = max(self.late, now - self.under_way[0][0])
            packets.append(heapq.heappop(self.under_way)[2])
        return packets

    def due(self) -> float:
        return min(self.through_at if self.waiting else float("inf"), self.under_way[0][0] if self.under_way else float("inf"))

    def __str__(self) -> str:
        return f"packets {self.came} lost {self.lost} overflown {self.overflown}"


def open_end(name: str, namespace: str, address: str, peer: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, SET_INTERFACE, struct.pack("16sH22x", name.encode(), TUN | NO_HEADER))
    for words in (["link", "set", name, "netns", namespace], ["-n", namespace, "addr", "add", address, "peer", peer, "dev", name],
                  ["-n", namespace, "link", "set", name, "mtu", str(MTU), "up"]):
        subprocess.run(["ip", *words], check=True)
    return descriptor


def change(ways: dict[str, Way], line: str) -> None:
    words = line.split()
    names = [words.pop(0)] if words and words[0] in ways else list(ways)
    for name in names:
        ways[name].settings = ways[name].settings.changed(words)


def main() -> None:
    first, here, second, there, *words = sys.argv[1:]
    ways = {"up": Way(Settings().changed(words), random.Random(1)), "down": Way(Settings().changed(words), random.Random(2))}
    ends = [open_end(f"imp{os.getpid()}u", first, here, there), open_end(f"imp{os.getpid()}d", second, there, here)]
    routes = {ends[0]: (ways["up"], ends[1]), ends[1]: (ways["down"], ends[0])}
    os.set_blocking(0, False)
    print("ready", flush=True)
    typed = b""
    while True:
        sleep = min(way.due() for way in ways.values()) - time.monotonic()
        for descriptor in select.select([0, *ends], [], [], max(0.0, min(sleep, LONGEST_SLEEP)))[0]:
            if descriptor == 0:
                said = os.read(0, 4096)
                if not said:
                    return print("\n".join(f"{name}: {way}" for name, way in ways.items()), flush=True)
                *lines, typed = (typed + said).split(b"\n")
                for line in lines:
                    if line == b"late":
                        print("late", 1000 * max(way.late for way in ways.values()), flush=True)
                        for way in ways.values():
                            way.late = 0
                    else:
                        change(ways, line.decode())
                continue
            try:
                while True:
                    packet = os.read(descriptor, 65536)
                    routes[descriptor][0].take(packet, time.monotonic())
            except BlockingIOError:
                pass
        for way, out in routes.values():
            for packet in way.arrived(time.monotonic()):
                try:
                    os.write(out, packet)
                except OSError:
                    pass  # the end is down


if __name__ == "__main__":
    main()
