import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// What a transport says of a stream's layers, as the encoder side follows it: one layer.
@Suite struct OutgoingVideoLayersTests {
  private let call: Call
  private let way: StandInTransport
  private let stream: OutgoingVideo
  private let id: StreamID

  init() throws {
    call = try Call().connect()
    way = call.standIn()
    call.anna.transport(way, .connected(.ordinary))
    var options = Make.vp8(Make.format(640, 360, 30))
    (options.bitrate.target, options.bitrate.least) = (1_000_000, 100_000)
    stream = try call.engine.makeOutgoingVideo(options)
    try call.anna.start(stream)
    id = try #require(way.published.withLock { $0 })
    call.anna.transport(way, .receivers(id, 1))
  }

  /// What became of one frame, and at what rate the encoder was to make it.
  private func send() throws -> (reason: FrameReport.DropReason, isKeyFrame: Bool, bitrate: UInt64) {
    let reports = Journal<FrameReport>()
    try stream.currentSender().sendPicture(completion: .closure { reports.add($0) })
    try call.advance(50 * millisecond)
    let report = try #require(reports.entries.first)
    return (report.reason, report.isKeyFrame, stream.stats.counters.targetBitrate)
  }

  @Test func itIsPublishedInOne() { #expect(way.layers.entries == [.one]) }

  @Test func anInactiveLayerIsNotEncodedAndBeginsAgainWithAKeyFrame() throws {
    #expect(try send().isKeyFrame)
    #expect(try !send().isKeyFrame)
    call.anna.transport(way, .layers(id, active: [false], bitrates: [0]))
    #expect(try send().reason == .noReceiver)
    #expect(way.sent.entries.count == 2)
    call.anna.transport(way, .layers(id, active: [true], bitrates: [0]))
    let (reason, isKeyFrame, _) = try send()
    #expect(reason == .none && isKeyFrame && way.sent.entries.count == 3)
    // The same again is no news.
    call.anna.transport(way, .layers(id, active: [true], bitrates: [0]))
    #expect(try !send().isKeyFrame)
  }

  @Test func itsBitrateIsBounded() throws {
    #expect(try send().bitrate == 1_000_000)
    call.anna.transport(way, .layers(id, active: [true], bitrates: [400_000]))
    #expect(try send().bitrate == 400_000)
    // What the program wants at least is made.
    call.anna.transport(way, .layers(id, active: [true], bitrates: [1]))
    #expect(try send().bitrate == 100_000)
    call.anna.transport(way, .layers(id, active: [true], bitrates: [.max]))
    #expect(try send().bitrate == 1_000_000)
    // A bound that was is over with the publication, and another publication's is nothing to this one.
    call.anna.transport(way, .layers(id, active: [true], bitrates: [400_000]))
    try call.anna.stop(stream)
    try call.anna.start(stream)
    let next = try #require(way.published.withLock { $0 })
    call.anna.transport(way, .receivers(next, 1))
    call.anna.transport(way, .layers(id, active: [false], bitrates: [400_000]))
    let (reason, _, bitrate) = try send()
    #expect(reason == .none && bitrate == 1_000_000)
  }
}
