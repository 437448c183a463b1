"""One attacker, in a process of its own and of lower priority than whom it attacks.

    attacker.py FUNCTION TARGET SECONDS
"""
from __future__ import annotations

import json
import os
import resource
import sys

import floods
import keyupdate
import members
import orders
import strangers
import web

ATTACKS = {f"{module.__name__}.{function.__name__}": function for module, functions in (
    (strangers, (strangers.garbage, strangers.knocks_same, strangers.knocks_other, strangers.unverified, strangers.handshakes, strangers.hellos,
                 strangers.checks)),
    (members, (members.togglers, members.renewals, members.attributes, members.preferences)),
    (keyupdate, (keyupdate.guest, keyupdate.member)),
    (floods, (floods.feedback_of_a_member, floods.feedback_of_a_stranger, floods.sources, floods.media_port)),
    (web, (web.halves, web.bodies, web.offers, web.long_offers, web.guesses, web.garbage, web.sockets))) for function in functions}


def main() -> None:
    os.nice(10)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    orders.say(**ATTACKS[sys.argv[1]](json.loads(sys.argv[2]), float(sys.argv[3])))


if __name__ == "__main__":
    main()
