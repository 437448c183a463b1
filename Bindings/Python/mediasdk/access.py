"""Access tokens, with which participants join the rooms of a LiveKit server."""
from __future__ import annotations

from ctypes import byref, create_string_buffer
from typing import Mapping

from . import _structs
from ._call import bounded, check, decode, encode, sized
from ._lists import set_attributes
from ._names import member
from ._native import library
from .constants import ACCESS_TOKEN_MAX, Grant, Source
from .errors import InvalidError, RangeError


def create_access_token(*, api_key: str, api_secret: str, room: str, user_id: str, display_name: str = "", metadata: str = "",
                        attributes: Mapping[str, str] | None = None, grants: Grant | str | None = None,
                        sources: Source | str | None = None, lifetime: int | None = None) -> str:
    """Makes an access token, valid from now on: a JSON Web Token (RFC 7519), signed with HS256, with the claims of LiveKit.  No
    engine is needed.  The token is not encrypted, and its holder can join until it expires, and up to a minute longer: by so much may the
    server's clock differ.

    Args:
        api_key: names the secret.
        api_secret: shared with the server, at least 32 bytes.
        user_id: unique in the room, LiveKit's identity; may be "" without :attr:`Grant.JOIN`.
        metadata: text that all participants can read; as long as fits into the token.
        attributes: likewise, by their keys of 1..63 bytes; up to 32.
        grants: what is permitted; None: :attr:`Grant.MEMBER`.
        sources: what may be sent, with :attr:`Grant.PUBLISH`; None: everything.
        lifetime: seconds until it expires, 1..31,536,000 (365 days); None: 6 hours.

    Raises:
        InvalidError: a text is empty, too long or has a NUL character, the secret is too short, there are sources without
            :attr:`Grant.PUBLISH`, or the token would be longer than ACCESS_TOKEN_MAX bytes.
        RangeError: the lifetime, or the number of attributes.
        UnsupportedError: unknown grants or sources.
    """
    # In C these select the default. Here nothing, and no time, must not become more.
    if lifetime == 0:
        raise RangeError("lifetime is 0; 1 to 31536000 seconds, or None for 21600, are accepted")
    allowed = Grant.MEMBER if grants is None else member(Grant, grants, "grants")
    if not allowed:
        raise InvalidError("grants is empty; members of Grant, or None for MEMBER, are accepted")
    sent = Source(0) if sources is None else member(Source, sources, "sources")
    if sources is not None and not sent:
        raise InvalidError("sources is empty; members of Source, or None for all, are accepted")
    options = sized(_structs.AccessTokenOptions, grants=bounded(allowed, 32, "grants"), sources=bounded(sent, 32, "sources"),
                    lifetime_s=bounded(lifetime or 0, 32, "lifetime"), api_key=encode(api_key, "api_key"),
                    api_secret=encode(api_secret, "api_secret"), room=encode(room, "room"), user_id=encode(user_id, "user_id"),
                    display_name=encode(display_name, "display_name"), metadata=encode(metadata, "metadata"))
    set_attributes(options, attributes)
    buffer = create_string_buffer(ACCESS_TOKEN_MAX + 1)
    check(library.msdk_access_token_create(byref(options), buffer, len(buffer), None))
    return decode(buffer.value)
