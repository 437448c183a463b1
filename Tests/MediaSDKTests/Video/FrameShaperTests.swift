import CMediaSDK
import MediaCore
import Testing

@testable import MediaSDK

@Suite struct FrameShaperTests {
  private let shaper = FrameShaper()

  @Test func whatIsRightPassesAsItIs() throws {
    let frame = try VideoFrame.make(Make.format())
    defer { frame.release() }
    for options in [IncomingVideoOptions(), Make.incoming { ($0.width, $0.height, $0.pixelFormat) = (320, 180, .i420) }] {
      let shaped = try shaper.shape(frame, options)
      #expect(shaped == frame && frame.references == 2)
      shaped.release()
    }
  }

  @Test func whatIsNotIsConvertedAndKeepsItsIdentity() throws {
    let frame = try VideoFrame.make(Make.format())
    defer { frame.release() }
    frame.fill(80)
    (frame.native.pointee.sequence, frame.native.pointee.timestamp_ns, frame.native.pointee.orientation) = (7, 8, 2)
    let shaped = try shaper.shape(frame, Make.incoming { ($0.width, $0.height, $0.pixelFormat) = (160, 90, .nv12) })
    #expect(shaped.format.pixelFormat == .nv12 && shaped.format.width == 160 && shaped.format.height == 90)
    #expect(shaped.shade == 80)
    #expect(shaped.native.pointee.sequence == 7 && shaped.native.pointee.timestamp_ns == 8 && shaped.native.pointee.orientation == 2)
    #expect(!shaped.isWritable)
    #expect(frame.references == 1)
    shaped.release()
  }

  @Test func atMostThirtyTwoAreOut() throws {
    let frame = try VideoFrame.make(Make.format(16, 16))
    defer { frame.release() }
    let wanted = Make.incoming { $0.pixelFormat = .gray8 }
    let kept = try (0..<32).map { _ in try shaper.shape(frame, wanted) }
    #expect(failure { _ = try shaper.shape(frame, wanted) }?.status == .noMemory)
    for frame in kept { frame.release() }
    try shaper.shape(frame, wanted).release()
  }
}
