"""Access tokens of LiveKit against those of PyPI's livekit-api: random ones, read and made anew by the library, and read again.

usage: check_tokens.py ECHO [COUNT [SEED]]"""
from __future__ import annotations

import datetime
import random
import sys
import time

from livekit import api

from echo import Echo

TOKEN = 4  # the kind of its records
KEY, SECRET = "APIkey", "a secret of thirty-two characters"
SOURCES = ["camera", "microphone", "screen_share", "screen_share_audio"]


def grants(chance: random.Random) -> api.VideoGrants:
    def flag() -> bool:
        return chance.random() < 0.5

    return api.VideoGrants(
        room_join=flag(), room_admin=flag(), room=chance.choice(["lobby", "Raum 1 \"ü\" 🎥"]), can_publish=flag(), can_subscribe=flag(),
        can_publish_data=flag(), can_publish_sources=chance.sample(SOURCES, chance.randrange(5)), can_update_own_metadata=flag(), hidden=flag())


def main() -> None:
    echo = Echo(sys.argv[1])
    count, seed = (int(word) for word in (sys.argv[2:] + ["500", "1"][len(sys.argv[2:]):]))
    chance = random.Random(seed)
    verifier = api.TokenVerifier(KEY, SECRET)
    for _ in range(count):
        theirs = (api.AccessToken(KEY, SECRET).with_identity(chance.choice(["anna", "ü" * 100])).with_name(chance.choice(["", "Anna"]))
                  .with_metadata(chance.choice(["", '{"a": 1}'])).with_attributes(chance.choice([{}, {"a": "1", "b": ""}]))
                  .with_grants(grants(chance)).with_ttl(datetime.timedelta(hours=1)).to_jwt())
        taken, ours = echo.again(TOKEN, "\n".join([str(int(time.time())), KEY, SECRET, theirs]).encode())
        if not taken:
            raise SystemExit(f"failed: refused, {ours.decode()}: {theirs}")
        first, second = verifier.verify(theirs), verifier.verify(ours.decode())
        for name in ["identity", "name", "metadata"]:
            if (getattr(first, name) or "") != (getattr(second, name) or ""):
                raise SystemExit(f"failed: {name} was {getattr(first, name)!r} and is {getattr(second, name)!r}")
        if (first.attributes or {}) != (second.attributes or {}):
            raise SystemExit(f"failed: attributes were {first.attributes} and are {second.attributes}")
        before, after = vars(first.video), vars(second.video)
        for name, value in before.items():
            if (value or None) != (after[name] or None):
                raise SystemExit(f"failed: {name} was {value!r} and is {after[name]!r}")
        # With another secret neither takes it.
        if echo.again(TOKEN, "\n".join([str(int(time.time())), KEY, SECRET[::-1], theirs]).encode())[0]:
            raise SystemExit("failed: a token of another secret was taken")
    print(f"livekit-api: {count} access tokens read, made anew and read again")


main()
