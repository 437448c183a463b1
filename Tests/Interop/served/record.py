"""What the parties of a call told, looked at."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional

Told = dict[str, Any]


@dataclass(frozen=True)
class Span:
    begin: float
    end: float

    def __contains__(self, told: object) -> bool:
        return isinstance(told, dict) and self.begin <= told["at"] < self.end

    @property
    def length(self) -> float:
        return self.end - self.begin

    def from_(self, seconds: float) -> "Span":
        return Span(self.begin + seconds, self.end)

    def parts(self, seconds: float) -> "list[Span]":
        """All parts of that length, half a second apart."""
        starts = [self.begin + 0.5 * step for step in range(int((self.length - seconds) / 0.5) + 1)]
        return [Span(start, start + seconds) for start in starts]


class Record:
    def __init__(self, told: list[Told]) -> None:
        self.told = told
        self.made = {(one["stream"], one["number"]): one["at"] for one in self.of("made")}

    def of(self, what: str, span: Optional[Span] = None, **wanted: Any) -> list[Told]:
        return [one for one in self.told if one["what"] == what and (span is None or one in span)
                and all(one.get(name) == value for name, value in wanted.items())]

    # ------------------------------------------------------------------------------------------------------------- pictures

    def shown(self, viewer: str, stream: int, span: Optional[Span] = None) -> list[Told]:
        return self.of("shown", span, by=viewer, stream=stream)

    def rate(self, viewer: str, stream: int, span: Span) -> float:
        """Different pictures a second: those of a screen that were sent again count once."""
        return len({one["number"] for one in self.shown(viewer, stream, span)}) / span.length

    def best_rate(self, viewer: str, stream: int, span: Span, seconds: float) -> float:
        """The best of so many seconds in a row: what the call reached, also where the machine stood still for one of them."""
        return max(self.rate(viewer, stream, part) for part in span.parts(seconds))

    def longest_freeze(self, viewer: str, stream: int, span: Span) -> float:
        times = [span.begin, *(one["at"] for one in self.shown(viewer, stream, span)), span.end]
        return max(later - sooner for sooner, later in zip(times, times[1:]))

    def lateness(self, viewer: str, stream: int, span: Span) -> float:
        """The median from making to showing a picture for the first time, in milliseconds."""
        first: dict[int, float] = {}
        for one in self.shown(viewer, stream, span):
            first.setdefault(one["number"], one["at"])
        late = sorted(at - self.made[stream, number] for number, at in first.items())
        return late[len(late) // 2] * 1000 if late else float("nan")

    # ---------------------------------------------------------------------------------------------------------------- sound

    def sound(self, hearer: str, speaker: str, span: Span) -> tuple[float, float, float]:
        """Of the time: how much was heard as it was sent, and made up; and of what was heard, how much is the tone."""
        buffers = self.of("heard", span, by=hearer, of=speaker)
        real = [one for one in buffers if not one["made_up"]]
        pure = [one for one in real if one["tone"] > 0.9 and one["level"] > 0.1]
        made_up = sum(one["ms"] for one in buffers if one["made_up"])
        return sum(one["ms"] for one in real) / span.length / 1000, made_up / span.length / 1000, len(pure) / max(1, len(real))

    def best_sound(self, hearer: str, speaker: str, span: Span, seconds: float) -> tuple[float, float, float]:
        """The best of so many seconds in a row, as `best_rate`."""
        return max(self.sound(hearer, speaker, part) for part in span.parts(seconds))

    # --------------------------------------------------------------------------------------------------------------- formats

    def estimates(self, user: str, span: Span) -> list[tuple[float, int]]:
        """What its end of the link was said to carry, and how long after the beginning."""
        return [(round(one["at"] - span.begin, 1), round(one["value"] / 1000)) for one in self.of("estimate", span, by=user)]

    def formats(self, user: str, kind: str, span: Span) -> list[tuple[float, int]]:
        """When another format was wanted, in seconds from the span's begin, and how wide."""
        return [(one["at"] - span.begin, one["width"]) for one in self.of("format", span, by=user, kind=kind)]

    def first(self, span: Span, test: Callable[[Told], bool]) -> float:
        return next((one["at"] - span.begin for one in self.told if one in span and test(one)), float("inf"))

    # --------------------------------------------------------------------------------------------------------------- figures

    def table(self, spans: dict[str, Span], cameras: dict[str, int], screens: dict[str, int]) -> Iterator[str]:
        for viewer in cameras:
            for sender, stream in [*cameras.items(), *screens.items()]:
                if sender == viewer:
                    continue
                words = [f"{name} {self.rate(viewer, stream, span):4.1f}/s of {len(self.of('made', span, stream=stream)) / span.length:4.1f},"
                         f" {self.lateness(viewer, stream, span):4.0f} ms late, freeze {self.longest_freeze(viewer, stream, span):4.1f} s"
                         for name, span in spans.items()]
                yield f"{viewer} sees {sender}'s {'screen' if stream in screens.values() else 'camera'}: {'; '.join(words)}"
            for speaker in cameras:
                if speaker != viewer:
                    parts = {name: self.sound(viewer, speaker, span) for name, span in spans.items()}
                    yield f"{viewer} hears {speaker}: " + "; ".join(f"{name} {real:4.0%}, made up {made_up:3.0%}, tone {tone:4.0%}" for name, (real, made_up, tone) in parts.items())
        for sender, stream in [*cameras.items(), *screens.items()]:
            targets = {name: [one["target"] // 1000 for one in self.of("sends", span, stream=stream)] for name, span in spans.items()}
            yield f"{sender}'s {stream}: target " + "; ".join(f"{name} {min(values)}..{max(values)} kbit/s" for name, values in targets.items() if values)
