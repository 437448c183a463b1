import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct EncodedFrameTests {
  private func make(_ bytes: [UInt8], from pool: BufferPool, flags: Int = 0) throws -> EncodedFrame? {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    attributes.flags = UInt32(flags)
    attributes.timestamp_ns = 77
    attributes.size = 12_345
    return try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
  }

  @Test func holdsACopyAndTheAttributes() throws {
    let frame = try #require(try make([1, 2, 3], from: BufferPool(limit: 1), flags: MSDK_ENCODED_KEY))
    defer { frame.release() }
    #expect(Array(frame.bytes) == [1, 2, 3])
    #expect(frame.native.pointee.size == 3)
    #expect(frame.native.pointee.struct_size == UInt32(MemoryLayout<msdk_encoded_frame>.size))
    #expect(frame.native.pointee.timestamp_ns == 77)
    #expect(frame.isKeyFrame)
  }

  @Test func emptyAndHugeAreRefused() {
    #expect(failure { _ = try make([], from: BufferPool(limit: 1)) }?.status == .invalid)
    let data = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4096), count: EncodedFrame.largest + 1)
    let error = failure {
      _ = try EncodedFrame.make(copying: data, attributes: msdk_encoded_frame(), from: BufferPool(limit: 1), deadline: 0)
    }
    #expect(error?.status == .invalid)
  }

  @Test func aPoolWithNothingLeftGivesNone() throws {
    let pool = BufferPool(limit: 1)
    let frame = try #require(try make([1], from: pool))
    #expect(!frame.isKeyFrame)
    #expect(try make([1], from: pool) == nil)
    frame.release()
    let again = try #require(try make([1, 2], from: pool))
    #expect(Array(again.bytes) == [1, 2])
    again.release()
  }

  @Test func theDeadAreFound() throws {
    let frame = try #require(try make([1], from: BufferPool(limit: 1)))
    let pointer = UnsafePointer(frame.native)
    try EncodedFrame.retained(foreign: pointer).release()
    #expect(EncodedFrame.release(foreign: pointer))
    #expect(failure { _ = try EncodedFrame.retained(foreign: nil) }?.text.contains("NULL") == true)
    var impostor = msdk_encoded_frame()
    #expect(failure { _ = try withUnsafePointer(to: &impostor) { try EncodedFrame.retained(foreign: $0) } }?.status == .handle)
  }

  private static let trailer: [UInt8] = [0xFC, 0xFD, 0x97, 0x96, 0xF6] + Array("LKTS".utf8)

  @Test func metadataIsNoPartOfTheData() throws {
    let frame = try #require(try make([1, 2, 3], from: BufferPool(limit: 1)))
    defer { frame.release() }
    #expect(frame.metadata.isEmpty && frame.withTrailer() == nil)
    EncodedFrameTests.trailer.withUnsafeBytes { frame.setMetadata($0) }
    #expect(Array(frame.bytes) == [1, 2, 3] && Array(frame.metadata) == EncodedFrameTests.trailer)
    try frame.check()
    let trailed = try #require(frame.withTrailer())
    #expect(Array(trailed.bytes) == [1, 2, 3] + EncodedFrameTests.trailer && trailed.native.pointee.timestamp_ns == 77)
    trailed.release()
    let lent = try #require(frame.lent(to: FrameShare(limit: 1)))
    #expect(Array(lent.bytes) == [1, 2, 3] && Array(lent.metadata) == EncodedFrameTests.trailer)
    lent.release()
    frame.setMetadata(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(frame.metadata.isEmpty)
  }

  @Test func aTrailerThatCameIsTakenOnce() throws {
    let twice = [1, 2, 3] + EncodedFrameTests.trailer + EncodedFrameTests.trailer
    let frame = try #require(try make(twice, from: BufferPool(limit: 1)))
    defer { frame.release() }
    for _ in 0..<2 {
      frame.takeTrailer()
      #expect(Array(frame.bytes) == [1, 2, 3] + EncodedFrameTests.trailer && Array(frame.metadata) == EncodedFrameTests.trailer)
    }
    try frame.check()
    let other = try #require(try make([1, 2, 3], from: BufferPool(limit: 1)))
    defer { other.release() }
    other.takeTrailer()
    #expect(Array(other.bytes) == [1, 2, 3] && other.metadata.isEmpty)
  }

  /// There is room for it after any data.
  @Test func theLongestMetadataFits() throws {
    let longest = [UInt8](repeating: 5, count: FrameTrailer.most)
    for size in [1, 4_095, 4_096, 4_097 - FrameTrailer.most, 8_192] {
      let frame = try #require(try make([UInt8](repeating: 9, count: size), from: BufferPool(limit: 1)))
      defer { frame.release() }
      longest.withUnsafeBytes { frame.setMetadata($0) }
      #expect(frame.bytes.allSatisfy { $0 == 9 } && frame.bytes.count == size && Array(frame.metadata) == longest)
    }
  }
}
