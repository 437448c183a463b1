"""Prints an access token, with which a participant joins a room of a LiveKit server for an hour.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/access_token.py ROOM USER [--listen]

The server's API key and secret are in the environment variables MSDK_API_KEY and MSDK_API_SECRET: a command line is seen by all users of
the machine. With --listen the participant receives and does not send.
"""
from __future__ import annotations

import argparse
import os
import sys

from mediasdk import Grant, MediaSDKError, create_access_token


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("room")
    parser.add_argument("user")
    parser.add_argument("--listen", action="store_true")
    arguments = parser.parse_args()
    try:
        print(create_access_token(api_key=os.environ.get("MSDK_API_KEY", ""), api_secret=os.environ.get("MSDK_API_SECRET", ""),
                                  room=arguments.room, user_id=arguments.user, lifetime=3600,
                                  grants=Grant.JOIN | Grant.SUBSCRIBE if arguments.listen else None))
    except MediaSDKError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
