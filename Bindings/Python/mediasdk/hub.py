"""Rooms over the network without a server: a process opens one of its loopback rooms, and sessions elsewhere join it by a url."""
from __future__ import annotations

import os
from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterable

from . import _structs
from ._call import bounded, check, decode, encode, filled, sized
from ._native import library
from ._unique import Unique
from .constants import PORT_ANY
from .errors import HandleError, InvalidError, NotFoundError

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True)
class HubInfo:
    """
    Attributes:
        port: the port of TCP and UDP, the same at all addresses.
        member_count: members over the network, including those that are reconnecting, without those whose access is not decided yet.
        packets_foreign: datagrams that came from no member.
        fingerprint: of the certificate, "AA:BB:...".
        url: for sessions elsewhere, with the first address; of 0.0.0.0 and :: that from which this machine sends to others.
        web_port: for browsers and clients of WHIP and WHEP; 0: there is none.
        web_url: of the page for browsers, with the same address; "": there is none.
    """

    port: int
    member_count: int
    packets_foreign: int
    fingerprint: str
    url: str
    web_port: int
    web_url: str


class Hub(Unique):
    """A room that :func:`open_hub` opened, until it or its engine is closed."""

    def __init__(self, engine: Engine, room_url: str, info: HubInfo) -> None:
        self._engine = engine
        self._room_url = encode(room_url, "room_url")
        self.room_url = room_url
        self.port = info.port
        self.fingerprint = info.fingerprint
        self.web_url = info.web_url
        self._url = info.url

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Hub {self.room_url} at port {self.port}>"

    @property
    def info(self) -> HubInfo:
        """Its state now.

        Raises:
            NotFoundError: it is closed.
        """
        return _info(filled(_structs.HubInfo, library.msdk_room_get_hub_info, self._engine._handle, self._room_url))

    def url(self, address: str | None = None, srtp: str | None = None) -> str:
        """The url by which sessions of other processes join.

        Args:
            address: the address, IPv4 or IPv6, or the host name by which they reach this machine; None: as in :attr:`HubInfo.url`.
            srtp: None: AEAD_AES_128_GCM; or AEAD_AES_256_GCM, AES_CM_128_HMAC_SHA1_80.
        """
        suite = f"&srtp={srtp}" if srtp else ""
        if address is None:
            return self._url + suite
        host = f"[{address}]" if ":" in address else address
        name = self.room_url.split(":", 1)[1]
        return f"hub://{host}:{self.port}/{name}?fingerprint={self.fingerprint}{suite}"

    def close(self) -> None:
        """Removes all members that joined over the network; members of this process stay. It may be called again."""
        try:
            check(library.msdk_room_close_hub(self._engine._handle, self._room_url))
        except (NotFoundError, HandleError):
            pass


def open_hub(engine: Engine, room_url: str, addresses: str | Iterable[str] = "0.0.0.0", *, port: int = PORT_ANY,
             certificate: tuple[str | os.PathLike[str], str | os.PathLike[str]] | None = None, most_members: int = 0,
             web_port: int = 0, access: tuple[str, str] | None = None) -> Hub:
    """Opens a room to the network. :func:`configure_room` says who may join.

    Args:
        room_url: "loopback:NAME", NAME without "?".
        addresses: of this machine, up to 8; all of IPv4 by default, "::" is all of IPv6.
        port: of TCP and UDP, 1..65,535, or PORT_ANY, a free one.
        certificate: PEM files of a certificate and its key; None: one is made, with a new fingerprint each time.
        most_members: over the network, 1..1,000; 0: 64.
        web_port: for browsers and clients of WHIP and WHEP, 1..65,535, or PORT_ANY; 0: none.
        access: API key and its secret, by which the access tokens of LiveKit's SDKs are signed; None: they are not let in.

    Raises:
        ExistsError: this engine opened the room already, or a port is taken.
        MediaIOError: an address is not this machine's.
        NotFoundError: a file cannot be read.
        UnsupportedError: the engine has the virtual clock.
        InvalidError, RangeError: an argument; the text names it and what is accepted.
    """
    joined = addresses if isinstance(addresses, str) else ",".join(addresses)
    options = sized(_structs.HubOptions, port=bounded(port, 32, "port"), addresses=encode(joined, "addresses"),
                    most_members=bounded(most_members, 32, "most_members"), web_port=bounded(web_port, 32, "web_port"))
    if certificate is not None:
        if not isinstance(certificate, tuple) or len(certificate) != 2:
            raise InvalidError(f"certificate is {type(certificate).__name__}; accepted: a tuple of two files, its own and its key's")
        options.certificate, options.key = (encode(file, "certificate") for file in certificate)
    if access is not None:
        if not isinstance(access, tuple) or len(access) != 2:
            raise InvalidError(f"access is {type(access).__name__}; accepted: a tuple of two texts, the API key and its secret")
        options.api_key, options.api_secret = (encode(text, "access") for text in access)
    out = _structs.HubInfo()
    check(library.msdk_room_open_hub(engine._handle, encode(room_url, "room_url"), byref(options), byref(out)))
    return Hub(engine, room_url, _info(out))


def _info(struct: _structs.HubInfo) -> HubInfo:
    return HubInfo(struct.port, struct.member_count, struct.packets_foreign, decode(struct.fingerprint), decode(struct.url),
                   struct.web_port, decode(struct.web_url))
