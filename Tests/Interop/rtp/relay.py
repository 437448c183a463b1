"""Stands between a sender and a receiver of RTP: keeps what comes until it is told where to, and so loses nothing while the receiver starts."""
from __future__ import annotations

import socket
import threading
import time
from typing import Optional

from peers import PATIENCE, free_ports


class Relay:
    def __init__(self) -> None:
        (self.port,) = free_ports()
        self._sockets = []
        for port in [self.port, self.port + 1]:
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            one.bind(("127.0.0.1", port))
            one.settimeout(0.05)
            self._sockets.append(one)
        self.source: Optional[int] = None
        self.media = 0
        self._kept: list[list[bytes]] = [[], []]
        self._target: Optional[int] = None
        self._is_over = False
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(lane,), daemon=True) for lane in [0, 1]]

    def __enter__(self) -> "Relay":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        for thread in self._threads:
            thread.join()
        for one in self._sockets:
            one.close()

    def _run(self, lane: int) -> None:
        while not self._is_over:
            try:
                packet = self._sockets[lane].recv(2048)
            except socket.timeout:
                continue
            is_media = len(packet) >= 12 and not 192 <= packet[1] <= 223
            with self._lock:
                if is_media:
                    self.media += 1
                    self.source = int.from_bytes(packet[8:12], "big") if self.source is None else self.source
                if self._target is None:
                    self._kept[lane].append(packet)
                else:
                    self._sockets[lane].sendto(packet, ("127.0.0.1", self._target + lane))

    def await_source(self) -> int:
        """Who sends (SSRC), as soon as that is known."""
        deadline = time.monotonic() + PATIENCE
        while self.source is None:
            if time.monotonic() > deadline:
                raise AssertionError("nobody sends")
            time.sleep(0.02)
        return self.source

    def forward(self, port: int) -> None:
        """What was kept, and all that comes from now on."""
        with self._lock:
            self._target = port
            for lane, packets in enumerate(self._kept):
                for number, packet in enumerate(packets):
                    self._sockets[lane].sendto(packet, ("127.0.0.1", port + lane))
                    if number % 16 == 15:
                        time.sleep(0.002)
