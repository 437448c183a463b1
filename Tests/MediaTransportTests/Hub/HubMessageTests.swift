import CMediaSDK
import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaTransport

/// Messages, each written by one end and read by the other.
@Suite struct HubMessageTests {
  static let video = StreamFormat.video(
    VideoFormat(
      .i420, width: 1280, height: 720, frameRate: FrameRate(30000, 1001), color: ColorSpace(primaries: 1, transfer: 1, matrix: 1, fullRange: true)),
    kind: 2)
  static let sound = StreamFormat.audio(AudioFormat(.s16, sampleRate: 44_100, channels: 2, samplesPerBuffer: 882), kind: 1)

  static func member(_ decodes: [UInt32]?) -> Member {
    var member = Member(userID: "änna", displayName: "Anna Ö.")
    member.permissions = [.receive, .moderate]
    member.decodes = decodes
    return member
  }

  static func requests() throws -> [HubRequest] {
    // What he may do is not his to say.
    func member(_ decodes: [UInt32]?) -> Member {
      var member = self.member(decodes)
      member.permissions = .ordinary
      return member
    }
    let (low, high) = (try #require(HubSlot(index: 0)), try #require(HubSlot(index: 59)))
    return [
      .hello(.init(room: "room", member: member(nil), token: AccessToken("token"), profile: .aesGCM)),
      .hello(
        .init(
          room: String(repeating: "r", count: 255), member: member([1, 2, .max]), token: AccessToken(""), profile: .aesCounterSHA1,
          former: ([UInt8](0..<16), 1 << 40))),
      .received(.max), .leave, .publish(7, low, codec: UInt32(MSDK_CODEC_VP8), format: video),
      .publish(8, high, codec: UInt32(MSDK_CODEC_OPUS), format: sound), .unpublish(.max), .setFormat(3, video), .setMuted(3, true),
      .setSpeaking(3, false, level: 127), .subscribe(1, high), .unsubscribe(0), .requestKeyFrame(9), .remove(userID: "bert", reason: "because"),
      .mute(userID: "bert", false),
    ]
  }

  static func notices() throws -> [HubNotice] {
    let terms = try SRTPProfile.allCases.map { try HubTerms.make(port: 5004, base: 0xABCD_EF00, profile: $0) }
    return terms.map { .welcome(.init(permissions: .ordinary, ticket: [UInt8](repeating: 7, count: 16), terms: $0)) } + [
      .received(3), .ended(MediaError(.full, "no room")), .resumed(99), .joined(member(nil)), .joined(member([])), .joined(member([5])),
      .left(userID: "bert"),
      .streamAdded(.init(number: 4, userID: "bert", codec: UInt32(MSDK_CODEC_VP8), format: video, isMuted: false)),
      .streamAdded(.init(number: 5, userID: "bert", codec: UInt32(MSDK_CODEC_OPUS), format: sound, isMuted: true)), .streamRemoved(4),
      .streamMuted(5, true), .speaking(5, userID: "bert", true, level: 20), .moderated(by: "carl", .muted, reason: "noise"), .keyFrameRequested(2),
      .receivers(2, 999),
    ]
  }

  /// What is read from what was written is written the same: that says that nothing was lost, as each part is written.
  @Test func whatIsWrittenIsReadAsItWas() throws {
    for request in try Self.requests() {
      let bytes = try Self.bytes { request.write(to: &$0) }
      let again = try bytes.withUnsafeBytes { try HubRequest(parsing: $0) }
      #expect("\(again)" == "\(request)")
      #expect(try Self.bytes { again.write(to: &$0) } == bytes)
      #expect(again.isCounted == (bytes[0] >= 16))
    }
    for notice in try Self.notices() {
      let bytes = try Self.bytes { notice.write(to: &$0) }
      let again = try bytes.withUnsafeBytes { try HubNotice(parsing: $0) }
      #expect(try Self.bytes { again.write(to: &$0) } == bytes)
      #expect(again.isCounted == (bytes[0] >= 16))
    }
  }

  static func bytes(_ write: (inout PacketWriter) -> Void) throws -> [UInt8] {
    let frame = HubConnection.frame(write)
    try #require(frame.count == 2 + Int(frame[0]) << 8 + Int(frame[1]))
    return Array(frame.dropFirst(2))
  }

  @Test func everyPrefixAndEveryBitMoreIsRefused() throws {
    for bytes in try Self.requests().map({ request in try Self.bytes { request.write(to: &$0) } }) {
      for count in 0..<bytes.count {
        let isRead = bytes.prefix(count).withUnsafeBytes { (try? HubRequest(parsing: $0)) != nil }
        #expect(!isRead, "\(count) of \(bytes.count) bytes of type \(bytes[0])")
      }
      let isRead = (bytes + [0]).withUnsafeBytes { (try? HubRequest(parsing: $0)) != nil }
      #expect(!isRead)
    }
    for bytes in try Self.notices().map({ notice in try Self.bytes { notice.write(to: &$0) } }) {
      for count in 0..<bytes.count {
        let isRead = bytes.prefix(count).withUnsafeBytes { (try? HubNotice(parsing: $0)) != nil }
        #expect(!isRead, "\(count) of \(bytes.count) bytes of type \(bytes[0])")
      }
      let isRead = (bytes + [0]).withUnsafeBytes { (try? HubNotice(parsing: $0)) != nil }
      #expect(!isRead)
    }
  }

  /// What is read in spite of it can be written, and is read the same again.
  @Test func whatIsSpoiltNeverTraps() throws {
    var random = SeededRandom(seed: 8)
    let samples = try Self.requests().map { request in try Self.bytes { request.write(to: &$0) } }
      + Self.notices().map { notice in try Self.bytes { notice.write(to: &$0) } }
    var read = 0
    for _ in 0..<60_000 {
      guard var bytes = samples.randomElement(using: &random) else { continue }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        let edge: UInt8 = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
        bytes[place] = Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : edge
      }
      if Int.random(in: 0..<4, using: &random) == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      try bytes.withUnsafeBytes { raw in
        if let request = try? HubRequest(parsing: raw) {
          read += 1
          let again = try Self.bytes { request.write(to: &$0) }
          _ = try again.withUnsafeBytes { try HubRequest(parsing: $0) }
        }
        if let notice = try? HubNotice(parsing: raw) {
          read += 1
          let again = try Self.bytes { notice.write(to: &$0) }
          _ = try again.withUnsafeBytes { try HubNotice(parsing: $0) }
        }
      }
    }
    #expect(read > 1000)
  }

  @Test func wordsAreCutAndNamesAreNot() throws {
    let long = String(repeating: "ö", count: 5000)
    let bytes = try Self.bytes { HubNotice.ended(MediaError(.full, long)).write(to: &$0) }
    guard case .ended(let error) = try bytes.withUnsafeBytes({ try HubNotice(parsing: $0) }) else { throw MediaError(.fail, "another notice") }
    #expect(error.status == .full)
    #expect(!error.text.isEmpty && error.text.utf8.count <= 1024 && long.hasPrefix(error.text))
  }

  @Test func aHelloDoesNotShowItsToken() throws {
    let hello = HubRequest.hello(.init(room: "room", member: Self.member(nil), token: AccessToken("very secret"), profile: .aesGCM))
    #expect(!"\(hello)".contains("secret"))
    var text = ""
    dump(hello, to: &text)
    #expect(!text.contains("secret"))
  }
}
