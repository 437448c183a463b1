import MediaCore
import MediaRTP
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct SessionQualityTests {
  private let way: StandInTransport
  private let call: Call

  init() throws {
    call = try Call().connect()
    way = call.standIn()
    way.figures.withLock { $0 = NetworkFigures() }
    call.anna.transport(way, .connected(.ordinary))
    _ = call.events(call.anna)
  }

  /// Seconds in which a hundred packets go each way, so many of a hundred lost. What was told meanwhile of the network.
  private func pass(seconds: Int, losing lost: Int = 0) throws -> [String] {
    for _ in 0..<seconds {
      let now = call.engine.now()
      way.figures.withLock { figures in
        figures?.packetsSent += 100
        figures?.packetsReported += 100
        figures?.reportedLost += Int64(lost)
        figures?.lastReport = now
        figures?.packetsReceived += UInt64(100 - lost)
        figures?.packetsLost += Int64(lost)
        figures?.roundTrip = 20 * millisecond
      }
      try call.advance(second)
    }
    return call.events(call.anna).filter { $0.hasPrefix("network") }
  }

  @Test func gradesAreToldWhenTheyChange() throws {
    #expect(try pass(seconds: 10) == ["network outgoing good", "network incoming good"])
    #expect(call.anna.stats.outgoingQuality == .good && call.anna.stats.incomingQuality == .good)
    #expect(try pass(seconds: 10) == [])
    let worse = try pass(seconds: 20, losing: 30)
    #expect(worse.suffix(2).sorted() == ["network incoming bad", "network outgoing bad"])
    #expect(call.anna.stats.outgoingQuality == .bad && call.anna.stats.incomingQuality == .bad)
    let better = try pass(seconds: 60)
    #expect(better.suffix(2).sorted() == ["network incoming good", "network outgoing good"])
  }

  @Test func theEstimateIsHeldAgainstWhatTheStreamsWant() throws {
    var options = Make.vp8(Make.format(640, 360, 30))
    (options.bitrate.target, options.mostLayers) = (1_000_000, 1)
    let outgoing = try call.engine.makeOutgoingVideo(options)
    #expect(call.anna.demand == (0, 0))
    try call.anna.start(outgoing)
    call.anna.transport(way, .estimate(300_000))
    #expect(call.anna.demand == (300_000, 1_000_000))
    #expect(try pass(seconds: 20).last { $0.contains("outgoing") } != "network outgoing good")
    #expect(call.anna.stats.outgoingQuality < .good && call.anna.stats.incomingQuality == .good)
    try call.anna.stop(outgoing)
    #expect(call.anna.demand == (300_000, 0))
  }

  @Test func whatAudioTakesFollowsItsBitrate() throws {
    let outgoing = try call.engine.makeOutgoingAudio(Make.opus())
    try call.anna.start(outgoing)
    func taken() -> UInt64 { call.anna.guarded.withLock { $0.shares.demand } }
    try outgoing.setBitrate(32_000)
    let before = taken()
    try outgoing.setBitrate(96_000)
    #expect(before > 32_000 && taken() == before + 64_000)
    try call.anna.stop(outgoing)
    #expect(taken() == 0)
  }

  @Test func whoHasLeftIsToldNoMore() throws {
    #expect(try pass(seconds: 10).count == 2)
    call.anna.disconnect()
    #expect(try pass(seconds: 20, losing: 50) == [])
  }

  @Test func aRoomInTheProcessHasNoGrades() throws {
    let other = try Call("without a network").connect()
    try other.advance(20 * second)
    #expect(!other.events(other.anna).contains { $0.hasPrefix("network") })
    #expect(other.anna.stats.outgoingQuality == .unknown)
  }

  @Test func aRoomWithAScriptedNetworkHasThemWhileItIsScripted() throws {
    let call = try Call("with a network").connect()
    let (outgoing, _) = try call.stream(Make.vp8())
    func grades() -> [String] { (call.events(call.anna) + call.events(call.bert)).filter { $0.hasPrefix("network") } }
    func film(seconds: Int) throws {
      for _ in 0..<10 * seconds {
        try outgoing.currentSender().sendPicture()
        try call.advance(second / 10)
      }
    }
    try film(seconds: 5)
    #expect(grades() == [])
    try call.script(NetworkScript.Step(delay: 20 * millisecond))
    try film(seconds: 5)
    #expect(grades() == ["network outgoing good", "network incoming good"])
    try call.script(NetworkScript.Step(delay: 20 * millisecond, loss: 300_000))
    try film(seconds: 10)
    #expect(grades() == ["network outgoing bad", "network incoming bad"])
    #expect(call.anna.stats.outgoingQuality == .bad && call.bert.stats.incomingQuality == .bad)
    try call.engine.scriptNetwork(call.room, [], seed: 1, userID: nil)
    try film(seconds: 15)
    #expect(grades() == ["network outgoing unknown", "network incoming unknown"])
    try film(seconds: 5)
    try call.script(NetworkScript.Step(delay: 20 * millisecond))
    try film(seconds: 5)
    #expect(grades() == ["network outgoing good", "network incoming good"])
  }
}
