import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct RendererAdapterTests {
  private let adapter = RendererAdapter()

  private func frame(_ pixelFormat: PixelFormat) throws -> VideoFrame {
    let frame = try VideoFrame.make(testFormat(pixelFormat))
    for index in 0..<pixelFormat.planeCount {
      let plane = frame.plane(index)
      for row in 0..<pixelFormat.rows(plane: index, height: 8) {
        for column in 0..<pixelFormat.rowBytes(plane: index, width: 16) { plane.data[row * Int(plane.stride) + column] = 128 }
      }
    }
    frame.native.pointee.timestamp_ns = 7
    return frame
  }

  @Test func whatIsAcceptedPassesAsItIs() throws {
    let frame = try frame(.rgba)
    defer { frame.release() }
    let adapted = try adapter.adapt(frame) { _ in true }
    #expect(adapted == frame && frame.references == 2)
    adapted.release()
  }

  @Test func theOrderIsThatOfTheHeader() throws {
    for wanted in [PixelFormat.nv12, .i420, .bgra, .rgba, .argb, .abgr, .rgb24, .bgr24, .gray8] {
      let frame = try frame(.i420)
      defer { frame.release() }
      guard wanted != .i420 else { continue }
      let asked = Monitor<[PixelFormat]>([])
      let adapted = try RendererAdapter().adapt(frame) { format in
        asked.withLock { $0.append(format.pixelFormat) }
        return format.pixelFormat == wanted
      }
      #expect(adapted.format.pixelFormat == wanted)
      #expect(asked.withLock { $0.first } == .i420)
      #expect(adapted.native.pointee.timestamp_ns == 7)
      #expect(!adapted.isWritable)
      adapted.release()
    }
    let asked = Monitor<[PixelFormat]>([])
    let frame = try frame(.gray8)
    defer { frame.release() }
    let error = failure {
      _ = try adapter.adapt(frame) { format in
        asked.withLock { $0.append(format.pixelFormat) }
        return false
      }
    }
    #expect(error?.status == .format)
    let order = asked.withLock { $0 }
    #expect(order.prefix(5) == [.gray8, .nv12, .i420, .bgra, .rgba])
    #expect(Set(order) == Set(PixelFormat.allCases) && order.count == PixelFormat.allCases.count)
    #expect(frame.references == 1)
  }

  @Test func aRendererThatKeepsAllItsFramesIsToldSo() throws {
    let frame = try frame(.i420)
    defer { frame.release() }
    let kept = try (0..<8).map { _ in try adapter.adapt(frame) { $0.pixelFormat == .bgra } }
    let error = failure { _ = try adapter.adapt(frame) { $0.pixelFormat == .bgra } }
    #expect(error?.status == .again)
    for frame in kept { frame.release() }
    try adapter.adapt(frame) { $0.pixelFormat == .bgra }.release()
  }

  @Test func aRendererThatWasResetIsAskedAnew() throws {
    let frame = try frame(.i420)
    defer { frame.release() }
    let count = Monitor(0)
    func adapt() throws {
      try adapter.adapt(frame) { _ in
        count.withLock { $0 += 1 }
        return true
      }.release()
    }
    try adapt()
    try adapt()
    #expect(count.withLock { $0 } == 1)
    adapter.reset()
    try adapt()
    #expect(count.withLock { $0 } == 2)
  }
}
