"""A chat: what is typed goes to everybody in a room, or to one of them, and what the others write is printed.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/chat.py URL USER_ID

    hello                 to everybody else
    @bob are you there?   to bob alone

The room is one that several programs can join, such as livekit+wss://media.example.org; USER_ID is then the identity of the token, which is
in the environment variable TOKEN.  The chat ends with the input, or by Ctrl-C.
"""
from __future__ import annotations

import argparse
import os
import select
import sys

from mediasdk import (DATA_MAX, AgainError, DataAvailable, DataWritable, Engine, MediaSDKError, ParticipantJoined, ParticipantLeft, Session,
                      SessionState, SessionStateChanged)

TOPIC = "chat"  # by which other programs in the room distinguish this data from theirs


def plain(text: str) -> str:
    """What others wrote, without what controls a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


class Chat:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._input = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # without a buffer, select sees all of it
        self._is_open = True  # there may be more input
        self._line: bytes | None = None  # that was read and is not sent

    def run(self) -> None:
        """Until the input has ended, and all of it is sent."""
        while self._is_open or self._line is not None:
            events, typed = self._session.fileno(), self._input.fileno()
            reads = self._is_open and self._line is None and self._session.state == SessionState.CONNECTED
            ready, _, _ = select.select([events, typed] if reads else [events], [], [])
            if typed in ready:
                self._read_line()
            if events in ready:
                self.look()

    def look(self) -> None:
        """Prints what has happened.

        Raises:
            MediaSDKError: the session has ended.
        """
        for event in self._session.events(timeout=0):
            if isinstance(event, ParticipantJoined):
                print(plain(event.user_id), "is here", flush=True)
            elif isinstance(event, ParticipantLeft):
                print(plain(event.user_id), "left", flush=True)
            elif isinstance(event, DataAvailable):
                self._read_data()
            elif isinstance(event, DataWritable):
                self._say()
            elif isinstance(event, SessionStateChanged) and event.state == SessionState.DISCONNECTED:
                raise event.error or MediaSDKError("disconnected")

    def _read_data(self) -> None:
        for data in self._session.data(timeout=0):
            if data.missed:
                print(f"({data.missed} messages were missed)")
            if data.topic == TOPIC:
                print(f"{plain(data.user_id)}: {plain(data.data.decode(errors='replace'))}", flush=True)

    def _read_line(self) -> None:
        line = self._input.readline(DATA_MAX)  # a longer one is sent in parts
        self._is_open = line != b""
        if self._is_open:
            self._line = line.rstrip(b"\n")
            self._say()

    def _say(self) -> None:
        """Sends the line, if there is room."""
        if self._line is None:
            return
        text, to = self._line, None
        name, _, rest = text[1:].partition(b" ")
        if text.startswith(b"@") and name:
            text, to = rest, name.decode(errors="replace")
        try:
            self._session.send_data(text, topic=TOPIC, to=to)
        except AgainError:
            return  # DataWritable follows
        except MediaSDKError as error:
            print(f"not sent: {error}", file=sys.stderr)
        self._line = None


def main() -> int:
    parser = argparse.ArgumentParser(description="a chat in a room")
    parser.add_argument("url", help="of the room")
    parser.add_argument("user_id", help="by which the others know this participant")
    arguments = parser.parse_args()
    try:
        with Engine() as engine, engine.create_session(arguments.url, arguments.user_id, access_token=os.environ.get("TOKEN")) as session:
            chat = Chat(session)
            session.connect()
            chat.run()
            chat.look()
            # The session's end waits until what was sent has arrived at the room's server.
    except MediaSDKError as error:
        print(f"chat.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
