"""What is attacked, in a process of its own: a room that is open to the network, or one end of a plain RTP session.

    host.py '{"room": NAME, "verified": bool, "descriptors": N, "web": "http"|"https"}' | '{"rtp": URL}'
"""
from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import threading
from typing import Any
from urllib.parse import urlsplit

import orders
from mediasdk import PORT_ANY, Engine, MediaSDKError, MediaTimeout, configure_room, next_access_request, open_hub
from party import Party

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
    web: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        if options.get("web"):
            web = {"web_port": PORT_ANY}
        if options.get("web") == "https":
            # Without one, there is no TLS at loopback.
            files = [f"{directory}/certificate.pem", f"{directory}/key.pem"]
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=host",
                            "-days", "2", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
            web["certificate"] = tuple(files)
        with open_hub(engine, room, "127.0.0.1", **web) as hub:
            orders.say(url=hub.url("127.0.0.1"), port=hub.port, web=hub.web_url, web_port=urlsplit(hub.web_url).port,
                       fingerprint=hub.fingerprint)
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
