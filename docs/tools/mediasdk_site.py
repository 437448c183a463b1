"""What the site adds to Sphinx: a role for the threads of a function, a directive for the programs of README.md, and docstrings whose
indented blocks are code."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.c import CDomain
from sphinx.domains.python import PyObject
from sphinx.util.docutils import SphinxDirective

ROOT = Path(os.environ["DOCS_ROOT"])
WHOLE = {"c": re.compile(r"\bint main\b|MSDK_DEFINE_ENTRY"), "python": re.compile(r"^(?:import mediasdk|from mediasdk\b)", re.M)}
SEVERAL = re.compile(r"^ +(?:\w+, )+\w+(?=: )")
SECTION = re.compile(r"^\s*(?:Attributes|Args|Raises|Returns|Yields|Note|Example)s?:\s*$")


def threads(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> tuple[list[Any], list[Any]]:
    return [nodes.inline(rawtext, text, classes=["threads"])], []


class Domain(CDomain):
    """The domain of C, whose parameters are not found by the search: their functions are."""

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        return (found for found in super().get_objects() if found[2] != "functionParam")


class Program(SphinxDirective):
    """```{whole-program} FILE LANGUAGE: the first whole program in that language of a Markdown file of the tree, which the tests run."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        name, language = self.arguments
        path = ROOT / name
        self.env.note_dependency(str(path))
        for fence in re.finditer(rf"^```{language}[^\n]*\n(.*?)^```", path.read_text(), re.S | re.M):
            if WHOLE[language].search(fence[1]):
                text = fence[1].rstrip("\n")
                return [nodes.literal_block(text, text, language=language)]
        raise self.error(f"{name} has no whole program in {language}")


def code_in_docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """A block that is further in than the paragraph before it is code, unless it is of a section such as Raises:."""
    made: list[str] = []
    # Two attributes of one description: a comma would make the first the type of the second.
    lines[:] = [SEVERAL.sub(lambda names: names[0].replace(", ", "/"), line) for line in lines]
    inner = -1  # of the code that is being passed
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if inner >= 0 and line.strip() and indent < inner:
            inner = -1
        before = next((one for one in reversed(lines[:at]) if one.strip()), "")
        outer = len(before) - len(before.lstrip())
        if (
            inner < 0
            and line.strip()
            and indent > outer
            and before
            and not lines[at - 1].strip()
            and not SECTION.match(before)
            and not before.rstrip().endswith("::")
        ):
            inner = indent
            made += [" " * outer + ".. code-block:: python", ""]
        made.append(line)
    lines[:] = made


def of_the_package(what: Any) -> bool:
    """Not for programs, as its docstring says."""
    return (getattr(what, "__doc__", None) or "").startswith("For the package itself")


def skip_member(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    return True if of_the_package(obj) else None


def without_constructor(
    app: Sphinx, what: str, name: str, obj: Any, options: object, signature: str | None, returns: str | None
) -> tuple[str, str] | None:
    """Of a class that programs do not make."""
    return ("", "") if what == "class" and of_the_package(getattr(obj, "__init__", None)) else None


def setup(app: Sphinx) -> dict[str, object]:
    app.add_role("threads", threads)
    app.add_directive("whole-program", Program)
    app.add_domain(Domain, override=True)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.connect("autodoc-process-docstring", code_in_docstring, priority=400)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-signature", without_constructor)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
