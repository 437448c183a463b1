import CMediaSDK
import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

@Suite(.serialized) struct RTPBacklogTests {
  private let pool = BufferPool(limit: RTPBacklog.most + 2)

  /// How many frames of the pool are held by somebody.
  private var heldCount: Int {
    var free: [EncodedFrame] = []
    while let frame = try? frame(10, deadline: 0) { free.append(frame) }
    for frame in free { frame.release() }
    return pool.limit - free.count
  }

  private func frame(_ size: Int, isKeyFrame: Bool = false, deadline: Int64) throws -> EncodedFrame? {
    var attributes = msdk_encoded_frame()
    attributes.flags = isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    let bytes = [UInt8](repeating: 1, count: size)
    return try bytes.withUnsafeBytes { bytes throws(MediaError) in
      try EncodedFrame.make(copying: bytes, attributes: attributes, from: pool, deadline: deadline)
    }
  }

  private func keep(_ backlog: RTPBacklog, _ picture: FrameID, isKeyFrame: Bool = false, size: Int = 10) throws {
    let frame = try #require(try frame(size, isKeyFrame: isKeyFrame, deadline: .max))
    backlog.keep(frame, picture)
    frame.release()
  }

  private func taken(_ backlog: RTPBacklog) -> [FrameID] {
    backlog.take().map { one in
      one.frame.release()
      return one.id
    }
  }

  @Test func beginsWithTheNewestKeyFrame() throws {
    let backlog = RTPBacklog()
    try keep(backlog, 1)
    #expect(backlog.isEmpty)
    try keep(backlog, 2, isKeyFrame: true)
    try keep(backlog, 3)
    try keep(backlog, 4, isKeyFrame: true)
    try keep(backlog, 5)
    try keep(backlog, 7)
    #expect(taken(backlog) == [4, 5, 7])
    // And that was the moment.
    try keep(backlog, 8, isKeyFrame: true)
    #expect(backlog.isEmpty && heldCount == 0)
  }

  @Test func isBounded() throws {
    do {
      let backlog = RTPBacklog()
      for picture in 0..<FrameID(RTPBacklog.most) { try keep(backlog, picture, isKeyFrame: picture == 0) }
      #expect(heldCount == RTPBacklog.most)
      try keep(backlog, 100)
      #expect(backlog.isEmpty && heldCount == 0)
      // Nobody is in a hurry.
      try keep(backlog, 101, isKeyFrame: true)
      #expect(backlog.isEmpty && heldCount == 0)
      let large = RTPBacklog()
      try keep(large, 1, isKeyFrame: true, size: RTPBacklog.mostBytes - 5)
      try keep(large, 2)
      #expect(large.isEmpty)
      try keep(large, 3)
      #expect(large.isEmpty)
      // Left behind with something in it.
      try keep(large, 4, isKeyFrame: true)
      #expect(heldCount == 1)
    }
    #expect(heldCount == 0)
  }

  /// Who takes a stream after its key frame, and some pictures more, has all of them, in their order, and though nothing comes afterwards.
  @Test func whoTakesAStreamLateBeginsWithItsKeyFrame() throws {
    let room = try RTPRoom()
    let (here, there) = try RTPWay().ends(room, subscribes: false)
    let video = try here.publish(.video)
    let sent = (0..<5).map { RTPEnd.picture(300, isKey: $0 == 0, seed: $0) }
    for (index, picture) in sent.enumerated() { here.send(picture, FrameID(index), at: MediaTime.monotonic(), on: video) }
    #expect(eventually { there.transport.stats.bytesReceived >= 1500 && there.count("video") == 1 })
    let stream = try #require(there.added.entries.first)
    there.transport.subscribe(to: stream.id, there.video)
    #expect(eventually { there.video.units.entries.count >= 5 })
    #expect(there.video.bytes == sent)
    #expect(here.count("key frame") == 0)
    here.send(RTPEnd.picture(200, isKey: false, seed: 9), 5, at: MediaTime.monotonic(), on: video)
    #expect(eventually { there.video.units.entries.count >= 6 })
    #expect(there.video.units.entries.map(\.isKeyFrame) == [true] + [Bool](repeating: false, count: 5))
    room.close(here, there)
  }
}
