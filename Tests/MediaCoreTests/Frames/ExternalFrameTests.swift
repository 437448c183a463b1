import CMediaSDK
import Testing

@testable import MediaCore

/// A picture in memory of the test's own, packed, with `padding` bytes after each row but the last.
private final class Memory {
  let bytes: UnsafeMutablePointer<UInt8>
  let format: UnsafeMutablePointer<msdk_video_format>
  var external = msdk_external_frame()

  init(_ pixelFormat: PixelFormat = .i420, _ width: UInt32 = 5, _ height: UInt32 = 3, padding: Int = 0) {
    format = .allocate(capacity: 1)
    format.initialize(to: VideoFormat(pixelFormat, width: width, height: height).foreign)
    external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
    external.plane_count = UInt32(pixelFormat.planeCount)
    external.format = UnsafePointer(format)
    var planes: [msdk_plane] = []
    var sizes = 0
    for index in 0..<pixelFormat.planeCount {
      let rowBytes = pixelFormat.rowBytes(plane: index, width: Int(width))
      let stride = rowBytes + padding
      let size = stride * (pixelFormat.rows(plane: index, height: Int(height)) - 1) + rowBytes
      planes.append(msdk_plane(data: nil, size: UInt64(size), stride: Int32(stride), reserved0: 0, reserved1: 0))
      sizes += size
    }
    bytes = .allocate(capacity: sizes)
    bytes.initialize(repeating: 7, count: sizes)
    var offset = 0
    for index in planes.indices {
      planes[index].data = bytes + offset
      offset += Int(planes[index].size)
    }
    planes += Array(repeating: msdk_plane(), count: 4 - planes.count)
    external.plane = (planes[0], planes[1], planes[2], planes[3])
  }

  deinit {
    bytes.deallocate()
    format.deallocate()
  }

  func wrap(_ change: (inout msdk_external_frame) -> Void = { _ in }) throws -> VideoFrame {
    var external = self.external
    change(&external)
    return try VideoFrame.wrap(checking: external)
  }

  func status(_ change: (inout msdk_external_frame) -> Void) -> Status? {
    failure { try wrap(change).release() }?.status
  }

  func text(_ change: (inout msdk_external_frame) -> Void) -> String {
    failure { try wrap(change).release() }?.text ?? ""
  }
}

@Suite struct ExternalFrameTests {
  @Test(arguments: PixelFormat.allCases)
  func isWrappedWithoutACopy(pixelFormat: PixelFormat) throws {
    for padding in [0, 3] {
      let memory = Memory(pixelFormat, padding: padding)
      let frame = try memory.wrap {
        $0.timestamp_ns = 99
        $0.orientation = 7
      }
      #expect(frame.plane(0).data == memory.bytes)
      #expect(frame.native.pointee.timestamp_ns == 99)
      #expect(frame.native.pointee.orientation == 7)
      #expect(frame.native.pointee.format != UnsafePointer(memory.format))
      #expect(!frame.isWritable)
      frame.release()
    }
  }

  @Test func everyPlaneIsCheckedToTheByte() {
    let memory = Memory(.i420, padding: 2)
    #expect(memory.status { $0.plane.0.size -= 1 } == .invalid)
    #expect(memory.status { $0.plane.1.size -= 1 } == .invalid)
    #expect(memory.status { $0.plane.2.size -= 1 } == .invalid)
    #expect(memory.status { $0.plane.0.stride = 4 } == .invalid)
    #expect(memory.status { $0.plane.1.stride = 2 } == .invalid)
    #expect(memory.status { $0.plane.2.data = nil } == .invalid)
    #expect(memory.text { $0.plane.2.size = 0 }.contains("plane[2].size"))
    #expect(memory.text { $0.plane.1.data = nil }.contains("plane[1].data"))
  }

  @Test(arguments: [Int32.min, -1, 0, 4])
  func aStrideShorterThanTheRowIsRefused(stride: Int32) {
    #expect(Memory(.gray8).status { $0.plane.0.stride = stride } == .invalid)
  }

  @Test func theLargestStrideDoesNotOverflow() {
    #expect(Memory(.gray8, 16_384, 2).status { $0.plane.0.stride = .max } == .invalid)
    #expect(Memory(.gray8, 1, 1).status { $0.plane.0.stride = .max } == nil)
    #expect(
      Memory(.gray8, 1, 2).status {
        $0.plane.0.stride = .max
        $0.plane.0.size = .max
      } == nil)
  }

  @Test func whatDoesNotGoTogetherIsRefused() {
    let memory = Memory(.nv12)
    #expect(memory.status { $0.plane_count = 3 } == .invalid)
    #expect(memory.status { $0.plane_count = 0 } == .invalid)
    #expect(memory.status { $0.plane_count = .max } == .invalid)
    #expect(memory.status { $0.orientation = 8 } == .unsupported)
    #expect(memory.status { $0.reserved0 = 1 } == .unsupported)
    #expect(memory.status { $0.plane.0.reserved0 = 1 } == .unsupported)
    #expect(memory.status { $0.plane.0.reserved1 = 1 } == .unsupported)
    #expect(memory.status { $0.format = nil } == .invalid)
    memory.format.pointee.width = 16_385
    #expect(memory.status { _ in } == .range)
    memory.format.pointee.struct_size = 3
    #expect(memory.text { _ in }.contains("external.format.struct_size"))
  }

  @Test func releaseIsCalledOnceAtTheEndAndNotOnFailure() throws {
    let memory = Memory(.gray8)
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    defer { calls.deallocate() }
    memory.external.user = UnsafeMutableRawPointer(calls)
    memory.external.release = { $0?.assumingMemoryBound(to: Int.self).pointee += 1 }
    #expect(memory.status { $0.plane.0.size = 1 } == .invalid)
    #expect(calls.pointee == 0)
    let frame = try memory.wrap()
    let view = try frame.view()
    frame.release()
    #expect(calls.pointee == 0)
    view.release()
    #expect(calls.pointee == 1)
  }
}
