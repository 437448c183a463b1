"""The media server Janus in a network namespace of its own, since it takes no notice of loopback interfaces, and its API over HTTP."""
from __future__ import annotations

import hashlib
import json
import os
import secrets
import ssl
import subprocess
import time
import unittest
import urllib.request
from pathlib import Path
from typing import Any, Optional

from peers import InteropTest, need

OTHERS = ["audiobridge", "duktape", "lua", "nosip", "recordplay", "sip", "textroom", "videocall", "voicemail"]
TRANSPORTS = ["mqtt", "nanomsg", "pfunix", "rabbitmq"]


def run(*words: str) -> None:
    subprocess.run(words, check=True, timeout=30, capture_output=True)


class Janus:
    """`near` is this side's address, `far` its own. Its API is there over HTTP (8088), HTTPS (8089) and WebSocket over TLS (8989)."""

    def __init__(self, test: InteropTest) -> None:
        need("janus", "ip")
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can make the network namespace that Janus runs in")
        number = os.getpid()
        self.namespace, inside, outside = f"msdk-{number}", f"mj{number}", f"mh{number}"
        self.near, self.far = f"10.77.{number % 250 + 1}.2", f"10.77.{number % 250 + 1}.1"
        try:
            run("ip", "netns", "add", self.namespace)
        except subprocess.CalledProcessError as error:
            raise unittest.SkipTest(f"no network namespace can be made here: {error.stderr.decode().strip()}") from error
        # The pair goes with it.
        test.addCleanup(subprocess.run, ["ip", "netns", "del", self.namespace], check=False, timeout=30)
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside)
        test.addCleanup(subprocess.run, ["ip", "link", "del", outside], check=False, timeout=30, capture_output=True)
        run("ip", "link", "set", inside, "netns", self.namespace)
        run("ip", "addr", "add", f"{self.near}/24", "dev", outside)
        run("ip", "link", "set", outside, "up")
        run("ip", "-n", self.namespace, "addr", "add", f"{self.far}/24", "dev", inside)
        for link in ["lo", inside]:
            run("ip", "-n", self.namespace, "link", "set", link, "up")
        self._outside = outside
        self._configure(test.directory / "janus", inside)
        self.process = test.start("janus", f"--configs-folder={test.directory / 'janus'}", namespace=self.namespace)
        self._await()

    def move(self) -> None:
        """This side's address gives place to another one."""
        former, self.near = self.near, self.near[:-1] + "3"
        # Of a subnet of its own, or it would go with the former; and Janus is never looked for elsewhere.
        run("ip", "addr", "add", f"{self.near}/32", "dev", self._outside)
        run("ip", "route", "add", f"{self.far}/32", "dev", self._outside, "src", self.near)
        run("ip", "addr", "del", f"{former}/24", "dev", self._outside)

    def _configure(self, directory: Path, interface: str) -> None:
        directory.mkdir()
        disabled = ",".join(f"libjanus_{name}.so" for name in OTHERS)
        silent = ",".join(f"libjanus_{name}.so" for name in TRANSPORTS)
        key, certificate = directory / "key.pem", directory / "certificate.pem"
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(key), "-out", str(certificate),
            "-days", "2", "-subj", "/CN=janus")
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest()
        pair = f'certificates: {{ cert_pem = "{certificate}" \n cert_key = "{key}" }}\n'
        (directory / "janus.jcfg").write_text(
            f'general: {{ debug_level = 4 \n admin_secret = "{secrets.token_hex(8)}" }}\n'
            f'nat: {{ ice_enforce_list = "{interface}" \n full_trickle = false }}\nmedia: {{ ipv6 = false }}\n'
            f'plugins: {{ disable = "{disabled}" }}\ntransports: {{ disable = "{silent}" }}\n')
        (directory / "janus.transport.http.jcfg").write_text(f'general: {{ json = "plain" \n http = true \n port = 8088 \n ip = "{self.far}" \n'
            f'https = true \n secure_port = 8089 \n secure_ip = "{self.far}" }}\n{pair}')
        (directory / "janus.transport.websockets.jcfg").write_text(
            f'general: {{ json = "plain" \n ws = false \n wss = true \n wss_port = 8989 \n wss_ip = "{self.far}" }}\n{pair}')
        for plugin in ["echotest", "streaming", "videoroom"]:
            (directory / f"janus.plugin.{plugin}.jcfg").write_text("general: { }\n")

    def _await(self) -> None:
        deadline = time.monotonic() + 60
        while True:
            try:
                return void(self.ask("/info", None))
            except OSError as error:
                assert self.process.process.poll() is None and time.monotonic() < deadline, f"{error}\n{self.process.said}"
                time.sleep(0.1)

    def ask(self, path: str, body: Optional[dict[str, Any]], patience: float = 40) -> dict[str, Any]:
        data = None if body is None else json.dumps({"transaction": secrets.token_hex(6)} | body).encode()
        request = urllib.request.Request(f"http://{self.far}:8088/janus{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=patience) as answer:
            result = json.loads(answer.read())
        assert isinstance(result, dict) and result.get("janus") != "error", result
        return result

    def attach(self, plugin: str) -> "Handle":
        return Handle(self, plugin)


def void(_: object) -> None:
    """For what is asked for its failure alone."""


class Handle:
    """A session with one plugin."""

    def __init__(self, janus: Janus, plugin: str) -> None:
        self._janus = janus
        session = janus.ask("", {"janus": "create"})["data"]["id"]
        handle = janus.ask(f"/{session}", {"janus": "attach", "plugin": f"janus.plugin.{plugin}"})["data"]["id"]
        self._session, self._path = f"/{session}", f"/{session}/{handle}"
        self._plugin = plugin

    def request(self, **body: Any) -> dict[str, Any]:
        """One that is answered at once."""
        answer = self._janus.ask(self._path, {"janus": "message", "body": body})
        data = answer.get("plugindata", {}).get("data", {})
        assert "error" not in data, data
        return data

    def keep_alive(self) -> None:
        """At least once a minute."""
        self._janus.ask(self._session, {"janus": "keepalive"})

    def command(self, jsep: Optional[dict[str, str]] = None, **body: Any) -> tuple[dict[str, Any], Optional[dict[str, str]]]:
        """One that is answered by an event, which may bring a description."""
        message: dict[str, Any] = {"janus": "message", "body": body, "transaction": secrets.token_hex(6)}
        if jsep:
            message["jsep"] = jsep
        self._janus.ask(self._path, message)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            event = self._janus.ask(f"{self._session}?maxev=1", None)
            # Others are of what happens in the room.
            if event.get("janus") == "event" and event.get("transaction") == message["transaction"]:
                data = event["plugindata"]["data"]
                assert "error" not in data, data
                return data, event.get("jsep")
        raise AssertionError(f"no answer to {body}")
