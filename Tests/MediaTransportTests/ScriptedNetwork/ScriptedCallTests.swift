import MediaCore
import Testing

@testable import MediaTransport

/// Calls of two over a bad network, on the virtual clock: the sessions of RTP are those of a real one.
@Suite struct ScriptedCallTests {
  private static let second = 1000 * millisecond
  private static func step(_ seconds: Int64, _ bandwidth: UInt64) -> NetworkScript.Step {
    NetworkScript.Step(at: seconds * second, bandwidth: bandwidth, delay: 40 * millisecond, jitter: 20 * millisecond, loss: 20_000)
  }

  private static let steps = [
    step(0, 600_000), step(8, 150_000), step(18, 600_000), NetworkScript.Step(at: 32 * second, isDisconnected: true), step(35, 600_000)
  ]

  private func call(_ name: String, seed: UInt64) throws -> ScriptedCall {
    let call = try ScriptedCall(name, Self.steps, seed: seed)
    let anna = call.anna
    // Ten pictures a second that take seven tenths.
    try call.play(milliseconds: 48_000) { Int(min(anna.estimates.last?.bits ?? 0, 600_000)) * 7 / 10 / 8 / 10 }
    try call.room.advance(milliseconds: 1000)
    return call
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func whatComesIsWhatWasSent(seed: UInt64) throws {
    let call = try call("\(#function) \(seed)", seed: seed)
    let (anna, bert) = (call.anna, call.bert)
    #expect(bert.faults(.picture, of: anna) == [])
    #expect(bert.faults(.sound, of: anna) == [])
    let pictures = bert.came.filter { $0.kind == .picture }
    #expect(pictures.count > 320)
    // Of sound a fiftieth is lost, and more where the way becomes narrow, before that is known; what was asked for again may come too late.
    let sounds = bert.came.filter { $0.kind == .sound }.count
    #expect(sounds > (anna.sent[.sound]?.count ?? 0) * 4 / 5)
    func time(_ seconds: Double) -> Int64 { call.start + Int64(seconds * 1e9) }
    func came(_ from: Double, _ to: Double) -> [Caller.Came] { pictures.filter { (time(from)..<time(to)).contains($0.time) } }
    #expect(came(32.1, 35).isEmpty)
    let back = try #require(came(35, 48).first)
    #expect(back.isKeyFrame)
    #expect(back.time < time(36.5))
    #expect(came(38, 48).count > 70)
    // The way is narrow, wide again, gone and back: so says the estimate, each time after a while.
    func estimates(_ from: Double, _ to: Double) -> [UInt64] {
      stride(from: from, to: to, by: 0.1).map { moment in anna.estimates.last { $0.time <= time(moment) }?.bits ?? 0 }
    }
    let mean = estimates(12, 18).reduce(0, +) / 60
    let (before, wide, healed) = (estimates(2, 8).max() ?? 0, estimates(26, 32).max() ?? 0, estimates(40, 48).max() ?? 0)
    #expect(mean < 200_000)
    #expect(before > 400_000 && wide > 400_000 && healed > 300_000)
    let lost = bert.transport.stats.packetsLost
    let video = try #require(anna.video)
    let look = try #require(bert.transport.look(receiving: video))
    #expect(lost > 20)
    #expect(look.stream.packetsRepaired > 20)
    let own = try #require(anna.transport.look(sending: video))
    #expect(own.stream.retransmittedPacketsSent >= look.stream.packetsRepaired)
    #expect((80 * millisecond...600 * millisecond).contains(anna.transport.stats.roundTripTime))
    call.close()
  }

  @Test func theSameSeedIsTheSameRun() throws {
    func run(_ name: String, seed: UInt64) throws -> ([Caller.Came], [String]) {
      let call = try call(name, seed: seed)
      call.close()
      return (call.bert.came, call.anna.events + call.bert.events)
    }
    let (first, second, other) = (try run("seed a", seed: 5), try run("seed b", seed: 5), try run("seed c", seed: 6))
    #expect(first.0 == second.0)
    #expect(first.1 == second.1)
    #expect(first.0 != other.0)
    #expect(first.1 != other.1)
  }

  @Test func anHourOfCallTakesSeconds() throws {
    let call = try ScriptedCall(
      #function, [NetworkScript.Step(bandwidth: 300_000, delay: 40 * millisecond, jitter: 10 * millisecond, loss: 10_000)], seed: 1)
    for _ in 0..<60 { try call.play(milliseconds: 60_000, pictures: 500, sound: 120) { 900 } }
    try call.room.advance(milliseconds: 1000)
    #expect(call.bert.faults(.picture, of: call.anna) == [])
    #expect(call.bert.faults(.sound, of: call.anna) == [])
    #expect(call.anna.sent[.picture]?.count == 7200)
    #expect(call.anna.sent[.sound]?.count == 30_000)
    // Pictures that were lost were sent again.
    #expect(call.bert.came.filter { $0.kind == .picture }.count > 7100)
    #expect((29_000..<30_000).contains(call.bert.came.filter { $0.kind == .sound }.count))
    #expect(!call.anna.events.contains { $0.hasSuffix("reconnecting") })
    call.close()
  }
}
