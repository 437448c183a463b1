import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct FrameShareTests {
  private let format = VideoFormat(.gray8, width: 16, height: 16)

  @Test func holdsNoMoreThanItsLimit() throws {
    let frame = try VideoFrame.make(format)
    defer { frame.release() }
    let share = FrameShare(limit: 2)
    let lent = [try #require(frame.lent(to: share)), try #require(frame.lent(to: share))]
    #expect(frame.lent(to: share) == nil)
    #expect(share.count == 2)
    lent[0].release()
    let again = try #require(frame.lent(to: share))
    for one in [lent[1], again] { one.release() }
    #expect(share.count == 0 && frame.references == 1)
  }

  /// What is lent, however often, is one buffer that the pool gives out beyond its limit.
  @Test func whatIsLentDoesNotCountForThePool() throws {
    let (pool, shares) = (BufferPool(limit: 1), [FrameShare(limit: 8), FrameShare(limit: 8)])
    let frame = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    #expect(try VideoFrame.make(format, from: pool, deadline: 0) == nil)
    let lent = shares.compactMap { frame.lent(to: $0) }
    frame.release()
    let second = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    #expect(try VideoFrame.make(format, from: pool, deadline: 0) == nil)
    #expect(second.plane(0).data != lent[0].plane(0).data)
    lent[0].release()
    #expect(lent[1].references == 1)
    lent[1].release()
    #expect(try VideoFrame.make(format, from: pool, deadline: 0) == nil)
    second.release()
    let third = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    third.release()
  }

  /// A view of a loan, and a loan of a view, are of the same memory.
  @Test func loansOfLoansCountOnce() throws {
    let (pool, share) = (BufferPool(limit: 1), FrameShare(limit: 8))
    let frame = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    let view = try frame.view()
    frame.release()
    let first = try #require(view.lent(to: share))
    let second = try #require(first.lent(to: share))
    for one in [view, first] { one.release() }
    #expect(share.count == 2)  // the second keeps the first
    let other = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    #expect(try VideoFrame.make(format, from: pool, deadline: 0) == nil)
    for one in [second, other] { one.release() }
    #expect(share.count == 0)
    let again = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    again.release()
  }

  @Test func whoeverWaitsForMemoryGetsItWhenSomeIsLent() throws {
    let (pool, share) = (BufferPool(limit: 1), FrameShare(limit: 1))
    let frame = try #require(try VideoFrame.make(format, from: pool, deadline: 0))
    let isServed = Monitor(false)
    let waiter = OSThread {
      guard let other = try? VideoFrame.make(VideoFormat(.gray8, width: 16, height: 16), from: pool, deadline: .max) else { return }
      other.release()
      isServed.withLock { $0 = true }
    }
    let lent = try #require(frame.lent(to: share))
    waiter.join()
    #expect(isServed.withLock { $0 })
    for one in [lent, frame] { one.release() }
  }

  @Test func aLoanIsReadOnlyAndHasAHeaderOfItsOwn() throws {
    let frame = try VideoFrame.make(format)
    let share = FrameShare(limit: 1)
    frame.native.pointee.timestamp_ns = 5
    let lent = try #require(frame.lent(to: share))
    #expect(!lent.isWritable && frame.isWritable)
    #expect(lent.native.pointee.timestamp_ns == 5 && lent.plane(0).data == frame.plane(0).data)
    lent.native.pointee.timestamp_ns = 6
    #expect(frame.native.pointee.timestamp_ns == 5)
    #expect(!lent.isPooled)
    frame.release()
    #expect(lent.isPooled)  // nobody else holds it any more
    lent.release()
  }

  @Test func soundAndPacketsAreLentToo() throws {
    let share = FrameShare(limit: 1)
    let pool = BufferPool(limit: 1)
    let sound = try #require(
      try AudioFrame.make(AudioFormat(.s16, sampleRate: 48_000, channels: 2), sampleCount: 480, from: pool, deadline: 0))
    sound.s16[7] = 77
    let heard = try #require(sound.lent(to: share))
    #expect(sound.lent(to: share) == nil)
    sound.release()
    #expect(heard.s16[7] == 77 && heard.sampleCount == 480 && !heard.isWritable)
    try heard.check()
    heard.release()

    let bytes: [UInt8] = [1, 2, 3]
    let packet = try #require(
      try bytes.withUnsafeBytes { bytes throws in
        try EncodedFrame.make(copying: bytes, attributes: msdk_encoded_frame(), from: pool, deadline: 0)
      })
    let seen = try #require(packet.lent(to: share))
    packet.release()
    #expect(Array(seen.bytes) == bytes)
    try seen.check()
    seen.release()
    #expect(share.count == 0)
    let again = try #require(pool.take(capacity: 1, deadline: 0))
    pool.takeBack(again)
  }
}
