"""Makes the manual pages: msdk(1), one for each of its commands, from the tool's own description, and mediasdk(7), from the comment at the
top of mediasdk.h.

    man_pages.py DIRECTORY    writes DIRECTORY/man1 and DIRECTORY/man7
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from headers import HEADERS, ROOT, all_headers
from rst import described, indent_of, items, parts
from tool_help import Argument, Command, tool, version

FILES = """The directories of plugins, the cache and the environment are described in \\fBmsdk\\fR(1) and in the headers."""


def escaped(text: str) -> str:
    for letter, written in {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "…": "..."}.items():
        text = text.replace(letter, written)
    return re.sub(r"^\.", "\\&.", text)


def bold_names(text: str) -> str:
    """Options in bold; the rest escaped."""
    return re.sub(r"(?<![\w\\])((?:\\-){1,2}[a-z][a-z]*(?:\\-[a-z]+)*)(?!\w)", r"\\fB\1\\fR", escaped(text))


def verbatim(text: str) -> str:
    return ".PP\n.RS 4\n.nf\n" + "\n".join(escaped(line) if line.strip() else "\\&" for line in text.rstrip().split("\n")) + "\n.fi\n.RE\n"


def head(name: str, section: int, summary: str, number: str) -> str:
    return (
        f'.TH {name.upper().replace("-", chr(92) + "-")} {section} "{date()}" "MediaSDK {number}" "MediaSDK"\n.nh\n.ad l\n'
        f".SH NAME\n{escaped(name)} \\- {escaped(summary[0].lower() + summary[1:])}\n"
    )


@functools.cache
def date() -> str:
    """Of the last change, not of the build: two builds of one tree give equal files."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        last = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False).stdout
        seconds = last.strip() or str(int((HEADERS / "mediasdk.h").stat().st_mtime))
    return time.strftime("%Y-%m-%d", time.gmtime(int(seconds)))


def wrapped(text: str) -> str:
    """Lines of at most 80 bytes; what is shown as it stands is not touched."""
    made, verbatim = [], False
    for line in text.split("\n"):
        verbatim = line == ".nf" or verbatim and line != ".fi"
        parts = (
            textwrap.wrap(line, 78, break_long_words=False, break_on_hyphens=False)
            if len(line) > 79 and not verbatim and line[0] != "."
            else [line]
        )
        made += [parts[0], *("\\&" + part if part[0] in ".'" else part for part in parts[1:])]
    return "\n".join(made)


def paragraphs(text: str) -> str:
    made = []
    for inner, part in parts(text):
        if inner:
            made.append(indented(part))
            continue
        flowing = " ".join(line.strip() for line in part)
        first = re.match(r"([A-Z][a-z ]{2,24}\.) (?=[A-Z-])", flowing)
        said = f"\\fI{escaped(first[1])}\\fR {bold_names(flowing[first.end() :])}" if first else bold_names(flowing)
        made.append(f".PP\n{said}\n")
    return "".join(made)


def indented(lines: list[str]) -> str:
    least = min(indent_of(line) for line in lines)
    lines = [line[least:] for line in lines]
    if lines[0].startswith("- "):
        return "".join(
            f".IP \\(bu 2\n{bold_names(' '.join([part[0][2:], *(line.strip() for line in part[1:])]))}\n"
            for part in items(lines, lambda line: line.startswith("- "))
        )
    terms = described(lines)
    if terms is not None:
        return "".join(f".TP\n\\fB{escaped(term)}\\fR\n{bold_names(' '.join(line.strip() for line in text))}\n" for term, text in terms)
    return verbatim("\n".join(lines))


def argument(one: Argument) -> str:
    value = f"\\fI{escaped(one.value.strip('<>'))}\\fR" if one.value else ""
    heads = [f"\\fB{escaped(name)}\\fR {value}".strip() for name in one.names] or [value]
    return f".TP\n{', '.join(heads)}\n{bold_names(one.text) or chr(92) + '&'}\n"


def usage(text: str) -> str:
    """What is typed in bold, what is put in its place in italics."""
    text = re.sub(r"<(.*?)>", lambda value: f"\\fI{value[1]}\\fR", escaped(text))
    text = re.sub(r"((?:\\-){2}[a-z\\-]+)", r"\\fB\1\\fR", text)
    return re.sub(r"^(msdk(?: [a-z]+)*)", r"\\fB\1\\fR", text)


def page(command: Command, all_commands: list[Command], number: str) -> str:
    parts = [
        head(command.page, 1, command.abstract.rstrip("."), number),
        f".SH SYNOPSIS\n{usage(command.usage)}\n",
        f".SH DESCRIPTION\n{bold_names(command.abstract)}\n",
        paragraphs(command.discussion) if command.discussion else "",
    ]
    if command.commands:
        parts.append(
            ".SH COMMANDS\n"
            + "".join(f".TP\n\\fB{escaped(below.page)}\\fR(1)\n{bold_names(below.abstract)}\n" for below in command.commands)
        )
    positional = [one for one in command.arguments if not one.names]
    if positional:
        parts.append(".SH ARGUMENTS\n" + "".join(map(argument, positional)))
    options = [one for one in command.arguments if one.names]
    if options:
        parts.append(".SH OPTIONS\n" + "".join(map(argument, options)))
    if command.examples:
        parts.append(".SH EXAMPLES\n" + verbatim(command.examples).removeprefix(".PP\n"))
    parts.append(".SH EXIT STATUS\n0 for success, 1 when something failed, 2 when the command line is wrong.\n")
    others = [one for one in all_commands if one is not command and one.path[:-1] in (command.path, command.path[:-1], command.path[:1])]
    above = [one for one in all_commands if one.path == command.path[:-1]]
    seen = {one.page: one for one in [*above, *sorted(others, key=lambda one: one.page)]}
    parts.append(".SH SEE ALSO\n" + ",\n".join([*(f"\\fB{escaped(name)}\\fR(1)" for name in seen), "\\fBmediasdk\\fR(7)"]) + "\n")
    return "".join(parts)


def overview(all_commands: list[Command], number: str) -> str:
    headers = all_headers()
    main = next(header for header in headers if header.name == "mediasdk.h")
    parts = [
        head("mediasdk", 7, "an embeddable media SDK for Linux", number),
        ".SH SYNOPSIS\n.B #include <mediasdk/mediasdk.h>\n.PP\n"
        "cc \\fIprogram\\fR.c $(pkg\\-config \\-\\-cflags \\-\\-libs mediasdk)\n.SH DESCRIPTION\n",
        paragraphs(main.comment),
    ]
    parts.append(".SH HEADERS\nThe headers are the reference of the C API.\n")
    parts += [f".TP\n\\fBmediasdk/{escaped(header.name)}\\fR\n{bold_names(header.summary)}\n" for header in headers]
    parts.append(
        f".SH FILES\n{FILES}\n.SH SEE ALSO\n" + ",\n".join(f"\\fB{escaped(command.page)}\\fR(1)" for command in all_commands) + "\n"
    )
    return "".join(parts)


def main() -> int:
    to = Path(sys.argv[1])
    commands, number = list(tool().all()), version()
    pages = {f"man1/{command.page}.1": page(command, commands, number) for command in commands}
    pages["man7/mediasdk.7"] = overview(commands, number)
    for name, text in pages.items():
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wrapped(re.sub(r"^\.SH DESCRIPTION\n\.PP\n", ".SH DESCRIPTION\n", text, flags=re.M)))
    print(f"man: {len(pages)} pages in {to}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
