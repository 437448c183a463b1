"""How the processes of an attack talk: each says what it has to say in lines of JSON, and answers those that it is asked by its standard
input, with whose end it ends."""
from __future__ import annotations

import json
import sys
import threading
from typing import Any, Callable

_saying = threading.Lock()


def say(**what: Any) -> None:
    with _saying:
        print(json.dumps(what), flush=True)


def answer(figures: Callable[[float, float], dict[str, Any]]) -> None:
    """Figures of what began between two times, until there is no more to answer."""
    for line in sys.stdin:
        asked = json.loads(line)
        say(**figures(asked["begin"], asked["end"]))
