"""One honest party of a call: sends fifty numbered packets of Opus a second and counts which of those of the other one come. A client of
WHIP does the first alone, a player of WHEP the second."""
from __future__ import annotations

import struct
import threading
import time
from typing import Any

from mediasdk import (Codec, EncodedFrame, Engine, Event, IncomingAudio, IncomingAudioAdded, MediaSDKError, MediaTimeout, Output, Session,
                      SessionState, SessionStateChanged)
from wire.rtp_wire import OPUS_20_MS

PACKET = 0.02
WARM = 50  # packets that came before the call counts as one
LATE = 1.0  # seconds after which nobody plays a packet any more: it counts as lost


class Party:
    """Sent and received packets are kept with the time at which they were sent, by one clock of all processes."""

    def __init__(self, engine: Engine, session: Session, other: str = "", speaks: bool = True, hears: bool = True) -> None:
        self.engine, self.session, self.other, self.speaks, self.hears = engine, session, other, speaks, hears
        self.name = session.user_id
        self.sent: list[float] = []
        self.came: dict[int, tuple[float, float]] = {}  # when it was sent, and how long it took
        self.failure = ""
        self._stream = engine.create_outgoing_audio(codec=Codec.OPUS, encoded_input=True)
        if not hears:
            # What a client of WHIP sends is in its offer.
            session.start_audio(self._stream)
        session.connect(wait=False)
        self._is_over = threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()

    def close(self) -> None:
        self._is_over.set()

    @property
    def is_warm(self) -> bool:
        return not self.hears or len(self.came) >= WARM

    def _follow(self) -> None:
        while not self._is_over.is_set():
            try:
                self._took(self.session.next_event(0.2))
            except MediaTimeout:
                continue
            except MediaSDKError as error:
                self.failure = self.failure or str(error)
                return

    def _took(self, event: Event) -> None:
        if isinstance(event, SessionStateChanged) and event.state == SessionState.CONNECTED and self.speaks and not self.sent:
            if self.hears:
                self.session.start_audio(self._stream)
            threading.Thread(target=self._speak, daemon=True).start()
        elif isinstance(event, SessionStateChanged) and event.state == SessionState.DISCONNECTED:
            self.failure = self.failure or f"disconnected: {event.text}"
        elif isinstance(event, IncomingAudioAdded):
            # Those of attackers are left alone; over RTP and by WHEP the first is the other one.
            if event.incoming_audio.user_id == self.other or not self.other and not self.came:
                event.incoming_audio.start(output=Output.ENCODED)
                threading.Thread(target=self._hear, args=(event.incoming_audio,), daemon=True).start()

    def _speak(self) -> None:
        due = time.monotonic()
        while not self._is_over.is_set():
            now = time.monotonic()
            number = len(self.sent)
            self.sent.append(now)
            try:
                with EncodedFrame.create(OPUS_20_MS + struct.pack(">Id", number, now) + bytes(60), codec=Codec.OPUS) as packet:
                    self._stream.send_encoded(packet)
            except MediaSDKError as error:
                self.failure = self.failure or str(error)
            due += PACKET
            time.sleep(max(0.0, due - time.monotonic()))

    def _hear(self, incoming: IncomingAudio) -> None:
        while not self._is_over.is_set():
            try:
                with incoming.read_encoded(1) as packet:
                    number, sent = struct.unpack_from(">Id", bytes(packet), 1)
                    self.came.setdefault(number, (sent, time.monotonic() - sent))
            except MediaTimeout:
                continue
            except MediaSDKError:
                return

    def count_sent(self, begin: float, end: float) -> int:
        return sum(begin <= time < end for time in list(self.sent))

    def delays(self, begin: float, end: float) -> list[float]:
        """Of those that came."""
        return [took for sent, took in list(self.came.values()) if begin <= sent < end]

    def figures(self, begin: float, end: float) -> dict[str, Any]:
        delays = self.delays(begin, end)
        return {"sent": self.count_sent(begin, end), "came": sum(delay <= LATE for delay in delays), "delay": max(delays, default=None),
                "failure": self.failure}
