"""Attacks of members, who say much."""
from __future__ import annotations

from typing import Any, Callable, Generic, Protocol, TypeVar

from pacing import Pace
from room_member import Line, Member, wait
from wire import livekit_wire
from wire.livekit_wire import AUDIO, VIDEO, Refused

MEMBERS, MESSAGES = 10, 190  # a room takes 1,000 at once and 50 a second of each


class _Talker:
    """A member without media, who reads what comes and never says so."""

    def __init__(self, target: dict[str, Any], user: str) -> None:
        self.line = Line(target, livekit_wire.path(target["room"], user), target["token"], timeout=1)
        self._came = False
        try:
            wait(lambda: self._came or self.line.is_over, self.listen, 1, f"{user} is not let in")
        except Refused:
            self.close()
            raise

    def listen(self) -> None:
        self._came = bool(self.line.messages()) or self._came

    def close(self) -> None:
        self.line.close()


class _Attacker(Protocol):
    line: Line

    def listen(self) -> None: ...

    def close(self) -> None: ...


M = TypeVar("M", bound=_Attacker)


class _Crowd(Generic[M]):
    """So many members; who is put out comes again, twice a second at most."""

    def __init__(self, make: Callable[[str], M]) -> None:
        self._make, self._next_try = make, 0.0
        self.made = MEMBERS
        self._members = [make(f"attacker {number}") for number in range(MEMBERS)]

    def say(self, now: float, message: Callable[[M], bytes]) -> int:
        """Each once; how many did."""
        said = 0
        for member in list(self._members):
            member.listen()
            member.line.send(message(member))
            said += not member.line.is_over
            if member.line.is_over:
                member.close()
                self._members.remove(member)
        if len(self._members) < MEMBERS and now > self._next_try:
            self._next_try = now + 0.5
            try:
                self._members.append(self._make(f"attacker {self.made}"))
                self.made += 1
            except (OSError, Refused):
                pass
        return said

    def close(self) -> None:
        for member in self._members:
            member.close()


def _flood(seconds: float, make: Callable[[str], M], message: Callable[[M, int], bytes], what: str,
           besides: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """Each says that, of a number that counts up, as often as they can."""
    crowd, said = _Crowd(make), 0
    for number, now in enumerate(Pace(MESSAGES, seconds)):
        said += crowd.say(now, lambda member: message(member, number))
        besides(number)
    crowd.close()
    again = f", came again {crowd.made - MEMBERS} times" if crowd.made > MEMBERS else ""
    return {"did": f"{said / seconds:,.0f} {what} a second{again}", "effort": said}


def togglers(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    return _flood(seconds, lambda user: Member(target, user, sends=AUDIO),
                  lambda one, number: livekit_wire.mute(one.sid, number % 2 == 0), "toggles")


def renewals(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Members show the room another token."""
    return _flood(seconds, lambda user: _Talker(target, user), lambda *_: livekit_wire.renew(target["token"]), "tokens")


def attributes(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Members change long attributes of theirs."""
    return _flood(seconds, lambda user: _Talker(target, user),
                  lambda _, number: livekit_wire.set_attribute(f"key-{number % 32}", f"{number} ".ljust(1023, "x")), "attributes")


def preferences(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Members who receive a stream of one of them change in which size they show it."""
    sender = Member(target, "sender", sends=VIDEO)

    def make(user: str) -> Member:
        receiver = Member(target, user, hears=VIDEO)
        receiver.hear(receiver.await_track("sender"))
        return receiver

    def show(number: int) -> None:
        sender.listen()
        if number % 6 == 0:
            sender.show()

    sizes = (640, 360), (320, 180)
    result = _flood(seconds, make, lambda _, number: livekit_wire.prefer(sender.sid, *sizes[number % 2]), "preferences", show)
    sender.close()
    result["did"] += f"; their sender was notified {sender.wanted} times"
    return result
