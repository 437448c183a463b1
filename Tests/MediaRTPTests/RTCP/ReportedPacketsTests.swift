import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReportedPacketsTests {
  private func feedback<T>(_ bytes: [UInt8], _ body: (TransportFeedback) -> T) -> T? {
    reading(bytes) { datagram -> T? in
      guard var messages = try? RTCPMessage.Iterator(parsing: datagram), case .transportFeedback(let feedback)? = messages.next() else {
        return nil
      }
      return body(feedback)
    }
  }

  private let all = SendHistory.Awaited(first: 60_000, count: 20_000)

  @Test func allOfThemInTheirOrder() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<200 {
      var builder = TransportFeedbackBuilder()
      let base = Int64.random(in: 65_000..<70_000, using: &random)
      var arrivals: [UInt16: Int64] = [:]
      var last = base
      for number in base..<base + 100 where number == base || Int.random(in: 0..<3, using: &random) > 0 {
        let time = (number - base) * 5_000_000 + 64_000_000_000
        builder.arrived(number, at: time)
        (arrivals[UInt16(truncatingIfNeeded: number)], last) = (time, number)
      }
      let packet = written { _ = builder.write(to: &$0, sender: SSRC(1), media: SSRC(2)) }
      let reported = feedback(packet) { Array(ReportedPackets($0, from: 64_000_000_000, awaiting: all)) }
      #expect(reported?.map(\.sequence) == (base...last).map { UInt16(truncatingIfNeeded: $0) })
      #expect(reported?.map(\.arrival) == (base...last).map { arrivals[UInt16(truncatingIfNeeded: $0)] })
    }
  }

  @Test func onlyMissingOnesThatAreAwaitedAreSaid() {
    // Ten missing, one that came, 100 missing, one that came: 65,530 and 65,631.
    let packet = bytes("8f cd 0007 00000001 00000002 fff0 0070 000001 00 000a 2001 0064 2001 04 04 0000")
    func said(_ first: UInt16, _ count: Int) -> [UInt16]? {
      feedback(packet) { ReportedPackets($0, from: 0, awaiting: .init(first: first, count: count)).map(\.sequence) }
    }
    #expect(said(0, 0) == [65_530, 95])
    #expect(said(65_520, 12) == Array(65_520...65_531) + [95])
    #expect(said(65_500, 25) == Array(65_520...65_524) + [65_530, 95])
    #expect(said(65_534, 10) == [65_530, 65_534, 65_535] + Array(0...7) + [95])
    #expect(said(90, 1000) == [65_530] + Array(90...95))
    #expect(said(40_000, 100) == [65_530, 95])
  }

  @Test func manyMissingOnesCostNothing() {
    // 65535 of which none came, in runs of 8191.
    let chunks = String(repeating: "1fff", count: 8) + "0007"
    let packet = bytes("8f cd 0009 00000001 00000002 fff0 ffff 000001 00" + chunks + "0000")
    func steps(_ packet: [UInt8], _ awaiting: SendHistory.Awaited) -> Int? {
      feedback(packet) { ReportedPackets($0, from: .max, awaiting: awaiting).reduce(0) { count, _ in count + 1 } }
    }
    #expect(steps(packet, .init(first: 100, count: 8192)) == 8192)
    #expect(steps(packet, .init(first: 100, count: 0)) == 0)
    spoilt(packet, seed: 9) { copy in
      let isBounded = steps(copy, .init(first: 100, count: 50)).map { $0 <= 50 + copy.count }
      #expect(isBounded ?? true)
    }
  }
}
