import MediaCore
import Testing

@testable import MediaTLS

@Suite struct DTLSRecordsTests {
  private func records(_ bytes: [UInt8]) -> [[UInt8]] { bytes.withUnsafeBytes { raw in DTLSRecords(raw).map { Array($0.bytes) } } }

  @Test func recordsOfADatagramAreFound() {
    let (one, other) = (DTLSTalk.record(22, [1, 2, 3]), DTLSTalk.record(23, epoch: 1, number: 7, [4]))
    #expect(records(one + other) == [one, other])
    (one + other).withUnsafeBytes { raw in
      let found = Array(DTLSRecords(raw))
      #expect(found.map(\.kind) == [.handshake, .applicationData] && found.map(\.epoch) == [0, 1])
      #expect(found.map { Array($0.body) } == [[1, 2, 3], [4]])
    }
    // Other kinds and versions, and empty ones, are skipped; what is cut ends it.
    var old = one
    old[2] = 255
    #expect(records(old) == [old])
    for (place, value) in [(0, 24), (0, 19), (1, 3), (2, 254), (2, 252)] as [(Int, UInt8)] {
      var changed = one
      changed[place] = value
      #expect(records(changed + other) == [other])
    }
    #expect(records(DTLSTalk.record(22, []) + other) == [other])
    for count in 0..<other.count { #expect(records(one + other.prefix(count)) == [one]) }
  }

  @Test func plainRecordsGetNumbersOfTheirOwn() {
    var plain = DTLSPlainRecords()
    func take(_ bytes: [UInt8]) -> [UInt8]? {
      bytes.withUnsafeBytes { raw in
        var records = DTLSRecords(raw)
        return records.next().flatMap { plain.take($0) }
      }
    }
    let whole = DTLSTalk.fragment(1, length: 2, message: 0, offset: 0, [8, 9])
    #expect(take(DTLSTalk.record(22, number: 1 << 40, whole)) == DTLSTalk.record(22, number: 1, whole))
    #expect(take(DTLSTalk.record(20, number: 3, [1])) == DTLSTalk.record(20, number: 2, [1]))
    // A message keeps its length; several are in one record, or none of them.
    let part = DTLSTalk.fragment(11, length: 8192, message: 15, offset: 8190, [1, 2])
    #expect(take(DTLSTalk.record(22, whole + part)) == DTLSTalk.record(22, number: 3, whole + part))
    for wrong in [
      DTLSTalk.fragment(11, length: 8191, message: 15, offset: 0, [1]), whole + DTLSTalk.fragment(1, length: 3, message: 0, offset: 0, [1]),
      DTLSTalk.fragment(11, length: 8193, message: 14, offset: 0, [1]), DTLSTalk.fragment(11, length: 2, message: 16, offset: 0, [1]),
      DTLSTalk.fragment(11, length: 2, message: 13, offset: 1, [1, 2]), Array(whole.dropLast()), whole + [0]
    ] {
      #expect(take(DTLSTalk.record(22, wrong)) == nil, "\(wrong)")
    }
    for (kind, body) in [(20, [2]), (20, [1, 1]), (21, [2, 40]), (23, [1])] as [(UInt8, [UInt8])] {
      #expect(take(DTLSTalk.record(kind, body)) == nil)
    }
    // What was dropped has left nothing behind.
    #expect(take(DTLSTalk.record(22, DTLSTalk.fragment(11, length: 5, message: 13, offset: 0, [1]))) != nil)
  }

  @Test func earlyRecordsAreFew() {
    var early = DTLSEarlyRecords()
    func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { raw in DTLSRecords(raw).forEach { early.append($0) } } }
    append(DTLSTalk.record(23, epoch: 1, [UInt8](repeating: 0, count: 2036)))
    let tooLong = early.take()
    #expect(tooLong == nil)
    let (data, finished) = (DTLSTalk.record(23, epoch: 1, [1]), DTLSTalk.record(22, epoch: 1, [2]))
    append(data + finished)
    for _ in 0..<100 { append(data) }
    let handshakes = [early.takeHandshake(), early.takeHandshake()]
    #expect(handshakes == [finished, nil])
    var count = 0
    while early.take() == data { count += 1 }
    #expect(count == 7)
  }

  @Test func datagramsAreSharedByAFlight() {
    var outbox = DTLSOutbox()
    func append(_ kind: UInt8, _ size: Int) { [UInt8](repeating: kind, count: size).withUnsafeBytes { outbox.append($0) } }
    for (kind, size) in [(22, 500), (20, 100), (22, 600), (22, 1), (23, 5), (23, 5), (21, 7), (22, 8)] as [(UInt8, Int)] {
      append(kind, size)
    }
    var sizes: [Int] = []
    while let bytes = outbox.take() { sizes.append(bytes.count) }
    #expect(sizes == [1200, 1, 5, 5, 15])
    #expect(outbox.lastAlert == [UInt8](repeating: 21, count: 7))
    for _ in 0..<1000 { append(23, 1) }
    #expect(outbox.isFull)
    var count = 0
    while outbox.take() != nil { count += 1 }
    #expect(count == 256)
  }
}
