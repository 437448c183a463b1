"""msdk doctor: what it says of things that are here, that are not, and that are broken on purpose."""
from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import subprocess
import unittest
from pathlib import Path
from typing import Any, Optional

from tool import PATIENCE, PLUGINS, TOOL, Result, ToolTest, environment

X11_SERVER = Path(__file__).resolve().parents[1] / "Plugins/x11_server.sh"
DEVICES = ("DISPLAY", "PULSE_SERVER", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY")


class Doctor(ToolTest):
    def environment(self, **changes: str) -> dict[str, str]:
        """One without devices."""
        found = environment(**changes)
        return {name: value for name, value in found.items() if name in changes or name not in DEVICES}

    def doctor(self, *arguments: str, expect: int, env: Optional[dict[str, str]] = None, tool: Path = TOOL) -> dict[str, dict[str, Any]]:
        """What was found, by its name; of several of one name the last. With the exit code that was expected."""
        result = self.msdk("doctor", "--json", *arguments, plugins=tool == TOOL, env=env or self.environment(), tool=tool)
        document = json.loads(result.output)
        self.assertEqual((result.code, document["broken"] > 0), (expect, expect == 1), result.output)
        self.assertEqual(document["broken"], sum(one["state"] == "broken" for one in document["checks"]))
        self.assertEqual(result.errors.count("\n"), expect, result.errors)
        for one in document["checks"]:
            self.assertEqual(list(one), ["id", "state", "text", "advice"])
            # Only what works needs no advice.
            self.assertEqual(one["advice"] is None, one["state"] == "ok", one)
        return {one["id"]: one for one in document["checks"]}

    def states(self, found: dict[str, dict[str, Any]], *names: str) -> list[str]:
        return [found[name]["state"] for name in names]

    def test_a_usual_machine(self) -> None:
        run = self.directory / "run"
        run.mkdir(mode=0o700)
        found = self.doctor(expect=0, env=self.environment(XDG_RUNTIME_DIR=str(run)))
        self.assertEqual(self.states(found, "library", "plugin_host", "plugins", "codecs", "kernel", "sealed_memory", "descriptors", "udp_ipv4", "tcp",
                                     "statistics"), ["ok"] * 10)
        self.assertEqual(self.states(found, "display", "sound_server", "firewalls"), ["absent", "absent", "unknown"])
        self.assertIn(str(PLUGINS), found["plugins"]["text"])
        for codec in ("VP8", "AV1", "Opus"):
            self.assertIn(codec, found["codecs"]["text"])

    def test_for_people(self) -> None:
        result = self.msdk("doctor", env=self.environment(PULSE_SERVER=f"unix:{self.directory}/nobody"))
        self.assertEqual(result.code, 1)
        lines = result.output.splitlines()
        broken = [index for index, line in enumerate(lines) if line.startswith("broken ")]
        self.assertEqual(len(broken), 1, result.output)
        self.assertIn("sound_server", lines[broken[0]])
        self.assertIn("to do: start a sound server there", lines[broken[0] + 1])
        self.assertTrue(any(line.startswith("not here  display") for line in lines), result.output)
        self.assertRegex(result.errors, r"^msdk: 1 of \d+ checks found something broken\n$")

    def test_display(self) -> None:
        found = self.doctor(expect=1, env=self.environment(DISPLAY=":9977"))
        self.assertEqual(self.states(found, "display"), ["broken"])
        self.assertIn(":9977", found["display"]["text"])
        place = self.directory / "x11"
        started = subprocess.run(["sh", X11_SERVER, "START", place], capture_output=True, text=True, check=True, timeout=PATIENCE)
        self.addCleanup(lambda: subprocess.run(["sh", X11_SERVER, "STOP", place], check=False, timeout=PATIENCE))
        found = self.doctor(expect=0, env=self.environment(DISPLAY=started.stdout.strip()))
        self.assertEqual(self.states(found, "display"), ["ok"])

    def test_refused_plugins(self) -> None:
        folder = self.directory / "own"
        folder.mkdir()
        (folder / "text.so").write_text("this is no library")
        found = self.doctor("--plugins", str(folder), expect=1)
        self.assertEqual(self.states(found, "plugin"), ["broken"])
        self.assertIn(str(folder / "text.so"), found["plugin"]["text"])
        self.assertIn("--rescan", found["plugin"]["advice"])
        # What is twice, or was switched off by somebody, is not broken.
        (folder / "text.so").unlink()
        shutil.copy(PLUGINS / "bw.so", folder / "copy.so")
        self.assertEqual(self.states(self.doctor("--plugins", str(folder), expect=0), "plugin"), ["absent"])
        shutil.rmtree(folder)
        found = self.doctor(expect=0, env=self.environment(MSDK_PLUGIN_DISABLE="av1.so"))
        self.assertEqual(self.states(found, "plugin", "codec_av1"), ["absent", "absent"])
        self.assertIn("MSDK_PLUGIN_DISABLE", found["plugin"]["text"])

    def test_writable_plugins(self) -> None:
        folder = self.directory / "own"
        folder.mkdir()
        shutil.copy(PLUGINS / "bw.so", folder / "bw.so")
        (folder / "bw.so").chmod(0o666)
        env = self.environment()
        env.pop("MSDK_PLUGIN_ALLOW_WRITABLE", None)
        found = self.doctor("--plugins", str(folder), expect=1, env=env)
        self.assertEqual(self.states(found, "plugin"), ["broken"])
        self.assertIn("chmod", found["plugin"]["advice"])

    def test_nothing_installed(self) -> None:
        tool = self.directory / "elsewhere/msdk"
        tool.parent.mkdir()
        shutil.copy(TOOL, tool)
        found = self.doctor(expect=0, tool=tool)
        self.assertEqual(self.states(found, "plugins", "plugin_host", "isolation", "display"), ["absent", "absent", "unknown", "absent"])
        found = self.doctor(expect=1, env=self.environment(MSDK_PLUGIN_HOST="/nowhere"))
        self.assertEqual(self.states(found, "plugin_host"), ["broken"])

    def test_isolation(self) -> None:
        found = self.doctor(expect=0)
        self.assertEqual(self.states(found, "isolation"), ["ok"])
        self.assertIn("processes", found["isolation"]["text"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root, for namespaces of its own")
    def test_no_namespaces(self) -> None:
        """In a user namespace that may make no others."""
        script = "echo 0 > /proc/sys/user/max_user_namespaces; echo 0 > /proc/sys/user/max_pid_namespaces; exec \"$@\""
        done = subprocess.run(["unshare", "--user", "--map-root-user", "sh", "-ec", script, "sh", TOOL, "doctor", "--json", "--plugins", PLUGINS],
                              env=self.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)
        found = {one["id"]: one for one in json.loads(done.stdout)["checks"]}
        self.assertEqual((done.returncode, found["isolation"]["state"]), (0, "absent"), done.stderr)
        self.assertIn("user.max_user_namespaces", found["isolation"]["advice"])

    def test_ports(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("0.0.0.0", 0))
            port = taken.getsockname()[1]
            found = self.doctor("--port", str(port), expect=1)
            self.assertEqual(self.states(found, f"port_udp_{port}"), ["broken"])
            self.assertIn("ss -lnp", found[f"port_udp_{port}"]["advice"])

    def test_few_descriptors(self) -> None:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

        done = subprocess.run([TOOL, "doctor", "--plugins", PLUGINS], env=self.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
                              preexec_fn=limit)
        result = Result(done.returncode, done.stdout, done.stderr)
        self.assertEqual(result.code, 1, result.output)
        self.assertRegex(result.output, r"(?m)^broken    descriptors +100 ")


if __name__ == "__main__":
    unittest.main()
