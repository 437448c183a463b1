import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A transport whose room refuses a stream after it was published.
@Suite struct PublishFailedTests {
  private let call: Call
  private let way: StandInTransport
  private static let refusal = MediaError(.permission, "the server's answer to the offer: 403")

  init() throws {
    call = try Call().connect()
    way = call.standIn()
    call.anna.transport(way, .connected(.ordinary))
    _ = call.events(call.anna)
  }

  private func published() throws -> StreamID { try #require(way.published.withLock { $0 }) }

  @Test(arguments: [false, true]) func videoIsWithdrawnWithItsReason(isRaw: Bool) throws {
    let stream = try call.engine.makeOutgoingVideo(isRaw ? Make.raw() : Make.vp8())
    try call.anna.start(stream)
    let id = try published()
    call.anna.transport(way, .receivers(id, 1))
    let reports = Journal<FrameReport.Outcome>()
    let sender = try stream.currentSender()
    try sender.sendPicture(completion: .closure { reports.add($0.outcome) })
    try call.advance()
    #expect(way.sent.entries == [1] && reports.entries.count == 1)
    _ = call.stamped(call.anna)
    call.anna.transport(way, .publishFailed(id, Self.refusal))
    let reasons = call.stamped(call.anna).compactMap { event -> String? in
      if case .outgoingVideoState(let failed, .failed, let error) = event.event, failed === stream { error?.text } else { nil }
    }
    #expect(reasons == [Self.refusal.text])
    #expect(stream.state == .failed && stream.session == nil && !stream.isEncoding)
    #expect(call.anna.outgoingVideos.isEmpty && way.withdrawn.entries == [id])
    // What is sent now is refused, in words that say what became of the stream, and nothing follows.
    let error = failure { try sender.sendPicture(completion: .closure { reports.add($0.outcome) }) }
    #expect(error?.status == .state && error?.text.contains("failed") == true)
    call.anna.transport(way, .keyFrameRequested(id))
    call.anna.transport(way, .receivers(id, 2))
    call.anna.transport(way, .publishFailed(id, Self.refusal))
    try call.advance(5 * second)
    #expect(way.sent.entries == [1] && reports.entries.count == 1 && call.events(call.anna).isEmpty)
    // It can be started again, and what is said of its former publication is nothing to it.
    try call.anna.start(stream)
    let second = try published()
    #expect(second != id && stream.state == .started)
    call.anna.transport(way, .publishFailed(id, Self.refusal))
    #expect(stream.state == .started && call.anna.outgoingVideos.count == 1)
    try call.anna.stop(stream)
  }

  @Test(arguments: [false, true]) func soIsAudio(isRaw: Bool) throws {
    let stream = try call.startSound(isRaw ? Make.sound() : Make.opus())
    let id = try published()
    call.anna.transport(way, .receivers(id, 1))
    let reports = Journal<FrameReport.Outcome>()
    let samples = [UInt8](repeating: 0, count: stream.expectedBufferSize)
    func send() throws {
      try samples.withUnsafeBytes { try stream.send($0, completion: .closure { reports.add($0.outcome) }) }
    }
    // The first leaves at once; of the others some wait.
    for _ in 0..<3 { try send() }
    _ = call.stamped(call.anna)
    call.anna.transport(way, .publishFailed(id, Self.refusal))
    let states = call.events(call.anna).filter { $0.hasPrefix("outgoing sound") }
    #expect(states == ["outgoing sound failed permission"])
    #expect(stream.state == .failed && stream.session == nil && call.anna.outgoingAudios.isEmpty && way.withdrawn.entries == [id])
    // What waited was reported before the event came.
    #expect(reports.entries.count == 3)
    let sent = way.sent.entries
    let error = failure(send)
    #expect(error?.status == .state && error?.text.contains("failed") == true)
    try call.advance(5 * second)
    #expect(way.sent.entries == sent && reports.entries.count == 3)
    try call.anna.start(stream)
    call.anna.transport(way, .publishFailed(id, Self.refusal))
    #expect(stream.state == .started)
    try call.anna.stop(stream)
  }

  /// An attached stream is tried again when the session connects again.
  @Test func anAttachedStreamStartsAnewWithTheNextConnection() throws {
    // In a room of this test's own: it is the real one.
    let call = try Call()
    let session = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    let stream = try call.engine.makeOutgoingVideo(Make.vp8())
    try session.start(stream)
    try session.connect()
    try call.advance()
    let transport = try #require(session.guarded.withLock { $0.transport })
    let id = try #require(session.guarded.withLock { $0.outgoing.first?.key })
    session.transport(transport, .publishFailed(id, Self.refusal))
    #expect(stream.state == .failed)
    session.disconnect()
    try session.connect()
    try call.advance()
    #expect(stream.state == .started)
    session.close()
  }

  /// Nothing of a stream that failed keeps its transport or its frames.
  @Test func nothingIsLeftBehind() throws {
    weak var transport: StandInTransport?
    do {
      let call = try Call("left behind").connect()
      let way = call.standIn()
      transport = way
      call.anna.transport(way, .connected(.ordinary))
      let stream = try call.engine.makeOutgoingVideo(Make.vp8())
      try call.anna.start(stream)
      let id = try #require(way.published.withLock { $0 })
      call.anna.transport(way, .receivers(id, 1))
      try stream.currentSender().sendPicture()
      call.anna.transport(way, .publishFailed(id, Self.refusal))
      call.anna.disconnect()
      try call.advance(second)
      _ = call.events(call.anna)
      #expect(stream.state == .failed)
    }
    #expect(transport == nil)
  }
}
