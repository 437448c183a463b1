"""Sessions over webrtc: with libwebrtc over a bad link: losses, a rate that falls, an outage, another address.

aiortc is no measure for it: it restarts no ICE, does not report when packets arrive, decodes pictures whose references it does not have, and plays no
packet of audio that comes after the next one. Over such links ours sees and hears what aiortc sends as it does here.
"""
from __future__ import annotations

import time
import unittest

from served.record import Record, Span
from rtc.call import MISSING
from rtc.impaired import NUMBERS, OTHER, ImpairedCall

if not MISSING:
    from rtc.end import ENGINE

SECONDS = 15.0  # of a call with losses
LOSSES = [2, 5, 10]  # per cent, each way
SETTLED = 6.0  # seconds after which a fallen rate is known
NEW_ADDRESS = "10.79.0.3"


class ImpairedTest(unittest.TestCase):
    def setUp(self) -> None:
        if MISSING:
            self.skipTest(MISSING)
        if ENGINE != "libwebrtc":
            self.skipTest(f"{ENGINE} cannot deal with such links; make interop runs these with libwebrtc")

    def print(self, record: Record, span: Span, name: str) -> None:
        for who, other in OTHER.items():
            real, made_up, tone = record.sound(who, other, span)
            print(f"{name}: {who} sees {record.rate(who, NUMBERS[other], span):.1f}/s, freeze {record.longest_freeze(who, NUMBERS[other], span):.2f} s, "
                  f"{record.lateness(who, NUMBERS[other], span):.0f} ms late; hears {real:.0%}, made up {made_up:.0%}, tone {tone:.0%}")

    def check_each_picture(self, record: Record) -> None:
        """It can be read, is of the other end, and newer than the one before."""
        self.assertEqual(record.of("failed"), [])
        for who, other in OTHER.items():
            last = -1
            for shown in record.of("shown", by=who):
                self.assertEqual(shown["stream"], NUMBERS[other], shown)
                self.assertGreater(shown["number"], last, shown)
                last = shown["number"]

    def share(self, record: Record, who: str, span: Span) -> float:
        """Of the pictures that were made, those that were shown."""
        stream = NUMBERS[OTHER[who]]
        made = {one["number"] for one in record.of("made", span, stream=stream)}
        return len(made & {one["number"] for one in record.shown(who, stream)}) / max(1, len(made))

    def test_losses(self) -> None:
        """At a round trip of 100 ms: hardly a picture and nothing of the tone is missing. The calls are at the same time."""
        calls = {loss: ImpairedCall(self, f"delay=50 loss={loss}", offers=offers) for loss, offers in zip(LOSSES, ["ours", "theirs", "ours"])}
        begins = {loss: call.until_media() for loss, call in calls.items()}
        time.sleep(SECONDS + 1)
        for loss, call in calls.items():
            with self.subTest(loss=loss):
                record, span = call.end(), Span(begins[loss], begins[loss] + SECONDS)
                print(f"\n{loss} %: {call.link.end()}; ours sees {self.share(record, 'ours', span):.1%}, theirs {self.share(record, 'theirs', span):.1%}")
                self.print(record, span, f"{loss} %")
                self.check_each_picture(record)
                self.assertEqual([one["state"] for one in record.of("state", by="ours")][:2], ["CONNECTING", "CONNECTED"])
                self.assertEqual(record.of("state", Span(begins[loss], begins[loss] + SECONDS), by="ours"), [])
                for who, other in OTHER.items():
                    # Seen: 97 % at least, and no freeze above 0.6 s.
                    self.assertGreater(self.share(record, who, span), 0.9, who)
                    self.assertLess(record.longest_freeze(who, NUMBERS[other], span), 2, who)
                    real, made_up, tone = record.sound(who, other, span)
                    self.assertGreater(real * tone, 0.9, f"{who}, {made_up} made up")
                    self.assertLess(record.lateness(who, NUMBERS[other], span), 1000, who)

    def test_a_rate_that_falls(self) -> None:
        call = ImpairedCall(self, "delay=20 jitter=3 rate=4000 queue=60", size="640x360")
        call.until_media()
        time.sleep(8)
        times = [call.link.set("rate=4000") - 4, call.link.set("rate=300")]
        time.sleep(15)
        times.append(call.link.set("rate=4000"))
        time.sleep(15)
        times.append(time.monotonic())
        record = call.end()
        good, bad, after = (Span(*span) for span in zip(times, times[1:]))
        print(f"\n{call.link.end()}")
        for name, span in (("good", good), ("bad", bad), ("late in it", bad.from_(SETTLED)), ("after", after.from_(8))):
            self.print(record, span, name)
        low, high = record.estimates("ours", bad.from_(SETTLED)), record.estimates("ours", after.from_(8))
        print(f"estimates in the end of the fall {min(v for _, v in low)}..{max(v for _, v in low)} kbit/s, after it {high}")
        self.check_each_picture(record)
        # The link carries 300 with the headers. Seen: 200..330.
        self.assertLess(max(value for _, value in low), 420)
        self.assertGreater(min(value for _, value in low), 60)
        # All that ours would send has room again, and probes go no further than a quarter above it. Seen: 824.
        self.assertTrue(660 < record.estimates("ours", Span(after.begin, after.end))[-1][1] < 1000)
        self.assertEqual(record.of("state", Span(good.begin, after.end - 1), by="ours"), [])
        # What ours sends does not stand in the link's queue, which holds two seconds of that rate: sound passes, and pictures come soon.
        for span in (good, bad.from_(SETTLED), after.from_(8)):
            real, made_up, tone = record.sound("theirs", "ours", span)
            self.assertGreater(real * tone, 0.85, f"{span}, {made_up} made up")
            self.assertGreater(record.rate("theirs", NUMBERS["ours"], span), 8)
            self.assertLess(record.longest_freeze("theirs", NUMBERS["ours"], span), 2.5)
        self.assertLess(record.lateness("theirs", NUMBERS["ours"], bad.from_(SETTLED)), 900)
        self.assertGreater(record.rate("ours", NUMBERS["theirs"], after.from_(8)), 15)

    def test_an_outage(self) -> None:
        """Ten seconds in which nothing passes: said before they are over, and everything comes back without anybody's doing."""
        call = ImpairedCall(self, "delay=20", offers="theirs")
        call.until_media()
        begin = call.link.set("loss=100")
        time.sleep(10)
        end = call.link.set("loss=0")
        back = call.until_media(end + 0.1)
        time.sleep(3)
        record = call.end()
        states = [(round(one["at"] - begin, 1), one["state"]) for one in record.of("state", by="ours") if one["at"] > begin]
        pictures, sounds = ({who: record.first(Span(end, back + 3), lambda one: one["what"] == what and one["by"] == who) for who in OTHER}
                            for what in ("shown", "heard"))
        print(f"\n{states} s after the beginning, pictures and sound for a second again {back - end:.1f} s after the end")
        self.print(record, Span(back, back + 3), "after")
        self.check_each_picture(record)
        self.assertEqual([state for _, state in states], ["RECONNECTING", "CONNECTED"], states)
        # 5 to 7.5 s after the last packet; its end by the answer to a request, which there is each second.
        self.assertTrue(4 < states[0][0] < 9.5, states)
        self.assertTrue(10 <= states[1][0] < 13, states)
        self.assertLess(max(pictures.values()), 4, pictures)
        self.assertLess(max(sounds.values()), 4, sounds)
        for who, other in OTHER.items():
            self.assertGreater(record.rate(who, NUMBERS[other], Span(back, back + 3)), 15, who)

    def test_another_address(self) -> None:
        """The machine of ours gets another address, before it loses the first one or some seconds later. Both by a restart of ICE in the same call."""
        calls = {"before": ImpairedCall(self, "delay=20", restarts=True), "later": ImpairedCall(self, "delay=20", offers="theirs", restarts=True)}
        for call in calls.values():
            call.until_media()
        calls["before"].link.add_near_address(NEW_ADDRESS)
        gone = calls["later"].link.remove_near_address()
        time.sleep(5)
        lost = calls["before"].link.remove_near_address()
        calls["later"].link.add_near_address(NEW_ADDRESS)
        # Of both, before one of them is ended, which takes time.
        backs = {name: call.until_media(lost + 0.5) for name, call in calls.items()}
        for name, call in calls.items():
            with self.subTest(name):
                begin, back = {"before": lost, "later": gone}[name], backs[name]
                self.assertLess(back - lost, 8)
                time.sleep(1)
                restarts, offers = call.of("restart"), [one for one in call.of("description", begin, by="ours")]
                record = call.end()
                states = [one["state"] for one in record.of("state", by="ours") if one["at"] > begin]
                print(f"\n{name}: pictures and sound for a second again {back - lost:.1f} s after the change, {len(restarts)} restarts")
                self.check_each_picture(record)
                self.assertEqual(states, ["RECONNECTING", "CONNECTED"])
                # Not while there is none but loopback.
                self.assertTrue(restarts and all(one["at"] >= lost for one in restarts), restarts)
                self.assertTrue(offers and any(NEW_ADDRESS in one["sdp"] for one in offers), offers)


if __name__ == "__main__":
    unittest.main()
