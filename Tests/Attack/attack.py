"""Attacks a host beside an honest call, one attack after the other, and prints what the honest participants lost and what the host spent.

    attack.py [--seconds N] [--quiet N] [NAME...]

Each attack has a host, honest participants and an attacker of its own, the attacker with lower priority. The same call without an attack
comes first: what is lost then, the network path itself loses. Ends with 1 when a goal or a bound is missed.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import math
import secrets
import socket
import sys
import time
from typing import Any, Optional

from attacks import ATTACKS, JOIN, Attack
from child import Child
from gauge import Gauge, look
from host import HONEST
from result import HEADS, Call, Result, row

ROOM = "attacked"
DRAIN, REST = 1.0, 2.2  # seconds after the quiet call, and after the attack
FAR = 150  # milliseconds of round trip for every second one who joins


def free_ports() -> tuple[int, int]:
    """Two of UDP, each with the next one, below those that the kernel gives to whoever asks for any port."""
    for _ in range(100):
        port = 10_240 + 4 * secrets.randbelow(5120)
        with contextlib.ExitStack() as held:
            try:
                for number in range(4):
                    held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)).bind(("127.0.0.1", port + number))
                return port, port + 2
            except OSError:
                continue
    raise RuntimeError("no free ports")


def start(attack: Attack, stack: contextlib.ExitStack) -> tuple[Child, list[Child], Optional[Child], dict[str, Any]]:
    """Host, honest parties, probe, and what the attacker is aimed at."""
    if attack.wire:
        here, there = free_ports()
        url = "rtp://127.0.0.1:{}?local=127.0.0.1:{}&rtcp-mux=1&feedback=1"
        host = stack.enter_context(Child("host.py", json.dumps({"rtp": url.format(there, here)})))
        host.heard(20)
        honest = stack.enter_context(Child("honest.py", json.dumps({"rtp": url.format(here, there)})))
        children, probe, target = [honest, host], None, {"host": "127.0.0.1", "port": here}
    else:
        host = stack.enter_context(Child("host.py", json.dumps({"room": ROOM, "tls": True} | attack.host)))
        said = host.heard(20)
        port, url = said["port"], said["url"]
        target = {"host": "127.0.0.1", "port": port, "media_port": said["media_port"], "tls": bool(said["fingerprint"]), "room": ROOM, "token": HONEST}
        relay = stack.enter_context(Child("relay.py", str(port), str(FAR)))
        far = relay.heard(20)["port"]
        call = {"room": url, "far": url.replace(f":{port}#", f":{far}#"), "token": HONEST}
        honest = stack.enter_context(Child("honest.py", json.dumps(call | (web_call(said, far) if attack.is_web else {}))))
        probe = stack.enter_context(Child("probe.py", json.dumps(target)))
        children = [honest]
    for child in (honest, probe):
        if child and not (said := child.heard(40))["ready"]:
            raise RuntimeError(f"{child.program} has no call: {said}")
    return host, children, probe, target


def web_call(said: dict[str, Any], far: int) -> dict[str, Any]:
    """Where the honest participants by WHIP and WHEP go, every second guest by the long path."""
    scheme, end = ("https", f"#fingerprint={said['fingerprint']}") if said["fingerprint"] else ("http", "")
    place = f"127.0.0.1:{said['port']}"
    guests = [f"whep+{scheme}://{at}/whep/{ROOM}/camera{end}" for at in (place, f"127.0.0.1:{far}")]
    return {"whip": f"whip+{scheme}://{place}/whip/{ROOM}?user=camera{end}", "whep": guests[0], "guests": guests}


def figures(children: list[Child], probe: Optional[Child], begin: float, end: float) -> Call:
    call, came, delays = Call(), 0, []
    for child in children:
        found = child.asked(begin, end)
        for party in found["parties"]:
            call.sent, came = call.sent + party["sent"], came + party["came"]
            delays.append(party["delay"])
            call.words += filter(None, [party["failure"]])
        if "joins" in found:
            call.joins, took = found["joins"], found["took"]
            call.joined = sum(seconds <= JOIN for seconds in took)
            call.slowest = max(took, default=None) if len(took) == call.joins else math.inf
            call.words += filter(None, [found["refusal"]])
    if probe:
        found = probe.asked(begin, end)
        call.sent, came = call.sent + found["sent"], came + found["came"]
        call.round_trip = found["worst"]
    elif None not in delays:
        # There and back, the jitter buffers of both ends included.
        call.round_trip = sum(delays)
    call.lost = call.sent - came
    return call


def run(attack: Attack, seconds: float, quiet_seconds: float) -> Result:
    with contextlib.ExitStack() as stack:
        host, children, probe, target = start(attack, stack)
        idle = [look(host.process.pid)]
        time.sleep(quiet_seconds)
        idle.append(look(host.process.pid))
        time.sleep(DRAIN)
        quiet = figures(children, probe, idle[0].time, idle[1].time)

        gauge = Gauge(host.process.pid)
        attacker = stack.enter_context(Child("attacker.py", attack.function, json.dumps(target), str(seconds)))
        gauge.start()
        did = attacker.heard(seconds + 30)
        looks = gauge.end()
        # Joins that began last may take as long as they are given.
        time.sleep(REST)
        if (code := host.process.poll()) is not None:
            raise RuntimeError(f"the host ended with {code}")
        call = figures(children, probe, looks[0].time, looks[-1].time)
        result = Result(attack, quiet, call, idle, looks, look(host.process.pid), did)
        result.judge()
        return result


def table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(HEADS))]
    for cells in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--quiet", type=float, default=3)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    known = [attack.name for attack in ATTACKS]
    for name in options.names:
        if name not in known:
            parser.error(f"there is no attack {name!r}; there are {', '.join(known)}")
    if not 1 <= options.seconds <= 300 or not 1 <= options.quiet <= 60:
        parser.error("accepted: 1 to 300 seconds, and 1 to 60 quiet ones")
    results: list[Result] = []
    broken = 0
    for attack in ATTACKS:
        if options.names and attack.name not in options.names:
            continue
        print(f"-- {attack.name} (point {attack.point}): {attack.title}", flush=True)
        try:
            result = run(attack, options.seconds, options.quiet)
        except (RuntimeError, OSError) as error:
            broken += 1
            print(f"   could not be run: {error}", flush=True)
            continue
        results.append(result)
        print(f"   {result.did['did']}" + "".join(f"\n   missed: {words}" for words in result.missed), flush=True)
    print(f"\nIn square brackets: the {options.quiet:.0f} s before the attack; in round ones: the bound. Memory: before, at most, after. "
          f"Joins: within {JOIN:.0f} s, of all.")
    table([HEADS] + [row(result) for result in results])
    missed = sum(bool(result.missed) for result in results)
    print(f"\n{len(results) - missed} of {len(results) + broken} attacks harmed nobody")
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
