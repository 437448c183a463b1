"""What a plugin's command costs, from C and from Python, against calling the function itself."""

from __future__ import annotations

from ..programs import Failed, Place, in_turn, progress, run
from ..table import Row, Table, compared

ROUNDS = 7

# Key, words, and whom to compare with.
FROM_C = (
    ("invoke_ns", "command from C, invoke (ns a call)", (("direct_ns", "the function itself"),)),
    ("native_ns", "command from C, native (ns a call)", (("direct_ns", "the function itself"), ("ffi_ns", "bare ffi_call"))),
    ("beside_ns", "command from C, thread-safe (ns a call)", (("direct_ns", "the function itself"),)),
    ("text_ns", "command from C, text there and back (ns a call)", (("direct_ns", "the function itself"),)),
)
FROM_PYTHON = (
    ("pictures_us", "command from Python, no argument (us)"),
    ("play_note_us", "command from Python, call() with a number (us)"),
    ("set_pattern_us", "command from Python, a text and a named number (us)"),
)


def measure(place: Place, table: Table) -> None:
    progress("commands ")
    try:
        values = run(place, place.program("command_msdk", ROUNDS))
    except Failed as failure:
        table.rows.append(Row("commands from C", f"failed: {failure}"))
    else:
        for key, words, peers in FROM_C:
            for peer, name in peers:
                table.rows.append(compared(words, values[key], name, values[peer]))
    candidates = {"ours": place.script("command_mediasdk.py", place.program("libbare.so")[0], place.plugins, 20000)}
    runs = in_turn(place, candidates, ROUNDS)
    for key, words in FROM_PYTHON:
        table.add(words, lambda key=key, words=words: compared(words, runs.get("ours", key), "ctypes call", runs.get("ours", "bare_us")))
