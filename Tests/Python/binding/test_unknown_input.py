"""types.h: what this version does not know is refused.  A walk over every struct that a program passes to a function of the headers:
a byte past the known members, each reserved member, each flag, each constant and each mask, one at a time.  The feeder's library has
its own test, Tests/C/ingest/test_ingest_slots.c."""
from __future__ import annotations

import ctypes
import re
import unittest
from typing import Any, Callable, Iterator, Optional

import generator
from call import Call, plugin_dir, room
from generator.headers import Headers, read
from generator.types import python_name
from mediasdk import _structs as s
from mediasdk._native import library
from mediasdk._sized import array_of
from mediasdk.constants import ACCESS_TOKEN_MAX, PORT_ANY, Codec, DataStreamType, Limits, Permission, PixelFormat, SampleFormat, Status

Pass = Callable[[Any], int]

# What the SDK makes, and a plugin's table, whose unknown members are functions that are never called.
NOT_OPTIONS = {"msdk_video_frame", "msdk_audio_frame", "msdk_module"}
# Frames that the SDK made, in functions that do not read them as a description.
MADE = {("msdk_frame_sender_send_encoded", "msdk_encoded_frame"), ("msdk_outgoing_audio_send_encoded", "msdk_encoded_frame"),
        ("msdk_encoded_frame_get_metadata", "msdk_encoded_frame"), ("msdk_encoded_frame_ref", "msdk_encoded_frame"),
        ("msdk_encoded_frame_unref", "msdk_encoded_frame")}
# Constants in comments of numbers, which are not values to choose from.
NUMBERS = re.compile(r"MSDK_(?:ZERO|TIME_ZERO|PORT_ANY|TEXT_MAX|NAME_MAX|DIMENSION_MAX|\w+_MIN|\w+_MAX|E_\w+|EVENT_\w+|PLUGIN_EVENT_\w+)\b")
UNKNOWN = 0x7FFF_FFF1


def comments() -> dict[str, dict[str, str]]:
    """What the headers say beside, or above, each member of each struct."""
    found: dict[str, dict[str, str]] = {}
    for header in sorted((generator.INCLUDE / "mediasdk").glob("*.h")):
        for name, body in re.findall(r"typedef struct (msdk_\w+) \{(.*?)\n\} \1;", header.read_text(), flags=re.S):
            members = found.setdefault(name, {})
            above = ""
            for token in re.finditer(r"/\*\*?<?(?P<comment>.*?)\*/|(?P<declaration>[^;{}/]+);", body, flags=re.S):
                if token["declaration"] is not None:
                    names = [re.search(r"(\w+)(?:\[\w+\])?\s*$", part) for part in token["declaration"].split(",")]
                    latest = [one[1] for one in names if one]
                    members.update((one, above) for one in latest)
                    above = ""
                elif body[:token.start()].rsplit("\n", 1)[-1].strip():
                    members.update((one, token["comment"]) for one in latest)
                else:
                    above = token["comment"]
    return found


class UnknownInputTest(unittest.TestCase):
    headers: Headers
    said: dict[str, dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.headers, cls.said = read(generator.INCLUDE), comments()

    def setUp(self) -> None:
        self.call = self.enterContext(Call())
        self.call.engine.add_plugin_dir(plugin_dir())
        self.kept: list[Any] = []

    # ------------------------------------------------------------------------------------------------------------ what is passed

    def expected(self) -> set[tuple[str, str]]:
        """Every function and the structs that it reads, those in its arrays included."""
        found = set()
        for function in self.headers.functions:
            for parameter in function.parameters:
                match = re.fullmatch(r"const (msdk_\w+) \*", parameter)
                if match is None or match[1] in NOT_OPTIONS or (function.name, match[1]) in MADE or not self.is_sized(match[1]):
                    continue
                found.add((function.name, match[1]))
                for field in self.headers.records[match[1]].fields:
                    inner = re.fullmatch(r"const (msdk_\w+) \*", field.type)
                    if inner is not None and self.is_sized(inner[1]):
                        found.add((function.name, inner[1]))
        return found

    def is_sized(self, name: str) -> bool:
        record = self.headers.records.get(name)
        return record is not None and record.fields[0].name == "struct_size"

    def made(self, function: str, *before: Any, end: Optional[Callable[[Any], Any]] = None) -> Pass:
        """A function whose last argument receives a handle or a frame, which is given back."""
        def call(pointer: Any) -> int:
            out = ctypes.c_void_p()
            result = getattr(library, function)(*before, pointer, ctypes.byref(out))
            if result >= 0 and end is not None:
                end(out)
            return int(result)
        return call

    def keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value

    def passes(self) -> Iterator[tuple[str, str, Any, Pass]]:
        """Function, struct, a good one, and a call with it."""
        engine, alice, bob = self.call.engine._handle, self.call.alice._handle, self.call.bob._handle
        outgoing, incoming = self.call.stream._handle, self.call.incoming._handle
        format = s.VideoFormat(pixel_format=PixelFormat.GRAY8, width=16, height=16, fps_num=15, fps_den=1)
        pixels = self.keep((ctypes.c_uint8 * 256)())
        sound = s.AudioFormat(sample_format=SampleFormat.S16, sample_rate=48_000, channels=1)
        view = s.View(width=32, height=32)
        yield ("msdk_engine_create", "msdk_engine_options", s.EngineOptions(),
               self.made("msdk_engine_create", end=library.msdk_engine_destroy))
        session = s.SessionOptions(url=b"loopback:unknown", user_id=b"x")
        yield ("msdk_session_create", "msdk_session_options", session,
               self.made("msdk_session_create", engine, end=library.msdk_session_destroy))

        def video(format: Any) -> Any:
            options = s.OutgoingVideoOptions(limits=Limits.EXTENDED, codec=Codec.RAW, format_count=1)
            options.formats = ctypes.cast(format, ctypes.POINTER(s.VideoFormat))
            return options
        make_video = self.made("msdk_outgoing_video_create", engine, end=library.msdk_outgoing_video_destroy)
        yield "msdk_outgoing_video_create", "msdk_outgoing_video_options", video(self.keep(ctypes.pointer(format))), make_video
        yield ("msdk_outgoing_video_create", "msdk_video_format", format,
               lambda pointer: make_video(ctypes.byref(self.keep(video(pointer)))))
        yield ("msdk_outgoing_audio_create", "msdk_outgoing_audio_options", s.OutgoingAudioOptions(),
               self.made("msdk_outgoing_audio_create", engine, end=library.msdk_outgoing_audio_destroy))
        yield ("msdk_video_limit_check", "msdk_video_format", format,
               lambda pointer: library.msdk_video_limit_check(0, Limits.EXTENDED, pointer))
        unref = library.msdk_video_frame_unref
        yield "msdk_video_frame_create", "msdk_video_format", format, self.made("msdk_video_frame_create", end=unref)
        external = s.ExternalFrame(plane_count=1)
        external.plane[0].data, external.plane[0].size, external.plane[0].stride = ctypes.addressof(pixels), 256, 16
        external.format = self.keep(ctypes.pointer(format))
        wrap = self.made("msdk_video_frame_wrap", end=unref)
        yield "msdk_video_frame_wrap", "msdk_external_frame", external, wrap

        def wrapped(pointer: Any) -> int:
            inner = s.ExternalFrame.from_buffer_copy(external)
            inner.format = ctypes.cast(pointer, ctypes.POINTER(s.VideoFormat))
            return wrap(ctypes.byref(inner))
        yield "msdk_video_frame_wrap", "msdk_video_format", format, wrapped
        out = ctypes.c_void_p()
        self.assertEqual(library.msdk_video_frame_create(ctypes.byref(format), ctypes.byref(out)), 0)
        self.addCleanup(unref, out)
        yield "msdk_video_frame_convert", "msdk_video_format", format, self.made("msdk_video_frame_convert", out, end=unref)
        yield "msdk_video_frame_compose", "msdk_view", view, self.made("msdk_video_frame_compose", out, end=unref)
        yield ("msdk_view_place", "msdk_view", view,
               lambda pointer: library.msdk_view_place(pointer, 16, 16, 0, ctypes.byref(s.Placement())))

        def audio_frame(pointer: Any) -> int:
            frame = ctypes.c_void_p()
            result = library.msdk_audio_frame_create(pointer, 480, ctypes.byref(frame))
            library.msdk_audio_frame_unref(frame)
            return int(result)
        yield "msdk_audio_frame_create", "msdk_audio_format", sound, audio_frame
        packet = s.EncodedFrame(codec=Codec.OPUS, size=3)
        packet.data = ctypes.addressof(self.keep((ctypes.c_uint8 * 3)(0xF8, 0xFF, 0xFE)))
        yield ("msdk_encoded_frame_create", "msdk_encoded_frame", packet,
               self.made("msdk_encoded_frame_create", end=library.msdk_encoded_frame_unref))

        bits = ctypes.c_void_p()
        self.assertEqual(library.msdk_encoded_frame_create(ctypes.byref(packet), ctypes.byref(bits)), 0)
        self.addCleanup(library.msdk_encoded_frame_unref, bits)
        for kind, frame in [("video", out), ("encoded", bits)]:
            function = f"msdk_{kind}_frame_set_metadata"
            yield (function, "msdk_frame_metadata", s.FrameMetadata(user_data_size=1),
                   lambda pointer, function=function, frame=frame: getattr(library, function)(frame, pointer))

        tap = library.msdk_outgoing_video_start_tap
        yield ("msdk_outgoing_video_start_tap", "msdk_video_tap_options", s.VideoTapOptions(),
               lambda pointer: (tap(outgoing, pointer), library.msdk_outgoing_video_stop_tap(outgoing))[0])
        voice = ctypes.c_void_p()
        self.assertEqual(library.msdk_outgoing_audio_create(engine, None, ctypes.byref(voice)), 0)
        self.addCleanup(library.msdk_outgoing_audio_destroy, voice)
        self.assertEqual(library.msdk_session_start_audio(alice, voice), 0)
        yield ("msdk_outgoing_audio_start_tap", "msdk_audio_tap_options", s.AudioTapOptions(),
               lambda pointer: (library.msdk_outgoing_audio_start_tap(voice, pointer), library.msdk_outgoing_audio_stop_tap(voice))[0])

        def started(kind: str, stream: Any) -> Pass:
            def call(pointer: Any) -> int:
                getattr(library, f"msdk_incoming_{kind}_stop")(stream)
                return int(getattr(library, f"msdk_incoming_{kind}_start")(stream, pointer))
            return call
        yield "msdk_incoming_video_start", "msdk_incoming_video_options", s.IncomingVideoOptions(), started("video", incoming)
        mix = ctypes.c_void_p()
        self.assertEqual(library.msdk_session_get_mixed_audio(bob, ctypes.byref(mix)), 0)
        yield "msdk_incoming_audio_start", "msdk_incoming_audio_options", s.IncomingAudioOptions(), started("audio", mix)

        url = room().encode()
        yield ("msdk_room_configure", "msdk_room_options", s.RoomOptions(),
               lambda pointer: library.msdk_room_configure(engine, url, pointer))
        yield ("msdk_room_answer", "msdk_access_grant", s.AccessGrant(permissions=Permission.RECEIVE),
               lambda pointer: library.msdk_room_answer(engine, url, 1, 0, pointer))
        token = s.AccessTokenOptions(api_key=b"key", api_secret=b"s" * 32, room=b"lobby", user_id=b"anna")
        buffer = self.keep(ctypes.create_string_buffer(ACCESS_TOKEN_MAX + 1))
        yield ("msdk_access_token_create", "msdk_access_token_options", token,
               lambda pointer: library.msdk_access_token_create(pointer, buffer, len(buffer), None))
        step = s.NetworkStep(bandwidth_bps=1_000_000)

        def scripted(pointer: Any) -> int:
            script = s.NetworkScript(step_count=1)
            script.steps = ctypes.cast(pointer, ctypes.POINTER(s.NetworkStep))
            return int(library.msdk_room_script_network(engine, url, ctypes.byref(script)))
        yield "msdk_room_script_network", "msdk_network_step", step, scripted
        yield ("msdk_room_script_network", "msdk_network_script", s.NetworkScript(),
               lambda pointer: library.msdk_room_script_network(engine, url, pointer))
        yield ("msdk_room_serve", "msdk_serve_options", s.ServeOptions(port=PORT_ANY, addresses=b"127.0.0.1"),
               lambda pointer: (library.msdk_room_serve(engine, url, pointer, None), library.msdk_room_stop_serving(engine, url))[0])
        tokens = [self.keep(ctypes.create_string_buffer(bytes([number]) * 16, 16)) for number in (1, 2)]
        ingest = s.IngestOptions(port=PORT_ANY, transmission_token_size=16, reception_token_size=16)
        ingest.transmission_token, ingest.reception_token = (ctypes.addressof(token) for token in tokens)
        yield ("msdk_session_set_ingest", "msdk_ingest_options", ingest,
               lambda pointer: (library.msdk_session_set_ingest(alice, pointer), library.msdk_session_set_ingest(alice, None))[0])
        recipients = self.keep((ctypes.c_char_p * 1)(b"bob"))
        yield ("msdk_session_send_data", "msdk_data_options", s.DataOptions(topic=b"chat", recipients=recipients, recipient_count=1),
               lambda pointer: library.msdk_session_send_data(alice, pointer, pixels, 1))
        number = ctypes.c_uint64()
        text = s.DataStreamOptions(type=DataStreamType.TEXT, topic=b"chat", recipients=recipients, recipient_count=1, reply_to=b"a text",
                                   attachments=recipients, attachment_count=1)
        yield ("msdk_session_data_stream_open", "msdk_data_stream_options", text,
               lambda pointer: (library.msdk_session_data_stream_open(alice, pointer, ctypes.byref(number)),
                                library.msdk_session_data_stream_close(alice, number, None))[0])
        peer = self.keep(self.call.engine.create_session("webrtc:", "peer"))
        peer.connect(wait=False)
        yield ("msdk_session_open_data_channel", "msdk_data_channel_options", s.DataChannelOptions(),
               lambda pointer: library.msdk_session_open_data_channel(peer._handle, pointer, ctypes.byref(ctypes.c_uint64())))
        yield ("msdk_instance_create", "msdk_instance_options", s.InstanceOptions(),
               lambda pointer: library.msdk_instance_create(engine, b"no.such.class", pointer, ctypes.byref(ctypes.c_void_p())))
        yield ("msdk_incoming_video_set_preference", "msdk_video_preference", s.VideoPreference(),
               lambda pointer: library.msdk_incoming_video_set_preference(incoming, pointer))
        pattern = self.keep(self.call.engine.create_instance("org.mediasdk.producer.testpattern"))._handle
        pull, stop_pull = library.msdk_instance_start_pull, library.msdk_instance_stop_pull
        picture = s.VideoFormat(pixel_format=PixelFormat.NV12, width=320, height=240, fps_num=30, fps_den=1)
        yield ("msdk_instance_start_pull", "msdk_video_format", picture,
               lambda pointer: (pull(pattern, pointer, None), stop_pull(pattern))[0])
        yield ("msdk_instance_start_pull", "msdk_video_pull_options", s.VideoPullOptions(),
               lambda pointer: (pull(pattern, None, pointer), stop_pull(pattern))[0])
        tone = self.keep(self.call.engine.create_instance("org.mediasdk.producer.tone"))._handle
        pull_audio, stop_pull_audio = library.msdk_instance_start_pull_audio, library.msdk_instance_stop_pull_audio
        yield ("msdk_instance_start_pull_audio", "msdk_audio_format", sound,
               lambda pointer: (pull_audio(tone, pointer, None), stop_pull_audio(tone))[0])
        yield ("msdk_instance_start_pull_audio", "msdk_audio_pull_options", s.AudioPullOptions(),
               lambda pointer: (pull_audio(tone, None, pointer), stop_pull_audio(tone))[0])
        renderer = self.keep(self.call.engine.create_instance("org.mediasdk.renderer.bw"))._handle
        for function, stream in (("msdk_outgoing_video", outgoing), ("msdk_incoming_video", incoming)):
            attach, detach = getattr(library, f"{function}_attach_renderer"), getattr(library, f"{function}_detach_renderer")
            yield (f"{function}_attach_renderer", "msdk_view", view,
                   lambda pointer, stream=stream, attach=attach, detach=detach:
                   (attach(stream, renderer, pointer), detach(stream, renderer))[0])
        yield ("msdk_session_start_screen_view", "msdk_view", view,
               lambda pointer: library.msdk_session_start_screen_view(alice, b"nobody", renderer, pointer))
        grid = self.keep(self.call.engine.create_instance("org.mediasdk.renderer.grid"))._handle
        yield ("msdk_session_attach_renderer", "msdk_session_renderer_options", s.SessionRendererOptions(),
               lambda pointer: (library.msdk_session_attach_renderer(alice, grid, pointer),
                                library.msdk_session_detach_renderer(alice, grid))[0])

    # Where a good struct gets to what is not there: a request, a class, a screen.
    GOOD = {"msdk_room_answer": Status.NOT_FOUND, "msdk_instance_create": Status.NOT_FOUND,
            "msdk_session_start_screen_view": Status.NOT_FOUND}

    # -------------------------------------------------------------------------------------------------------------------- the walk

    def wrong(self, name: str, good: Any) -> Iterator[tuple[str, Any]]:
        """The struct with one thing in it that this version does not know, each time another."""
        size = ctypes.sizeof(good)

        def copy(more: int = 0) -> Any:
            raw = ctypes.create_string_buffer(bytes(good) + bytes(more), size + more)
            ctypes.c_uint32.from_buffer(raw).value = size + more
            return raw
        past = copy(16)
        past[size + 15] = 1
        yield "a byte past its members", past
        for field in self.headers.records[name].fields[1:]:
            raw = copy()
            value = type(good).from_buffer(raw)
            said = self.said[name].get(field.name, "")
            element = re.match(r"msdk_plane\[", field.type)
            if element:
                for index in range(4):
                    for member in ("reserved0", "reserved1"):
                        other = copy()
                        setattr(type(good).from_buffer(other).plane[index], member, 1)
                        yield f"plane[{index}].{member}", other
            elif field.name.startswith("reserved"):
                if field.type == "uint32_t":
                    setattr(value, field.name, 1)
                    yield field.name, raw
                else:
                    getattr(value, field.name)[-1] = 1
                    yield f"{field.name}[-1]", raw
            elif field.type == "uint32_t" and re.match(r"\s*(?:0: [^.;,]*, )?1:", said) or field.name in ("planar", "color_full_range"):
                setattr(value, field.name, 2)
                yield f"{field.name} 2", raw
            elif field.type == "uint32_t" and re.search(r"MSDK_[A-Z]", NUMBERS.sub("", said)):
                setattr(value, field.name, UNKNOWN)
                yield f"{field.name} 0x{UNKNOWN:X}", raw

    def test_every_struct_that_a_program_passes(self) -> None:
        seen, kinds = set(), 0
        for function, name, good, call in self.passes():
            seen.add((function, name))
            self.assertEqual(type(good).__name__, python_name(name))
            expected = self.GOOD.get(function, Status.OK)
            self.assertEqual(call(ctypes.byref(type(good).from_buffer_copy(good))), expected, f"{function}: the good {name}")
            for what, raw in self.wrong(name, good):
                kinds += 1
                with self.subTest(function=function, struct=name, unknown=what):
                    result = call(ctypes.cast(raw, ctypes.POINTER(type(good))))
                    self.assertEqual(result, Status.UNSUPPORTED, library.msdk_last_error())
        self.assertEqual(self.expected() - seen, set())
        self.assertGreater(kinds, 100)


if __name__ == "__main__":
    unittest.main()
