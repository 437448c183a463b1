import CMediaSDK
import MediaCore
import MediaEmulation
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling
@testable import MediaWebRTCTransport

/// Video that the library neither encodes nor decodes, through a room of LiveKit's.
@Suite struct LiveKitCarriedVideoTests {
  private static let h264 = ForwardedCodec(named: "h264")?.fourcc ?? 0
  /// Parameter sets as libx264 makes them, of 322 by 182.
  private static let sets: [[UInt8]] = [
    [
      0x67, 0x64, 0x00, 0x0B, 0xAC, 0xB2, 0x02, 0xA3, 0x3C, 0x44, 0xD8, 0x08, 0x80, 0x00, 0x00, 0x03, 0x00, 0x80, 0x00, 0x00, 0x05, 0x07,
      0x8A, 0x15, 0x24
    ], [0x68, 0xEB, 0xC3, 0xCB, 0x22, 0xC0]
  ]

  private let house: ServerHouse
  private let pool = BufferPool(limit: 64)

  init() throws { house = try ServerHouse.forLiveKit() }

  /// In the byte-stream format.
  private func frame(_ number: Int, isKey: Bool) -> [UInt8] {
    let slice: [UInt8] = (isKey ? [0x65, 0x88, 0x84] : [0x41, 0x9A, 0x21]) + (0..<2_000).map { UInt8(1 + ($0 + number) % 250) }
    return ((isKey ? LiveKitCarriedVideoTests.sets : []) + [slice]).flatMap { [0, 0, 0, 1] + $0 }
  }

  private func send(_ seconds: Int, _ end: LiveKitEnd, _ ends: [LiveKitEnd]) throws -> [[UInt8]] {
    var sent: [[UInt8]] = []
    for number in 0..<30 * seconds {
      let bytes = frame(number, isKey: number % 30 == 0)
      var attributes = msdk_encoded_frame()
      (attributes.codec, attributes.timestamp_ns) = (LiveKitCarriedVideoTests.h264, house.clock.now())
      attributes.flags = number % 30 == 0 ? UInt32(MSDK_ENCODED_KEY) : 0
      let made = try #require(
        try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) })
      defer { made.release() }
      _ = end.media.link.send(made, FrameID(number + 1), on: end.media.streams[0])
      sent.append(bytes)
      _ = try house.run(ends, for: second / 30) { false }
    }
    return sent
  }

  @Test(arguments: [LiveKitVersion.one, .zero]) func h264GoesThroughAsItIs(version: LiveKitVersion) throws {
    let bot = try house.member("bot")
    // In a section of its own: who receives in the same one sends what that is agreed on for.
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", sections: version == .one ? 0 : 1, version: version, carriesVideo: true)
    #expect(try house.run([anna]) { anna.isHere })
    try anna.publish(isVideo: true, codec: LiveKitCarriedVideoTests.h264)
    #expect(try house.run([anna]) { anna.published.count == 1 })
    try bot.publish(isVideo: true)
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2", version: version, carriesVideo: true)
    // Who takes VP8 alone is sent that, and nothing else.
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", sections: 2)
    let dora = try house.session("dora", at: "10.0.0.4", token: LiveKitEnd.token(house, "dora"), url: "", publishes: [])
    let ends = [anna, bob, cleo]
    #expect(try house.run(ends) { ends.allSatisfy(\.isHere) && dora.isHere })
    #expect(try house.run(ends) { anna.media.has("receivers 1") }, "\(anna.media.events)")
    let sent = try send(3, anna, ends)
    for (name, received) in [("bob", bob.receiving), ("bot", bot), ("dora", dora)] {
      let bytes = received.bytes[LiveKitCarriedVideoTests.h264] ?? []
      #expect(bytes.count > 50 && bytes.allSatisfy { sent.contains($0) }, "\(name): \(bytes.count)")
    }
    #expect(bob.others["anna"]?.tracks.first?.mimeType == "video/h264")
    for end in [bot, dora] { #expect(end.added.contains { $0.codec == LiveKitCarriedVideoTests.h264 && $0.userID == "anna" }) }
    #expect(cleo.receiving.bytes[LiveKitCarriedVideoTests.h264] == nil)
    for _ in 0..<30 {
      bot.send(0, isVideo: true)
      _ = try house.run(ends, for: second / 30) { false }
    }
    #expect(dora.received(isVideo: true) > 15, "\(dora.events)")
    for end in [anna, bob, cleo] { #expect(end.receiving.received(isVideo: true) > 15, "\(end.identity): \(end.receiving.events)") }
    // Of a member's the same is said to them, once.
    try bot.publish(isVideo: true, codec: LiveKitCarriedVideoTests.h264)
    _ = try house.run(ends, for: 2 * second) { false }
    #expect(bot.events.filter { $0.hasPrefix("unreachable") } == ["unreachable cleo unsupported"], "\(bot.events)")
    for end in ends { end.close() }
    for end in [bot, dora] { end.link.disconnect() }
    #expect(try house.run(for: second) { house.web.memberCount == 0 })
    try house.close()
  }
}
