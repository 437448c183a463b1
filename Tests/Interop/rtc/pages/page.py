"""The page of a room in a headless Chromium with a camera and a microphone that it makes: it is looked at and clicked over the DevTools
protocol, by a pipe."""
from __future__ import annotations

import base64
import itertools
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Sequence

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
           "--disable-features=WebRtcHideLocalIpsWithMdns", "--no-first-run", "--disable-dev-shm-usage", "--ignore-certificate-errors",
           "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--auto-select-desktop-capture-source=Entire screen",
           "--remote-debugging-pipe"]
PATIENCE = 60.0  # seconds for an answer of a browser that begins on a busy machine


class RoomPage:
    """`url`: of the page, with #name=... if the person has one. `prefix`: of the browser's command."""

    def __init__(self, url: str, prefix: Sequence[str] = ()) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="msdk-page-", ignore_cleanup_errors=True)
        # The browser reads commands of its descriptor 3, and writes to its 4.
        command, self._commands = os.pipe()
        self._answers, answer = os.pipe()
        words = [*prefix, "chromium", *OPTIONS, f"--user-data-dir={self._directory.name}", "about:blank"]
        # Descriptors are moved by a shell, as a fork of this process, which has threads, had better run no Python.
        line = f'exec "$@" 3<&{command} 4>&{answer}'
        with open(Path(self._directory.name) / "log", "wb") as log:
            self._process = subprocess.Popen(["bash", "-c", line, "bash", *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             pass_fds=(command, answer))
        os.close(command)
        os.close(answer)
        self.errors: list[str] = []
        self._is_closed = False
        self._numbers = itertools.count(1)
        self._known: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        target = self._ask("Target.createTarget", {"url": url})["targetId"]
        self._session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self._ask("Runtime.enable", session=self._session)
        deadline = time.monotonic() + PATIENCE
        while not self._is_loaded():
            if time.monotonic() > deadline:
                raise TimeoutError(f"no page at {url} within {PATIENCE:g} s")
            time.sleep(0.05)

    def _read(self) -> None:
        rest = b""
        while True:
            piece = os.read(self._answers, 65_536)
            if not piece:
                break
            *whole, rest = (rest + piece).split(b"\0")
            for text in whole:
                message = json.loads(text)
                if message.get("method") == "Runtime.exceptionThrown":
                    self.errors.append(json.dumps(message["params"]["exceptionDetails"])[:1000])
                with self._changed:
                    if "id" in message:
                        self._known[message["id"]] = message
                    self._changed.notify_all()

    def _ask(self, method: str, parameters: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters or {}, **({"sessionId": session} if session else {})}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._known, PATIENCE):
                raise TimeoutError(f"no answer to {method} within {PATIENCE:g} s")
            answer = self._known.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """What a piece of JavaScript is on the page, a promise's value too."""
        result = self._ask("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True},
                           self._session)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:1000])
        return result["result"].get("value")

    def _is_loaded(self) -> bool:
        try:
            return bool(self.evaluate("document.readyState === 'complete' && document.getElementById('join') !== null"))
        except RuntimeError:
            return False  # between two documents there is nothing that could be asked

    def click(self, identifier: str) -> None:
        self.evaluate(f"document.getElementById({json.dumps(identifier)}).click()")

    @property
    def people(self) -> dict[str, dict[str, Any]]:
        """By user id what is seen and heard of each: the tile's words, frames that were decoded, samples of audio that came with energy."""
        return self.evaluate("""(async () => {
          const seen = {};
          for (const person of typeof people === "undefined" ? [] : people.values()) {
            const one = seen[person.user] = {words: [...person.tiles.values()].map(tile => tile.element.textContent), frames: 0, energy: 0,
                                             width: person.tiles.get("self").video.videoWidth};
            if (!person.receiving) continue;
            for (const entry of (await person.receiving.peer.getStats()).values()) {
              if (entry.type !== "inbound-rtp") continue;
              if (entry.kind === "video") one.frames += entry.framesDecoded || 0;
              else one.energy += entry.totalAudioEnergy || 0;
            }
          }
          return seen;
        })()""") or {}

    @property
    def sent(self) -> int:
        """Frames of the camera that were sent."""
        return self.evaluate("""(async () => {
          const session = (sending.get("camera") || {}).session;
          const all = session ? [...(await session.peer.getStats()).values()] : [];
          return all.reduce((sum, one) => sum + (one.type === "outbound-rtp" && one.kind === "video" ? one.framesSent || 0 : 0), 0);
        })()""")

    @property
    def protocols(self) -> set[str]:
        """By which media comes of each who is received, and goes: udp, tcp."""
        return set(self.evaluate("""(async () => {
          const all = [...people.values()].map(person => person.receiving).concat([...sending.values()].map(one => one.session)).filter(one => one);
          const found = new Set();
          for (const one of all) {
            const entries = [...(await one.peer.getStats()).values()];
            const pair = entries.find(entry => entry.type === "candidate-pair" && entry.nominated);
            if (pair) found.add(entries.find(entry => entry.id === pair.localCandidateId).protocol);
          }
          return [...found];
        })()"""))

    def look(self, user: str) -> dict[str, Any]:
        """At what is shown of somebody: its brightness, how it varies, how much green there is beyond the other colours; the tone that is heard, in Hz."""
        return self.evaluate(f"""(async () => {{
          const video = people.get({json.dumps(user)}).tiles.get("self").video;
          const canvas = Object.assign(document.createElement("canvas"), {{width: 160, height: 120}});
          const context = canvas.getContext("2d");
          context.drawImage(video, 0, 0, 160, 120);
          const pixels = context.getImageData(0, 0, 160, 120).data;
          let [sum, squares, green] = [0, 0, 0];
          for (let at = 0; at < pixels.length; at += 4) {{
            const [r, g, b] = pixels.subarray(at, at + 3);
            const bright = (r + 2 * g + b) / 4;
            sum += bright;
            squares += bright * bright;
            green += g - (r + b) / 2;
          }}
          const count = pixels.length / 4;
          const result = {{mean: sum / count, deviation: Math.sqrt(squares / count - (sum / count) ** 2), green: green / count, tone: 0}};
          if (video.muted || !video.srcObject || !video.srcObject.getAudioTracks().length) return result;
          const sound = new AudioContext({{sampleRate: 48000}});
          const analyser = new AnalyserNode(sound, {{fftSize: 16384}});
          sound.createMediaStreamSource(video.srcObject).connect(analyser);
          await new Promise(done => setTimeout(done, 700));
          const levels = new Float32Array(analyser.frequencyBinCount);
          analyser.getFloatFrequencyData(levels);
          const loudest = Math.max(...levels);
          if (loudest > -60) result.tone = levels.indexOf(loudest) * 48000 / 16384;
          await sound.close();
          return result;
        }})()""")

    def screenshot(self, path: Path, width: int, height: int) -> None:
        """Of a window of that size."""
        self._ask("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}, self._session)
        # Two frames, so that what the new size made of the page has been painted.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", {"format": "png"}, self._session)["data"]))

    @property
    def note(self) -> str:
        return self.evaluate("document.getElementById('note').textContent")

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(10)
        os.close(self._commands)
        os.close(self._answers)
        self._directory.cleanup()
