"""pip install in a tree that was built."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BINDING = ROOT / "Bindings" / "Python"
BUILT = ROOT / ".build" / "out"

PROGRAM = """
from mediasdk import Engine
with Engine() as engine:
    engine.load_default_plugins()
    for info in engine.classes():
        print(info.id, info.module_path)
    print(engine.create_instance("org.mediasdk.producer.tone", isolated=True))
"""


def tree() -> set[Path]:
    return {path for path in BINDING.rglob("*") if "mediasdk/__pycache__" not in str(path) and "generator/__pycache__" not in str(path)}


@unittest.skipUnless((BUILT / "libmediasdk.so").is_file() and (BUILT / "msdk-plugin-host").is_file(), "needs what make builds")
@unittest.skipIf(importlib.util.find_spec("pip") is None, "needs pip")
@unittest.skipIf(sys.modules.get("numpy", sys) is None, "does not depend on numpy: once is enough")
class InstallingTest(unittest.TestCase):
    def test_library_and_plugins_are_found(self) -> None:
        before = tree()
        with tempfile.TemporaryDirectory() as directory:
            # As a user's shell has it: no variable says where anything is.
            environment = {key: value for key, value in os.environ.items()
                           if key not in ("MEDIASDK_LIBRARY", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE") and not key.startswith("MSDK_")}
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target"]
            installed = subprocess.run([*pip, directory, str(BINDING)], env=environment, capture_output=True, text=True, timeout=120)
            self.assertEqual((installed.returncode, installed.stderr), (0, ""))
            self.assertEqual(tree(), before)
            environment.update(PYTHONPATH=directory, XDG_DATA_HOME="/nonexistent", MSDK_PLUGIN_ALLOW_WRITABLE="1")
            done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, cwd="/", capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            *classes, isolated = done.stdout.splitlines()
            self.assertIn("org.mediasdk.producer.tone", isolated)
            paths = {line.split(" ", 1)[1] for line in classes} - {""}
            self.assertEqual(len(paths), len(list((BUILT / "plugins").glob("*.so"))))
            self.assertTrue(all(path.startswith(os.path.realpath(directory)) for path in paths), paths)


if __name__ == "__main__":
    unittest.main()
