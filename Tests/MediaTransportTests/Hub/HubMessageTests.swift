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
      .i420, width: 1280, height: 720, frameRate: FrameRate(30000, 1001),
      color: ColorSpace(primaries: 1, transfer: 1, matrix: 1, fullRange: true),
      expectedDelay: 40),
    kind: 2)
  static let sound = StreamFormat.audio(AudioFormat(.s16, sampleRate: 44_100, channels: 2, samplesPerBuffer: 882), kind: 1)

  static func member(_ decodes: [UInt32]?) -> Member {
    var member = Member(userID: "änna", displayName: "Anna Ö.")
    member.permissions = [.receive, .moderate]
    member.decodes = decodes
    return member
  }

  static func attributes(_ count: Int, length: Int = 3) throws -> ParticipantAttributes {
    var attributes = ParticipantAttributes()
    for number in 0..<count {
      _ = try attributes.set("\(number)." + String(repeating: "-", count: 63 - "\(number).".count), String(repeating: "v", count: length))
    }
    return attributes
  }

  static func talkative(_ count: Int = 2, length: Int = 3) throws -> Member {
    var member = member([1])
    member.attributes = try attributes(count, length: length)
    return member
  }

  /// What a member can say of themselves fits a message, with everything else as long as it can be.
  @Test func theLongestMemberFits() throws {
    let name = String(repeating: "n", count: 255)
    var member = Member(userID: name, displayName: name)
    member.decodes = [UInt32](repeating: 7, count: 32)
    member.attributes = try Self.attributes(32, length: 1023)
    let token = AccessToken(String(repeating: "t", count: 4095))
    let hello = HubRequest.hello(.init(room: name, member: member, token: token, profile: .aesGCM, former: ([UInt8](0..<16), 1)))
    let bytes = try Self.bytes { hello.write(to: &$0) }
    guard case .hello(let read) = try bytes.withUnsafeBytes({ try HubRequest(parsing: $0) }) else {
      throw MediaError(.fail, "another request")
    }
    #expect(read.member.attributes.changes(to: member.attributes).isEmpty && read.member.attributes.count == 32)
    let notice = try Self.bytes { HubNotice.joined(member).write(to: &$0) }
    guard case .joined(let joined) = try notice.withUnsafeBytes({ try HubNotice(parsing: $0) }) else {
      throw MediaError(.fail, "another notice")
    }
    #expect(joined.attributes == read.member.attributes)
  }

  @Test func attributesThatCannotBeAreRefused() throws {
    func isRead(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { (try? HubNotice(parsing: $0)) != nil } }
    let (user, key): ([UInt8], [UInt8]) = ([0, 1, 0x61], [0, 1, 0x6B, 0, 0])
    #expect(isRead([29] + user + [1] + key))
    #expect(!isRead([29] + user + [2] + key + key))
    #expect(!isRead([29] + user + [1, 0, 1, 0x4B, 0, 0]))
    #expect(!isRead([29] + user + [1, 0, 0, 0, 0]))
    var many: [UInt8] = [33]
    for number in 0..<33 { many += [0, 1, UInt8(ascii: "a") + UInt8(number % 26)] + [0, 0] }
    #expect(!isRead([29] + user + many))
    #expect(isRead([28] + user + [0, 1, 0x6B, 0]) && !isRead([28] + user + [0, 1, 0x6B, 1, 4, 0] + [UInt8](repeating: 0x61, count: 1024)))
  }

  @Test func preferencesThatCannotBeAreRefused() throws {
    func isRead(_ numbers: [UInt32]) -> Bool {
      let bytes = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
      let isRequest = ([28] + bytes).withUnsafeBytes { (try? HubRequest(parsing: $0)) != nil }
      #expect(isRequest == ([30] + bytes).withUnsafeBytes { (try? HubNotice(parsing: $0)) != nil })
      return isRequest
    }
    #expect(isRead([1, 0, 0, 0, 0]) && isRead([1, 16_384, 1, 1, 10]) && isRead([1, 0, 0, .max, 1]))
    for bad in [[1, 0, 5, 0, 0], [1, 5, 0, 0, 0], [1, .max, 5, 0, 0], [1, 5, 5, 1, 0], [1, 5, 5, 0, 1], [1, 0, 0, 1, .max]] as [[UInt32]] {
      #expect(!isRead(bad), "\(bad)")
    }
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
      .setSpeaking(3, false, level: 127), .subscribe(1, high), .unsubscribe(0), .requestKeyFrame(9),
      .remove(userID: "bert", reason: "because"),
      .mute(userID: "bert", false), .renew(AccessToken("token")), .renew(AccessToken("")),
      .setAttribute("mood", "fröhlich"), .setAttribute("mood", ""), .setAttribute(String(repeating: "k", count: 63), nil),
      .prefer(7, VideoPreference(width: 640, height: 360, frameRate: FrameRate(30000, 1001))), .prefer(.max, .any)
    ]
  }

  static func notices() throws -> [HubNotice] {
    let terms = try SRTPProfile.allCases.map { try MediaParameters.make(port: 5004, base: 0xABCD_EF00, profile: $0) }
    return terms.map { .welcome(.init(permissions: .ordinary, ticket: [UInt8](repeating: 7, count: 16), terms: $0)) } + [
      .received(3), .ended(MediaError(.full, "no room")), .resumed(99), .joined(member(nil)), .joined(member([])), .joined(member([5])),
      .left(userID: "bert"),
      .streamAdded(.init(number: 4, userID: "bert", codec: UInt32(MSDK_CODEC_VP8), format: video, isMuted: false)),
      .streamAdded(.init(number: 5, userID: "bert", codec: UInt32(MSDK_CODEC_OPUS), format: sound, isMuted: true)), .streamRemoved(4),
      .streamMuted(5, true), .speaking(5, userID: "bert", true, level: 20), .moderated(by: "carl", .muted, reason: "noise"),
      .keyFrameRequested(2),
      .receivers(2, 999), .permissionsChanged(userID: "bert", [.receive]), .accessExpiring(30_000_000_000), .accessRenewed(nil),
      .accessRenewed(MediaError(.permission, "expired")), .attribute(userID: "bert", "mood", "good"),
      .attribute(userID: "bert", "mood", nil),
      .attributes(userID: "bert", ParticipantAttributes()), .attributes(userID: "bert", try attributes(3)), .joined(try talkative()),
      .wanted(7, VideoPreference(width: 640, height: 360, frameRate: FrameRate(15))), .wanted(0, .any)
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
    let samples =
      try Self.requests().map { request in try Self.bytes { request.write(to: &$0) } }
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
    guard case .ended(let error) = try bytes.withUnsafeBytes({ try HubNotice(parsing: $0) }) else {
      throw MediaError(.fail, "another notice")
    }
    #expect(error.status == .full)
    #expect(!error.text.isEmpty && error.text.utf8.count <= 1024 && long.hasPrefix(error.text))
  }

  @Test func aHelloDoesNotShowItsToken() throws {
    let hello = HubRequest.hello(.init(room: "room", member: Self.member(nil), token: AccessToken("very secret"), profile: .aesGCM))
    #expect(!"\(hello)".contains("secret"))
    var text = ""
    dump(hello, to: &text)
    dump(HubRequest.renew(AccessToken("very secret")), to: &text)
    #expect(!text.contains("secret"))
  }
}
