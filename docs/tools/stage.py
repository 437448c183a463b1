"""Puts together what Sphinx reads, in .build/docs/source: the pages of docs/, the documents that stand elsewhere in the tree, and the pages
that are made from the headers, the binding, the tool and the plugins. Links between files of the tree become links between pages.

    stage.py DIRECTORY
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import c_reference
import images
import plugin_reference
import python_reference
import tool_reference

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Documents of the tree, and the pages that they are.
DOCUMENTS = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "design/architecture.md",
    "SECURITY.md": "design/security.md",
    "CONTRIBUTING.md": "design/contributing.md",
    "CHANGELOG.md": "reference/changelog.md",
    "docs/bounds.md": "design/bounds.md",
    "docs/json.md": "reference/json.md",
    "Include/CHANGES.md": "reference/changes.md",
    "Bindings/C/README.md": "start/c-compiling.md",
    "Bindings/Python/README.md": "reference/python/guide.md",
    "Examples/Plugin/TUTORIAL.md": "start/plugin.md",
    "Examples/Plugin/RULES.md": "reference/plugin-abi/rules.md",
    "Examples/Plugin/REFERENCE.md": "reference/plugin-abi/where.md",
    "Tests/Bench/README.md": "design/benchmark-method.md",
    "Tests/Quality/README.md": "design/quality.md",
}
NOT_PAGES = ("tools", "README.md", "conf.py", "requirements.txt")
LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".py": "python",
    ".swift": "swift",
    ".map": "none",
    "Makefile": "make",
    ".rs": "rust",
    ".go": "go",
    ".js": "js",
    ".toml": "toml",
    ".mod": "none",
    ".build": "none",
    ".txt": "cmake",
}
FENCED = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)[ \t]*$", re.S | re.M)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<to>[^)\s]+)\)")


class Problem(Exception):
    pass


def language_of(file: Path) -> str | None:
    return LANGUAGES.get(file.suffix) if file.suffix else LANGUAGES.get(file.name)


def examples() -> dict[str, str]:
    """Programs under Examples and what is written of them, and the page of each."""
    found = {}
    for file in sorted((ROOT / "Examples").rglob("*")):
        if (
            file.is_file()
            and (language_of(file) or file.suffix == ".md")
            and not {"build", "__pycache__", "target", "node_modules"} & set(file.parts)
        ):
            name = file.relative_to(ROOT / "Examples").as_posix()
            if f"Examples/{name}" not in DOCUMENTS:
                found[f"Examples/{name}"] = f"examples/{name.lower().replace('.', '-')}.md"
    return found


class Staging:
    def __init__(self, to: Path) -> None:
        self.to = to
        self.programs = examples()
        self.pages = {**{name: page for name, page in DOCUMENTS.items() if (ROOT / name).exists()}, **self.programs}
        self.pages |= {f"Include/mediasdk/{path.name}": f"reference/c/{path.stem}.rst" for path in (ROOT / "Include/mediasdk").glob("*.h")}
        self.pages |= {"Examples": "examples/index.md", "Include": "reference/c/index.rst", "Include/mediasdk": "reference/c/index.rst"}
        self.pages |= {
            f"Examples/{folder}": f"examples/{folder.lower()}/index.md" for folder in {name.split("/")[1] for name in self.programs}
        }
        for file in self.own():
            name = file.relative_to(DOCS).as_posix()
            self.pages.setdefault(f"docs/{name}", name)
        self.problems: list[str] = []

    @staticmethod
    def own() -> list[Path]:
        files = [file for file in sorted(DOCS.rglob("*")) if file.is_file() and "__pycache__" not in file.parts]
        return [file for file in files if file.relative_to(DOCS).parts[0] not in NOT_PAGES]

    def page_of(self, name: str) -> str | None:
        """The page of a file of the tree, or of what is made under docs/."""
        if name in self.pages:
            return self.pages[name]
        if name.startswith("docs/"):
            bare = re.sub(r"\.(md|rst|html)$", "", name.removeprefix("docs/"))
            for page in (f"{bare}.md", f"{bare}.rst", f"{bare}/index.md", f"{bare}/index.rst"):
                if (self.to / page).exists():
                    return page
        return None

    def rewritten(self, text: str, source: str, page: str) -> str:
        """Links of the file `source` of the tree, as they are from `page`."""

        def one(found: re.Match[str]) -> str:
            target, _, anchor = found["to"].partition("#")
            if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
                return found[0]
            name = os.path.normpath(os.path.join(os.path.dirname(source), target))
            known = self.page_of(name)
            if known is None and found["image"]:
                return found[0]
            if known is None:
                if not (ROOT / name).exists():
                    self.problems.append(f"{source}: the link to {found['to']} goes nowhere")
                return (
                    found["text"]
                    if found["text"].startswith("`")
                    else f"`{found['text']}`"
                    if re.fullmatch(r"[\w./-]+", found["text"])
                    else found["text"]
                )
            if anchor and not known.endswith(".md"):
                anchor = ""
            # A page of its own code may name it in more than one place.
            return f"[{found['text']}]({os.path.relpath(known, os.path.dirname(page) or '.')}{'#' + anchor if anchor else ''})"

        kept, last = [], 0
        for fence in FENCED.finditer(text):
            kept += [LINK.sub(one, text[last : fence.start()]), fence[0]]
            last = fence.end()
        return "".join([*kept, LINK.sub(one, text[last:])])

    def put(self, source: str, page: str) -> None:
        place = self.to / page
        place.parent.mkdir(parents=True, exist_ok=True)
        if not page.endswith(".md"):
            shutil.copyfile(ROOT / source, place)
            return
        text = (ROOT / source).read_text()
        if place.name == "index.md":  # A folder that has no pages yet is not in the list of its neighbours.
            text = re.sub(
                r"^(?:- \[[^\]]*\]\()?([\w-]+)/index(?:\.md\).*)?\n",
                lambda entry: entry[0] if any(place.parent.glob(f"{entry[1]}/*")) else "",
                text,
                flags=re.M,
            )
        text = self.rewritten(text, source, page)
        # One file more is one page more.
        if place.name == "index.md" and "{toctree}" not in text:
            text += "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
        place.write_text(text)

    def example_pages(self) -> None:
        by_language: dict[str, list[str]] = {}
        for name, page in self.programs.items():
            file = ROOT / name
            by_language.setdefault(name.split("/")[1], []).append(name)
            if file.suffix == ".md":
                continue
            (self.to / page).parent.mkdir(parents=True, exist_ok=True)
            # A longer fence than any in the program.
            fence = "`" * (3 + max((len(found) for found in re.findall("`+", file.read_text())), default=0))
            (self.to / page).write_text(f"# {name.split('/', 2)[2]}\n\n`{name}`\n\n{fence}{language_of(file)}\n{file.read_text()}{fence}\n")
        parts = ["# Examples", "Whole programs of the source tree. The tests build and run them."]
        for language, names in by_language.items():
            folder = language.lower()
            listed = "\n".join(
                f"- [{name.split('/', 2)[2]}]({os.path.relpath(self.programs[name], f'examples/{folder}')}){said(ROOT / name)}"
                for name in names
            )
            pages = "\n".join(os.path.relpath(self.programs[name], f"examples/{folder}").removesuffix(".md") for name in names)
            (self.to / f"examples/{folder}").mkdir(parents=True, exist_ok=True)
            (self.to / f"examples/{folder}/index.md").write_text(f"# {language}\n\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n")
            parts.append(f"- [{language}]({folder}/index.md): {len(names)} files")
        languages = "\n".join(f"{language.lower()}/index" for language in by_language)
        (self.to / "examples/index.md").write_text(
            "\n".join([parts[0], "", parts[1], "", *parts[2:], "", f"```{{toctree}}\n:hidden:\n\n{languages}\n```\n"])
        )

    def stage(self) -> None:
        shutil.rmtree(self.to, ignore_errors=True)
        self.to.mkdir(parents=True)
        c_reference.write(self.to / "reference/c")
        tool_reference.write(self.to / "reference/tool")
        plugin_reference.write(self.to / "reference/plugins")
        python_reference.write(self.to / "reference/python")
        images.write(self.to / "images")
        self.example_pages()
        shutil.copyfile(DOCS / "conf.py", self.to / "conf.py")
        # First all that are there, then the links between them.
        sources = {f"docs/{file.relative_to(DOCS).as_posix()}" for file in self.own()}
        sources |= {name for name in DOCUMENTS if name != "README.md" and (ROOT / name).exists()}
        sources |= {name for name in self.programs if name.endswith(".md")}
        for source in sources:
            (self.to / self.pages[source]).parent.mkdir(parents=True, exist_ok=True)
            (self.to / self.pages[source]).touch()
        for source in sorted(sources):
            self.put(source, self.pages[source])
        if self.problems:
            raise Problem("\n".join(self.problems))


def said(file: Path) -> str:
    """The first sentence of a program's comment; nothing, if it does not begin with one."""
    found = re.match(r'(?:#![^\n]*\n)?(?:"""|/\*+|//|#)\s*(.*)', file.read_text(), re.S)
    if not found or file.suffix == ".md":
        return ""
    text = re.split(r"(?<=[.])\s|\n[ \t]*(?:\*|//|#)?[ \t]*\n|\"\"\"|\*/", found[1], maxsplit=1)[0]
    text = " ".join(re.sub(r"^\s*(?:\*|//|#)\s?", "", line).strip() for line in text.split("\n"))
    return ": " + text.replace("*", "\\*").replace("_", "\\_").replace("<", "\\<").rstrip(":")


if __name__ == "__main__":
    try:
        Staging(Path(sys.argv[1]).resolve()).stage()
    except Problem as problem:
        sys.exit(f"docs: {problem}")
