"""Remote procedure calls: a participant that has the method "sum", and one that calls a method of another.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/rpc.py URL USER_ID
    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/rpc.py URL USER_ID OTHER METHOD PAYLOAD

The first lets others call "sum", until Ctrl-C; the second calls a method of OTHER when they are here, for example sum "1 2 3.5".

The room is one that several programs can join, such as livekit+wss://media.example.org; USER_ID is then the identity of the token, which is
in the environment variable TOKEN.  SDKs of LiveKit can be the other one.
"""
from __future__ import annotations

import argparse
import os
import sys

from mediasdk import (Engine, MediaSDKError, ParticipantJoined, RpcAvailable, RpcKind, RpcMessage, Session, SessionState,
                      SessionStateChanged)


def respond(session: Session, request: RpcMessage) -> None:
    try:
        try:
            total = sum(float(word) for word in request.payload.split())
        except ValueError as error:
            session.rpc.fail(request, 1, "numbers with spaces between them are accepted", str(error))
        else:
            session.rpc.respond(request, f"{total:g}")
    except MediaSDKError as error:  # perhaps the caller has left
        print(f"not sent: {error}", file=sys.stderr)


def look(session: Session) -> int | None:
    """The exit code, if the result of the own call has come."""
    while (message := session.rpc.read()) is not None:
        if message.kind == RpcKind.REQUEST:
            respond(session, message)
        elif message.kind == RpcKind.RESPONSE:
            print(f"{message.user_id}: {message.payload}", flush=True)
            return 0
        elif message.kind == RpcKind.FAILURE:
            print(f"{message.user_id}: failure {message.code}: {message.text}", flush=True)
            return 1
    return None


def run(session: Session, options: argparse.Namespace) -> int:
    if options.call:
        other, method, payload = options.call
    else:
        other = None
        session.rpc.register("sum")
    session.connect(wait=False)
    for event in session.events():
        if isinstance(event, ParticipantJoined) and event.user_id == other:
            session.rpc.call(other, method, payload)
            other = None  # once
        elif isinstance(event, RpcAvailable):
            code = look(session)
            if code is not None:
                return code
        elif isinstance(event, SessionStateChanged) and event.state == SessionState.DISCONNECTED:
            print(f"disconnected: {event.error}", file=sys.stderr)
            return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Calls a method of another participant, or has one.")
    parser.add_argument("url", metavar="URL")
    parser.add_argument("user_id", metavar="USER_ID")
    parser.add_argument("call", metavar="OTHER METHOD PAYLOAD", nargs="*", help="without them: has the method \"sum\"")
    options = parser.parse_args()
    if len(options.call) not in (0, 3):
        parser.error("OTHER, METHOD and PAYLOAD are accepted together")
    try:
        with Engine() as engine, engine.create_session(options.url, options.user_id, access_token=os.environ.get("TOKEN")) as session:
            return run(session, options)
    except KeyboardInterrupt:
        return 0
    except MediaSDKError as error:
        print(f"rpc.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
