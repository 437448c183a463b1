"""Sessions over webrtc: that reach the other end through coturn and by no other path: over UDP, TCP and TLS."""
from __future__ import annotations

import hashlib
import ssl
import subprocess
import time
import unittest

import mediasdk
from peers import InteropTest, free_ports, need
from rtc.call import WebRTCCall

USER, PASSWORD = "someone", "a password"


class Relay(WebRTCCall, InteropTest):
    def setUp(self) -> None:
        need("turnserver", "openssl")
        InteropTest.setUp(self)
        self.port, self.secure_port = free_ports(2)
        certificate, key = self.directory / "certificate.pem", self.directory / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                        "-subj", "/CN=relay", "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, timeout=30)
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest()
        self.server = self.start(
            "turnserver", "-n", "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1", f"--listening-port={self.port}",
            f"--tls-listening-port={self.secure_port}", f"--cert={certificate}", f"--pkey={key}", "--lt-cred-mech", "--realm=test",
            f"--user={USER}:{PASSWORD}", "--allow-loopback-peers", "--no-cli", "--no-software-attribute", "--log-file=stdout", "--verbose",
            f"--pidfile={self.directory / 'pid'}", f"--db={self.directory / 'database'}")
        self.await_port(self.port, self.secure_port, by=self.server)

    async def relayed(self, uri: str, options: str = "") -> None:
        self.meet(f"relay=1&trickle=0{options}", [(uri, USER, PASSWORD)])
        self.ours.handle(self.offer_complete)
        await self.await_media()
        lines = [line for line in self.described[0].splitlines() if line.startswith("a=candidate:")]
        self.assertTrue(lines)
        for line in lines:
            self.assertIn(" typ relay ", line)

    async def test_over_udp(self) -> None:
        await self.relayed(f"turn:127.0.0.1:{self.port}")

    async def test_over_tcp(self) -> None:
        await self.relayed(f"turn:127.0.0.1:{self.port}?transport=tcp")

    async def test_over_tls(self) -> None:
        await self.relayed(f"turns:127.0.0.1:{self.secure_port}", f"&relay-fingerprint={self.fingerprint}")

    async def test_a_wrong_password(self) -> None:
        """Nothing is relayed, and the program is told."""
        failures: list[mediasdk.ICEServerFailed] = []

        async def follow(event: mediasdk.Event) -> None:
            if isinstance(event, mediasdk.ICEServerFailed):
                failures.append(event)
            await self.offer_complete(event)

        self.meet("relay=1&trickle=0", [(f"turn:127.0.0.1:{self.port}", USER, "another")])
        self.ours.handle(follow)
        await self.until("the relay refused", lambda: bool(failures))
        self.assertEqual((failures[0].server, failures[0].code), (f"127.0.0.1:{self.port}", 401), failures[0].text)
        await self.until("ours is described", lambda: bool(self.described))
        self.assertNotIn("a=candidate:", self.described[0])


if __name__ == "__main__":
    unittest.main()
