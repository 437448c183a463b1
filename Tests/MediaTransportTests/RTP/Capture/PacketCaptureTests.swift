import Glibc
import MediaCore
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaTransport

/// What is written is what passed, as RFC 791, 8200 and 768 have it.
@Suite struct PacketCaptureTests {
  struct Record {
    let time: Int64
    let bytes: [UInt8]
  }

  /// nil: no file of pcap with nanoseconds of LINKTYPE_RAW.
  static func read(_ path: String) -> [Record]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8 << 20)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    guard bytes.count >= 24, word(0) == 0xA1B2_3C4D, word(4) == 4 << 16 | 2, word(20) == 101 else { return nil }
    var records: [Record] = []
    var place = 24
    while place + 16 <= bytes.count {
      let size = Int(word(place + 8))
      guard word(place + 12) == word(place + 8), place + 16 + size <= bytes.count, word(place + 4) < 1_000_000_000 else { return nil }
      records.append(
        Record(time: Int64(word(place)) * 1_000_000_000 + Int64(word(place + 4)), bytes: Array(bytes[place + 16..<place + 16 + size])))
      place += 16 + size
    }
    return place == bytes.count ? records : nil
  }

  private let path = "/tmp/msdk-capture-\(getpid())-\(UInt32.random(in: 0...(.max))).pcap"

  private func sum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var total: UInt32 = 0
    for (index, byte) in bytes.enumerated() { total += UInt32(byte) << (index % 2 == 0 ? 8 : 0) }
    while total >> 16 != 0 { total = total & 0xFFFF + total >> 16 }
    return total
  }

  private func show(_ capture: PacketCapture, _ bytes: [UInt8], _ source: SocketAddress, _ destination: SocketAddress) {
    bytes.withUnsafeBytes { capture.saw($0, from: source, to: destination) }
  }

  @Test func datagramsOfBothFamilies() throws {
    defer { unlink(path) }
    let capture = try PacketCapture(path, clock: SystemClock())
    let before = MediaTime.wallClock()
    let four = try (#require(SocketAddress("192.0.2.7", port: 5004)), #require(SocketAddress("198.51.100.9", port: 40_000)))
    let six = try (#require(SocketAddress("2001:db8::7", port: 5004)), #require(SocketAddress("2001:db8::1:9", port: 65_535)))
    show(capture, [1, 2, 3], four.0, four.1)
    show(capture, [9, 8, 7, 6, 5], six.0, six.1)
    show(capture, [], four.1, four.0)
    capture.close()
    show(capture, [1], four.0, four.1)
    let records = try #require(PacketCaptureTests.read(path))
    #expect(records.map(\.bytes.count) == [31, 53, 28])
    #expect(records.allSatisfy { (before...MediaTime.wallClock()).contains($0.time) })
    let first = records[0].bytes
    #expect(first[0] == 0x45 && first[9] == 17 && Array(first[12..<20]) == [192, 0, 2, 7, 198, 51, 100, 9] && sum(first[..<20]) == 0xFFFF)
    #expect(Array(first[2..<4]) == [0, 31] && Array(first[20..<26]) == [0x13, 0x8C, 0x9C, 0x40, 0, 11] && Array(first[28...]) == [1, 2, 3])
    let second = records[1].bytes
    #expect(
      second[0] == 0x60 && second[6] == 17 && second[8] == 0x20 && second[23] == 7 && second[39] == 9 && Array(second[4..<6]) == [0, 13])
    #expect(Array(second[48...]) == [9, 8, 7, 6, 5])
    // Over addresses, protocol, length, and all of UDP (RFC 8200, section 8.1).
    #expect(sum(Array(second[8..<40]) + [0, 17, 0, 13] + second[40...]) == 0xFFFF)
  }

  @Test func muchIsWrittenInOrder() throws {
    defer { unlink(path) }
    let capture = try PacketCapture(path, clock: SystemClock())
    let address = try #require(SocketAddress("127.0.0.1", port: 9))
    var shown: [UInt32] = []
    for number in 0..<4000 as Range<UInt32> {
      let before = capture.dropped
      show(capture, withUnsafeBytes(of: number) { Array($0) } + [UInt8](repeating: 7, count: 1000), address, address)
      if capture.dropped == before { shown.append(number) }
      if number % 500 == 0 { usleep(2000) }
    }
    capture.close()
    let records = try #require(PacketCaptureTests.read(path))
    #expect(records.map { $0.bytes[28..<32].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) } } == shown)
    #expect(shown.count >= 900, "\(shown.count)")
  }

  @Test func whatCannotBeWrittenIsTold() throws {
    #expect(throws: MediaError.self) { try PacketCapture("/nonexistent/there.pcap", clock: SystemClock()) }
    // A disk without room: all is refused, the header first.
    #expect(throws: MediaError.self) { try PacketCapture("/dev/full", clock: SystemClock()) }
    #expect(throws: MediaError.self) { try PacketCapture("/tmp", clock: SystemClock()) }
  }
}
