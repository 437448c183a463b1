"""One end of a call: a pipeline around GStreamer's webrtcbin. Run by the system's Python, which has GStreamer's bindings and no numpy. Pictures (4:2:0)
come by a pipe and leave by another, sound (32-bit floating point) leaves by a third, and everything else is a line of JSON each on stdin and stdout.

usage: pipeline.py WIDTH HEIGHT RATE TONE PICTURES-IN PICTURES-OUT SOUND-OUT"""
from __future__ import annotations

import json
import re
import sys
import threading
import time
from typing import Any

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

WIDTH, HEIGHT, RATE, TONE, PICTURES_IN, PICTURES_OUT, SOUND_OUT = map(int, sys.argv[1:])
QUEUE = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"


def say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def payload_type(sdp: str, codec: str, otherwise: int) -> int:
    """The offer's, as what is sent has the numbers of who receives it."""
    found = re.search(rf"^a=rtpmap:(\d+) {codec}/", sdp, re.M | re.I)
    return int(found[1]) if found else otherwise


class End:
    def __init__(self) -> None:
        self.pipeline = Gst.Pipeline()
        self.bin = Gst.ElementFactory.make("webrtcbin")
        self.bin.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.bin.set_property("latency", 200)
        # It leaves loopback addresses out by itself. Kept, as the binding takes the only reference to it for its own.
        self.agent = self.bin.get_property("ice-agent")
        self.agent.emit("add-local-ip-address", "127.0.0.1")
        self.pipeline.add(self.bin)
        self.bin.connect("pad-added", self.show)
        self.bin.connect("on-ice-candidate", lambda _, line, text: say(candidate=text))
        self.bin.connect("on-data-channel", lambda _, channel: self.take(channel))
        self.bin.connect("notify::connection-state", lambda *_: say(state=self.bin.get_property("connection-state").value_nick))
        self.bin.connect("notify::ice-gathering-state", self.gathered)
        self.channels: dict[str, Any] = {}
        self.kind = ""
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", lambda _, message: say(error=" ".join(map(str, message.parse_error()))))

    # --------------------------------------------------------------------------------------------------------------- media

    def send(self, offer: str) -> None:
        """Pictures and a tone, from now on."""
        video, audio = payload_type(offer, "VP8", 96), payload_type(offer, "opus", 111)
        pads = []
        # Two channels, as it receives only where what it sends is said to be mono and what is offered to be stereo (sprop-stereo).
        for text in [
            f"fdsrc fd={PICTURES_IN} ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} framerate={RATE}/1 ! clocksync ! "
            "vp8enc deadline=1 cpu-used=8 target-bitrate=1500000 keyframe-max-dist=250 ! rtpvp8pay picture-id-mode=15-bit "
            f"! capsfilter caps=application/x-rtp,media=video,encoding-name=VP8,payload={video},clock-rate=90000",
            f"audiotestsrc is-live=true freq={TONE} volume=0.4 ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay "
            f"! capsfilter caps=application/x-rtp,media=audio,encoding-name=OPUS,payload={audio},clock-rate=48000,encoding-params=(string)2",
        ]:
            part = Gst.parse_bin_from_description(text, True)
            self.pipeline.add(part)
            pad = self.bin.request_pad_simple("sink_%u")
            pad.get_property("transceiver").set_property("do-nack", True)
            part.get_static_pad("src").link(pad)
            pads.append(pad)
        self.pipeline.set_state(Gst.State.PLAYING)
        # A section of a pad whose caps it does not know yet is described as receive only, or without SSRCs.
        while not all(pad.get_current_caps() for pad in pads):
            time.sleep(0.01)

    def show(self, _: Any, pad: Gst.Pad) -> None:
        if pad.get_direction() != Gst.PadDirection.SRC:
            return
        if pad.get_current_caps().get_structure(0).get_string("media") == "video":
            text = f"rtpvp8depay ! vp8dec ! videoconvert ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT} ! fdsink fd={PICTURES_OUT} sync=false"
        else:
            text = f"rtpopusdepay ! opusdec ! audioconvert ! audio/x-raw,format=F32LE,rate=48000,channels=1 ! fdsink fd={SOUND_OUT} sync=false"
        part = Gst.parse_bin_from_description(f"{QUEUE} ! {text}", True)
        self.pipeline.add(part)
        part.sync_state_with_parent()
        pad.link(part.get_static_pad("sink"))

    # --------------------------------------------------------------------------------------------------------------- descriptions

    def offer(self) -> None:
        self.send("")
        self.describe("offer")

    def answer(self, sdp: str) -> None:
        self.send(sdp)
        self.remote(sdp, GstWebRTC.WebRTCSDPType.OFFER)
        self.describe("answer")

    def remote(self, sdp: str, kind: GstWebRTC.WebRTCSDPType) -> None:
        _, message = GstSdp.SDPMessage.new_from_text(sdp)
        self.await_reply("set-remote-description", GstWebRTC.WebRTCSessionDescription.new(kind, message))

    def await_reply(self, signal: str, argument: Any) -> Any:
        promise = Gst.Promise.new()
        self.bin.emit(signal, argument, promise)
        promise.wait()
        reply = promise.get_reply()
        if reply is not None and reply.has_field("error"):
            raise RuntimeError(f"{signal}: {reply.to_string()}")
        return reply

    def describe(self, kind: str) -> None:
        """Says what it offers or answers, and once more when all candidates are in it."""
        # To be kept: the description is a part of it.
        reply = self.await_reply(f"create-{kind}", None)
        description = reply.get_value(kind)
        self.kind = kind
        say(described=kind, sdp=description.sdp.as_text())
        self.await_reply("set-local-description", description)

    def gathered(self, *_: Any) -> None:
        if self.bin.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            say(complete=self.kind, sdp=self.bin.get_property("local-description").sdp.as_text())

    # --------------------------------------------------------------------------------------------------------------- channels

    def open(self, label: str) -> None:
        self.pipeline.set_state(Gst.State.READY)
        self.take(self.bin.emit("create-data-channel", label, None))

    def take(self, channel: Any) -> None:
        label = channel.get_property("label")
        self.channels[label] = channel
        channel.connect("on-message-string", lambda _, text: say(label=label, text=text or ""))
        channel.connect("on-message-data", lambda _, data: say(label=label, hex=data.get_data().hex() if data else ""))
        channel.connect("on-close", lambda _: say(label=label, channel="closed"))
        say(label=label, channel="there")

    # --------------------------------------------------------------------------------------------------------------- commands

    def hear(self, message: dict[str, Any]) -> None:
        if "open" in message:
            self.open(message["open"])
        elif "text" in message:
            self.channels[message["label"]].emit("send-string", message["text"])
        elif "hex" in message:
            self.channels[message["label"]].emit("send-data", GLib.Bytes.new(bytes.fromhex(message["hex"])))
        elif "close" in message:
            self.channels[message["close"]].emit("close")
        elif "candidate" in message:
            self.bin.emit("add-ice-candidate", message["line"], message["candidate"])
        elif message["do"] == "offer":
            self.offer()
        elif message["do"] == "answer":
            self.answer(message["sdp"])
        elif message["do"] == "take":
            self.remote(message["sdp"], GstWebRTC.WebRTCSDPType.ANSWER)


def main() -> None:
    Gst.init(None)
    end, loop = End(), GLib.MainLoop()

    def hear(message: dict[str, Any]) -> None:
        try:
            end.hear(message)
        except Exception as error:
            say(error=repr(error))
            raise

    def listen() -> None:
        for line in sys.stdin:
            GLib.idle_add(hear, json.loads(line))
        GLib.idle_add(loop.quit)

    threading.Thread(target=listen, daemon=True).start()
    loop.run()
    end.pipeline.set_state(Gst.State.NULL)


main()
