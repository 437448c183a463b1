"""Makes a page for each command of the tool: reference/tool/msdk-COMMAND.rst, and their index."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import rst
from tool_help import Argument, Command, tool


def said(text: str) -> str:
    """Paragraphs; what begins one as "Items. A producer..." is its head."""
    made = []
    for paragraph in re.split(r"\n\s*\n", text):
        head = re.match(r"([A-Z][\w ]{2,24})\. (?=[A-Z-])", paragraph)
        rest = rst.comment(paragraph[head.end() :] if head else paragraph, lambda name: f"``{name}``")
        rest = re.sub(r"(?<![\w`])(--?[a-z][a-z-]*)(?![\w`])", r"``\1``", rest)
        made.append(f"**{head[1]}.** {rest}" if head else rest)
    return "\n".join(made)


def option(argument: Argument) -> str:
    heads = [f"{name} {argument.value}".strip() for name in argument.names] or [argument.value]
    return f".. option:: {', '.join(heads)}\n\n{textwrap.indent(said(argument.text), '   ')}\n"


def page(command: Command) -> str:
    parts = [rst.title(command.title), said(command.abstract), rst.code(command.usage, "text")]
    if command.discussion:
        parts.append(said(command.discussion))
    if command.examples:
        parts += [rst.title("Examples", "-"), rst.code(command.examples, "sh")]
    if command.commands:
        parts += [rst.title("Commands", "-"), ".. list-table::\n   :widths: 25 75\n   :class: plain\n"]
        parts += [f"   * - :doc:`{below.title} <{below.page}>`\n     - {rst.inline(below.abstract)}" for below in command.commands]
        parts += ["", ".. toctree::\n   :hidden:\n", *(f"   {below.title} <{below.page}>" for below in command.commands), ""]
    positional = [argument for argument in command.arguments if not argument.names]
    options = [argument for argument in command.arguments if argument.names]
    parts.append(f".. program:: {command.title}\n")
    for heading, arguments in (("Arguments", positional), ("Options", options)):
        if arguments:
            parts += [rst.title(heading, "-"), *map(option, arguments)]
    return "\n".join(parts)


def write(to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    for command in tool().all():
        (to / f"{'index' if len(command.path) == 1 else command.page}.rst").write_text(page(command))
