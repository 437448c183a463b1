"""The table of metadata: what came of each field, over each path and with each codec.

A part reports a cell as it measures it.  A cell that cannot be has a reason instead.  In the whole run a cell with neither is a miss, so
that the table stays complete.
"""
from __future__ import annotations

from typing import Iterator, Optional

# Those that measure cells.
PARTS = ("metadata", "recording", "sound_times")
FIELDS = ("capture time", "expected delay", "matrix", "range", "orientation", "duration", "flags")
COLUMNS = ("raw", "VP8", "AV1", "pushed VP8", "raw audio", "Opus", "pushed Opus")
VIDEO, AUDIO = COLUMNS[:4], COLUMNS[4:]
OK, WRONG, PIXELS, NOT = "+", "!", "p", "-"

REASONS = {
    "a": "cannot be: no payload format (rtp.h); such a stream stays within the process (serve.h)",
    "b": "travels in one piece, of which hardly any pass a lossy path",
    "c": "the program encodes; without an extension orientation and colour are lost (rtp.h)",
    "d": "an ingest carries a screen: raw frames and VP8 (feeder.h)",
    "e": "encoded frames pass no filter, and producers make none",
    "f": "built into the library: has no process of its own",
    "g": "lies between the producer and any codec: see VP8",
}

LINKS = tuple(f"{path}, {loss} % lost" for path in ("rtp by url", "rtp by SDP", "served room", "served room, back") for loss in (2, 5))
_NO_RAW = {"raw": "a", "AV1": "a", "raw audio": "a"}
_INGEST = {"AV1": "d", "raw audio": "d", "Opus": "d", "pushed Opus": "d"}
_FRONT = {"AV1": "g", "pushed VP8": "e", "pushed Opus": "e"}
# Of each path, the cells that cannot be, with the reason.
PATHS: dict[str, dict[str, str]] = {
    "loopback": {},
    "scripted loopback": {},
    "scripted loopback, 5 % lost": {"raw": "b", "AV1": "b", "raw audio": "b"},
    "rtp by url": _NO_RAW,
    "rtp by url, plain": {**_NO_RAW, "pushed VP8": "c"},
    "rtp by SDP": _NO_RAW,
    "served room": _NO_RAW,
    "served room, back": _NO_RAW,
    **{link: _NO_RAW for link in LINKS},
    "ingest": _INGEST,
    **{f"ingest onto {path}": {**_INGEST, "raw": "a"} for path in ("rtp by url", "served room")},
    "filter": _FRONT,
    "filter, isolated": _FRONT,
    "producer": _FRONT,
    "producer, isolated": _FRONT,
    "codec, isolated": {column: "f" for column in COLUMNS if column != "AV1"},
    "recorder": {},
    "recorder, isolated": {},
    **{f"recorder on {path}": _NO_RAW for path in ("rtp by url", "rtp by SDP", "served room")},
    "recorder on the ingest": _INGEST,
}

_cells: dict[tuple[str, str], dict[str, str]] = {}
_skipped: set[str] = set()


def put(path: str, column: str, found: dict[str, str]) -> None:
    """What came of fields; what was wrong once stays wrong."""
    assert column in COLUMNS and column not in PATHS[path], f"{path}, {column}"
    cell = _cells.setdefault((path, column), {})
    for field, state in found.items():
        assert field in FIELDS, field
        if cell.get(field) != WRONG:
            cell[field] = state


def skip(paths: Iterator[str]) -> None:
    """Those are not possible on this machine."""
    _skipped.update(paths)


def holes() -> list[str]:
    return [f"{path}, {column}" for path, absent in PATHS.items() if path not in _skipped
            for column in COLUMNS if column not in absent and (path, column) not in _cells]


def _text(path: str, column: str) -> str:
    reason: Optional[str] = PATHS[path].get(column)
    if reason is not None:
        return f"({reason})"
    cell = _cells.get((path, column))
    if cell is None:
        return "skipped" if path in _skipped else "."
    fields = FIELDS if column in VIDEO else FIELDS[:1]
    return "".join(cell.get(field, NOT) for field in fields)


def table() -> Iterator[str]:
    """Nothing when no cell was measured."""
    if not _cells:
        return
    width = max(map(len, PATHS))
    yield f"{'':<{width}} " + "".join(f"{column:<12}" for column in COLUMNS).rstrip()
    for path in PATHS:
        yield f"{path:<{width}} " + "".join(f"{_text(path, column):<12}" for column in COLUMNS).rstrip()
    yield f"in order: {', '.join(FIELDS)}; of audio the first"
    yield f"{OK} arrives   {PIXELS} applied to the pixels   {NOT} not carried (frame.h); a file has no place for it"
    yield f"{WRONG} wrong   . not in this run"
    used = {reason for absent in PATHS.values() for reason in absent.values()}
    for letter in sorted(used):
        yield f"({letter}) {REASONS[letter]}"
