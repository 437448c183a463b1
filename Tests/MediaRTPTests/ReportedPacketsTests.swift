import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReportedPacketsTests {
  private func feedback<T>(_ bytes: [UInt8], _ body: (TransportFeedback) -> T) -> T? {
    reading(bytes) { datagram -> T? in
      guard var messages = try? RTCPMessage.Iterator(parsing: datagram), case .transportFeedback(let feedback)? = messages.next() else { return nil }
      return body(feedback)
    }
  }

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
      let reported = feedback(packet) { Array(ReportedPackets($0, from: 64_000_000_000)) }
      #expect(reported?.map(\.sequence) == (base...last).map { UInt16(truncatingIfNeeded: $0) })
      #expect(reported?.map(\.arrival) == (base...last).map { arrivals[UInt16(truncatingIfNeeded: $0)] })
    }
  }

  @Test func manyMissingOnesAreCountedOnly() {
    // 65535 of which none came, in runs of 8191.
    let chunks = String(repeating: "1fff", count: 8) + "0007"
    let packet = bytes("8f cd 0009 00000001 00000002 fff0 ffff 000001 00" + chunks + "0000")
    let count = feedback(packet) { ReportedPackets($0, from: 0).reduce(0) { count, one in one.arrival == nil ? count + 1 : count } }
    #expect(count == 65_535)
    spoilt(packet, seed: 9) { copy in
      let isBounded = feedback(copy) { ReportedPackets($0, from: .max).reduce(0) { count, _ in count + 1 } <= 65_535 }
      #expect(isBounded ?? true)
    }
  }
}
