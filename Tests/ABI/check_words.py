#!/usr/bin/env python3
"""Public text uses the words of the field. What programs and plugin authors read is searched for words that this project once used in a
sense of its own: the comments of the headers, Markdown, the comments of the examples, the docstrings and comments of the Python binding,
and the texts that the sources, the binding and the examples print: errors, log lines, summaries and help. Of code the names are looked at
in what others read or copy: the headers, the binding, the examples, and the programs in Markdown. Of such a program its comments and texts
are, too, and all of a block that names no language.

A rule is a pattern and what to say instead. Where the pattern is a word that is also plain English, `allowed` lists the phrases in which
it is. Each rule carries sentences that it must find and sentences that it must let pass; they are tried before the files are.

    check_words.py [FILE ...]
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Rule(NamedTuple):
    pattern: str
    instead: str
    finds: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()


RULES = (
    # "picture id" and "picture loss indication" are terms of RFC 7741 and RFC 4585.
    Rule(r"pictures?", "frame; an image, if it is a file", ("the last picture of a stream",),
         (r"picture\s+(?:ids?|loss)", r"picture-in-picture"), ("counted by picture id", "Picture Loss Indication")),
    Rule(r"sounds?", "audio, an audio frame", ("sound goes first", "a buffer of sound"),
         (r"sound\s+(?:servers?|cards?|devices?)",), ("no display, no sound server", "msdk run --sound")),
    # A unit of measure is one; so are the NAL units and temporal units of video formats.
    Rule(r"(?:encoded|media|raw|whole|lost|received|sent)\s+units?|units?\s+(?:that|which)\s+(?:arrive[ds]?|came|come|are\s+lost)",
         "an encoded frame", ("encoded units are passed on", "units that arrived"), (), ("the units of webrtc-stats", "a temporal unit")),
    Rule(r"ways?", "a network path, a route; in flight; a direction", ("one whose way carries less", "on their way", "both ways"),
         (r"by\s+the\s+way", r"ways?\s+(?:to|in\s+which|of\s+\w+ing)", r"(?:a|the|this|some|any|another|one)\s+way\s+that",
          r"in\s+(?:this|that|the\s+same|some|any|whichever|no|one|its\s+own|another|an?(?:\s+\w+)?)\s+way", r"(?:either|one)[ -]way",
          r"in\s+(?:two|three|four|many|several|other)\s+ways", r"on\s+the\s+way\s+(?:in|out)", r"out\s+of\s+the\s+way"),
         ("in a way that works", "protected in an unknown way", "in four ways", "the way to do it", "four ways to read",
          "delay, one way", "by the way", "always")),
    Rule(r"behind", "after, past; a filter is appended", ("puts a filter behind those that are here", "right behind the last row"),
         (r"(?:falls?|falling|fell|far|lags?)\s+(?:far\s+)?behind", r"behind\s+(?:an?\s+|the\s+)?(?:NAT|firewall|proxy)",
          r"(?:leaves?|leaving|left)\s+(?:\w+\s+)?behind"),
         ("it falls behind by 1 MB", "leaves nothing behind")),
    # TURN (RFC 8656) has this word. "in turn", "returns", "turns out" and "turned off" are plain English.
    Rule(r"(?:its|their|his|her|whose|own|each)\s+turns?|(?:takes?|taking|took)\s+(?:\w+\s+)?turns?",
         "queued, dequeued; a serial gate, a strand", ("before its turn came", "takes no turn"), (),
         ("in turn", "returns", "a TURN server", "turns out to be late")),
    Rule(r"turned|(?:quarter|half)\s+turns?|turns?\s+of\s+(?:90|180|270)", "rotated, a rotation",
         ("an image that is turned", "a quarter turn"),
         (r"turned\s+(?:on|off|into|out|down|away|back)",), ("turned into RGB", "it is returned")),
    Rule(r"told|tells?|telling", "notified, reports, returns, says", ("the program is told", "which tells of each instance", "tell apart")),
    Rule(r"words", "the error text; terms", ("refused with words", "the words of set_error"),
         (r"in\s+other\s+words", r"(?:\d+-bit|machine|key)\s+words", r"words\[\d"), ("in other words", "64-bit words", "zsh's words[1]")),
    Rule(r"(?:left|leaves?|leaving)(?:\s+(?:it|them|that|this|one|those|which|the|an?|frames?|packets?)){0,2}\s+out",
         "dropped, skipped, omitted", ("frames are left out", "leave this one out"), (),
         ("what is left to do", "the buffer that leaves then fades out")),
    Rule(r"common\s+memory", "shared memory", ("slots of common memory",)),
    Rule(r"doors?", "a listener, an endpoint; the local ingest", ("opens a door",), (), ("outdoor use",)),
    Rule(r"patience", "a timeout", ("after its patience",)),
    Rule(r"keepers?", "a supervisor, a restarter", ("the keeper starts it again",)),
    Rule(r"guardians?", "a reaper", ("the guardian waits",)),
    Rule(r"(?:a|the|each|no|one)\s+spells?", "hysteresis", ("a spell of ten seconds",), (), ("how it spells its name",)),
    Rule(r"(?:a|the|its|their|more|less)\s+reserve", "a jitter margin", ("raises the reserve",), (),
         ("a reserved member", "to reserve memory")),
    Rule(r"eagerness", "adaptive spin", ("its eagerness",)),
    Rule(r"(?:he|him|his|himself|she|her|hers|herself)(?![-/])", "they, the member, the peer", ("until he leaves", "his own stream"), (),
         ("the others", "they leave")),
)

# Of texts that the sources print, besides. In comments these are not looked for.
TEXT_RULES = (
    Rule(r"(?:nobody|somebody|anybody|whoever)", "no member, no peer, another user", ("nobody listens", "whoever knows the url")),
    Rule(r"(?:is|are)\s+no", "is not a", ("x.so is no plugin",), (r"there\s+(?:is|are)\s+no", r"(?:is|are)\s+no\s+longer"),
         ("there is no class x", "it is no longer available", "it is not a file")),
    Rule(r"accepted\s+(?:is|are)", "accepted: ...", ("accepted are two numbers",), (), ("is not accepted", "accepted: 1..4")),
    Rule(r"(?:anew|for\s+ever|any\s+more)", "again; without end; no longer", ("begin anew", "is not there any more")),
)


# A name is read as the words that it is made of: `sound_codec` as "sound codec". This rule is not for names: code splits and joins words.
NOT_OF_NAMES = "words"
NAMES_FIND = (
    (".c", "int picture_count;"), (".c", "it->picture = 1;"), (".c", "void tellAll(void);"), (".c", "/* a.out PICTURE.png */"),
    (".py", "PATIENCE = 5"), (".py", "told: int = 0"), (".py", "print(f'{picture.width}')"),
    (".md", "```c\nint sound;\n```\n"), (".md", "```python\nwith a as picture:\n```\n"))
NAMES_PASS = (
    (".c", "/* picture */ long n = ftell(f), picture_id = 0; g(\"picture\");"), (".py", "words = [] # picture\n\"\"\"a 'picture'\"\"\"\n"),
    (".md", "`picture`\n```sh\npicture\n```\n"), (".c", "turn_server(is_turned_on);"))


def compiled(rule: Rule) -> tuple[re.Pattern[str], list[re.Pattern[str]]]:
    # No part of an identifier, an option or a path: `sound_times`, --picture, door.c.
    whole = rf"(?<![\w./$-])(?:{rule.pattern})(?![\w/]|\.\w|\()"
    return re.compile(whole, re.I), [re.compile(phrase, re.I) for phrase in rule.allowed]


COMPILED = [(rule, *compiled(rule)) for rule in RULES]
COMPILED_OF_TEXTS = COMPILED + [(rule, *compiled(rule)) for rule in TEXT_RULES]


def findings(text: str, rules: list[tuple[Rule, re.Pattern[str], list[re.Pattern[str]]]] = COMPILED) -> Iterator[tuple[int, str, Rule]]:
    """Where in the text a rule is broken, by which words."""
    for rule, pattern, allowed in rules:
        spared = [match.span() for phrase in allowed for match in phrase.finditer(text)]
        for match in pattern.finditer(text):
            if match[0] == "TURN" or any(begin <= match.start() and match.end() <= end for begin, end in spared):
                continue
            yield match.start(), " ".join(match[0].split()), rule


PART_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# As in a.out PICTURE.png: what stands for a name in usage lines, also in comments and texts.
PLACEHOLDER = re.compile(r"(?<![\w$])[A-Z][A-Z_]{2,}(?!\w)")
IN_BRACES = re.compile(r"\{[^{}\"']*\}")
NOTHING = re.compile(r"(?!)")
LANGUAGES = {"c": ".c", "cpp": ".c", "swift": ".swift", "python": ".py"}


def named(text: str, suffix: str) -> Iterator[tuple[int, str, Rule]]:
    """Where a name in a file of that kind breaks a rule."""
    if suffix == ".md":
        for match in FENCE.finditer(text):
            language = LANGUAGES.get(match["language"], "")
            yield from ((match.start("body") + place, name, rule) for place, name, rule in named(match["body"], language))
    elif suffix:
        # What is in braces in a literal of Python is code.
        token, kept = (PYTHON_TOKEN, IN_BRACES) if suffix == ".py" else (C_TOKEN, NOTHING)
        code = token.sub(lambda match: keep(match[0], (one.span() for one in kept.finditer(match[0]))), text)
        names = [*re.finditer(r"(?!\d)\w+", code), *PLACEHOLDER.finditer(text)]
        for match in names:
            phrase = " ".join(PART_OF_NAME.findall(match[0])).lower()
            yield from ((match.start(), match[0], rule) for _, _, rule in findings(phrase) if rule.pattern != NOT_OF_NAMES)


# Each of these makes everything blank but what people read. Lines stay where they are.
def blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def keep(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """The spans only."""
    kept, last = [], 0
    for begin, end in spans:
        kept += [blank(text[last:begin]), text[begin:end]]
        last = end
    return "".join(kept) + blank(text[last:])


def without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", lambda match: blank(match[0]), text)


PYTHON_TOKEN = re.compile(r"#[^\n]*|(?P<quotes>[\"']{3}|[\"'])(?:\\.|(?!(?P=quotes)).)*(?P=quotes)", re.S)
C_TOKEN = re.compile(r"(?P<comment>/\*.*?\*/|//[^\n]*\n)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def of_c(text: str) -> str:
    comments = (match.span("comment") for match in C_TOKEN.finditer(text) if match["comment"])
    kept = keep(text, comments)
    return without_code(re.sub(r"(?m)^([ \t]*)(///?|/?\*+)", lambda match: match[1] + " " * len(match[2]), kept))


FENCE = re.compile(r"(?P<head>^[ \t]*```(?P<language>\w*)[^\n]*\n)(?P<body>.*?)(?P<end>^[ \t]*```[ \t]*$)", re.S | re.M)


def of_markdown(text: str) -> str:
    text = FENCE.sub(lambda match: blank(match[0]), text)
    text = re.sub(r"(?m)(?:(?<=\n\n)|\A)(?:(?: {4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\n(?= {4}))+", lambda match: blank(match[0]), text)
    text = re.sub(r"(?<=\])\([^)\s]*\)", lambda match: blank(match[0]), text)
    return without_code(text)


def line_begins(text: str) -> list[int]:
    begins = [0]
    for line in text.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    return begins


def of_python(text: str) -> str:
    begins = line_begins(text)
    spans = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            # Whole lines, as ast counts in bytes: a docstring shares its lines with nothing else.
            spans.append((begins[node.lineno - 1], begins[node.end_lineno or node.lineno]))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            begin = begins[token.start[0] - 1] + token.start[1]
            spans.append((begin, begin + len(token.string)))
    return without_code(re.sub(r"(?m)^[ ]*#", lambda match: " " * len(match[0]), keep(text, iter(sorted(spans)))))


# The other literals are names: one word is one, and so is what seeds random numbers.
NAME_OF_SEED = re.compile(r"SeededRandom\([^\n]*")
SWIFT_OPENING = re.compile(r"//[^\n]*|(?P<hashes>#*)(?P<quotes>\"\"\"|\")|/\*")
SWIFT_EDGE = re.compile(r"[\"#/()]")
LITERAL_EDGE = re.compile(r"[\"\\]")
COMMENT_EDGE = re.compile(r"/\*|\*/")


def is_text(literal: str) -> bool:
    return re.search(r"[A-Za-z]\S*\s|\s\S*[A-Za-z]", literal) is not None


def swift_literal(text: str, opening: re.Match[str], found: list[tuple[int, int]]) -> int:
    """Adds the parts of a literal to `found`, without its interpolations but with the literals in those; where it ends."""
    closing, escape = opening["quotes"] + opening["hashes"], "\\" + opening["hashes"]
    parts, begin = [], opening.end()
    at = begin
    while edge := LITERAL_EDGE.search(text, at):
        at = edge.start()
        if text.startswith(closing, at):
            break
        if text.startswith(escape + "(", at):
            parts.append((begin, at))
            begin = at = swift_code(text, at + len(escape) + 1, found, ")")
        else:
            at += len(escape) + 1 if text.startswith(escape, at) else 1
    parts.append((begin, at))
    if is_text("".join(text[first:last] + " " * (index < len(parts) - 1) for index, (first, last) in enumerate(parts))):
        found += parts
    return at + len(closing)


def swift_code(text: str, at: int, found: list[tuple[int, int]], end: str = "") -> int:
    """Adds the literals in code, which begins at `at` and goes to the end of the text or behind the parenthesis that closes it."""
    depth = 0
    while edge := SWIFT_EDGE.search(text, at):
        at = edge.start()
        opening = SWIFT_OPENING.match(text, at)
        if opening and opening["quotes"]:
            at = swift_literal(text, opening, found)
        elif opening and opening[0] == "/*":
            level = 0
            for border in COMMENT_EDGE.finditer(text, at):
                level += 1 if border[0] == "/*" else -1
                at = border.end()
                if level == 0:
                    break
        elif opening:
            at = opening.end()
        else:
            if end and text[at] == end and depth == 0:
                return at + 1
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
    return len(text)


def kept_texts(text: str, spans: list[tuple[int, int]]) -> str:
    seeds = [match.span() for match in NAME_OF_SEED.finditer(text)]
    kept = keep(text, iter(sorted(span for span in spans if not any(begin <= span[0] < end for begin, end in seeds))))
    return without_code(re.sub(r"\\#*[^\n]", lambda match: " " * len(match[0]), kept))


def texts_of_swift(text: str) -> str:
    spans: list[tuple[int, int]] = []
    swift_code(text, 0, spans)
    return kept_texts(text, spans)


def texts_of_c(text: str) -> str:
    literals = (match.span() for match in C_TOKEN.finditer(text) if match[0].startswith('"') and is_text(match[0]))
    return kept_texts(text, [(begin + 1, end - 1) for begin, end in literals])


def texts_of_python(text: str) -> str:
    """Docstrings, and what is raised, logged or printed."""
    begins = line_begins(text)
    lines = text.splitlines(keepends=True)
    spans = []
    tree = ast.parse(text)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        is_literal = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts and is_text(node.value)
        if is_literal or isinstance(node, ast.JoinedStr):
            assert isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno is not None and node.end_col_offset is not None
            begin, end = ((begins[line - 1] + len(lines[line - 1].encode()[:column].decode())) for line, column in
                          ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)))
            if is_literal or is_text(re.sub(r"\{[^{}]*\}", " ", text[begin:end])):
                spans.append((begin, end))
    # Of two literals side by side the outer one is enough; what is in braces is code.
    outer = [span for span in sorted(set(spans)) if not any(one != span and one[0] <= span[0] and span[1] <= one[1] for one in spans)]
    return re.sub(r"\{[^{}\n]*\}", lambda match: blank(match[0]), kept_texts(text, outer))


def of_shell(text: str) -> str:
    return keep(text, (match.span() for match in re.finditer(r"(?:^|(?<=\s))#[^\n]*", text)))


# Of the programs that Markdown shows, as is what they print.
READERS_OF_FENCES: dict[str, tuple[Callable[[str], str], ...]] = {
    "c": (of_c, texts_of_c), "cpp": (of_c, texts_of_c), "python": (of_python, texts_of_python), "sh": (of_shell,), "swift": (of_c, texts_of_swift),
    "": (str,),
}


def of_fences(text: str) -> str:
    """The blocks of Markdown that are programs, commands or tables."""
    kept, last = [], 0
    for match in FENCE.finditer(text):
        readers = READERS_OF_FENCES.get(match["language"], ())
        body = re.sub(rf"(?m)^{re.match('[ ]*', match['head'])[0]}", "", match["body"]) if match["head"][0] == " " else match["body"]
        views = [reader(body) for reader in readers]
        # What one of them keeps, where the others have blanks.
        shown = "".join(next((letter for letter in letters if not letter.isspace()), letters[0]) for letters in zip(*views))
        kept += [blank(text[last:match.start("body")]), shown if shown else blank(match["body"])]
        last = match.end("body")
    return "".join(kept) + blank(text[last:])


READERS: dict[str, Callable[[str], str]] = {
    ".md": of_markdown, ".seq": str, ".py": of_python, ".h": of_c, ".c": of_c, ".swift": of_c, ".yml": str}
READERS_OF_TEXTS: dict[str, Callable[[str], str]] = {
    ".c": texts_of_c, ".h": texts_of_c, ".swift": texts_of_swift, ".py": texts_of_python, ".md": of_fences}
SOURCES = ROOT / "Sources"
# Those whose texts somebody reads, besides their comments.
SHOWN = (SOURCES, ROOT / "Examples", ROOT / "Bindings/Python/mediasdk")
# Those whose code somebody reads or copies.
NAMED = (ROOT / "Include", ROOT / "Examples", ROOT / "Bindings/Python/mediasdk")


def public_files() -> list[Path]:
    names = ("README", "ARCHITECTURE", "SECURITY", "CONTRIBUTING", "CHANGELOG", "CODE_OF_CONDUCT", "Include/CHANGES")
    found = {ROOT / f"{name}.md" for name in names}
    for pattern in ("Include/**/*.h", "docs/**/*", "Examples/**/*", "Bindings/*/README.md", "Bindings/Python/**/*.py", "Tests/*/README.md",
                    ".github/**/*.yml"):
        found |= {path for path in ROOT.glob(pattern) if path.suffix in READERS}
    found |= {path for path in SOURCES.glob("**/*") if path.suffix in (".c", ".h", ".swift")}
    return sorted(path for path in found if not {"build", "__pycache__"} & set(path.parts))


def examples_hold() -> bool:
    """Every rule finds what it should, and nothing finds what is plain English."""
    holds = True
    for rule, *_ in COMPILED_OF_TEXTS:
        for sentence in rule.finds:
            if not any(found is rule for _, _, found in findings(sentence, COMPILED_OF_TEXTS)):
                print(f"check_words: the rule of '{rule.instead}' does not find: {sentence}")
                holds = False
        for sentence in rule.passes:
            for _, word, found in findings(sentence, COMPILED_OF_TEXTS):
                print(f"check_words: the rule of '{found.instead}' finds '{word}' in plain English: {sentence}")
                holds = False
    return holds


# What a reader has to see of a file, each time the word "picture", and how often.
SHOWN_EXAMPLES = (
    (of_fences, "```c\nint picture; /* a picture */\nputs(\"no picture came\"); f(\"picture\");\n```\npicture\n", 2),
    (of_fences, "```sh\nmsdk picture --picture # a picture\n```\n```\nthe picture of a table\n```\n", 2),
    (of_fences, "```python\npicture = 1  # a picture\nprint(f\"{picture} is a picture\", \"picture\")\n```\n", 2),
    (texts_of_python, 'raise E(f"a {picture} is no picture")\n# picture\nx = "picture"\n\n\ndef f():\n    """A picture."""\n', 2),
    (texts_of_python, 'print("two " f"of {1} picture")\n', 1),
    (of_markdown, "a picture\n\n```c\n/* picture */\n```\n", 1),
)


def readers_hold() -> bool:
    holds = True
    for reader, text, count in SHOWN_EXAMPLES:
        found = len(re.findall("picture", reader(text)))
        if found != count:
            print(f"check_words: {reader.__name__} shows {found} of {count} words of {text!r}")
            holds = False
    return holds


def names_hold() -> bool:
    holds = True
    for cases, should in (NAMES_FIND, True), (NAMES_PASS, False):
        for suffix, text in cases:
            if any(named(text, suffix)) != should:
                print(f"check_words: a name is {'not ' if should else ''}found in {text!r}")
                holds = False
    return holds


def main() -> int:
    if not examples_hold() or not readers_hold() or not names_hold():
        return 1
    files = [Path(name).resolve() for name in sys.argv[1:]] or public_files()
    count = 0
    for path in files:
        text = path.read_text()
        found = set()
        # The comments of our own sources are for us.
        if not path.is_relative_to(SOURCES):
            found |= set(findings(READERS[path.suffix](text)))
            if path.suffix == ".md" or any(path.is_relative_to(place) for place in NAMED):
                found |= set(named(text, path.suffix))
        if path.suffix == ".md":
            found |= set(findings(of_fences(text)))
        elif any(path.is_relative_to(place) for place in SHOWN):
            found |= set(findings(READERS_OF_TEXTS[path.suffix](text), COMPILED_OF_TEXTS))
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for place, word, rule in sorted(found, key=lambda one: one[0]):
            count += 1
            print(f"check_words: {name}:{text.count(chr(10), 0, place) + 1}: \"{word}\"; say: {rule.instead}")
    print(f"check_words: {len(files)} files, {count} words to change")
    return 1 if count or not files else 0


if __name__ == "__main__":
    sys.exit(main())
