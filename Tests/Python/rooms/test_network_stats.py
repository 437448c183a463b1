"""What a session's network does to its streams: figures, and how good it is."""
from __future__ import annotations

import struct
import tempfile
import time
import unittest
from pathlib import Path

from call import free_ports, picture
from mediasdk import CaptureFlag, Direction, EventType, Quality, StateError, UnsupportedError
from rooms.test_rtp import DEADLINE, KEY, Wire


class NetworkStatsTest(unittest.TestCase):
    def test_both_ends_count_the_same(self) -> None:
        with Wire("&rtcp-mux=1&feedback=1&rtx=97") as wire:
            wire.connect()
            stream, incoming = wire.show(wire.alice, wire.bob, frames=20)
            received, sent = incoming.network_stats(), stream.network_stats()
            self.assertEqual(sent.ssrc, received.ssrc)
            self.assertGreaterEqual(received.frames_received, 20)
            self.assertLessEqual(received.frames_received, sent.frames_sent)
            self.assertEqual((received.frame_width, received.frame_height), (160, 120))
            self.assertGreater(sent.bytes_sent, 0)
            self.assertEqual(sent.target_bitrate, stream.stats().target_bitrate)
            self.assertIsInstance(sent.fraction_lost, float)
            wire.alice.stop_video(stream)
            with self.assertRaisesRegex(StateError, "not started"):
                stream.network_stats()
            with self.assertRaisesRegex(StateError, "mix"):
                wire.bob.mixed_audio.network_stats()

    def test_a_good_network(self) -> None:
        with Wire("&rtcp-mux=1") as wire:
            wire.connect()
            stream, _ = wire.show(wire.alice, wire.bob)
            deadline = time.monotonic() + DEADLINE
            while wire.bob.stats().incoming_quality != Quality.GOOD and time.monotonic() < deadline:
                stream.sender.send_array(picture(stream.sender.format), timeout=1)
                time.sleep(0.03)
            event = wire.event(wire.bob, EventType.NETWORK_QUALITY, Quality.GOOD)
            self.assertEqual(event.direction, Direction.INCOMING)
            self.assertEqual(event.bitrate, 0)
            self.assertEqual(wire.bob.stats().outgoing_quality, Quality.UNKNOWN)

    def test_a_capture(self) -> None:
        """What bob captures without protection is what alice sent before it."""
        with tempfile.TemporaryDirectory() as name, Wire() as wire:
            suite = "AEAD_AES_128_GCM"
            port = free_ports(4)
            path = Path(name) / "bob.pcap"
            bob = wire.engine.create_session(f"rtp://127.0.0.1:{port}?local=127.0.0.1:{port + 2}&srtp={suite}", "bob",
                                             capture_path=str(path), capture_flags=CaptureFlag.PLAIN)
            alice = wire.engine.create_session(f"rtp://127.0.0.1:{port + 2}?local=127.0.0.1:{port}&srtp={suite}", "alice")
            alice.set_srtp_keys(KEY[:28], KEY[1:29])
            bob.set_srtp_keys(KEY[1:29], KEY[:28])
            wire.connect(bob, alice)
            _, incoming = wire.show(alice, bob)
            count = incoming.network_stats().packets_received
            bob.disconnect()
            data = path.read_bytes()
            self.assertEqual(struct.unpack("<IHHiIII", data[:24]), (0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
            place, came = 24, 0
            while place < len(data):
                size = struct.unpack_from("<I", data, place + 8)[0]
                packet = data[place + 16:place + 16 + size]
                self.assertEqual((packet[0], packet[9]), (0x45, 17))
                if packet[22:24] == struct.pack(">H", port + 2) and packet[29] & 0x7F == 96:
                    came += 1
                place += 16 + size
            self.assertGreaterEqual(came, count)
            with self.assertRaisesRegex(UnsupportedError, "capture_path"):
                wire.engine.create_session("loopback:captured", "alice", capture_path=str(path))


if __name__ == "__main__":
    unittest.main()
