import MediaCore
import Testing

@testable import MediaTLS

@Suite struct TLSRecordsTests {
  private func record(_ size: Int) -> [UInt8] { [23, 3, 3, UInt8(size >> 8), UInt8(size & 255)] + [UInt8](repeating: 23, count: size) }

  @Test func recordsAreFoundHoweverTheirBytesCome() {
    var random = SeededRandom(seed: 4)
    let sizes = [0, 1, 5, 16_640, 0, 0, 300, 65_535, 2]
    let bytes = sizes.flatMap { record($0) }
    for longest in [1, 2, 6, 1400, Int.max] {
      var records = TLSRecords()
      var (begun, rest) = (0, bytes[...])
      while !rest.isEmpty {
        let piece = rest.prefix(longest == .max ? .max : Int.random(in: 1...longest, using: &random))
        let (size, some) = piece.withUnsafeBytes { records.cut($0, records: .max) }
        #expect(size == piece.count)
        begun += some
        rest = rest.dropFirst(size)
      }
      #expect(begun == sizes.count)
    }
  }

  @Test func itIsCutWhereAnotherRecordBegins() {
    var records = TLSRecords()
    let bytes = record(10) + record(0) + record(7) + [23]
    #expect(bytes.withUnsafeBytes { records.cut($0, records: 2) } == (20, 2))
    #expect(Array(bytes.dropFirst(20)).withUnsafeBytes { records.cut($0, records: 0) } == (0, 0))
    #expect(Array(bytes.dropFirst(20)).withUnsafeBytes { records.cut($0, records: 5) } == (13, 2))
    // In the midst of one nothing begins.
    #expect(([3, 3, 0, 9, 1] as [UInt8]).withUnsafeBytes { records.cut($0, records: 0) } == (5, 0))
  }
}
