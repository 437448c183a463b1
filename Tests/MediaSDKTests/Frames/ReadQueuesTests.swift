import MediaCore
import Testing

@testable import MediaSDK

@Suite struct ReadQueuesTests {
  private let queues = ReadQueues()

  private func frame() throws -> VideoFrame {
    try VideoFrame.make(VideoFormat(.gray8, width: 4, height: 4))
  }

  private func take(deadline: Int64 = 0) throws -> VideoFrame {
    try queues.raw.take(deadline: deadline) { nil }
  }

  private func open(_ capacity: Int = 2, _ policy: QueuePolicy = .dropOldest) {
    queues.open(
      Make.incoming {
        $0.queueCapacity = capacity
        $0.queuePolicy = policy
      })
  }

  @Test func aFullQueueGivesBackWhatThePolicySays() throws {
    let frames = try (0..<3).map { _ in try frame() }
    defer { for frame in frames { frame.release() } }
    open(2, .dropOldest)
    #expect(queues.raw.put(frames[0]) == nil)
    #expect(queues.raw.put(frames[1]) == nil)
    #expect(queues.raw.put(frames[2]) == frames[0])
    #expect(try take() == frames[1])
    #expect(try take() == frames[2])
    open(2, .dropNewest)
    #expect(queues.raw.put(frames[0]) == nil)
    #expect(queues.raw.put(frames[1]) == nil)
    #expect(queues.raw.put(frames[2]) == frames[2])
    #expect(try take() == frames[0])
    #expect(try take() == frames[1])
  }

  @Test func theDefaultsAreThreeAndSixty() throws {
    open(0)
    let frames = try (0..<4).map { _ in try frame() }
    defer { for frame in frames { frame.release() } }
    #expect(frames.map { queues.raw.put($0) == nil } == [true, true, true, false])
    while let taken = try? take() { #expect(taken != frames[0]) }
  }

  @Test func aQueueThatIsNotOpenTakesNothing() throws {
    let frame = try frame()
    defer { frame.release() }
    #expect(queues.raw.put(frame) == frame)
    #expect(failure { _ = try take() }?.status == .closed)
    #expect(failure { _ = try queues.raw.take(deadline: 0) { MediaError(.state, "x") } }?.status == .state)
  }

  @Test func afterTheEndWhatIsHereMayBeRead() throws {
    open()
    let frame = try frame()
    #expect(queues.raw.put(frame) == nil)
    let descriptor = try queues.descriptor()
    queues.end()
    #expect(queues.raw.put(frame) == frame)
    #expect(try take(deadline: .max) == frame)
    #expect(failure { _ = try take(deadline: .max) }?.status == .closed)
    #expect(isReadable(descriptor))
    frame.release()
  }

  @Test func closingGivesBackEveryReference() throws {
    open()
    let frame = try frame()
    frame.retain()
    #expect(queues.raw.put(frame) == nil)
    queues.close()
    #expect(frame.references == 1)
    #expect(failure { _ = try take() }?.status == .closed)
    frame.release()
  }

  @Test func aQueueThatGoesGivesBackEveryReference() throws {
    let frame = try frame()
    frame.retain()
    do {
      let queue = FrameQueue<VideoFrame>(ReadinessFlag(), side: 0) { $0.release() }
      queue.open(capacity: 3, policy: .dropOldest)
      #expect(queue.put(frame) == nil)
    }
    #expect(frame.references == 1)
    frame.release()
  }

  @Test func oneDescriptorAnnouncesBoth() throws {
    open()
    let descriptor = try queues.descriptor()
    #expect(!isReadable(descriptor))
    let frame = try frame()
    #expect(queues.raw.put(frame) == nil)
    #expect(isReadable(descriptor))
    let encoded = try Make.encoded([1])
    #expect(queues.encoded.put(encoded) == nil)
    _ = try take()
    #expect(isReadable(descriptor))
    _ = try queues.encoded.take(deadline: 0) { nil }
    #expect(!isReadable(descriptor))
    frame.release()
    encoded.release()
    queues.close()
    #expect(isReadable(descriptor))
    open()
    #expect(!isReadable(descriptor))
  }
}
