"""An end of WebRTC by GStreamer's webrtcbin, in a process of its own: sends numbered pictures and a tone, keeps what comes."""
from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable

import numpy as np

import material

PROGRAM = Path(__file__).parent / "pipeline.py"
PYTHON = "/usr/bin/python3"  # which has the bindings of GStreamer
IMPORTS = "import gi; gi.require_version('GstWebRTC', '1.0'); from gi.repository import Gst; Gst.init(None); assert Gst.ElementFactory.find('nicesrc')"


def is_there() -> bool:
    return subprocess.run([PYTHON, "-c", IMPORTS], capture_output=True, timeout=60, check=False).returncode == 0


class WebRTCBin:
    """With `is_trickling`, candidates are not in the description: each comes in `candidates`, and "" after the last one."""
    LOUDEST = 1  # a sample

    def __init__(self, picture: Callable[[int], np.ndarray]) -> None:
        self.state, self.name = "new", "webrtcbin"
        self.pictures: list[np.ndarray] = []
        self.samples: list[np.ndarray] = []
        self.channels: dict[str, str] = {}
        self.messages: list[tuple[str, str | bytes]] = []
        self.is_trickling = False
        self.candidates: asyncio.Queue[str] = asyncio.Queue()
        self._picture = picture
        self._descriptions: asyncio.Queue[str] = asyncio.Queue()
        self._complete: asyncio.Queue[str] = asyncio.Queue()
        self._errors: list[str] = []
        pictures_in, self._feed = os.pipe()
        pictures_out, sound_out = os.pipe(), os.pipe()
        theirs = [pictures_in, pictures_out[1], sound_out[1]]
        words = [PYTHON, PROGRAM, material.WIDTH, material.HEIGHT, material.RATE, int(material.TONE), *theirs]
        self._process = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=theirs)
        for one in theirs:
            os.close(one)
        self._loop = asyncio.get_running_loop()
        tasks = [(self._write_pictures,), (self._keep_pictures, pictures_out[0]), (self._keep_samples, sound_out[0]), (self._listen,)]
        self._threads = [threading.Thread(target=task, args=arguments, daemon=True) for task, *arguments in tasks]
        for thread in self._threads:
            thread.start()

    # --------------------------------------------------------------------------------------------------------------- media

    def _write_pictures(self) -> None:
        grey = bytes([128]) * (material.WIDTH * material.HEIGHT // 2)
        with open(self._feed, "wb", buffering=0) as feed:
            number = 0
            try:
                while True:
                    rest = memoryview(self._picture(number).tobytes() + grey)
                    while rest:
                        rest = rest[feed.write(rest):]
                    number += 1
            except BrokenPipeError:
                pass  # the process has ended

    def _keep_pictures(self, descriptor: int) -> None:
        size = material.WIDTH * material.HEIGHT
        with open(descriptor, "rb") as file:
            while len(data := file.read(size * 3 // 2)) == size * 3 // 2:
                self.pictures.append(np.frombuffer(data[:size], np.uint8).reshape(material.HEIGHT, material.WIDTH))

    def _keep_samples(self, descriptor: int) -> None:
        with open(descriptor, "rb") as file:
            while len(data := file.read(3840)) == 3840:
                self.samples.append(np.frombuffer(data, np.float32))

    # --------------------------------------------------------------------------------------------------------------- messages

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._loop.call_soon_threadsafe(self._hear, json.loads(line))

    def _hear(self, message: dict[str, Any]) -> None:
        if "described" in message:
            self._descriptions.put_nowait(message["sdp"])
        elif "complete" in message:
            self._complete.put_nowait(message["sdp"])
            self.candidates.put_nowait("")
        elif "candidate" in message:
            self.candidates.put_nowait(message["candidate"])
        elif "state" in message:
            self.state = message["state"]
        elif "channel" in message:
            self.channels[message["label"]] = message["channel"]
        elif "label" in message:
            self.messages.append((message["label"], message["text"] if "text" in message else bytes.fromhex(message["hex"])))
        else:
            self._errors.append(message["error"])

    def say(self, **message: Any) -> None:
        self.check()
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def check(self) -> None:
        assert not self._errors, self._errors

    async def _described(self) -> str:
        queue = self._descriptions if self.is_trickling else self._complete
        return await asyncio.wait_for(queue.get(), 30)

    async def offer(self) -> dict[str, str]:
        self.say(do="offer")
        return {"type": "offer", "sdp": await self._described()}

    async def answer(self, jsep: dict[str, str]) -> dict[str, str]:
        self.say(do="answer", sdp=jsep["sdp"])
        return {"type": "answer", "sdp": await self._described()}

    async def take(self, jsep: dict[str, str]) -> None:
        self.say(do="take", sdp=jsep["sdp"])

    async def add_candidate(self, text: str, mid: str) -> None:
        """An empty one says that none follows. All sections are in one bundle: the first one's are those of all."""
        self.say(candidate=text, line=0)

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.to_thread(self._process.wait, 10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            await asyncio.to_thread(thread.join, 10)
        assert self._process.stdout is not None
        self._process.stdout.close()
