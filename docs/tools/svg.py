"""What the images have in common: escaping, text, and a card that can be read on a light and on a dark page."""

from __future__ import annotations

from html import escape

FONT = "system-ui, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', monospace"
INK, FAINT, CARD, ACCENT, OTHER = "#1d2330", "#6b7280", "#ffffff", "#0a7d5a", "#b45309"


def text(x: float, y: float, what: str, size: float = 13, anchor: str = "start", fill: str = INK, font: str = FONT, extra: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="{font}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}"{extra}>'
        f"{escape(what)}</text>"
    )


def document(width: float, height: float, title: str, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{CARD}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
