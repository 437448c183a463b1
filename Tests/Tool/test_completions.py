"""What the shells complete, asked of the shells themselves: bash and zsh on a terminal, fish by its own command."""
from __future__ import annotations

import json
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any, Optional

from shells import Shell
from tool import PATIENCE, PLUGINS, TOOL, ToolTest, environment

ROOT = Path(__file__).resolve().parents[2]
# What stands for a value in the help, and how it is completed (Sources/msdk/Completion/Completer.swift).
COMPLETED = {"dir", "file", "clip", "item", "items", "class", "key=value", "codec", "check", "check=reason", "WxH", "rate", "spec", "url", "pid",
             "address", "host", "type", "kind", "language", "shell", "subcommands"}
# Of these nothing is known that would be worth a completion.
FREE = {"n", "bits", "seed", "id", "port", "room", "name", "name=value", "text", "time"}
# What is typed, and the command line that comes of it.
TYPED = (
    ("msdk compl\t zs\t", ["msdk", "completions", "zsh"]),
    ("msdk run --producer testpattern:co\t,sp\t2", ["msdk", "run", "--producer", "testpattern:counter,speed=2"]),
    ("msdk run --producer file:my\t", ["msdk", "run", "--producer", "file:my film.ivf"]),
    ("msdk run --params cl\t --json", ["msdk", "run", "--params", "clip.ivf", "--json"]),
)


class Completions(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        (self.directory / "bin").mkdir()
        (self.directory / "bin/msdk").symlink_to(TOOL)
        self.work = self.directory / "work"
        (self.work / "folder").mkdir(parents=True)
        for name in ["clip.ivf", "copy.y4m", "my film.ivf"]:
            (self.work / name).write_text("")
        self.env = environment(PATH=f"{self.directory / 'bin'}:/usr/bin:/bin", TERM="dumb", INPUTRC="/dev/null", PS1="", HOME=str(self.directory))

    def script(self, shell: str) -> Path:
        path = self.directory / f"script.{shell}"
        path.write_text(self.msdk("completions", shell, plugins=False).output)
        return path

    def start(self, words: list[str]) -> Shell:
        shell = Shell(words, self.work, self.env)
        self.addCleanup(shell.end)
        return shell

    def bash(self) -> Shell:
        """One that writes down what it is offered."""
        shell = self.start(["bash", "--norc", "--noprofile", "-i"])
        told = self.directory / "told"
        setup = self.directory / "setup"
        setup.write_text(f"""
            . {self.script("bash")}
            told() {{ _msdk "$@"; local IFS=$'\\n'; printf '%s' "${{COMPREPLY[*]}}" > {told}.new; mv {told}.new {told}; }}
            complete -F told msdk
            bind 'set enable-bracketed-paste off' 'set completion-query-items -1' 'set page-completions off' 'set bell-style none'
        """)
        shell.press(f". {setup}; printf 'it is %s\\n' ready\r")
        shell.expect("it is ready")
        return shell

    def replies(self, shell: Shell, line: str) -> list[str]:
        told = self.directory / "told"
        told.unlink(missing_ok=True)
        shell.press(line + "\t")
        shell.wait(told.exists, f"a completion of {line}")
        # Nothing of the line is left.
        shell.press("\x01\x0b")
        return told.read_text().splitlines()

    def test_bash(self) -> None:
        shell = self.bash()
        for line, expected in (
            ("msdk plugin ", ["check", "new"]),
            ("msdk do", ["doctor"]),
            ("msdk help plu", ["plugin"]),
            ("msdk run --prod", ["--producer"]),
            ("msdk run --producer testp", ["testpattern"]),
            ("msdk run --producer testpattern:", ["lines", "bars", "counter"]),
            ("msdk run --producer testpattern:b", ["bars"]),
            ("msdk run --producer=testpattern:b", ["bars"]),
            ("msdk run --producer testpattern,", ["testpattern,pattern=", "testpattern,speed="]),
            ("msdk run --producer testpattern:bars,", ["bars,speed="]),
            ("msdk run --producer testpattern,speed=2,", ["2,pattern="]),
            ("msdk run --producer testpattern:bars,sp", ["bars,speed="]),
            ("msdk run --producer testpattern:bars,pattern=c", ["counter"]),
            ("msdk run --producer packets:c", ["clip.ivf", "copy.y4m"]),
            ("msdk run --producer file:my", ["my\\ film.ivf"]),
            ("msdk run --producer file:my\\ ", ["my\\ film.ivf"]),
            ("msdk run --renderer bw,mode=thr", ["threshold"]),
            ("msdk run --renderer bw,file:fo", ["folder/"]),
            ("msdk run --sound --producer wa", ["wav:"]),
            ("msdk run --params c", ["clip.ivf", "copy.y4m"]),
            ("msdk run --plugins ", ["folder"]),
            ("msdk run --network delay=5,", ["5,bandwidth=", "5,jitter=", "5,loss="]),
            ("msdk send 'rtp", ["rtp://", "rtp:"]),
            ("msdk send rtp://127.0.0.1:5004 --sdp-type ", ["offer", "answer", "announced"]),
            ("msdk receive rtp: --sound-renderer wav:c", ["clip.ivf", "copy.y4m"]),
            ("msdk inspect testp", ["testpattern"]),
            ("msdk inspect org.mediasdk.producer.te", ["org.mediasdk.producer.testpattern"]),
            ("msdk params testpattern --set ", ["pattern=", "speed="]),
            ("msdk params testpattern --set pattern=", ["lines", "bars", "counter"]),
            ("msdk plugin check --only ent", ["entry"]),
            ("msdk completions ", ["bash", "zsh", "fish"]),
            ("msdk run --seconds ", []),
        ):
            with self.subTest(line=line):
                self.assertEqual(sorted(self.replies(shell, line)), sorted(expected))
        for line, some, none in (
            ("msdk ", {"run", "send", "completions"}, {"complete"}),
            ("msdk run --producer ", {"testpattern", "file:", "x11"}, {"tone", "window"}),
            ("msdk run --sound --producer ", {"tone"}, {"testpattern"}),
            ("msdk send rtp: --sound ", {"tone"}, {"testpattern"}),
            ("msdk run --json --producer x11 --", {"--renderer", "--seconds", "--verbose"}, {"--json", "--producer"}),
        ):
            with self.subTest(line=line):
                found = set(self.replies(shell, line))
                self.assertEqual((some - found, none & found), (set(), set()))

    def test_what_bash_writes(self) -> None:
        shell = self.bash()
        for line, expected in TYPED:
            with self.subTest(line=line):
                shell.press(line)
                self.assertEqual(shell.words(), expected)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_what_zsh_writes(self) -> None:
        subprocess.run(["zsh", "-n", self.script("zsh")], check=True, timeout=PATIENCE)
        functions = self.directory / "functions"
        functions.mkdir()
        self.script("zsh").rename(functions / "_msdk")
        shell = self.start(["zsh", "-f", "-i"])
        shell.press(f"PROMPT= RPROMPT=; unsetopt PROMPT_SP; fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -d {self.directory}/dump; "
                    "bindkey -e; printf 'it is %s\\n' ready\r")
        shell.expect("it is ready")
        for line, expected in TYPED:
            with self.subTest(line=line):
                # What is typed while a completion is made would be a part of it.
                for index, part in enumerate(line.split("\t")):
                    before = len(shell.output)
                    shell.press("\t" + part if index else part)
                    if not index:
                        shell.wait(lambda: len(shell.output) > before, "the echo")
                self.assertEqual(shell.words(), expected)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self) -> None:
        subprocess.run(["fish", "-n", self.script("fish")], check=True, timeout=PATIENCE, env=self.env)
        for line, expected in (
            ("msdk do", ["doctor"]),
            ("msdk run --producer testpattern:", ["testpattern:lines", "testpattern:bars", "testpattern:counter"]),
            ("msdk run --producer testpattern:bars,sp", ["testpattern:bars,speed="]),
            ("msdk run --params c", ["clip.ivf", "copy.y4m"]),
            ("msdk run --plugins ", ["folder/"]),
            ("msdk run --producer file:my", ["file:my film.ivf"]),
        ):
            with self.subTest(line=line):
                command = f"source {self.script('fish')}; complete -C {subprocess.list2cmdline([line])}"
                done = subprocess.run(["fish", "--no-config", "-c", command], cwd=self.work, env=self.env, capture_output=True, text=True, check=True,
                                      timeout=PATIENCE)
                found = [one.split("\t")[0].replace("\\", "") for one in done.stdout.splitlines()]
                self.assertEqual(sorted(found), sorted(expected), done.stderr)

    def test_plugins_of_the_line(self) -> None:
        tool = self.directory / "elsewhere/msdk"
        tool.parent.mkdir()
        shutil.copy(TOOL, tool)

        def candidates(*words: str) -> Optional[list[str]]:
            result = self.msdk("complete", "--", "msdk", *words, plugins=False, tool=tool)
            self.assertEqual((result.code, result.errors), (0, ""))
            return [line.split("\t")[0] for line in result.output.splitlines()][1:]

        self.assertEqual(candidates("run", "--producer", "testp"), [])
        self.assertEqual(candidates("run", "--plugins", str(PLUGINS), "--producer", "testp"), ["testpattern"])
        self.assertEqual(candidates("run", f"--plugins={PLUGINS}", "--producer", "testp"), ["testpattern"])
        # Nonsense is completed to nothing, and complains of nothing.
        self.assertEqual(candidates("fly", "--to", "the", "moo"), [])

    def test_each_value_is_known(self) -> None:
        document = json.loads(subprocess.run([TOOL, "--experimental-dump-help"], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout)
        found: set[str] = set()

        def look(command: dict[str, Any]) -> None:
            if command.get("shouldDisplay", True):
                found.update(one["valueName"] for one in command.get("arguments", []) if one["kind"] != "flag")
                for one in command.get("subcommands", []):
                    look(one)

        look(document["command"])
        self.assertEqual(found - FREE, COMPLETED)

    def test_packaging(self) -> None:
        share = self.directory / "share"
        subprocess.run([ROOT / "packaging/completions.sh", TOOL, share], check=True, timeout=PATIENCE)
        files = {str(file.relative_to(share)): file.read_text() for file in share.rglob("*") if file.is_file()}
        self.assertEqual(sorted(files), ["bash-completion/completions/msdk", "fish/vendor_completions.d/msdk.fish", "zsh/site-functions/_msdk"])
        # By its first line zsh knows whose it is.
        self.assertTrue(files["zsh/site-functions/_msdk"].startswith("#compdef msdk\n"))
        self.assertIn("complete -F _msdk msdk", files["bash-completion/completions/msdk"])
        self.assertIn("complete -c msdk", files["fish/vendor_completions.d/msdk.fish"])


if __name__ == "__main__":
    unittest.main()
