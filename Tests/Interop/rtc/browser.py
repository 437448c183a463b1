"""A page in a headless Chromium, which is one end of a call over WebRTC: it sends a picture of two halves and a tone, and says what it receives."""
from __future__ import annotations

import asyncio
import base64
import json
import queue
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Awaitable, Callable, Optional

import numpy as np

# The candidates of this machine's loopback, by their addresses; sound without a click of the mouse.
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
           "--disable-features=WebRtcHideLocalIpsWithMdns", "--no-first-run", "--disable-dev-shm-usage"]
TONE = 1000.0  # of the page
Message = dict[str, Any]


class Browser:
    """The page, and what it said last. What it has to say to the other end goes to `take`, on the loop; `say` is the reverse."""

    def __init__(self, take: Callable[[Message], Awaitable[None]], offers: bool) -> None:
        self.take, self.loop = take, asyncio.get_running_loop()
        self.messages: queue.Queue[Message] = queue.Queue()
        self.report: Message = {}
        self.error: Optional[str] = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._directory = tempfile.TemporaryDirectory(prefix="msdk-browser-", ignore_cleanup_errors=True)
        url = f"http://127.0.0.1:{self._server.server_port}/#{'offers' if offers else 'answers'}"
        with open(Path(self._directory.name) / "log", "wb") as log:
            self._process = subprocess.Popen(["chromium", *OPTIONS, f"--user-data-dir={self._directory.name}", url], stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log)

    def say(self, **message: Any) -> None:
        self.messages.put(message)

    @property
    def picture(self) -> Optional[np.ndarray]:
        """The brightness of the picture that is shown."""
        if not self.report.get("picture"):
            return None
        return np.frombuffer(base64.b64decode(self.report["picture"]), np.uint8).reshape(self.report["height"], self.report["width"])

    @property
    def told(self) -> str:
        return f"the page: {self.error}, {({name: value for name, value in self.report.items() if name != 'picture'})}"

    def heard(self, message: Message) -> None:
        """From the page, on a thread of the server."""
        if "report" in message:
            self.report = message["report"]
        elif "error" in message:
            self.error = message["error"]
        else:
            asyncio.run_coroutine_threadsafe(self.take(message), self.loop).result(60)

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._server.shutdown()
        self._server.server_close()
        self._directory.cleanup()


def _handler(browser: Browser) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

        def reply(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except ConnectionError:
                pass  # the browser has ended

        def do_GET(self) -> None:
            if self.path == "/":
                self.reply("text/html", (Path(__file__).parent / "pages/browser.html").read_bytes())
                return
            if self.path != "/next":
                # The browser asks for /favicon.ico by itself: a message that it got with that would be lost to the page.
                self.send_error(404)
                return
            messages: list[Message] = []
            try:
                messages.append(browser.messages.get(timeout=1))
            except queue.Empty:
                pass
            self.reply("application/json", json.dumps(messages).encode())

        def do_POST(self) -> None:
            browser.heard(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.reply("text/plain", b"")

    return Handler
