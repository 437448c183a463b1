"""A client of a room by LiveKit's own SDK: sends numbered pictures and a tone, keeps what comes of each of the others."""
from __future__ import annotations

import asyncio
import datetime
from collections import defaultdict
from typing import Any, Optional

import numpy as np
from livekit import api, rtc

import material
import numbered

RATE = 15  # pictures a second
KEY, SECRET = "key", "a secret of thirty-two characters"
LOUDEST = 32_768
CAMERA, SCREEN, MICROPHONE = rtc.TrackSource.SOURCE_CAMERA, rtc.TrackSource.SOURCE_SCREENSHARE, rtc.TrackSource.SOURCE_MICROPHONE
EVENTS = ["participant_connected", "participant_disconnected", "track_published", "track_unpublished", "track_subscribed", "track_unsubscribed",
          "track_subscription_failed", "track_muted", "track_unmuted", "disconnected", "reconnecting", "reconnected"]


def token(identity: str, *, room: str = "lobby", joins: bool = True, secret: str = SECRET, lifetime: float = 600,
          is_administrator: bool = False) -> str:
    """The name, the metadata and the attribute "of" follow from the identity. `lifetime`: seconds; below 0 it has run out."""
    made = api.AccessToken(KEY, secret).with_identity(identity).with_name(identity.title()).with_metadata(f"metadata of {identity}")
    made = made.with_attributes({"of": identity}).with_ttl(datetime.timedelta(seconds=lifetime))
    return made.with_grants(api.VideoGrants(room_join=joins, room=room, room_admin=is_administrator)).to_jwt()


def word(value: Any) -> str:
    """What an event is of: a participant, a track, or a value."""
    return str(getattr(value, "identity", None) or getattr(value, "sid", None) or value)


class LiveKitClient:
    """In the room from `join` to `close`. What came is known by whose it is, and of video also by the source."""

    def __init__(self, url: str, name: str) -> None:
        self.url, self.name = url, name
        self.room = rtc.Room()
        self.events: list[tuple[str, ...]] = []
        self.words: dict[tuple[str, int], list[Optional[tuple[int, int]]]] = defaultdict(list)  # of pictures, and None for one that cannot be read
        self.last: dict[tuple[str, int], np.ndarray] = {}
        self.metadata: dict[tuple[str, int], list[Optional[tuple[bytes, int, int]]]] = defaultdict(list)  # of pictures
        self.samples: dict[str, list[np.ndarray]] = defaultdict(list)
        self.data: list[tuple[str, bytes, str]] = []
        self.qualities: dict[str, Any] = {}  # of connections
        self._tasks: list[asyncio.Task] = []
        self._readers: dict[str, asyncio.Task] = {}  # of what comes, by the sids of tracks
        for event in EVENTS:
            self.room.on(event, lambda *values, event=event: self.events.append((event, *map(word, values))))
        self.room.on("track_subscribed", self._follow)
        self.room.on("track_unsubscribed", lambda track, *_: self._forget(track.sid))
        self.room.on("connection_quality_changed", lambda one, quality: self.qualities.update({one.identity: quality}))
        self.room.on("data_received", lambda packet: self.data.append(
            (packet.participant.identity if packet.participant else "", bytes(packet.data), packet.topic or "")))

    def begin(self, work: Any) -> None:
        """Something that ends with the client."""
        self._tasks.append(asyncio.ensure_future(work))

    async def join(self, access: Optional[str] = None, **options: Any) -> LiveKitClient:
        await self.room.connect(self.url, access or token(self.name), rtc.RoomOptions(**options))
        return self

    @property
    def own(self) -> rtc.LocalParticipant:
        return self.room.local_participant

    def of(self, event: str) -> list[tuple[str, ...]]:
        """What came with events of that name."""
        return [tuple(words) for name, *words in self.events if name == event]

    # --------------------------------------------------------------------------------------------------------------- sending

    async def publish_video(self, stream: int, source: int = CAMERA, *, simulcast: bool = False, codec: int = rtc.VideoCodec.VP8,
                            size: tuple[int, int] = (material.WIDTH, material.HEIGHT), metadata: bool = False) -> rtc.LocalTrackPublication:
        pictures = rtc.VideoSource(*size, is_screencast=source == SCREEN)
        track = rtc.LocalVideoTrack.create_video_track(f"video {stream}", pictures)
        self.begin(self._send_pictures(pictures, stream, size, metadata))
        features = rtc.FrameMetadataFeature.values() if metadata else []
        options = rtc.TrackPublishOptions(source=source, simulcast=simulcast, video_codec=codec, frame_metadata_features=features)
        return await self.own.publish_track(track, options)

    async def encoded(self, publication: rtc.LocalTrackPublication) -> dict[str, int]:
        """Frames of each layer, by its name."""
        stats = await publication.track.get_stats()
        sent = [one.outbound_rtp.outbound for one in stats if one.WhichOneof("stats") == "outbound_rtp"]
        return {one.rid: one.frames_encoded for one in sent}

    async def publish_audio(self, frequency: float) -> rtc.LocalTrackPublication:
        sound = rtc.AudioSource(48_000, 1)
        track = rtc.LocalAudioTrack.create_audio_track(f"tone of {frequency:g} Hz", sound)
        self.begin(self._send_tone(sound, frequency))
        return await self.own.publish_track(track, rtc.TrackPublishOptions(source=MICROPHONE))

    async def _send_pictures(self, source: rtc.VideoSource, stream: int, size: tuple[int, int], has_metadata: bool) -> None:
        chroma = bytes([128]) * (size[0] * size[1] // 2)
        start, number = asyncio.get_running_loop().time(), 0
        while True:
            luma = numbered.luma(stream, number, False, *size)
            said = None
            if has_metadata:
                data, timestamp, frame_id = numbered.metadata(number)
                said = rtc.FrameMetadata(user_data=data, user_timestamp=timestamp, frame_id=frame_id)
            source.capture_frame(rtc.VideoFrame(*size, rtc.VideoBufferType.I420, luma.tobytes() + chroma), metadata=said)
            number += 1
            await asyncio.sleep(max(0.0, start + number / RATE - asyncio.get_running_loop().time()))

    async def _send_tone(self, source: rtc.AudioSource, frequency: float) -> None:
        count = 0
        while True:
            times = (np.arange(960) + count) / 48_000
            count += 960
            await source.capture_frame(rtc.AudioFrame((12_000 * np.sin(2 * np.pi * frequency * times)).astype(np.int16).tobytes(), 48_000, 1, 960))

    # --------------------------------------------------------------------------------------------------------------- receiving

    def _follow(self, track: rtc.Track, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant) -> None:
        self._forget(track.sid)
        if track.kind == rtc.TrackKind.KIND_VIDEO:
            work = self._keep_pictures(track, (participant.identity, publication.source))
        else:
            work = self._keep_samples(track, participant.identity)
        self._readers[track.sid] = asyncio.ensure_future(work)

    def _forget(self, sid: str) -> None:
        if reader := self._readers.pop(sid, None):
            reader.cancel()

    async def _keep_pictures(self, track: rtc.Track, key: tuple[str, int]) -> None:
        stream = rtc.VideoStream(track, format=rtc.VideoBufferType.I420)
        try:
            async for event in stream:
                frame = event.frame
                picture = np.frombuffer(frame.data, np.uint8)[:frame.width * frame.height].reshape(frame.height, frame.width)
                read = numbered.read(picture)
                self.words[key].append(read)
                said = event.metadata
                self.metadata[key].append((said.user_data, said.user_timestamp, said.frame_id) if said else None)
                if read:
                    self.last[key] = picture.copy()
        finally:
            await stream.aclose()

    async def _keep_samples(self, track: rtc.Track, name: str) -> None:
        stream = rtc.AudioStream(track)
        try:
            async for event in stream:
                self.samples[name].append(np.frombuffer(event.frame.data, np.int16).astype(np.float64) / LOUDEST)
        finally:
            await stream.aclose()

    def numbers(self, name: str, stream: int, source: int = CAMERA) -> list[int]:
        """Of the pictures of that stream that came, and could be read."""
        return [one[1] for one in self.words[name, source] if one and one[0] == stream]

    def tone(self, name: str, seconds: float) -> float:
        """That of the last of these seconds in which there is sound; 0: there is less than that."""
        samples = np.concatenate([np.zeros(0), *self.samples[name]])
        frequency, length = material.tone_of(samples[-int(48_000 * seconds):], 48_000)
        return frequency if length >= seconds * 0.8 else 0.0

    def check(self) -> None:
        """Raises what made a task end."""
        for task in [*self._tasks, *self._readers.values()]:
            if task.done():
                task.result()

    @property
    def told(self) -> str:
        counts = {f"{name} {rtc.TrackSource.Name(source)}": (len(read), read[-1:]) for (name, source), read in self.words.items()}
        sounds = {name: sum(map(len, samples)) / 48_000 for name, samples in self.samples.items()}
        return (f"{self.name} is {rtc.ConnectionState.Name(self.room.connection_state)}, knows {sorted(self.room.remote_participants)}, has pictures "
                f"{counts}, seconds of sound {sounds}, {len(self.data)} messages; events: {self.events}")

    async def close(self) -> None:
        tasks = [*self._tasks, *self._readers.values()]
        self._tasks.clear()
        self._readers.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.room.disconnect()
