"""What is attacked, in a process of its own: a room that is served over the network, or one end of a plain RTP session.

    host.py '{"room": NAME, "verified": bool, "descriptors": N, "tls": bool, "media_port": bool}' | '{"rtp": URL}'
"""
from __future__ import annotations

import json
import resource
import sys
import tempfile
import threading
from typing import Any

import orders
from mediasdk import PORT_ANY, Engine, MediaSDKError, MediaTimeout, configure_room, next_access_request, serve_room
from party import Party
from wire.certificate import make_certificate

HONEST = "honest"  # the token that is let in at once; nobody ever answers another one


def verify(engine: Engine, room: str) -> None:
    while True:
        try:
            request = next_access_request(engine, room, 1)
        except MediaTimeout:
            continue
        except MediaSDKError:
            return
        if request.access_token == HONEST:
            request.admit()


def host_room(engine: Engine, options: dict[str, Any]) -> None:
    room = "loopback:" + options["room"]
    if options.get("verified"):
        configure_room(engine, room, verified=True)
        threading.Thread(target=verify, args=(engine, room), daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        # Without a certificate, there is no TLS at loopback.
        certificate = make_certificate(directory) if options["tls"] else None
        with serve_room(engine, room, "127.0.0.1", certificate=certificate, media_port=PORT_ANY if options.get("media_port") else 0) as server:
            orders.say(url=server.url(), port=server.port, media_port=server.media_port, fingerprint=server.fingerprint)
            orders.answer(lambda *_: {})


def host_wire(engine: Engine, url: str) -> None:
    party = Party(engine, engine.create_session(url, "host"))
    orders.say(url=url)
    orders.answer(lambda begin, end: {"parties": [party.figures(begin, end)]})


def main() -> None:
    options = json.loads(sys.argv[1])
    if options.get("descriptors"):
        resource.setrlimit(resource.RLIMIT_NOFILE, (options["descriptors"], options["descriptors"]))
    with Engine(ignore_environment=True) as engine:
        if "room" in options:
            host_room(engine, options)
        else:
            host_wire(engine, options["rtp"])


if __name__ == "__main__":
    main()
