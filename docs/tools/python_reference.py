"""Makes the pages of the Python package: reference/python/NAME.rst, of everything that the package exports, by subject. What no subject
names stands on the last page, so that nothing is missing."""

from __future__ import annotations

import enum
import inspect
import sys
from pathlib import Path

import rst

ROOT = Path(__file__).resolve().parents[2]
# A page, its title, and the modules whose names it has.
PAGES = (
    ("engine", "Engine and rooms", ("engine", "room", "serve", "access", "clock", "mediasdk")),
    ("session", "Sessions", ("session", "data", "data_stream", "rpc", "data_channel")),
    ("outgoing", "Sending video and audio", ("outgoing", "sender", "frame_pacer", "report", "outgoing_audio")),
    ("incoming", "Receiving video and audio", ("incoming", "incoming_audio", "view")),
    ("frames", "Frames and formats", ("frame", "frame_metadata", "plane", "formats", "audio_frame", "audio_format", "encoded")),
    ("instances", "Instances of plugins, and classes in Python", ("instance", "roles", "values", "commands")),
    ("events", "Events", ("events",)),
    ("stats", "Stats", ("stats",)),
    ("errors", "Errors", ("errors",)),
    ("constants", "Constants", ("constants",)),
)


def entry(package: object, name: str) -> str:
    what = getattr(package, name)
    if inspect.ismodule(what):
        module = f".. py:module:: mediasdk.{name}\n\n.. automodule:: mediasdk.{name}\n   :members:\n   :no-index:\n"
        return f"{module}\n.. py:currentmodule:: mediasdk\n"
    if inspect.isfunction(what):
        return f".. autofunction:: {name}\n"
    if not inspect.isclass(what):
        return f".. py:data:: {name}\n   :value: {what!r}\n"
    options = ["   :members:", "   :undoc-members:"]
    exported = getattr(package, "__all__")
    hidden = [base for base in what.__mro__[1:] if base.__module__.startswith("mediasdk") and base.__name__ not in exported]
    if hidden and not issubclass(what, (enum.Enum, Exception)):
        options.append("   :inherited-members: object, Generic")
    return f".. autoclass:: {name}\n" + "\n".join(options) + "\n"


def write(to: Path) -> None:
    sys.path.insert(0, str(ROOT / "Bindings" / "Python"))
    import mediasdk

    to.mkdir(parents=True, exist_ok=True)
    placed: dict[str, list[str]] = {}
    pages = {module: page for page, _, modules in PAGES for module in modules}
    for name in mediasdk.__all__:
        module = (
            "clock"
            if inspect.ismodule(getattr(mediasdk, name))
            else getattr(getattr(mediasdk, name), "__module__", "constants").split(".")[-1]
        )
        if not (inspect.isclass(getattr(mediasdk, name)) or callable(getattr(mediasdk, name)) or inspect.ismodule(getattr(mediasdk, name))):
            module = "constants"
        placed.setdefault(pages.get(module, "others"), []).append(name)
    titles = {page: title for page, title, _ in PAGES} | {"others": "Others"}
    for page, names in placed.items():
        (to / f"{page}.rst").write_text(
            "\n".join([rst.title(titles[page]), ".. py:currentmodule:: mediasdk\n", *(entry(mediasdk, name) for name in names)])
        )
    (to / "feeder.rst").write_text(rst.title("The feeder of a screen share") + "\n.. automodule:: mediasdk.feeder\n   :members:\n")
    order = [page for page in titles if page in placed] + ["feeder"]
    (to / "index.rst").write_text(
        "\n".join(
            [
                rst.title("Python"),
                "The package ``mediasdk``. :doc:`guide` has the rules; the other pages are made from the docstrings.\n",
                ".. toctree::\n   :maxdepth: 1\n",
                "   guide",
                *(f"   {page}" for page in order),
            ]
        )
        + "\n"
    )
