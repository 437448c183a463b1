import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

@Suite struct AudioRendererAdapterTests {
  private let adapter = AudioRendererAdapter()

  private func frame(_ format: AudioFormat = testSound(.s16), count: Int = 480) throws -> AudioFrame {
    try AudioFrame.make(format, sampleCount: count)
  }

  /// How many buffers were handed over before the one that failed, and what came of it.
  private func adapt(_ frame: AudioFrame, failing: [Int: Status]) -> (given: Int, error: MediaError?) {
    var given = 0
    let error = failure {
      try adapter.adapt(frame) { _ throws(MediaError) in
        given += 1
        if let status = failing[given] { throw MediaError(status, "\(given)") }
      }
    }
    return (given, error)
  }

  @Test func isOpenForTheSameSoundOnly() {
    #expect(!adapter.isOpen(for: .packets))
    adapter.open(for: .samples(testSound(samples: 480)), wanted: testSound())
    #expect(adapter.isOpen(for: .samples(testSound(samples: 960))))
    #expect(!adapter.isOpen(for: .samples(testSound(rate: 44_100))) && !adapter.isOpen(for: .samples(testSound(.s16))))
    #expect(!adapter.isOpen(for: .packets))
    adapter.open(for: .packets, wanted: nil)
    #expect(adapter.isOpen(for: .packets) && !adapter.isOpen(for: .samples(testSound())))
    adapter.close()
    #expect(!adapter.isOpen(for: .packets))
  }

  @Test func whatFitsPassesAsItIs() throws {
    adapter.open(for: .samples(testSound()), wanted: testSound())
    let frame = try frame(testSound())
    defer { frame.release() }
    var seen: [AudioFrame] = []
    try adapter.adapt(frame) { seen.append($0) }
    #expect(seen == [frame] && frame.references == 1)
    #expect(frame.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) != 0)
  }

  @Test func oneThatIsBusyIsGivenTheNext() throws {
    adapter.open(for: .samples(testSound(.s16)), wanted: testSound(samples: 160))
    let frame = try frame()
    defer { frame.release() }
    let (given, error) = adapt(frame, failing: [1: .again])
    #expect(given == 3 && error?.status == .again)
  }

  @Test func oneThatFailedIsNotGivenTheRest() throws {
    adapter.open(for: .samples(testSound(.s16)), wanted: testSound(samples: 110))
    let frame = try frame()
    defer { frame.release() }
    let (given, error) = adapt(frame, failing: [1: .again, 2: .io])
    #expect(given == 2 && error?.status == .io)
    try adapter.flush { _ in Issue.record("it failed") }
  }

  @Test func whatIsLeftComesOutAtTheEnd() throws {
    adapter.open(for: .samples(testSound(.s16)), wanted: testSound(samples: 170))
    let frame = try frame()
    defer { frame.release() }
    #expect(adapt(frame, failing: [:]).given == 2)
    var counts: [Int] = []
    try adapter.flush { buffer in
      counts.append(buffer.sampleCount)
      #expect(buffer.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) == 0)
    }
    #expect(counts == [170])
    try adapter.flush { _ in Issue.record("nothing is left") }
  }

  @Test func oneThatKeepsEverythingIsBusy() throws {
    adapter.open(for: .samples(testSound(.s16)), wanted: testSound())
    let frame = try frame()
    defer { frame.release() }
    var kept: [AudioFrame] = []
    func keep() throws {
      try adapter.adapt(frame) { buffer in
        buffer.retain()
        kept.append(buffer)
      }
    }
    for _ in 0..<8 { try keep() }
    let error = failure { for _ in 0..<9 { try keep() } }
    #expect(error?.status == .again)
    #expect(error?.text.contains("P4") == true)
    #expect(kept.count == 16)
    for buffer in kept { buffer.release() }
    try keep()
    kept.last?.release()
  }
}
