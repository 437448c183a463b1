"""msdk top: the figures of running sessions; --pcap: what they send and receive."""
from __future__ import annotations

import json
import os
import signal
import stat
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from test_network import PATTERN, Network, free_port
from tool import PATIENCE, PLUGINS, TOOL, Result, ToolTest, environment


class Top(ToolTest):
    result, await_port = Network.result, Network.await_port

    def setUp(self) -> None:
        super().setUp()
        # A socket's path has 107 bytes.
        runtime = tempfile.TemporaryDirectory(prefix="msdk-", dir="/tmp")
        self.addCleanup(runtime.cleanup)
        self.runtime = Path(runtime.name)

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen([str(TOOL), *words, "--plugins", str(PLUGINS)], cwd=self.directory,
                                   env=environment(XDG_RUNTIME_DIR=str(self.runtime)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end() -> None:
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def top(self, *words: str) -> Result:
        return self.msdk("top", *words, plugins=False, env=environment(XDG_RUNTIME_DIR=str(self.runtime)))

    def call(self) -> "tuple[subprocess.Popen[str], subprocess.Popen[str]]":
        """Of pictures and sound, as long as it is not ended."""
        port = free_port()
        url = "?rtcp-mux=1&feedback=1"
        receiver = self.begin("receive", f"rtp://:{port}{url}")
        self.await_port(port)
        sender = self.begin("send", f"rtp://127.0.0.1:{port}{url}", *PATTERN, "--sound", "tone")
        deadline = time.monotonic() + PATIENCE
        while True:
            shown = self.top("--once", "--json", str(receiver.pid))
            if shown.output.count('"inbound-rtp"') == 2:
                return sender, receiver
            self.assertLess(time.monotonic(), deadline, shown.output + shown.errors)
            time.sleep(0.1)

    def test_as_json(self) -> None:
        sender, _ = self.call()
        shown = self.top("--once", "--json", str(sender.pid))
        self.assertEqual((shown.code, shown.errors), (0, ""))
        told = json.loads(shown.output)
        self.assertEqual((told["pid"], told["command"], len(told["sessions"])), (sender.pid, "send", 1))
        self.assertTrue(told["sessions"][0]["url"].startswith("rtp://127.0.0.1:"))
        kinds = [one["type"] for one in told["sessions"][0]["stats"]]
        self.assertEqual(kinds.count("outbound-rtp"), 2)
        self.assertIn("session", kinds)
        directory = self.runtime / "mediasdk"
        self.assertEqual(stat.S_IMODE(directory.stat().st_mode), 0o700)

    def test_as_a_table(self) -> None:
        sender, receiver = self.call()
        shown = self.top("--once")
        self.assertEqual((shown.code, shown.errors), (0, ""))
        lines = shown.output.splitlines()
        for process, command in ((sender, "send"), (receiver, "receive")):
            head = next(line for line in lines if line.startswith(f"{process.pid} {command} "))
            self.assertIn("connected", head)
        video = next(line for line in lines if line.startswith("out video "))
        self.assertRegex(video, r"^out video +\d+ +\d+ +\d+ ")
        heads = [line for line in lines[:lines.index(video)] if line.startswith("STREAM")][-1]
        self.assertEqual(len(heads), len(video))
        # 20 frames a second are sent; a second of a busy machine may be another one.
        frames = float(video[:heads.index("fps") + len("fps")].split()[-1])
        self.assertGreater(frames, 4)
        self.assertLessEqual(max(len(line) for line in lines), 80)
        self.assertTrue(any(line.startswith("in audio ") for line in lines))
        self.assertNotIn("\x1b", shown.output)

    def test_it_ends_with_what_it_shows(self) -> None:
        sender, receiver = self.call()
        top = self.begin_top(str(sender.pid))
        first = top.stdout.readline() if top.stdout else ""
        self.assertIn(f"{sender.pid} send", first)
        sender.terminate()
        self.assertEqual(self.result(sender).code, 0)
        output, errors = top.communicate(timeout=PATIENCE)
        self.assertEqual((top.returncode, errors), (0, ""))
        receiver.terminate()
        self.result(receiver)
        self.assertEqual(list((self.runtime / "mediasdk").iterdir()), [])
        gone = self.top(str(sender.pid))
        self.assertEqual((gone.code, gone.output), (1, ""))
        self.assertIn(f"process {sender.pid} shows no figures", gone.errors)

    def test_one_that_is_stopped_hides_no_others(self) -> None:
        sender, receiver = self.call()
        sender.send_signal(signal.SIGSTOP)
        try:
            shown = self.top("--once", "--json")
            self.assertEqual(shown.code, 0, shown.errors)
            self.assertIn(f"warning: process {sender.pid} does not answer", shown.errors)
            self.assertIn('"inbound-rtp"', shown.output)
            asked = self.top("--once", str(sender.pid))
            self.assertEqual(asked.code, 1)
            self.assertIn(f"process {sender.pid} does not answer", asked.errors)
        finally:
            sender.send_signal(signal.SIGCONT)
        for process in (sender, receiver):
            process.terminate()
            self.result(process)

    def begin_top(self, *words: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen([str(TOOL), "top", *words], env=environment(XDG_RUNTIME_DIR=str(self.runtime)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def test_nobody_and_strangers(self) -> None:
        nobody = self.top("--once")
        self.assertEqual((nobody.code, nobody.output), (1, ""))
        self.assertIn("no running msdk shows figures", nobody.errors)
        without = self.msdk("top", plugins=False, env={name: value for name, value in environment().items() if name != "XDG_RUNTIME_DIR"})
        self.assertEqual(without.code, 1)
        self.assertIn("XDG_RUNTIME_DIR", without.errors)
        self.assertEqual(self.top("0").code, 2)
        # A directory that others may enter is not used, and what is dead is cleared away.
        (self.runtime / "mediasdk").mkdir(mode=0o755)
        os.chmod(self.runtime / "mediasdk", 0o755)
        run = self.begin("run", "--producer", "testpattern", "--size", "160x120", "--frames", "5")
        self.assertEqual(self.result(run).code, 0)
        self.assertEqual(list((self.runtime / "mediasdk").iterdir()), [])

    def test_a_call_inside_the_process(self) -> None:
        run = self.begin("run", "--producer", "testpattern", "--size", "160x120", "--codec", "vp8")
        deadline = time.monotonic() + PATIENCE
        while (shown := self.top("--once", "--json", str(run.pid))).code != 0:
            self.assertLess(time.monotonic(), deadline, shown.errors)
            time.sleep(0.05)
        told = json.loads(shown.output)
        self.assertEqual([one["userId"] for one in told["sessions"]], ["sender", "receiver"])
        self.assertEqual([[one["type"] for one in session["streams"]] for session in told["sessions"]], [["outgoing-video"], ["incoming-video"]])
        self.assertIsNone(told["sessions"][0]["stats"][0]["availableOutgoingBitrate"], "nothing bounds it")
        table = self.top("--once", str(run.pid)).output.splitlines()
        heads = next(line for line in table if line.startswith("STREAM"))
        for name in ["out video", "in video"]:
            row = next(line for line in table if line.startswith(name))
            self.assertGreater(float(row[:heads.index("fps") + len("fps")].split()[-1]), 4, table)
        self.assertLessEqual(max(len(line) for line in table), 80)
        run.terminate()
        self.result(run)

    def test_a_call_of_sound(self) -> None:
        run = self.begin("run", "--sound", "--producer", "tone")
        deadline = time.monotonic() + PATIENCE
        while (shown := self.top("--once", str(run.pid))).code != 0:
            self.assertLess(time.monotonic(), deadline, shown.errors)
            time.sleep(0.05)
        self.assertTrue(any(line.startswith("out audio") for line in shown.output.splitlines()), shown.output)
        run.terminate()
        self.result(run)

    # -------------------------------------------------------------------------------------------------------------- captures

    def test_a_capture(self) -> None:
        port = free_port()
        receiver = self.begin("receive", f"rtp://:{port}?rtcp-mux=1", "--frames", "10", "--pcap", "came.pcap")
        self.await_port(port)
        self.succeed("send", f"rtp://127.0.0.1:{port}?rtcp-mux=1", *PATTERN, "--frames", "20", "--pcap", "sent.pcap")
        self.assertEqual(self.result(receiver).code, 0)
        for name in ("came.pcap", "sent.pcap"):
            data = (self.directory / name).read_bytes()
            self.assertEqual(struct.unpack("<IHHiIII", data[:24]), (0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
            place, media = 24, 0
            while place < len(data):
                size, whole = struct.unpack_from("<II", data, place + 8)
                packet = data[place + 16:place + 16 + size]
                self.assertEqual((size, packet[0], packet[9], len(packet)), (whole, 0x45, 17, size))
                self.assertEqual(struct.unpack_from(">H", packet, 2)[0], size)
                media += packet[22:24] == struct.pack(">H", port) and packet[29] & 0x7F == 96
                place += 16 + size
            self.assertGreaterEqual(media, 10)
        self.assert_refused(["send", "rtp://127.0.0.1:9", "--producer", "testpattern", "--pcap-plain"], 2, "--pcap")
        self.assert_refused(["send", "rtp://127.0.0.1:9", "--producer", "testpattern", "--pcap", "/nonexistent/x.pcap"], 1, "/nonexistent/x.pcap")


del Network  # its own tests are test_network.py's

if __name__ == "__main__":
    unittest.main()
