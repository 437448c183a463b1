"""A participant of a room that is a session of this library: sends numbered pictures and a tone, keeps what comes of each of the others."""
from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from typing import Any, Optional

import numpy as np

import mediasdk
import material
from ours import Pictures, Sine


class RoomMember:
    """Connects at once. Others are known by their display names."""

    def __init__(self, url: str, name: str, stream: int, frequency: float, token: Optional[str] = None, *, is_screen: bool = False,
                 size: tuple[int, int] = (material.WIDTH, material.HEIGHT), rate: int = material.RATE, encrypts: bool = False, key: Optional[str] = None,
                 has_metadata: bool = False) -> None:
        self.engine = mediasdk.Engine()
        self.session = self.engine.create_session(url, f"id-{name}", name, access_token=token, encrypt_frames=encrypts,
                                                 encrypt_data=encrypts)
        if key is not None:
            self.session.set_frame_key(key)
        self.name, self.stream, self.frequency, self.has_metadata = name, stream, frequency, has_metadata
        self.names: dict[str, str] = {}
        self.pictures: dict[str, list[np.ndarray]] = defaultdict(list)
        self.times: dict[str, list[float]] = defaultdict(list)  # of the pictures
        self.metadata: dict[str, list[mediasdk.FrameMetadata]] = defaultdict(list)  # of the pictures
        self.samples: dict[str, list[np.ndarray]] = defaultdict(list)
        self.kinds: dict[str, mediasdk.VideoKind] = {}
        self.undecodable: list[str] = []  # whose videos cannot be decoded here
        self.gone: list[str] = []
        self.left: list[str] = []
        self.muted: list[tuple[str, bool]] = []
        self.moderated: list[mediasdk.Moderation] = []
        self.encryption: dict[tuple[str, str], list[mediasdk.EncryptionState]] = defaultdict(list)  # by whose it is, and of what
        self.data_encryption: dict[str, list[mediasdk.EncryptionState]] = defaultdict(list)  # by whose data it is
        self.speakers: set[str] = set()
        self.videos: dict[str, mediasdk.IncomingVideo] = {}
        self.error: Optional[mediasdk.MediaSDKError] = None
        self.states: list[mediasdk.SessionState] = []
        self._tasks: list[asyncio.Task] = []
        asyncio.get_running_loop().slow_callback_duration = 10  # seconds: pictures are made on the loop
        self.session.connect(wait=False)
        format = mediasdk.VideoFormat("I420", *size, rate)
        kind = mediasdk.VideoKind.SCREEN_SHARE if is_screen else mediasdk.VideoKind.VIRTUAL
        self.video = self.engine.create_outgoing_video(format, limits="EXTENDED", kind=kind, carries_metadata=has_metadata)
        self.audio = self.engine.create_outgoing_audio(application="AUDIO")
        self.start_video()
        self.session.start_audio(self.audio)
        self._begin(self.audio.run_async(Sine(frequency)))
        self._begin(self._events())

    def _begin(self, work: Any) -> None:
        self._tasks.append(asyncio.ensure_future(work))

    def start_video(self) -> None:
        """First, and after it was stopped."""
        self.session.start_video(self.video)
        self._begin(self.video.run_async(Pictures(self.stream, self.has_metadata)))

    def keep(self, video: mediasdk.IncomingVideo, name: str) -> None:
        self._begin(self._keep_pictures(video, name))

    async def _events(self) -> None:
        async for event in self.session:
            if isinstance(event, mediasdk.ParticipantJoined):
                self.names[event.user_id] = event.display_name
            elif isinstance(event, mediasdk.ParticipantLeft):
                self.left.append(self.names.get(event.user_id, ""))
            elif isinstance(event, mediasdk.IncomingVideoAdded):
                name = self.names[event.user_id]
                self.videos[name] = event.incoming_video
                self.kinds[name] = event.incoming_video.kind
                try:
                    event.incoming_video.start(pixel_format="I420")
                except mediasdk.UnsupportedError:
                    self.undecodable.append(name)
                    continue
                self.keep(event.incoming_video, name)
            elif isinstance(event, mediasdk.IncomingVideoRemoved):
                self.gone.append(self.names[event.user_id])
            elif isinstance(event, mediasdk.IncomingAudioAdded):
                event.incoming_audio.start(sample_rate=48_000, channels=1, sample_format="F32")
                self._begin(self._keep_samples(event.incoming_audio, self.names[event.user_id]))
            elif isinstance(event, mediasdk.IncomingAudioMuted):
                self.muted.append((self.names[event.user_id], event.muted))
            elif isinstance(event, mediasdk.StreamEncryptionChanged):
                what = "video" if event.incoming_video or event.outgoing_video else "audio"
                self.encryption[self.names.get(event.user_id, ""), what].append(event.state)
            elif isinstance(event, mediasdk.DataEncryptionChanged):
                self.data_encryption[self.names.get(event.user_id, "")].append(event.state)
            elif isinstance(event, mediasdk.Moderated):
                self.moderated.append(event.moderation)
            elif isinstance(event, mediasdk.ActiveSpeakerChanged):
                self.speakers.add(self.names.get(event.user_id or "", ""))
            elif isinstance(event, mediasdk.SessionStateChanged):
                self.states.append(event.state)
                self.error = event.error or self.error

    async def _keep_pictures(self, stream: mediasdk.IncomingVideo, name: str) -> None:
        async for frame in stream:
            with frame:
                self.pictures[name].append(frame.plane_array(0).copy())
                self.times[name].append(time.monotonic())
                self.metadata[name].append(frame.metadata)

    async def _keep_samples(self, stream: mediasdk.IncomingAudio, name: str) -> None:
        async for frame in stream:
            with frame:
                self.samples[name].append(frame.to_numpy()[:, 0].copy())

    def check(self) -> None:
        """Raises what made a task end."""
        for task in self._tasks:
            if task.done():
                task.result()

    @property
    def told(self) -> str:
        counts = {name: (len(self.pictures[name]), len(self.samples[name])) for name in {*self.pictures, *self.samples}}
        return f"{self.name} is {self.session.state.name} after {[state.name for state in self.states]}, has {counts}, knows {self.names}, of whom {self.left} left, error {self.error}"

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.session.close()
        self.engine.close()
