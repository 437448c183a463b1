"""msdk run and msdk demo, on pictures that are read back."""
from __future__ import annotations

import array
import json
import signal
import subprocess
import unittest
import wave

from pictures import read_ivf, read_png, read_y4m
from tool import CLIP, PATIENCE, PLUGINS, TOOL, Result, ToolTest, environment, stream


class Run(ToolTest):
    def check_table(self, result: Result) -> None:
        """Of every frame offered it is known what became of it."""
        known = sum(result.count(f"frames {outcome}") for outcome in ["sent", "replaced", "dropped"])
        self.assertEqual(known, result.count("frames offered"), result.output)

    def short_clip(self, count: int) -> str:
        clip = read_ivf(CLIP)
        (self.directory / "clip.ivf").write_bytes(clip.header + b"".join(clip.frames[:count]))
        return "file:clip.ivf"

    def test_frames_of_a_pattern(self) -> None:
        result = self.succeed("run", "--producer", "testpattern:counter", "--size", "320x240", "--fps", "30", "--frames", "30",
                              "--renderer", "file:plain.png", "--renderer", "bw,file:bw.png,file:bw.y4m", "--renderer", "file:copy.ivf")
        self.check_table(result)
        self.assertEqual(result.table["format"], "NV12 320x240 at 30 frames/s")
        self.assertEqual(result.count("frames delivered"), 30)
        self.assertGreaterEqual(result.count("frames encoded"), 30)
        self.assertEqual(result.count("frames lost"), 0)
        plain, grey = read_png(self.directory / "plain.png"), read_png(self.directory / "bw.png")
        self.assertEqual((plain.width, plain.height), (320, 240))
        self.assertGreaterEqual(plain.channels, 3)
        self.assertEqual((grey.width, grey.height, grey.channels), (320, 240, 1))
        self.assertGreater(len(set(plain.rows)), 16)
        video = read_y4m(self.directory / "bw.y4m")
        self.assertEqual((video.width, video.height, video.rate, len(video.frames)), (320, 240, "30:1", 30))
        self.assertTrue(video.colour.startswith("mono"), video.colour)
        self.assertEqual(len(set(video.frames)), 30, "the counter counts")
        copy = read_ivf(self.directory / "copy.ivf")
        self.assertEqual((copy.width, copy.height, len(copy.frames)), (320, 240, 30))

    def test_parameters_of_a_filter(self) -> None:
        self.succeed("run", "--producer", "testpattern,pattern=bars", "--size", "320x240", "--frames", "3", "--renderer",
                     "file:before.y4m,bw,mode=threshold,level=100,file:behind.y4m")
        before, behind = read_y4m(self.directory / "before.y4m"), read_y4m(self.directory / "behind.y4m")
        self.assertGreater(len(set(before.frames[-1])), 2)
        self.assertLessEqual(len(set(behind.frames[-1])), 2)
        self.assertEqual((len(before.frames), len(behind.frames)), (3, 3))

    def test_raw(self) -> None:
        """An odd size, without a codec, in the seconds given."""
        result = self.succeed("run", "--producer", "org.mediasdk.producer.testpattern", "--codec", "raw", "--size", "321x241",
                              "--fps", "20", "--seconds", "1.5", "--renderer", "file:raw\\,odd:1.y4m")
        self.check_table(result)
        self.assertNotIn("frames encoded", result.table)
        video = read_y4m(self.directory / "raw,odd:1.y4m")
        self.assertEqual((video.width, video.height, video.rate), (321, 241, "20:1"))
        self.assertEqual(len(video.frames), result.count("frames delivered"))
        self.assertIn(result.count("frames offered"), range(20, 33))
        self.assertIn("1 s: sent ", result.output)

    def test_bitrate(self) -> None:
        low, high = (
            self.succeed("run", "--producer", self.short_clip(40), "--bitrate", bits).count("bytes sent") for bits in ["200000", "4000000"])
        self.assertGreater(high, 2 * low)

    def test_demo_plays_the_clip_to_its_end(self) -> None:
        result = self.succeed("demo", "--input", str(CLIP), "--output", "a/b")
        self.check_table(result)
        self.assertEqual(result.count("frames offered"), len(read_ivf(CLIP).frames))
        self.assertIn(f"--producer file:{CLIP}", result.output)
        picture, video = read_png(self.directory / "a/b/bw.png"), read_y4m(self.directory / "a/b/bw.y4m")
        self.assertEqual((picture.width, picture.height), (1280, 720))
        self.assertEqual((video.width, video.height, video.rate), (1280, 720, "25:1"))
        # The first two seconds; fewer where the encoder could not keep up and replaced pictures.
        self.assertEqual(len(video.frames), min(50, result.count("frames decoded")))
        self.assertGreater(len(set(video.frames[-1])), 200)

    def test_all_of_a_clip_is_rendered(self) -> None:
        result = self.succeed("run", "--producer", self.short_clip(20), "--renderer", "file:all.y4m")
        self.check_table(result)
        self.assertEqual(result.count("frames offered"), 20)
        self.assertEqual(len(read_y4m(self.directory / "all.y4m").frames), result.count("frames decoded"))
        self.assertEqual(result.count("frames decoded"), result.count("frames sent"))

    def test_encoded_frames_pass_unchanged(self) -> None:
        """A producer that has them encoded is not decoded and encoded again, and what cannot be chosen is refused."""
        clip = self.short_clip(20).replace("file:", "packets:")
        result = self.succeed("run", "--producer", clip, "--renderer", "file:same.ivf")
        self.check_table(result)
        self.assertEqual((result.table["format"], result.table["codec"]), ("1280x720 at 25 frames/s", "VP8, encoded by the producer"))
        self.assertEqual(result.count("frames sent"), 20)
        for absent in ["frames encoded", "encode time"]:
            self.assertNotIn(absent, result.table)
        given, same = (read_ivf(self.directory / name) for name in ["clip.ivf", "same.ivf"])
        self.assertEqual([frame[12:] for frame in same.frames], [frame[12:] for frame in given.frames])
        self.assertEqual(self.succeed("run", "--producer", clip, "--codec", "vp8").count("frames sent"), 20)
        figures = stream(json.loads(self.succeed("run", "--producer", clip, "--json").output), "outgoing-video")
        known = [figures[name] for name in ["codec", "pixelFormat", "frameWidth", "targetBitrate"]]
        self.assertEqual(known, ["VP80", None, 1280, None])
        for wrong, named in [(["--codec", "raw"], "--codec raw"), (["--size", "640x360"], "--size"), (["--fps", "10"], "--fps"),
                             (["--bitrate", "500000"], "--bitrate"), (["--filter", "bw"], "--filter")]:
            self.assert_refused(["run", "--producer", clip, *wrong], 1, "org.mediasdk.producer.packets makes frames of codec vp8, which are sent",
                                f"unchanged; accepted: without {named}")

    def test_filters_stand_before_the_encoder(self) -> None:
        """In the order written."""
        done = self.msdk("run", "--producer", self.short_clip(20), "--codec", "raw", "--filter", "bw,mode=threshold,level=100", "--filter",
                         "blur:2", "--renderer", "file:soft.y4m")
        self.assertEqual(done.code, 0, done.errors)  # on a machine with much to do it may be told that a filter is slow
        self.check_table(done)
        video = read_y4m(self.directory / "soft.y4m")
        frame = bytes(video.frames[-1])
        size = video.width * video.height
        self.assertEqual(set(frame[size:]), {128})
        self.assertGreater(len(set(frame[:size])), 20, "the blur comes after the threshold, which leaves black and white only")
        self.assert_refused(["run", "--producer", "testpattern", "--filter", "grid"], 1, 'there is no filter "grid"; there are', "blur", " bw")

    def test_sound(self) -> None:
        words = ["run", "--sound", "--producer", "tone", "--seconds", "1"]
        whole = self.succeed(*words, "--renderer", "wav:loud.wav")
        self.assertEqual(whole.table["producer"], "org.mediasdk.producer.tone")
        self.assertEqual(whole.table["codec"], "OPUS")
        self.assertGreater(whole.count("packets received"), 10)
        self.succeed(*words, "--codec", "raw", "--filter", "gain:-20", "--renderer", "wav:soft.wav")
        self.assert_refused([*words, "--codec", "ABCD"], 1, "ABCD")
        self.assert_refused([*words, "--codec", "vp8"], 1, "VP8")
        loudest = {}
        for name in ["loud", "soft"]:
            with wave.open(str(self.directory / f"{name}.wav")) as file:
                samples = array.array("h", file.readframes(file.getnframes()))
            self.assertGreater(len(samples), 4800)
            loudest[name] = max(samples)
        self.assertGreater(loudest["loud"], 5 * loudest["soft"], "20 dB")
        for wrong, expected in [(["--size", "64x64"], "--sound cannot be combined"), (["--renderer", "file:x.png"], "not for: audio renderer")]:
            result = self.msdk(*words, *wrong)
            self.assertNotEqual(result.code, 0)
            self.assertIn(expected, result.errors)

    def test_as_json(self) -> None:
        """Nothing else is printed."""
        result = self.succeed("run", "--producer", "testpattern", "--size", "320x240", "--frames", "40", "--json")
        figures = json.loads(result.output)
        self.assertEqual((figures["command"], [one["userId"] for one in figures["sessions"]]), ("run", ["sender", "receiver"]))
        sent, received = stream(figures, "outgoing-video"), stream(figures, "incoming-video")
        self.assertEqual(sent["framesOffered"], sent["framesSent"] + sent["framesReplaced"] + sent["framesDropped"] + sent["framesFailed"])
        self.assertGreaterEqual(received["framesDelivered"], 40)
        self.assertGreater(figures["duration"], 1)
        # In seconds: not thousandths, nor nanoseconds.
        self.assertLess(sent["totalEncodeTime"], figures["duration"])
        self.assertGreater(sent["totalEncodeTime"], 0)
        self.assertEqual((sent["producer"], sent["codec"]), ("org.mediasdk.producer.testpattern", "VP80"))
        raw = json.loads(self.succeed("run", "--producer", "testpattern", "--size", "320x240", "--frames", "5", "--codec", "raw", "--json").output)
        self.assertEqual((stream(raw, "outgoing-video")["codec"], stream(raw, "outgoing-video")["targetBitrate"]), (None, None))
        sound = json.loads(self.succeed("run", "--sound", "--producer", "tone", "--seconds", "1", "--json").output)
        self.assertGreater(stream(sound, "incoming-audio")["packetsReceived"], 10)

    def test_the_log(self) -> None:
        """-v for the tool, MSDK_LOG for every program."""
        words = ["run", "--producer", "testpattern", "--size", "320x240", "--frames", "2", "--codec", "raw", "--filter", "bw"]
        self.assertEqual(self.msdk(*words).errors, "")
        loud = self.msdk("-v", *words)
        self.assertEqual(loud.code, 0, loud.errors)
        self.assertIn('msdk: info: session "sender" at loopback:msdk is connected\n', loud.errors)
        self.assertEqual(sorted(self.msdk(*words, "--verbose").errors.splitlines()), sorted(loud.errors.splitlines()))
        said = self.msdk(*words, env=environment(MSDK_LOG="info"))
        self.assertEqual(sorted(said.errors.splitlines()), sorted(loud.errors.splitlines()))
        both = self.msdk("-v", *words, env=environment(MSDK_LOG="info"))
        self.assertEqual(len(both.errors.splitlines()), len(loud.errors.splitlines()), "a line once")
        self.assertEqual(self.msdk(*words, env=environment(MSDK_LOG="warn")).errors, "")
        wrong = self.msdk(*words, env=environment(MSDK_LOG="loud"))
        self.assertIn('msdk: warn: MSDK_LOG is "loud"; accepted: debug, info, warn, error, none', wrong.errors)

    def test_network(self) -> None:
        arguments = ["run", "--producer", "testpattern:counter", "--size", "320x240", "--fps", "30", "--network"]
        # So many that some are lost again and again, whenever they are asked for: three in four requests come to nothing, and a packet is kept for
        # three seconds, six round trips. Frames are lost some ten at a time, and none at all in one of a hundred runs of six seconds.
        lossy = self.succeed(*arguments, "loss=50,delay=200", "--seed", "7", "--seconds", "12")
        self.check_table(lossy)
        self.assertLess(lossy.count("frames received"), lossy.count("frames sent"))
        self.assertGreater(lossy.count("frames lost"), 0)
        self.assertGreater(lossy.count("packets lost"), 0)
        self.assertGreater(lossy.count("key frames"), 1, "a receiver that lost something asks for a key frame")
        # Each of the two joins there and back, and then a frame goes there.
        self.assertGreaterEqual(float(lossy.table["first frame"].split()[0]), 5 * 200)
        narrow = self.succeed(*arguments, "bandwidth=60000", "--seconds", "2")
        self.assertLess(narrow.count("bitrate"), 120)

    def test_interrupt(self) -> None:
        words = [str(TOOL), "run", "--plugins", str(PLUGINS), "--producer", "testpattern", "--size", "320x240",
                 "--renderer", "file:cut.y4m"]
        with subprocess.Popen(words, cwd=self.directory, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            assert process.stdout is not None
            self.assertIn("1 s: sent", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            try:
                output, errors = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
        result = Result(process.returncode, output, errors)
        self.assertEqual((result.code, result.errors), (0, ""))
        self.check_table(result)
        self.assertEqual(len(read_y4m(self.directory / "cut.y4m").frames), result.count("frames delivered"))

    def test_a_plugin_that_fails(self) -> None:
        clip = read_ivf(CLIP)
        (self.directory / "short.ivf").write_bytes(clip.header + b"".join(clip.frames[:10])[:-100])
        broken = self.msdk("run", "--producer", "file:short.ivf", "--renderer", "file:half.y4m")
        self.assertEqual(broken.code, 1)
        self.assertIn("msdk: org.mediasdk.producer.file: frame 10", broken.errors)
        self.assertEqual(len(read_y4m(self.directory / "half.y4m").frames), broken.count("frames delivered"))
        for renderer in ["file:/dev/full,format=y4m", "bw,file:/dev/full,format=y4m"]:
            full = self.msdk("run", "--producer", "testpattern", "--size", "320x240", "--renderer", renderer)
            self.assertEqual(full.code, 1)
            self.assertIn("No space left on device", full.errors)


if __name__ == "__main__":
    unittest.main()
