import CMediaSDK
import Glibc
import Testing

@testable import MediaCore

@Suite struct VideoFrameTests {
  private func format(_ pixelFormat: PixelFormat = .i420, _ width: UInt32 = 7, _ height: UInt32 = 5) -> VideoFormat {
    VideoFormat(pixelFormat, width: width, height: height, frameRate: FrameRate(30))
  }

  private func fill(_ frame: VideoFrame, from first: UInt8) {
    let format = frame.format
    var value = first
    for index in 0..<format.pixelFormat.planeCount {
      let plane = frame.plane(index)
      for row in 0..<format.pixelFormat.rows(plane: index, height: Int(format.height)) {
        for column in 0..<format.pixelFormat.rowBytes(plane: index, width: Int(format.width)) {
          plane.data[row * Int(plane.stride) + column] = value
          value &+= 1
        }
      }
    }
  }

  private func bytes(_ frame: VideoFrame) -> [UInt8] {
    let format = frame.format
    return (0..<format.pixelFormat.planeCount).flatMap { index in
      let plane = frame.plane(index)
      return (0..<format.pixelFormat.rows(plane: index, height: Int(format.height))).flatMap { row in
        (0..<format.pixelFormat.rowBytes(plane: index, width: Int(format.width))).map { plane.data[row * Int(plane.stride) + $0] }
      }
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func aNewFrameIsWholeAndWritable(pixelFormat: PixelFormat) throws {
    let frame = try VideoFrame.make(format(pixelFormat))
    defer { frame.release() }
    let native = frame.native.pointee
    #expect(frame.format == format(pixelFormat))
    #expect(native.struct_size == UInt32(MemoryLayout<msdk_video_frame>.size))
    #expect(native.timestamp_ns == 0 && native.sequence == 0 && native.orientation == 0)
    #expect(frame.isWritable)
    #expect(frame.references == 1)
    #expect(Int(native.plane_count) == pixelFormat.planeCount)
    for index in 0..<pixelFormat.planeCount {
      let plane = frame.plane(index)
      let rowBytes = pixelFormat.rowBytes(plane: index, width: 7)
      #expect(plane.data != nil && Int(plane.stride) >= rowBytes)
      #expect(plane.stride % 64 == 0 && UInt(bitPattern: plane.data) % 64 == 0)
      #expect(plane.size >= UInt64(plane.stride) * UInt64(pixelFormat.rows(plane: index, height: 5) - 1) + UInt64(rowBytes))
    }
    fill(frame, from: 3)
    #expect(bytes(frame).count == frame.byteCount)
    #expect(bytes(frame) == (0..<frame.byteCount).map { UInt8(truncatingIfNeeded: $0 + 3) })
  }

  @Test func referencesAreCounted() throws {
    let frame = try VideoFrame.make(format())
    let pointer = UnsafePointer(frame.native)
    let again = try VideoFrame.retained(foreign: pointer)
    #expect(again == frame)
    #expect(VideoFrame.references(foreign: pointer) == 2)
    frame.retain()
    #expect(frame.references == 3)
    for _ in 0..<3 { #expect(VideoFrame.release(foreign: pointer)) }
  }

  @Test func garbageIsNoFrame() throws {
    let error = failure { _ = try VideoFrame.retained(foreign: nil) }
    #expect(error?.status == .handle)
    #expect(error?.text.contains("NULL") == true)
    var impostor = msdk_video_frame()
    withUnsafePointer(to: &impostor) { pointer in
      #expect(failure { _ = try VideoFrame.retained(foreign: pointer) }?.status == .handle)
      #expect(!VideoFrame.release(foreign: pointer))
      #expect(VideoFrame.references(foreign: pointer) == 0)
    }
    let frame = try VideoFrame.make(format())
    defer { frame.release() }
    let odd = UnsafeRawPointer(frame.native) + 8
    #expect(!VideoFrame.release(foreign: odd.assumingMemoryBound(to: msdk_video_frame.self)))
    #expect(frame.references == 1)
  }

  @Test func aPoolWithNothingLeftGivesNone() throws {
    let pool = BufferPool(limit: 1)
    let frame = try #require(try VideoFrame.make(format(), from: pool, deadline: 0))
    #expect(try VideoFrame.make(format(), from: pool, deadline: 0) == nil)
    frame.release()
    let again = try #require(try VideoFrame.make(format(), from: pool, deadline: 0))
    again.release()
  }

  @Test func aSizeThatCannotBeIsRefused() {
    #expect(failure { _ = try VideoFrame.make(format(.i420, 0, 5)) }?.status == .range)
    #expect(failure { _ = try VideoFrame.make(format(.i420, 5, 16_385)) }?.status == .range)
  }

  @Test func aViewSharesThePixelsAndNotTheName() throws {
    let witness = try WitnessedFrame(format())
    let frame = witness.frame
    fill(frame, from: 9)
    frame.native.pointee.timestamp_ns = 5
    frame.native.pointee.sequence = 1
    let view = try frame.view()
    #expect(frame.references == 2)
    #expect(view.plane(0).data == frame.plane(0).data)
    #expect(view.format == frame.format)
    #expect(view.native.pointee.format != frame.native.pointee.format)
    #expect(view.native.pointee.timestamp_ns == 5)
    #expect(!view.isWritable)
    view.native.pointee.sequence = 2
    #expect(frame.native.pointee.sequence == 1)
    frame.release()
    #expect(bytes(view).first == 9)
    #expect(!witness.isReleased)
    view.release()
    #expect(witness.isReleased)
  }

  @Test func pixelsAreCopiedRowByRow() throws {
    let source = try VideoFrame.make(format(.nv12, 641, 3))
    let copy = try VideoFrame.make(format(.nv12, 641, 3))
    defer {
      source.release()
      copy.release()
    }
    fill(source, from: 1)
    try copy.copyPixels(from: source)
    #expect(bytes(copy) == bytes(source))
    let other = try VideoFrame.make(format(.nv12, 640, 3))
    defer { other.release() }
    #expect(failure { try other.copyPixels(from: source) }?.status == .format)
  }

  @Test func identityIsCopiedWithoutTheRightToWrite() throws {
    let source = try VideoFrame.make(format())
    let copy = try VideoFrame.make(format())
    defer {
      source.release()
      copy.release()
    }
    source.native.pointee.timestamp_ns = 1
    source.native.pointee.duration_ns = 2
    source.native.pointee.sequence = 3
    source.native.pointee.orientation = 5
    source.native.pointee.flags = UInt32(MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_END)
    copy.native.pointee.flags = UInt32(MSDK_FRAME_WRITABLE | MSDK_FRAME_CORRUPT)
    copy.copyIdentity(from: source)
    #expect(copy.native.pointee.timestamp_ns == 1 && copy.native.pointee.duration_ns == 2)
    #expect(copy.native.pointee.sequence == 3 && copy.native.pointee.orientation == 5)
    #expect(copy.native.pointee.flags == UInt32(MSDK_FRAME_WRITABLE | MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_END))
  }

  @Test func fittingIsPixelFormatAndSize() throws {
    let frame = try VideoFrame.make(format(.nv12, 8, 6))
    defer { frame.release() }
    #expect(frame.fits(format(.nv12, 8, 6)))
    var other = format(.nv12, 8, 6)
    other.frameRate = FrameRate(1)
    other.color.matrix = 9
    #expect(frame.fits(other))
    #expect(!frame.fits(format(.i420, 8, 6)))
    #expect(!frame.fits(format(.nv12, 6, 8)))
  }

  @Test func metadataStaysWithTheFrame() throws {
    let trailer: [UInt8] = [0xFC, 0xFD, 0x97, 0x96, 0xF6] + Array("LKTS".utf8)
    let format = VideoFormat(.gray8, width: 4, height: 4)
    let frame = try VideoFrame.make(format)
    defer { frame.release() }
    #expect(frame.metadata.isEmpty)
    trailer.withUnsafeBytes { frame.setMetadata($0) }
    let view = try frame.view()
    defer { view.release() }
    let copy = try VideoFrame.make(format)
    defer { copy.release() }
    copy.copyIdentity(from: frame)
    frame.setMetadata(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(frame.metadata.isEmpty && Array(view.metadata) == trailer && Array(copy.metadata) == trailer)
    copy.copyIdentity(from: copy)
    #expect(Array(copy.metadata) == trailer)
    copy.copyIdentity(from: frame)
    #expect(copy.metadata.isEmpty)
    try view.check()
    // The next frame in its place has none.
    let other = try VideoFrame.make(format)
    #expect(other.metadata.isEmpty)
    other.release()
  }
}
