import CMediaSDK
import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

/// Members of a room of one process, some of whom encrypt.
@Suite struct FrameEncryptionTests {
  private let secret = Array("a secret".utf8)

  private func shades(_ incoming: IncomingVideo) -> [Int] {
    var all: [Int] = []
    while let frame = try? incoming.read(deadline: 0) {
      all.append(Int(frame.shade))
      frame.release()
    }
    return all
  }

  private func send(_ count: Int, _ stream: OutgoingVideo, _ call: Call) throws {
    for _ in 0..<count {
      try stream.currentSender().sendPicture(120)
      try call.advance(66_666_667)
    }
  }

  private func encryption(_ session: Session, _ call: Call) -> [String] { call.events(session).filter { $0.hasPrefix("encryption") } }

  @Test func whoHasTheKeySees() throws {
    let call = try Call(encrypts: true).connect()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.queueCapacity = 8 })
    try send(3, outgoing, call)
    let seen = shades(incoming)
    #expect(seen.count == 3 && seen.allSatisfy { abs($0 - 120) < 10 }, "\(seen)")
    // Raw frames would not be encrypted.
    #expect(outgoing.progress.codec == UInt32(MSDK_CODEC_VP8) && incoming.description.isEncrypted)
    #expect(encryption(call.anna, call) == ["encryption active 0"] && encryption(call.bert, call) == ["encryption active 0"])
  }

  @Test func withoutTheKeyNothingIsSeen() throws {
    let call = try Call(encrypts: true).connect()
    try call.anna.setFrameKey(secret, of: "anna", index: 2)
    try call.anna.selectFrameKey(index: 2)
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.queueCapacity = 64 })
    try send(3, outgoing, call)
    #expect(shades(incoming).isEmpty && encryption(call.bert, call) == ["encryption noKey 2"])
    try call.bert.setFrameKey(Array("another".utf8), of: "anna", index: 2)
    try send(4, outgoing, call)
    #expect(shades(incoming).isEmpty && encryption(call.bert, call) == ["encryption wrongKey 2"])
    let counters = incoming.stats.counters
    #expect(counters.received == 7 && counters.dropped == 7 && counters.lost == 0 && counters.decoded == 0)
    // From the next key frame on, which is asked for.
    try call.bert.setFrameKey(secret, of: "anna", index: 2)
    try send(12, outgoing, call)
    let seen = shades(incoming)
    #expect(seen.count > 5 && seen.allSatisfy { abs($0 - 120) < 10 }, "\(seen)")
    #expect(encryption(call.bert, call) == ["encryption active 2"])
  }

  @Test func whatCannotBeEncryptedIsNotSent() throws {
    let call = try Call(encrypts: true).connect()
    try call.bert.setFrameKey(secret, of: nil, index: 0)
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.queueCapacity = 8 })
    try send(2, outgoing, call)
    #expect(shades(incoming).isEmpty && incoming.stats.counters.received == 0)
    #expect(encryption(call.anna, call) == ["encryption noKey 0"])
    var options = Make.raw()
    options.codec = FourCC.raw
    let raw = try call.engine.makeOutgoingVideo(options)
    let error = #expect(throws: MediaError.self) { try call.anna.start(raw) }
    #expect(error?.status == .unsupported && error?.text.has("encrypt_frames") == true)
  }

  @Test func whoEncryptsTakesNothingElse() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.vp8())
    let clara = try call.join("clara", encrypts: true)
    let incoming = try #require(clara.incomingVideos.last)
    try incoming.start(IncomingVideoOptions())
    try send(3, outgoing, call)
    #expect(shades(incoming).isEmpty && encryption(clara, call) == ["encryption notEncrypted 0"])
  }

  /// A session that does not encrypt, of those that do.
  @Test func aKeyIsEnoughToReceive() throws {
    let call = try Call().connect()
    let clara = try call.join("clara", encrypts: true)
    try clara.setFrameKey(secret, of: nil, index: 0)
    let outgoing = try call.engine.makeOutgoingVideo(Make.vp8())
    try clara.start(outgoing)
    try call.advance()
    let incoming = try #require(call.bert.incomingVideos.last)
    try incoming.start(Make.incoming { $0.queueCapacity = 64 })
    try send(2, outgoing, call)
    #expect(shades(incoming).isEmpty && encryption(call.bert, call) == ["encryption noKey 0"])
    try call.bert.setFrameKey(secret, of: nil, index: 0)
    try send(10, outgoing, call)
    #expect(!shades(incoming).isEmpty)
  }

  @Test func audioIsEncryptedToo() throws {
    let call = try Call(encrypts: true).connect()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    let (outgoing, incoming) = try call.sound()
    #expect(outgoing.currentCodec == UInt32(MSDK_CODEC_OPUS))
    for _ in 0..<10 {
      try outgoing.sendLevel()
      try call.advance(20 * millisecond)
    }
    var loudest: UInt32 = 127
    while let frame = try? incoming.read(deadline: 0) {
      loudest = min(loudest, frame.native.pointee.level)
      frame.release()
    }
    #expect(loudest < 40)
    try call.bert.setFrameKey([], of: nil, index: 0)
    let before = incoming.stats.counters.received
    for _ in 0..<5 {
      try outgoing.sendLevel()
      try call.advance(20 * millisecond)
    }
    #expect(incoming.stats.counters.received > before && (try? incoming.read(deadline: 0)) == nil)
    #expect(encryption(call.bert, call) == ["encryption active 0", "encryption noKey 0"])
  }

  @Test func layersAreEncryptedEach() throws {
    let call = try Call(encrypts: true).connect()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    var options = Make.vp8()
    options.formats = [VideoFormat(.i420, width: 640, height: 480, frameRate: FrameRate(15))]
    let (outgoing, incoming) = try call.stream(options, Make.incoming { $0.queueCapacity = 64 })
    try incoming.setPreference(VideoPreference(width: 320, height: 240, frameRate: nil))
    try call.advance(second)
    for _ in 0..<20 {
      try outgoing.currentSender().sendPicture(120)
      try call.advance(66_666_667)
    }
    let seen = shades(incoming)
    #expect(seen.count > 10 && seen.allSatisfy { abs($0 - 120) < 10 }, "\(seen)")
  }

  @Test func badArgumentsAreNamed() throws {
    let call = try Call()
    let errors: [MediaError?] = [
      #expect(throws: MediaError.self) { try call.anna.setFrameKey(secret, of: nil, index: 16) },
      #expect(throws: MediaError.self) { try call.anna.setFrameKey([UInt8](repeating: 1, count: 300), of: nil, index: 0) },
      #expect(throws: MediaError.self) { try call.anna.setFrameKey(secret, of: "", index: 0) },
      #expect(throws: MediaError.self) { try call.anna.selectFrameKey(index: -1) },
      #expect(throws: MediaError.self) { try call.anna.ratchetFrameKey(of: "bert", index: 1) }
    ]
    #expect(errors.map { $0?.status } == [.range, .range, .invalid, .range, .notFound])
  }
}
