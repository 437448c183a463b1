"""The honest participants: two parties of a call, in a served room or alone at their end of a wire, and in a room guests who come and go. Also a
client of WHIP whom a player of WHEP hears, and guests who are such players.

    honest.py '{"room": URL, "far": URL, "token": TOKEN, "whip": URL, "whep": URL, "guests": [URL...]}' | '{"rtp": URL}'
"""
from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any, Optional

import orders
from mediasdk import Engine, MediaSDKError, Session, SessionState, SessionStateChanged
from party import Party

BETWEEN_JOINS, TIMEOUT, MOST_JOINS = 0.5, 2.0, 1000


class Joins(threading.Thread):
    """Somebody comes every half second, whether or not those before them were let in, and leaves at once; every second of them from far
    away."""

    def __init__(self, engine: Engine, urls: list[str], token: str) -> None:
        super().__init__(daemon=True)
        self.engine, self.urls, self.token = engine, urls, token
        self.tried: list[tuple[float, Optional[float], str]] = []  # when, how long it took if it did, why not
        self._waiting: list[tuple[float, Session]] = []

    def run(self) -> None:
        due = time.monotonic()
        for number in range(MOST_JOINS):
            session = self.engine.create_session(self.urls[number % len(self.urls)], f"guest {number}", access_token=self.token)
            session.connect(wait=False)
            self._waiting.append((time.monotonic(), session))
            due += BETWEEN_JOINS
            while time.monotonic() < due:
                self._look()
                time.sleep(0.002)

    def _look(self) -> None:
        for begin, session in list(self._waiting):
            took, words = self._outcome(session)
            if took or words or time.monotonic() - begin > TIMEOUT:
                self.tried.append((begin, time.monotonic() - begin if took else None, words or f"nothing for {TIMEOUT} s"))
                self._waiting.remove((begin, session))
                session.close()

    def _outcome(self, session: Session) -> tuple[bool, str]:
        try:
            while True:
                event = session.next_event(0)
                if isinstance(event, SessionStateChanged) and event.state == SessionState.CONNECTED:
                    return True, ""
                if isinstance(event, SessionStateChanged) and event.state == SessionState.DISCONNECTED:
                    return False, str(event.error)
        except MediaSDKError:
            return False, ""

    def figures(self, begin: float, end: float) -> dict[str, Any]:
        tried = [join for join in list(self.tried) if begin <= join[0] < end]
        took = [join[1] for join in tried if join[1] is not None]
        words = next((join[2] for join in tried if join[1] is None), "")
        return {"joins": len(tried), "took": took, "refusal": words}


def main() -> None:
    options = json.loads(sys.argv[1])
    with Engine(ignore_environment=True) as engine, Engine(ignore_environment=True) as lobby:
        if "room" in options:
            url, token = options["room"], options["token"]
            parties = [Party(engine, engine.create_session(url, name, access_token=token), other)
                       for name, other in (("alice", "bob"), ("bob", "alice"))]
            if "whip" in options:
                camera = Party(engine, engine.create_session(options["whip"], "camera", access_token=token), hears=False)
                # There is nothing to receive before.
                while not camera.sent and not camera.failure:
                    time.sleep(0.02)
                parties += [camera, Party(engine, engine.create_session(options["whep"], "player", access_token=token), speaks=False)]
            joins: Optional[Joins] = Joins(lobby, options.get("guests", [url, options.get("far")]), token)
        else:
            parties, joins = [Party(engine, engine.create_session(options["rtp"], "alice"))], None
        deadline = time.monotonic() + 20
        while not all(party.is_warm for party in parties) and time.monotonic() < deadline:
            time.sleep(0.02)
        if joins:
            joins.start()
        orders.say(ready=all(party.is_warm for party in parties), failure="; ".join(party.failure for party in parties))

        def figures(begin: float, end: float) -> dict[str, Any]:
            return {"parties": [party.figures(begin, end) for party in parties]} | (joins.figures(begin, end) if joins else {})

        orders.answer(figures)


if __name__ == "__main__":
    main()
