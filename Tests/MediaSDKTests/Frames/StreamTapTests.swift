import MediaCore
import Testing

@testable import MediaSDK

@Suite struct StreamTapTests {
  private let tap = StreamTap<VideoFrame>(inHand: 2) { $0.release() }

  private func start(_ output: IncomingVideoOptions.Output = .raw, capacity: Int = 2) throws {
    try tap.start(output, capacity: capacity, encodedCapacity: 2, policy: .dropOldest)
  }

  /// Offers so many frames, each with its number as its sequence.
  private func offer(_ numbers: ClosedRange<UInt64>) throws {
    for number in numbers {
      let frame = try VideoFrame.make(VideoFormat(.gray8, width: 4, height: 4))
      frame.native.pointee.sequence = number
      tap.offer { share in frame.lent(to: share) }
      frame.release()
    }
  }

  private func read() throws -> UInt64 {
    let frame = try tap.read(deadline: 0)
    defer { frame.release() }
    return frame.native.pointee.sequence
  }

  @Test func nothingIsLentUntilItIsStarted() throws {
    tap.offer { _ in
      Issue.record("somebody asked for a loan")
      return nil
    }
    #expect(failure { _ = try read() }?.status == .state)
    try start(.encoded)
    tap.offer { _ in
      Issue.record("raw frames are not wanted")
      return nil
    }
    #expect(tap.droppedCount == 0)
    #expect(failure { _ = try read() }?.status == .timeout)
  }

  @Test func aFullQueueDropsTheOldest() throws {
    try start()
    try offer(1...5)
    #expect(try read() == 4)
    #expect(try read() == 5)
    #expect(tap.droppedCount == 3)
  }

  @Test func whatTheProgramHoldsIsBounded() throws {
    try start()
    var held: [VideoFrame] = []
    for number in UInt64(1)...8 {
      try offer(number...number)
      if let frame = try? tap.read(deadline: 0) { held.append(frame) }
    }
    #expect(held.count == 4)
    #expect(tap.droppedCount == 4)
    for frame in held { frame.release() }
    try offer(9...9)
    #expect(try read() == 9)
  }

  @Test func anotherStartBeginsEmpty() throws {
    try start()
    #expect(failure { try start() }?.status == .state)
    try offer(1...1)
    tap.stop()
    #expect(failure { _ = try read() }?.status == .closed)
    try start()
    #expect(failure { _ = try read() }?.status == .timeout)
    try offer(2...2)
    #expect(try read() == 2)
  }

  @Test func theEndIsForGood() throws {
    try start()
    let descriptor = try tap.descriptor()
    #expect(!isReadable(descriptor))
    try offer(1...1)
    tap.end()
    #expect(isReadable(descriptor))
    #expect(failure { _ = try read() }?.status == .closed)
    #expect(failure { try start() }?.status == .closed)
    tap.stop()
    #expect(failure { try start() }?.status == .closed)
  }
}
