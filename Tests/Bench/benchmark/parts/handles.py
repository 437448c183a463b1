"""What it costs to find the object behind a handle."""

from __future__ import annotations

import statistics

from ..programs import Failed, Place, progress, run
from ..table import Row, Table, number

ROUNDS = 7


def measure(place: Place, table: Table) -> None:
    progress("handles\n")
    try:
        values = run(place, place.program("lookup_msdk", ROUNDS))
    except Failed as failure:
        table.rows.append(Row("handle look-up", f"failed: {failure}"))
        return
    middle = {key: number(statistics.median(numbers)) for key, numbers in values.items()}
    for key, name in (("state_ns", "msdk_outgoing_video_get_state"), ("format_ns", "msdk_frame_sender_get_format")):
        more = statistics.median([a - b for a, b in zip(values[key], values["version_ns"])])
        beside = f"msdk_version {middle['version_ns']}, bare C call {middle['bare_ns']}"
        words = f"{number(more)} ns more than msdk_version"
        table.rows.append(Row(f"{name} (ns a call)", middle[key], beside, words, "< 50 ns more", more < 50))
