"""Attacks of members: of those who say much and hear nothing, and of one whose packet comes from elsewhere."""
from __future__ import annotations

import select
import time
from typing import Any, Callable

import hub_wire
from hub_member import Line, Member, udp
from hub_wire import FIRST_AUDIO_SLOT, Refused
from pacing import Pace
from strangers import OTHER

TOGGLERS, TOGGLES = 10, 190  # the hub lets 200 messages a second pass


class _Toggler:
    """A member without media, who reads what comes and never says so."""

    def __init__(self, target: dict[str, Any], number: int) -> None:
        self.line = Line((target["host"], target["port"]), timeout=1)
        self.line.send(hub_wire.hello(target["room"], f"toggler {number}", target["token"]))
        self.is_muted = False
        deadline = time.monotonic() + 1
        while not self.line.messages():
            if self.line.is_over or time.monotonic() > deadline:
                self.line.close()
                raise Refused("a toggler is not let in")
            time.sleep(0.005)
        self.line.send(hub_wire.publish_opus(1, FIRST_AUDIO_SLOT))

    def toggle(self) -> bool:
        self.is_muted = not self.is_muted
        self.line.drain()
        self.line.send(hub_wire.mute(1, self.is_muted))
        return not self.line.is_over


def togglers(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Who is put out comes again, twice a second at most."""
    members = [_Toggler(target, number) for number in range(TOGGLERS)]
    said, came_again, next_try = 0, 0, 0.0
    for now in Pace(TOGGLES, seconds):
        said += sum(member.toggle() for member in members)
        for member in [member for member in members if member.line.is_over]:
            member.line.close()
            members.remove(member)
        if len(members) < TOGGLERS and now > next_try:
            next_try = now + 0.5
            try:
                came_again += 1
                members.append(_Toggler(target, TOGGLERS + came_again))
            except (OSError, Refused):
                pass
    for member in members:
        member.line.close()
    return {"did": f"{said / seconds:,.0f} toggles a second" + (f", came again {came_again} times" if came_again else ""), "effort": said}


def _say(target: dict[str, Any], seconds: float, what: str, message: Callable[[int], bytes]) -> dict[str, Any]:
    """Ten members say that as often as the hub takes it, and confirm nothing."""
    members = [_Toggler(target, number) for number in range(TOGGLERS)]
    said = 0
    for _ in Pace(TOGGLES, seconds):
        for member in members:
            member.line.drain()
            member.line.send(message(said))
            said += not member.line.is_over
    for member in members:
        member.line.close()
    return {"did": f"{said / seconds:,.0f} {what} a second", "effort": said}


def renewals(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Members show the room another token."""
    return _say(target, seconds, "tokens", lambda _: hub_wire.renew(target["token"]))


def attributes(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Members change long attributes of theirs."""
    return _say(target, seconds, "attributes",
                lambda said: hub_wire.set_attribute(f"key-{said // TOGGLERS % 32}", f"{said} ".ljust(1023, "x")))


def preferences(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Members who receive a stream of one of them change in which size they show it."""
    sender = Member(target, "sender", target["token"])
    sender.say(hub_wire.publish_vp8(1, 0))
    members = [Member(target, f"toggler {number}", target["token"]) for number in range(TOGGLERS)]
    numbers = [member.await_stream("sender").number for member in members]
    for member, number in zip(members, numbers):
        member.say(hub_wire.subscribe(number, 0))
    said = 0
    for now in Pace(TOGGLES, seconds):
        for member, number in zip(members, numbers):
            member.line.drain()
            member.line.send(hub_wire.prefer(number, *((640, 360) if said // TOGGLERS % 2 else (320, 180))))
            said += not member.line.is_over
        sender.listen()
    for member in [sender, *members]:
        member.close()
    return {"did": f"{said / seconds:,.0f} preferences a second; their sender was notified {sender.wanted} times", "effort": said}


class Listener(Member):
    """Hears alice."""

    def __init__(self, target: dict[str, Any], name: str) -> None:
        super().__init__(target, name, target["token"])
        self.greet()
        self.say(hub_wire.subscribe(self.await_stream("alice").number, FIRST_AUDIO_SLOT))

    def hear(self, seconds: float) -> int:
        """Packets that came, reported as a member does."""
        count, end = 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            select.select([self.socket], [], [], min(left, 0.05))
            count += len(self.arrived())
            self.report()
            self.listen()
        return count


def elsewhere(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Once a second one packet of a member comes from an address that has asked for nothing and answers nothing.  The member hears and, so
    that nothing calls their media back, says nothing more by UDP."""
    member, victim = Listener(target, "mover"), udp(OTHER)
    warm = member.hear(2)
    sent = came = heard = 0
    begin = next_packet = time.monotonic()
    while (now := time.monotonic()) < begin + seconds:
        if now >= next_packet:
            next_packet = now + 1
            sent += member.greet(victim)
        select.select([member.socket, victim], [], [], 0.02)
        heard += len(member.arrived())
        member.listen()
        try:
            while True:
                came += len(victim.recv(2048))
        except OSError:
            pass
    took = time.monotonic() - begin
    member.close()
    victim.close()
    # Fifty packets a second are sent; before the attack each of them came.
    diverted = max(0, round(took * 50) - heard) if warm > 60 else None
    return {"did": f"{sent} bytes from elsewhere brought {came} there", "effort": sent, "amplified": came / max(1, sent),
            "diverted": diverted}
