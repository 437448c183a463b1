import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// What a transport says of a stream's layers, as the encoder side follows it.
@Suite struct OutgoingVideoLayersTests {
  private let call: Call
  private let way: StandInTransport

  init() throws {
    call = try Call().connect()
    way = call.standIn()
    call.anna.transport(way, .connected(.ordinary))
  }

  /// Started, with somebody who receives it.
  private func start(layers: Int, _ format: VideoFormat = Make.format(640, 360, 30)) throws -> (OutgoingVideo, StreamID) {
    var options = Make.vp8(format)
    (options.bitrate.target, options.bitrate.least, options.mostLayers) = (1_000_000, 100_000, layers)
    let stream = try call.engine.makeOutgoingVideo(options)
    try call.anna.start(stream)
    let id = try #require(way.published.withLock { $0 })
    call.anna.transport(way, .receivers(id, 1))
    return (stream, id)
  }

  /// What became of one frame, and at what rate the encoder was to make it.
  private func send(_ stream: OutgoingVideo) throws -> (reason: FrameReport.DropReason, isKeyFrame: Bool, bitrate: UInt64) {
    let reports = Journal<FrameReport>()
    try stream.currentSender().sendPicture(completion: .closure { reports.add($0) })
    try call.advance(50 * millisecond)
    let report = try #require(reports.entries.first)
    return (report.reason, report.isKeyFrame, stream.stats.counters.targetBitrate)
  }

  @Test func theSizeSaysHowMany() throws {
    for (format, count) in [
      (Make.format(1_280, 720, 30), 3), (Make.format(640, 360, 30), 2), (Make.format(480, 270, 15), 1), (Make.format(960, 540, 30), 3)
    ] {
      let (stream, _) = try start(layers: 0, format)
      #expect(way.layers.entries.last == StreamLayers(count: count) && stream.stats.layers == count)
      try call.anna.stop(stream)
      #expect(stream.stats.layers == 1)
    }
    let (one, _) = try start(layers: 1, Make.format(1_280, 720, 30))
    #expect(way.layers.entries.last == .one)
    try call.anna.stop(one)
    let screen = try call.engine.makeOutgoingVideo(Make.screen(Make.format(1_280, 720, 5), codec: MSDK_CODEC_VP8))
    try call.anna.start(screen)
    #expect(way.layers.entries.last == .one)
    var options = Make.vp8()
    options.mostLayers = 4
    #expect(throws: MediaError.self) { try call.engine.makeOutgoingVideo(options) }
  }

  @Test func eachLayerIsSentByItself() throws {
    let (stream, id) = try start(layers: 3)
    for _ in 0..<3 { _ = try send(stream) }
    let sent = way.layered.entries
    #expect(sent.map(\.layer) == [0, 1, 2, 0, 1, 2, 0, 1, 2] && sent.map(\.id) == [1, 1, 1, 2, 2, 2, 3, 3, 3])
    #expect(sent.prefix(3).map(\.size.width) == [160, 320, 640] && sent.map(\.isKey) == (0..<9).map { $0 < 3 })
    #expect(way.targets.withLock { $0 } == [0: 62_500, 1: 250_000, 2: 1_000_000])
    let counters = stream.stats.counters
    #expect(counters.encoded == 3 && counters.keyFrames == 1 && counters.activeLayers == 3 && counters.targetBitrate == 1_312_500)
    // A request is for all.
    call.anna.transport(way, .keyFrameRequested(id))
    _ = try send(stream)
    #expect(way.layered.entries.suffix(3).map(\.isKey) == [true, true, true])
    call.anna.transport(way, .layers(id, active: [true, false, false], bitrates: []))
    _ = try send(stream)
    #expect(way.layered.entries.count == 13 && way.layered.entries.last?.layer == 0 && stream.stats.counters.activeLayers == 1)
    // One that comes back begins with a key frame of its own, and its numbers go on.
    call.anna.transport(way, .layers(id, active: [true, false, true], bitrates: []))
    _ = try send(stream)
    let last = way.layered.entries.suffix(2)
    #expect(last.map(\.layer) == [0, 2] && last.map(\.isKey) == [false, true] && last.map(\.id) == [6, 5])
  }

  @Test func whatIsReadHereIsOfTheLargest() throws {
    let (stream, id) = try start(layers: 3)
    call.anna.transport(way, .layers(id, active: [true, false, false], bitrates: []))
    let widths = Journal<UInt32>()
    stream.setEncodedCallback { widths.add($0.native.pointee.width) }
    for _ in 0..<2 { _ = try send(stream) }
    #expect(widths.entries == [640, 640], "\(widths.entries)")
    // Which nobody else receives.
    #expect(way.layered.entries.map(\.layer) == [0, 0])
    // Who reads here alone needs no other.
    call.anna.transport(way, .layers(id, active: [true, true, true], bitrates: []))
    call.anna.transport(way, .receivers(id, 0))
    _ = try send(stream)
    #expect(way.layered.entries.count == 2 && widths.entries.count == 3 && stream.stats.counters.activeLayers == 1)
    call.anna.transport(way, .receivers(id, 1))
    call.anna.transport(way, .layers(id, active: [true, false, false], bitrates: []))
    stream.setEncodedCallback(nil)
    _ = try send(stream)
    #expect(way.layered.entries.map(\.layer) == [0, 0, 0] && widths.entries.count == 3)
  }

  /// The small ones first.
  @Test func layersShareTheEstimate() throws {
    let (stream, _) = try start(layers: 3)
    call.anna.transport(way, .estimate(500_000))
    _ = try send(stream)
    #expect(way.targets.withLock { $0 } == [0: 62_500, 1: 250_000] && stream.stats.counters.targetBitrate == 450_000)
    call.anna.transport(way, .estimate(3_000_000))
    _ = try send(stream)
    #expect(way.layered.entries.map(\.layer) == [0, 1, 0, 1, 2] && way.layered.entries.last?.isKey == true)
  }

  /// In a room of this process one layer for each size that somebody prefers, and no more.
  @Test func membersGetTheSizesThatTheyPrefer() throws {
    let call = try Call().connect()
    let carl = try call.engine.makeSession(SessionOptions(url: call.room, userID: "carl"))
    try carl.connect()
    try call.advance()
    let (stream, small) = try call.stream(Make.vp8(Make.format(640, 360, 30)))
    func send(_ count: Int) throws {
      for _ in 0..<count {
        try stream.currentSender().sendPicture()
        try call.advance(second / 30)
      }
    }
    func size(_ incoming: IncomingVideo) -> [UInt32] { [incoming.stats.counters.width, incoming.stats.counters.height] }
    try send(3)
    #expect(size(small) == [640, 360] && stream.stats.counters.activeLayers == 1 && stream.stats.layers == 2)
    let large = try #require(carl.incomingVideos.last)
    try large.start(IncomingVideoOptions())
    try small.setPreference(VideoPreference(width: 320, height: 180))
    try send(30)
    #expect(size(small) == [320, 180] && size(large) == [640, 360] && stream.stats.counters.activeLayers == 2)
    let lost = small.stats.counters.lost + large.stats.counters.lost
    // Who wants the large one leaves: after some seconds it is not made any more.
    carl.close()
    try send(30 * 8)
    #expect(size(small) == [320, 180] && stream.stats.counters.activeLayers == 1 && small.stats.counters.lost == 0 && lost == 0)
    try small.setPreference(.any)
    try send(30)
    #expect(size(small) == [640, 360])
  }

  @Test func anInactiveLayerIsNotEncodedAndBeginsAgainWithAKeyFrame() throws {
    let (stream, id) = try start(layers: 1)
    #expect(try send(stream).isKeyFrame)
    #expect(try !send(stream).isKeyFrame)
    call.anna.transport(way, .layers(id, active: [false], bitrates: [0]))
    #expect(try send(stream).reason == .noReceiver)
    #expect(way.sent.entries.count == 2)
    call.anna.transport(way, .layers(id, active: [true], bitrates: [0]))
    let (reason, isKeyFrame, _) = try send(stream)
    #expect(reason == .none && isKeyFrame && way.sent.entries.count == 3)
    // The same again is no news.
    call.anna.transport(way, .layers(id, active: [true], bitrates: [0]))
    #expect(try !send(stream).isKeyFrame)
  }

  @Test func itsBitrateIsBounded() throws {
    let (stream, id) = try start(layers: 1)
    #expect(try send(stream).bitrate == 1_000_000)
    call.anna.transport(way, .layers(id, active: [true], bitrates: [400_000]))
    #expect(try send(stream).bitrate == 400_000)
    // What the program wants at least is made.
    call.anna.transport(way, .layers(id, active: [true], bitrates: [1]))
    #expect(try send(stream).bitrate == 100_000)
    call.anna.transport(way, .layers(id, active: [true], bitrates: [.max]))
    #expect(try send(stream).bitrate == 1_000_000)
    // A bound that was is over with the publication, and another publication's is nothing to this one.
    call.anna.transport(way, .layers(id, active: [true], bitrates: [400_000]))
    try call.anna.stop(stream)
    try call.anna.start(stream)
    let next = try #require(way.published.withLock { $0 })
    call.anna.transport(way, .receivers(next, 1))
    call.anna.transport(way, .layers(id, active: [false], bitrates: [400_000]))
    let (reason, _, bitrate) = try send(stream)
    #expect(reason == .none && bitrate == 1_000_000)
  }
}
