"""Rooms over the network without another server: a process serves one of its loopback rooms, and sessions elsewhere join it by a url."""
from __future__ import annotations

import os
from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterable

from . import _structs
from ._arguments import expected_engine, listed_argument, wrong_type
from ._call import bounded, check, decode, encode, filled, sized
from ._native import library
from ._unique import Unique
from .constants import PORT_ANY
from .errors import HandleError, InvalidError, NotFoundError

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True)
class ServeInfo:
    """
    Attributes:
        port: of TCP, the same at all addresses.
        member_count: members over the network, including those that are reconnecting, without those whose access is not decided yet.
        fingerprint: of the certificate, "AA:BB:..."; "": there is no TLS.
        url: for sessions elsewhere, with the first address; of 0.0.0.0 and :: that from which this machine sends to others.
        page_url: of the page for browsers, with the same address.
        media_port: of UDP, for media of all members; 0: each member has a port.
    """

    port: int
    member_count: int
    fingerprint: str
    url: str
    page_url: str
    media_port: int


class RoomServer(Unique):
    """A room that :func:`serve_room` serves, until it or its engine is closed.

    Attributes:
        room_url: of the room in this process.
        port, media_port, fingerprint, page_url: as in :class:`ServeInfo`.
    """

    def __init__(self, engine: Engine, room_url: str, info: ServeInfo) -> None:
        self._engine = engine
        self._room_url = encode(room_url, "room_url")
        self.room_url = room_url
        self.port = info.port
        self.media_port = info.media_port
        self.fingerprint = info.fingerprint
        self.page_url = info.page_url
        self._url = info.url

    def __enter__(self) -> RoomServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<RoomServer {self.room_url} at port {self.port}>"

    @property
    def info(self) -> ServeInfo:
        """Its state now.

        Raises:
            NotFoundError: it is closed.
        """
        return _info(filled(_structs.ServeInfo, library.msdk_room_get_serve_info, self._engine._handle, self._room_url))

    def url(self, host: str | None = None) -> str:
        """The url by which sessions of other processes join.

        Args:
            host: the address, IPv4 or IPv6, or the host name by which they reach this machine; None: as in :attr:`ServeInfo.url`.
        """
        if host is None:
            return self._url
        scheme = self._url.partition("://")[0]
        _, hash_mark, options = self._url.partition("#")
        # RFC 6874: the percent sign of a zone is written %25.
        written = f"[{host.replace('%', '%25')}]" if ":" in host else host
        return f"{scheme}://{written}:{self.port}{hash_mark}{options}"

    def close(self) -> None:
        """Removes all members that joined over the network; members of this process stay. It may be called again."""
        try:
            check(library.msdk_room_stop_serving(self._engine._handle, self._room_url))
        except (NotFoundError, HandleError):
            pass


def serve_room(engine: Engine, room_url: str, addresses: str | Iterable[str] = "0.0.0.0", *, port: int = PORT_ANY,
               certificate: tuple[str | os.PathLike[str], str | os.PathLike[str]] | None = None,
               access: tuple[str, str] | None = None, most_members: int = 0, media_port: int = 0,
               public_addresses: str | Iterable[str] = ()) -> RoomServer:
    """Serves a room over the network, to sessions of other processes, browsers, clients of WHIP and WHEP, and SDKs of LiveKit.
    :func:`configure_room` says who may join.

    Args:
        room_url: "loopback:NAME".
        addresses: of this machine, up to 8; all of IPv4 by default, "::" is all of IPv6.
        port: of TCP, 1..65,535, or PORT_ANY, a free one.
        certificate: PEM files of a certificate and its key; None: one is made, with a new fingerprint each time, or none if all addresses
            are loopback.
        access: API key and its secret, by which the access tokens of LiveKit's protocol are signed (:func:`create_access_token`): who has
            no such token does not join by it. None: the room's verifier alone judges access tokens, and SDKs of LiveKit are not let in.
        most_members: over the network, 1..1,000; 0: 64.
        media_port: of UDP, for media of all members, 1..65,535 or PORT_ANY; 0: each member has a free port.
        public_addresses: of a NAT that hands on each port with its number, by which others reach this machine: one of IPv4, one of IPv6, or
            both. Media is announced at it, too, and the urls have it.

    Raises:
        ExistsError: this engine serves the room already, or a port is taken.
        MediaIOError: an address is not this machine's.
        NotFoundError: a file cannot be read.
        UnsupportedError: the engine has the virtual clock.
        InvalidError, RangeError: an argument; the text names it and what is accepted.
    """
    joined = addresses if isinstance(addresses, str) else ",".join(_texts(addresses, "addresses"))
    options = sized(_structs.ServeOptions, port=bounded(port, 32, "port"), addresses=encode(joined, "addresses"),
                    most_members=bounded(most_members, 32, "most_members"), media_port=bounded(media_port, 32, "media_port"))
    public = public_addresses if isinstance(public_addresses, str) else ",".join(_texts(public_addresses, "public_addresses"))
    if public:
        options.public_addresses = encode(public, "public_addresses")
    if certificate is not None:
        if not isinstance(certificate, tuple) or len(certificate) != 2:
            raise InvalidError(f"certificate is {type(certificate).__name__}; accepted: a tuple of two files, its own and its key's")
        options.certificate, options.key = (encode(file, "certificate") for file in certificate)
    if access is not None:
        if not isinstance(access, tuple) or len(access) != 2:
            raise InvalidError(f"access is {type(access).__name__}; accepted: a tuple of two texts, the API key and its secret")
        options.api_key, options.api_secret = (encode(text, "access") for text in access)
    out = _structs.ServeInfo()
    check(library.msdk_room_serve(expected_engine(engine)._handle, encode(room_url, "room_url"), byref(options), byref(out)))
    return RoomServer(engine, room_url, _info(out))


def _texts(values: Iterable[str], name: str) -> list[str]:
    for one in (given := listed_argument(values, name, "a str, or several,")):
        if not isinstance(one, str):
            raise wrong_type(name, one, "a str, or several,")
    return given


def _info(struct: _structs.ServeInfo) -> ServeInfo:
    return ServeInfo(struct.port, struct.member_count, decode(struct.fingerprint), decode(struct.url), decode(struct.page_url),
                     struct.media_port)
