import CMediaSDK
import MediaCore
import Testing

@testable import MediaSDK

/// A program's frame of memory of its own; what receivers get of it is the same memory or a copy.
private func wrapped(_ memory: UnsafeMutablePointer<UInt8>) throws -> VideoFrame {
  var format = VideoFormat(.gray8, width: 16, height: 16, frameRate: FrameRate(30)).foreign
  return try withUnsafePointer(to: &format) { format throws(MediaError) in
    var external = msdk_external_frame()
    external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
    external.format = format
    external.plane_count = 1
    external.plane.0 = msdk_plane(data: memory, size: 256, stride: 16, reserved0: 0, reserved1: 0)
    return try VideoFrame.wrap(checking: external)
  }
}

@Suite struct ForeignFramesTests {
  /// Sends that many frames at that interval to somebody who keeps the last `kept`: which of them were copied.
  private func copied(of count: Int, every interval: Int64, kept: Int) throws -> [Bool] {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
    memory.initialize(repeating: 7, count: 256)
    defer { memory.deallocate() }
    var frames = ForeignFrames()
    var held: [VideoFrame] = []
    defer { for frame in held { frame.release() } }
    return try (0..<count).map { index in
      let frame = try wrapped(memory)
      defer { frame.release() }
      let shown = try frames.lend(frame, now: Int64(index) * interval) ?? ForeignFrames.copy(of: frame, from: frames.copies)
      held.append(shown)
      if held.count > kept { held.removeFirst().release() }
      #expect(shown.native.pointee.plane.0.data?.pointee == 7)
      return shown.native.pointee.plane.0.data != memory
    }
  }

  @Test func whoGivesBackGetsEachFrameItself() throws {
    #expect(try copied(of: 100, every: 33_000_000, kept: 1) == Array(repeating: false, count: 100))
  }

  @Test func eightAreUnderWayAtOnceWhereNobodyKeepsThem() throws {
    #expect(try copied(of: 1000, every: 1_000_000, kept: 7) == Array(repeating: false, count: 1000))
  }

  @Test func whoKeepsThemHoldsTwo() throws {
    #expect(try copied(of: 8, every: 33_000_000, kept: 100) == [false, false] + Array(repeating: true, count: 6))
  }

  @Test func whoKeepsABurstHoldsEight() throws {
    let copied = try copied(of: 16, every: 1000, kept: 100)
    // Of more than copies have memory for, everybody sees the frame itself.
    #expect(copied == Array(repeating: false, count: 8) + Array(repeating: true, count: 8))
  }
}
