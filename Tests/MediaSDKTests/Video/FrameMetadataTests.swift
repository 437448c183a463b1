import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// What is sent with each frame of a stream, in a room of one process.
@Suite struct FrameMetadataTests {
  /// User data of a number.
  private func trailer(_ number: Int) -> [UInt8] { [0xFC, 0xFE, ~UInt8(number), 0xF7] + Array("LKTS".utf8) }

  private func with(_ options: OutgoingVideoOptions, carries: Bool = true) -> OutgoingVideoOptions {
    var options = options
    options.carriesMetadata = carries
    return options
  }

  private func send(_ count: Int, _ stream: OutgoingVideo, _ call: Call) throws {
    for number in 0..<count {
      let frame = try stream.currentSender().acquire(deadline: 0)
      defer { frame.release() }
      frame.fill(120)
      trailer(number).withUnsafeBytes { frame.setMetadata($0) }
      try stream.currentSender().send(frame, timestamp: 0, completion: .queued())
      try call.advance(66_666_667)
    }
  }

  private func read(_ incoming: IncomingVideo) -> [[UInt8]] {
    var all: [[UInt8]] = []
    while let frame = try? incoming.read(deadline: 0) {
      all.append(Array(frame.metadata))
      frame.release()
    }
    return all
  }

  private func arrives(_ options: OutgoingVideoOptions, in call: Call) throws -> [[UInt8]] {
    let wanted = Make.incoming { ($0.queueCapacity, $0.pixelFormat) = (8, .bgra) }
    let (outgoing, incoming) = try call.stream(options, wanted)
    #expect(incoming.description.carriesMetadata == options.carriesMetadata)
    try send(4, outgoing, call)
    return read(incoming)
  }

  @Test(arguments: [false, true]) func itComesWithItsFrame(isEncoded: Bool) throws {
    let call = try Call("\(#function) \(isEncoded)").connect()
    let options = isEncoded ? Make.vp8() : Make.raw()
    #expect(try arrives(with(options), in: call) == (0..<4).map(trailer))
  }

  @Test(arguments: [false, true]) func aStreamWithoutItDropsIt(isEncoded: Bool) throws {
    let call = try Call("\(#function) \(isEncoded)").connect()
    #expect(try arrives(with(isEncoded ? Make.vp8() : Make.raw(), carries: false), in: call) == [[], [], [], []])
  }

  @Test func itGoesOverAScriptedNetwork() throws {
    let call = try Call().connect()
    try call.script(NetworkScript.Step(delay: 20 * millisecond))
    let (outgoing, incoming) = try call.stream(with(Make.vp8()), Make.incoming { $0.queueCapacity = 8 })
    try send(4, outgoing, call)
    try call.advance(second)
    #expect(read(incoming) == (0..<4).map(trailer))
  }

  @Test func itIsBesideWhatIsEncrypted() throws {
    let call = try Call(encrypts: true).connect()
    for session in [call.anna, call.bert] { try session.setFrameKey(Array("a secret".utf8), of: nil, index: 0) }
    #expect(try arrives(with(Make.raw()), in: call) == (0..<4).map(trailer))
  }

  /// The program's own frame keeps it for the next stream.
  @Test func aFrameThatWasSentWithoutItKeepsIt() throws {
    let call = try Call().connect()
    let (without, _) = try call.stream(with(Make.raw(), carries: false))
    let (outgoing, incoming) = try call.stream(with(Make.raw()), Make.incoming { $0.queueCapacity = 8 })
    let frame = try VideoFrame.make(Make.format())
    defer { frame.release() }
    frame.fill(120)
    trailer(7).withUnsafeBytes { frame.setMetadata($0) }
    for stream in [without, outgoing] { try stream.currentSender().send(frame, timestamp: 0, completion: .queued()) }
    try call.advance()
    #expect(Array(frame.metadata) == trailer(7) && read(incoming) == [trailer(7)])
  }

  @Test func encodedFramesCarryItToo() throws {
    let call = try Call().connect()
    var options = Make.vp8()
    options.isEncodedInput = true
    let (outgoing, incoming) = try call.stream(with(options), Make.incoming { $0.output = .encoded })
    // A key frame of 320x180 (RFC 6386, section 9.1).
    let frame = try Make.encoded([0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xB4, 0, 1, 2, 3], isKey: true)
    defer { frame.release() }
    (frame.native.pointee.width, frame.native.pointee.height) = (320, 180)
    frame.seal()
    trailer(3).withUnsafeBytes { frame.setMetadata($0) }
    try outgoing.currentSender().send(frame, timestamp: 0, completion: .queued())
    try call.advance()
    let received = try incoming.readEncoded(deadline: 0)
    defer { received.release() }
    #expect(Array(received.metadata) == trailer(3) && Array(received.bytes) == Array(frame.bytes))
  }
}
