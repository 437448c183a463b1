"""Texts and files of any length, between the participants of a room.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/files.py URL USER_ID
    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/files.py URL USER_ID OTHER FILE TEXT

The first writes the files that others send to this directory, and prints their chat, until Ctrl-C; the second sends FILE to OTHER when they
are here, and TEXT to the chat.

The room is one that several programs can join, such as livekit+wss://media.example.org; USER_ID is then the identity of the token, which is
in the environment variable TOKEN.  SDKs of LiveKit can be the other one: files are byte streams of the topic "files", and the chat is that
of their components, text streams of the topic "lk.chat".
"""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import BinaryIO

from mediasdk import (DATA_STREAM_CHUNK_MAX, DataPart, DataStreamAvailable, DataStreamPart, DataStreamType, Engine, MediaSDKError,
                      ParticipantJoined, Session, SessionState, SessionStateChanged)


def create(name: str) -> BinaryIO | None:
    """The name is the other end's: a path, or a file that exists, is not accepted."""
    if not name or name.startswith(".") or "/" in name:
        return None
    try:
        return open(name, "xb")
    except OSError:
        return None


def take_file(part: DataStreamPart, files: dict[int, BinaryIO]) -> None:
    if part.part == DataPart.BEGAN:
        file = create(part.name)
        if file is None:
            print(f"{part.user_id} sends {part.name!r}, which is not written", file=sys.stderr)
        else:
            files[part.stream] = file
    elif part.stream in files and part.part == DataPart.CHUNK:
        files[part.stream].write(part.data)
    elif part.stream in files:
        files.pop(part.stream).close()
        print(f"{part.user_id}: {part.name}" + (f" is not complete: {part.text}" if part.text else ""), flush=True)


def take_text(part: DataStreamPart) -> None:
    if part.part == DataPart.BEGAN:
        print(f"{part.user_id}: ", end="")
    elif part.part == DataPart.CHUNK:
        print(part.data.decode(), end="")
    else:
        print(flush=True)


def receive(session: Session) -> int:
    files: dict[int, BinaryIO] = {}
    for event in session.events():
        if isinstance(event, DataStreamAvailable):
            while (part := session.data_streams.read()) is not None:
                if part.type == DataStreamType.TEXT:
                    take_text(part)
                else:
                    take_file(part, files)
        elif isinstance(event, SessionStateChanged) and event.state == SessionState.DISCONNECTED:
            print(f"disconnected: {event.error}", file=sys.stderr)
            return 1
    return 0


def send(session: Session, other: str, path: Path, text: str) -> None:
    next(event for event in session.events() if isinstance(event, ParticipantJoined) and event.user_id == other)
    with path.open("rb") as file, session.data_streams.open_bytes("files", name=path.name, to=other) as stream:
        while chunk := file.read(DATA_STREAM_CHUNK_MAX):
            stream.write(chunk)
    with session.data_streams.open_text("lk.chat") as stream:
        stream.write(text)


def run(session: Session, options: argparse.Namespace) -> int:
    if not options.sent:
        session.data_streams.accept("files")
        session.data_streams.accept("lk.chat")
    session.connect(wait=False)
    if not options.sent:
        return receive(session)
    other, path, text = options.sent
    send(session, other, Path(path), text)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Sends a file and a text to another participant, or receives them.")
    parser.add_argument("url", metavar="URL")
    parser.add_argument("user_id", metavar="USER_ID")
    parser.add_argument("sent", metavar="OTHER FILE TEXT", nargs="*", help="without them: receives")
    options = parser.parse_args()
    if len(options.sent) not in (0, 3):
        parser.error("OTHER, FILE and TEXT are accepted together")
    try:
        with Engine() as engine, engine.create_session(options.url, options.user_id, access_token=os.environ.get("TOKEN")) as session:
            return run(session, options)
    except KeyboardInterrupt:
        return 0
    except (MediaSDKError, OSError) as error:
        print(f"files.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
