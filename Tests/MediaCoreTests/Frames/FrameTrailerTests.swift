import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct FrameTrailerTests {
  private func made(_ data: [UInt8] = [], timestamp: UInt64 = 0, frameID: UInt32 = 0) -> msdk_frame_metadata {
    var metadata = msdk_frame_metadata()
    (metadata.user_timestamp_us, metadata.frame_id, metadata.user_data_size) = (timestamp, frameID, UInt32(data.count))
    withUnsafeMutableBytes(of: &metadata.user_data) { $0.copyBytes(from: data.prefix(Int(MSDK_FRAME_USER_DATA_MAX))) }
    return metadata
  }

  private func written(_ metadata: msdk_frame_metadata) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: FrameTrailer.most)
    let count = bytes.withUnsafeMutableBytes { FrameTrailer.write(metadata, to: $0) }
    return Array(bytes.prefix(count))
  }

  private func read(_ trailer: [UInt8]) -> (data: [UInt8], timestamp: UInt64, frameID: UInt32) {
    let metadata = trailer.withUnsafeBytes { FrameTrailer.read($0) }
    let data = withUnsafeBytes(of: metadata.user_data) { Array($0.prefix(Int(metadata.user_data_size))) }
    return (data, metadata.user_timestamp_us, metadata.frame_id)
  }

  private func size(_ frame: [UInt8]) -> Int { frame.withUnsafeBytes { FrameTrailer.size(atEndOf: $0) } }

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) }
  }

  private static let time: UInt64 = 1_744_249_600_123_456

  /// Of LiveKit's C++ (`BuildTrailerPayload`) and of its JavaScript (`appendPacketTrailer`).
  @Test(arguments: [
    ("fef7fff9cd9d3e2f5dbffdfbffffffd5fcfafffe0100bde34c4b5453", time, 42 as UInt32, [0, 1, 0xFE, 0xFF, 0x42] as [UInt8]),
    ("fcfd9796f64c4b5453", 0, 0, Array("hi".utf8)), ("fdfbfffffff8fcfe00f14c4b5453", 0, 7, [0xFF]),
    ("fef7fff9cd9d3e2f5dbffdfbffffffd5ea4c4b5453", time, 42, []), ("fef7fff9cd9d3e2f5dbff04c4b5453", time, 0, []),
    ("fdfb000102fff44c4b5453", 0, 0xFFFE_FD00, [])
  ]) func whatPeersWriteIsWrittenAndRead(hex: String, timestamp: UInt64, frameID: UInt32, data: [UInt8]) {
    let trailer = bytes(hex)
    #expect(written(made(data, timestamp: timestamp, frameID: frameID)) == trailer)
    #expect(size([1, 2, 3] + trailer) == trailer.count)
    #expect(read(trailer) == (data, timestamp, frameID))
  }

  @Test func ofUserDataThatComesTwiceTheLastCounts() {
    let trailer = bytes("fcfbfefdfcfbfcfefaf14c4b5453")
    #expect(size([1] + trailer) == trailer.count)
    let metadata = trailer.withUnsafeBytes { FrameTrailer.read($0) }
    #expect(metadata.user_data_size == 1)
    #expect(withUnsafeBytes(of: metadata.user_data) { $0.first == 5 && $0.dropFirst().allSatisfy { $0 == 0 } })
  }

  @Test func nothingIsNoTrailer() {
    #expect(written(made()).isEmpty)
    #expect(read([]) == ([], 0, 0))
    for frame in [[], [1], Array("LKTS".utf8), [0xFA] + Array("LKTS".utf8), [1, 0xFA] + Array("LKTS".utf8)] { #expect(size(frame) == 0) }
  }

  /// As many as with LiveKit: one more is left out there.
  @Test(arguments: [(0 as UInt64, 0 as UInt32, 248), (0, 1, 242), (1, 0, 238), (1, 1, 232)])
  func thereIsRoomForSoMuch(timestamp: UInt64, frameID: UInt32, room: Int) {
    let full = made([UInt8](repeating: 7, count: room), timestamp: timestamp, frameID: frameID)
    #expect(FrameTrailer.room(beside: full) == room && written(full).count == FrameTrailer.most)
    #expect(read(written(full)) == ([UInt8](repeating: 7, count: room), timestamp, frameID))
    #expect(size([1] + written(full)) == FrameTrailer.most)
    var more = full
    more.user_data_size += 1
    #expect(read(written(more)) == ([], timestamp, frameID))
  }

  /// What is cut off, or changed, is read as far as it goes, or is data.
  @Test func nothingOutsideIsRead() {
    let trailer = written(made([1, 2, 3], timestamp: FrameTrailerTests.time, frameID: 42))
    let frame = [0x10, 0x20, 0x30] + trailer
    for count in 0..<frame.count { #expect(size(Array(frame.prefix(count))) == 0) }
    for place in frame.indices {
      for bit in 0..<8 {
        var changed = frame
        changed[place] ^= 1 << UInt8(bit)
        let found = size(changed)
        #expect(found == 0 || found < changed.count)
        _ = read(Array(changed.suffix(found)))
      }
    }
    for length in 0..<256 {
      var changed = frame
      changed[frame.count - 5] = ~UInt8(length)
      #expect(size(changed) == 0 || size(changed) == length && length < frame.count)
    }
  }

  /// What this version does not know is skipped, and the last of two counts.
  @Test func unknownElementsAreSkipped() {
    func trailer(_ elements: [UInt8]...) -> [UInt8] {
      let all = elements.flatMap { [~$0[0], ~UInt8($0.count - 1)] + $0.dropFirst().map { ~$0 } }
      return all + [~UInt8(all.count + 5)] + Array("LKTS".utf8)
    }
    #expect(read(trailer([9, 1, 2], [2, 0, 0, 0, 5], [3, 7], [3, 8, 9])) == ([8, 9], 0, 5))
    #expect(size([1] + trailer([9, 1, 2])) == 0)
    // Of another length than theirs.
    #expect(size([1] + trailer([1, 0, 0, 5], [2, 5])) == 0)
    #expect(size([1] + trailer([3])) == 7)
  }
}
