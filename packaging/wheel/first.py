"""The first thing that anybody tries: a frame goes from one session to another."""
from mediasdk import Engine, Frame, FrameSenderChanged, IncomingVideoAdded, VideoFormat

with Engine() as engine:
    alice, bob = (engine.create_session("loopback:lobby", name) for name in ("alice", "bob"))
    for session in (alice, bob):
        session.connect(timeout=5)
    camera = engine.create_outgoing_video([VideoFormat("NV12", 640, 360, 30)], codec="VP8")
    alice.start_video(camera)
    sender = next(event.sender for event in alice.events(5) if isinstance(event, FrameSenderChanged))
    video = next(event.incoming_video for event in bob.events(5) if isinstance(event, IncomingVideoAdded))
    video.start(pixel_format="RGB24")
    orange = memoryview(bytes((255, 128, 0)) * (320 * 180)).cast("B", (180, 320, 3))
    frames: list[Frame] = []
    while not frames:
        sender.send_image(orange)
        frames = list(video.frames(timeout=0.1))
    red, green, blue = frames[0].planes[0][0][:3]
    print(f"bob received {frames[0].width}x{frames[0].height}, and its first pixel is {red}, {green}, {blue}")
