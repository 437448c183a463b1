import Testing

@testable import MediaNetwork

@Suite struct DatagramKindTests {
  /// RFC 7983, figure 3.
  @Test func theFirstByteTells() {
    for first in UInt8.min...UInt8.max {
      let expected: DatagramKind? =
        first < 4 ? .stun : 20...63 ~= first ? .dtls : 64...79 ~= first ? .turnChannel : 128...191 ~= first ? .rtp : nil
      let kind = [first, 0].withUnsafeBytes { DatagramKind($0) }
      #expect(kind == expected, "\(first)")
    }
    #expect(DatagramKind(UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
  }
}
