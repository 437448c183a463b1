"""What is run, and what the host may spend on it at most."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Of every attack.
ROUND_TRIP = 0.1  # seconds
JOIN = 1.0


@dataclass(frozen=True)
class Attack:
    """
    Attributes:
        point: of the audit that found it.
        function: of attacker.py.
        growth: megabytes of memory by which the host may grow while it is attacked.
        descriptors: the most that the host may have open. A member takes one, and one for each address of the machine, up to eight; strangers
            of one address take 128.
        cpu: the most of one core that the host may use, in per cent.
        wire: of a plain rtp: session; otherwise of a served room.
        is_web: a client of WHIP and players of WHEP are among the honest ones, and the guests are such players.
        host: of host.py.
    """

    name: str
    point: int
    title: str
    function: str
    growth: int
    descriptors: int
    cpu: int
    wire: bool = False
    is_web: bool = False
    host: dict[str, Any] = field(default_factory=dict)


PLAIN = {"tls": False}

ATTACKS = [
    Attack("toggles", 4, "ten members toggle mute 190 times a second", "members.togglers",
           growth=64, descriptors=256, cpu=60),
    Attack("renewals", 4, "ten members show another token 190 times a second", "members.renewals",
           growth=64, descriptors=256, cpu=60, host={"verified": True}),
    Attack("attributes", 4, "ten members change attributes of 1 kB 190 times a second", "members.attributes",
           growth=64, descriptors=256, cpu=60),
    Attack("preferences", 4, "ten members change 190 times a second in which size they show a stream", "members.preferences",
           growth=64, descriptors=256, cpu=60),
    Attack("garbage", 5, "2,000 connects a second with 16 bytes of garbage, a host of 1,024 descriptors", "strangers.garbage",
           growth=64, descriptors=320, cpu=40, host={"descriptors": 1024}),
    Attack("knocks-same", 6, "200 bare connects a second from the honest ones' address", "strangers.knocks_same",
           growth=32, descriptors=320, cpu=20),
    Attack("knocks-other", 6, "200 bare connects a second from another address", "strangers.knocks_other",
           growth=32, descriptors=320, cpu=20),
    Attack("unverified", 7, "a hundred strangers whose requests to join wait for the room's answer", "strangers.unverified",
           growth=32, descriptors=320, cpu=30, host={"verified": True}),
    Attack("handshakes", 6, "strangers from two other addresses who finish TLS and hang up, as fast as they can", "strangers.handshakes",
           growth=32, descriptors=320, cpu=50),
    Attack("hellos", 6, "2,000 connects a second from another address that say the same first message of TLS", "strangers.hellos",
           growth=32, descriptors=320, cpu=50),
    Attack("feedback", 8, "a member's feedback of 65,535 packets, 50 and 30 to a datagram", "floods.feedback_of_a_member",
           growth=32, descriptors=128, cpu=20),
    Attack("feedback-plain", 8, "the same of a stranger to a plain rtp: session", "floods.feedback_of_a_stranger",
           growth=32, descriptors=64, cpu=20, wire=True),
    Attack("updates-guest", 9, "KeyUpdates of one who has not said who they are", "keyupdate.guest",
           growth=32, descriptors=192, cpu=20),
    Attack("updates-member", 9, "KeyUpdates of a member", "keyupdate.member",
           growth=32, descriptors=640, cpu=20),
    Attack("sources", 10, "a new source in each packet to a plain rtp: session", "floods.sources",
           growth=32, descriptors=64, cpu=15, wire=True),
    Attack("web-knocks", 12, "200 bare connects a second without TLS, from the honest ones' address", "strangers.knocks_same",
           growth=32, descriptors=320, cpu=20, is_web=True, host=PLAIN),
    Attack("web-handshakes", 12, "strangers from two other addresses who finish TLS and hang up, beside players", "strangers.handshakes",
           growth=32, descriptors=320, cpu=50, is_web=True),
    Attack("web-hellos", 12, "2,000 connects a second that say the same first message of TLS, beside players", "strangers.hellos",
           growth=32, descriptors=320, cpu=50, is_web=True),
    Attack("web-halves", 12, "requests by the thousand that never end, a byte at a time, from two addresses", "web.halves",
           growth=64, descriptors=600, cpu=40, is_web=True, host=PLAIN),
    Attack("web-bodies", 12, "bodies that never end: of a length that does not come, and of chunks without a last one", "web.bodies",
           growth=64, descriptors=600, cpu=40, is_web=True, host=PLAIN),
    Attack("web-garbage", 12, "2,000 connects a second with what is no request, and WebSockets with what is no frame", "web.garbage",
           growth=64, descriptors=320, cpu=50, is_web=True, host=PLAIN),
    Attack("web-sockets", 12, "pages that open a WebSocket and do not join", "web.sockets",
           growth=64, descriptors=600, cpu=40, is_web=True, host=PLAIN),
    Attack("media-port", 11, "5,000 datagrams a second at the UDP port of all: checks, DTLS, RTP and noise", "floods.media_port",
           growth=32, descriptors=192, cpu=40, is_web=True, host=PLAIN | {"media_port": True}),
    Attack("tcp-checks", 12, "2,000 connects a second that begin as those of ICE do", "strangers.checks",
           growth=64, descriptors=320, cpu=50, is_web=True, host=PLAIN),
    Attack("web-offers", 12, "offers of WHIP, as many as are taken, of which none ever connects", "web.offers",
           growth=32, descriptors=512, cpu=40, is_web=True, host=PLAIN),
    Attack("web-long-offers", 12, "offers of WHIP of as many sections and bytes as are taken, of more sections, and of 1 MiB", "web.long_offers",
           growth=32, descriptors=512, cpu=40, is_web=True, host=PLAIN),
    Attack("web-guesses", 12, "PATCH and DELETE of sessions whose names are guessed, as many as are taken", "web.guesses",
           growth=32, descriptors=320, cpu=50, is_web=True, host=PLAIN),
]
