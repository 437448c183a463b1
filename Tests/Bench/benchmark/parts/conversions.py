"""Conversions, against the same work by libyuv itself."""

from __future__ import annotations

from ..programs import Failed, Place, progress, run
from ..table import Row, Table, compared

ROUNDS = 7


def measure(place: Place, table: Table) -> None:
    progress("conversions\n")
    try:
        values = run(place, place.program("convert_msdk", ROUNDS))
    except Failed as failure:
        table.rows.append(Row("conversions", f"failed: {failure}"))
        return
    for key, name in (
        ("nv12_to_i420", "NV12 to I420, 720p"), ("i420_to_bgra", "I420 to BGRA, 720p"), ("bgra_to_nv12", "BGRA to NV12, 720p"),
        ("nv12_1080_to_720", "NV12 1080p to 720p: by area, libyuv bilinear"),
    ):
        words = f"{name} (us; largest difference of a byte: {values[key + '_difference'][0]:.0f})"
        table.rows.append(compared(words, values[key + "_ours"], "libyuv", values[key + "_libyuv"], at_most=1.05))
