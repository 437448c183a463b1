"""The examples in Rust, Go and JavaScript build against an installation, without a network, and run. A test is skipped where its toolchain is
absent.

The installation is made of the headers and the library of this tree; see Tests/ABI/check_install.sh for a real one."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("MSDK_LIB_DIR", ROOT / ".build/out")).resolve()
TIMEOUT = 300.0
NODE_HEADERS = [Path("/usr/include/node"), Path("/usr/include/nodejs/src")]


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise unittest.SkipTest(f"there is no {program}")


class Languages(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        prefix = self.directory / "prefix"
        subprocess.run([ROOT / "packaging/install.sh", f"PREFIX={prefix}"], env={**os.environ, "OUT": str(LIBRARY)}, check=True, capture_output=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MSDK_", "MEDIASDK_", "CGO_", "GO", "CARGO_TARGET"))}
        self.env = {**kept, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "LD_LIBRARY_PATH": str(prefix / "lib")}

    def run_it(self, example: str, *command: str, **env: str) -> str:
        """Runs a command in a copy of an example's directory."""
        work = self.directory / example
        if not work.exists():
            shutil.copytree(ROOT / "Examples" / example, work, ignore=shutil.ignore_patterns("target", "*.node", "Cargo.lock"))
        done = subprocess.run(command, cwd=work, env={**self.env, **env}, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def received(self, output: str) -> int:
        match = re.search(r"received (\d+) frames", output)
        self.assertIsNotNone(match, output)
        return int(match[1]) if match else 0

    def test_rust(self) -> None:
        need("cargo", "bindgen", "pkg-config")
        output = self.run_it("Rust", "cargo", "run", "--quiet", "--offline", "--example", "send", CARGO_TARGET_DIR=str(self.directory / "target"))
        self.assertGreater(self.received(output), 0)

    def test_go(self) -> None:
        need("go", "gcc", "pkg-config")
        offline = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOCACHE": str(self.directory / "cache"), "GOTOOLCHAIN": "local"}
        self.assertEqual(self.run_it("Go", "gofmt", "-l", "."), "", "gofmt changes these files")
        self.run_it("Go", "go", "vet", ".", **offline)
        self.assertGreater(self.received(self.run_it("Go", "go", "run", ".", **offline)), 0)

    def test_node(self) -> None:
        need("node", "gcc", "pkg-config")
        headers = next((path for path in NODE_HEADERS if (path / "node_api.h").exists()), None)
        if headers is None:
            self.skipTest("there is no node_api.h (libnode-dev)")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "mediasdk"], env=self.env, capture_output=True, text=True, check=True).stdout
        self.run_it("Node", "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{headers}", "mediasdk.c", "-o",
                    "mediasdk.node", *flags.split())
        output = self.run_it("Node", "node", "call.js")
        self.assertEqual(self.received(output), 10)
        self.assertIn("320x240, the first pixel is 255, 128, 0", output)
        # After close a call is refused, not used; a wrong argument throws with the SDK's own text.
        script = ("const m = require('./mediasdk.node'); const c = m.open('loopback:a', 'b', 320, 240, 15, () => {}); m.close(c); m.close(c);"
                  "for (const f of [() => m.send(c, Buffer.alloc(320 * 240 * 3)), () => m.open('loopback:a', 'b', 321, 240, 15, () => {})])"
                  "{ try { f() } catch (e) { console.log(e.message) } }")
        lines = self.run_it("Node", "node", "-e", script).splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("an open call", lines[0])
        self.assertIn("321", lines[1])


if __name__ == "__main__":
    unittest.main()
