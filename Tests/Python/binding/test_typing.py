"""mypy --strict on the package, its examples, and the Python that the READMEs show."""
from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BINDING = ROOT / "Bindings" / "Python"


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "needs mypy")
@unittest.skipIf(sys.modules.get("numpy", sys) is None, "the types do not depend on numpy: once is enough")
class TypingTest(unittest.TestCase):
    def mypy(self, *files: Path) -> str:
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(ROOT / ".build" / "mypy"),
                               *map(str, files), str(BINDING / "mediasdk")], cwd=ROOT, capture_output=True, text=True, timeout=300)
        return done.stdout + done.stderr

    def test_package_examples_and_documents(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            snippets: list[Path] = []
            for document in (ROOT / "README.md", BINDING / "README.md"):
                for text in re.findall(r"```python\n(.*?)```", document.read_text(), flags=re.S):
                    snippets.append(Path(directory, f"snippet_{len(snippets)}.py"))
                    snippets[-1].write_text(text)
            self.assertGreater(len(snippets), 5)
            self.assertEqual(self.mypy(*sorted((ROOT / "Examples" / "Python").glob("*.py")), *snippets), "")

    def test_members_of_events_are_known(self) -> None:
        """A member that another kind of event has is an error, before the program runs."""
        program = """
from mediasdk import Event, FrameSenderChanged, ParticipantJoined

def look(event: Event) -> str:
    if isinstance(event, ParticipantJoined):
        return event.sender
    if isinstance(event, FrameSenderChanged):
        return event.sender.format.pixel_format.name
    return event.user_id
"""
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "program.py")
            file.write_text(program)
            errors = [line for line in self.mypy(file).splitlines() if "[attr-defined]" in line]
        self.assertEqual(len(errors), 2, errors)
        self.assertIn('"ParticipantJoined" has no attribute "sender"', errors[0])
        self.assertIn('"Event" has no attribute "user_id"', errors[1])


if __name__ == "__main__":
    unittest.main()
