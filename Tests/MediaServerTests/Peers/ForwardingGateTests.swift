import Testing

@testable import MediaServer

@Suite struct ForwardingGateTests {
  @Test func nothingGoesBeforeAKeyFrame() {
    var gate = ForwardingGate()
    gate.begin(now: 0)
    #expect(!{ gate.take(1, isKeyFrame: false, delay: 0, now: 0).isSent }())
    #expect({ gate.take(2, isKeyFrame: true, delay: 0, now: 0).isSent }())
    #expect({ gate.take(3, isKeyFrame: false, delay: 0, now: 0).isSent }())
  }

  @Test func aKeyFrameThatDoesNotComeIsAskedForAgain() {
    var gate = ForwardingGate()
    gate.begin(now: 0)
    #expect(!{ gate.take(1, isKeyFrame: false, delay: 0, now: second).wantsKeyFrame }())
    #expect({ gate.take(2, isKeyFrame: false, delay: 0, now: 2 * second).wantsKeyFrame }())
    #expect(!{ gate.take(3, isKeyFrame: false, delay: 0, now: 3 * second).wantsKeyFrame }())
    #expect({ gate.take(4, isKeyFrame: false, delay: 0, now: 4 * second).wantsKeyFrame }())
  }

  @Test func whatThePathDidNotTakeIsAskedForSooner() {
    var gate = ForwardingGate()
    gate.begin(now: 0)
    #expect({ gate.take(1, isKeyFrame: true, delay: 0, now: 0).isSent }())
    gate.notSent()
    #expect(!{ gate.take(2, isKeyFrame: false, delay: 0, now: 400 * millisecond).wantsKeyFrame }())
    #expect({ gate.take(3, isKeyFrame: false, delay: 0, now: 500 * millisecond).wantsKeyFrame }())
    // Once it has, a request is for all again.
    #expect({ gate.take(4, isKeyFrame: true, delay: 0, now: second).isSent }())
    #expect(!{ gate.take(6, isKeyFrame: false, delay: 0, now: 1_500 * millisecond).wantsKeyFrame }())
  }

  /// Without any that others need, and so without a key frame.
  @Test func droppableFramesAreTheFirstToGo() {
    var gate = ForwardingGate()
    func sent(_ id: UInt64, isDroppable: Bool, delay: Int64 = 0) -> Bool {
      let (isSent, wantsKeyFrame) = gate.take(
        id, isKeyFrame: id == 1, isDroppable: isDroppable, delay: delay, now: Int64(id) * 40 * millisecond)
      #expect(!wantsKeyFrame, "\(id)")
      return isSent
    }
    #expect(sent(1, isDroppable: false) && sent(2, isDroppable: true) && sent(3, isDroppable: false))
    gate.isThinned = true
    #expect(!sent(4, isDroppable: true) && sent(5, isDroppable: false) && !sent(6, isDroppable: true) && sent(7, isDroppable: false))
    gate.isThinned = false
    #expect(sent(8, isDroppable: true) && sent(9, isDroppable: false))
    // What waits for the path.
    #expect(!sent(10, isDroppable: true, delay: 300 * millisecond) && sent(11, isDroppable: false, delay: 300 * millisecond))
    #expect(!sent(12, isDroppable: true, delay: 600 * millisecond) && sent(13, isDroppable: false, delay: 400 * millisecond))
    #expect(sent(14, isDroppable: true, delay: 100 * millisecond))
  }

  @Test func nothingFollowsALoss() {
    var gate = ForwardingGate()
    #expect({ gate.take(1, isKeyFrame: true, delay: 0, now: 0).isSent }())
    let (isSent, wantsKeyFrame) = gate.take(3, isKeyFrame: false, delay: 0, now: 0)
    #expect(!isSent && wantsKeyFrame)
    #expect(!{ gate.take(4, isKeyFrame: false, delay: 0, now: 0).isSent }())
    // A key frame needs nothing of before.
    #expect({ gate.take(6, isKeyFrame: true, delay: 0, now: 0).isSent }())
    #expect({ gate.take(7, isKeyFrame: false, delay: 0, now: 0).isSent }())
  }

  @Test func aPathThatIsBehindIsSpared() {
    var gate = ForwardingGate()
    #expect({ gate.take(1, isKeyFrame: true, delay: 0, now: 0).isSent }())
    #expect({ gate.take(2, isKeyFrame: false, delay: 0, now: 0).isSent }())
    #expect(!{ gate.take(3, isKeyFrame: false, delay: 600 * millisecond, now: 0).isSent }())
    // Neither what follows nor a key frame, nor a request, before there is room.
    #expect(!{ gate.take(4, isKeyFrame: true, delay: 600 * millisecond, now: 0).isSent }())
    #expect(!{ gate.take(5, isKeyFrame: false, delay: 300 * millisecond, now: 3 * second).wantsKeyFrame }())
    #expect({ gate.take(6, isKeyFrame: false, delay: 50 * millisecond, now: 3 * second).wantsKeyFrame }())
    #expect({ gate.take(7, isKeyFrame: true, delay: 50 * millisecond, now: 3 * second).isSent }())
  }

  @Test func aLargeKeyFrameIsNoReasonToDropWhatFollows() {
    var gate = ForwardingGate()
    #expect({ gate.take(1, isKeyFrame: true, delay: 0, now: 0).isSent }())
    // The key frame alone waits for two seconds.
    #expect({ gate.take(2, isKeyFrame: false, delay: 2_000 * millisecond, now: 0).isSent }())
    #expect({ gate.take(3, isKeyFrame: false, delay: 2_300 * millisecond, now: 0).isSent }())
    #expect(!{ gate.take(4, isKeyFrame: false, delay: 2_600 * millisecond, now: 0).isSent }())
    var other = ForwardingGate()
    #expect({ other.take(1, isKeyFrame: true, delay: 0, now: 0).isSent }())
    #expect({ other.take(2, isKeyFrame: false, delay: 2_000 * millisecond, now: 0).isSent }())
    #expect({ other.take(3, isKeyFrame: false, delay: 400 * millisecond, now: 0).isSent }())
    // That time is over.
    #expect(!{ other.take(4, isKeyFrame: false, delay: 600 * millisecond, now: 0).isSent }())
  }

  @Test func aPlayerAsksOnceInHalfASecond() {
    var gate = ForwardingGate()
    gate.begin(now: 0)
    #expect(!{ gate.lost(now: 400 * millisecond) }())
    #expect({ gate.lost(now: 500 * millisecond) }())
    #expect(!{ gate.lost(now: 900 * millisecond) }())
  }
}
