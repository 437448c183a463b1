import CMediaSDK

@testable import MediaCore

/// A frame of memory of the test's own, which knows whether it was released to the last reference. Looking at a dead frame's count would not do:
/// its place in the table may be another test's frame by then.
final class WitnessedFrame: Sendable {
  let frame: VideoFrame
  private let memory: Memory

  var isReleased: Bool { memory.releases.withLock { $0 } == 1 }

  /// All that its planes may touch, for as long as anybody holds the frame or the witness.
  private final class Memory: @unchecked Sendable {
    let bytes: UnsafeMutablePointer<UInt8>
    let releases = Monitor(0)

    init(size: Int) {
      bytes = .allocate(capacity: size)
      bytes.initialize(repeating: 0, count: size)
    }

    deinit {
      bytes.deallocate()
    }
  }

  init(_ format: VideoFormat) throws {
    let layout = try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 1)
    let memory = Memory(size: layout.size)
    self.memory = memory
    var planes = layout.planes.map { plane in
      msdk_plane(
        data: memory.bytes + plane.offset, size: UInt64(plane.stride * plane.rows), stride: Int32(plane.stride), reserved0: 0, reserved1: 0)
    }
    planes += Array(repeating: msdk_plane(), count: 4 - planes.count)
    var native = format.foreign
    frame = try withUnsafePointer(to: &native) { pointer in
      var external = msdk_external_frame()
      external.plane_count = UInt32(layout.planes.count)
      external.plane = (planes[0], planes[1], planes[2], planes[3])
      external.format = pointer
      external.user = Unmanaged.passRetained(memory).toOpaque()
      external.release = { opaque in
        guard let opaque else { return }
        Unmanaged<Memory>.fromOpaque(opaque).takeRetainedValue().releases.withLock { $0 += 1 }
      }
      return try VideoFrame.wrap(checking: external)
    }
  }
}
