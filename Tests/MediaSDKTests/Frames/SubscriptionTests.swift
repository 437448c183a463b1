import MediaCore
import Testing

@testable import MediaSDK

@Suite struct SubscriptionTests {
  @Test func whatIsNeededIsCarriedOutOnce() {
    var subscription = Subscription()
    #expect(subscription.next(isNeeded: false) == nil)
    #expect(subscription.next(isNeeded: true) == true)
    subscription.done()
    #expect(subscription.next(isNeeded: true) == nil && subscription.isOn)
    #expect(subscription.next(isNeeded: false) == false)
    subscription.done()
    #expect(!subscription.isOn)
  }

  /// The thread that is at it sees to the need of the others when it is done.
  @Test func oneThreadAtATimeCarriesOut() {
    var subscription = Subscription()
    #expect(subscription.next(isNeeded: true) == true)
    #expect(subscription.next(isNeeded: false) == nil && subscription.isOn)
    subscription.done()
    #expect(subscription.next(isNeeded: false) == false)
    #expect(subscription.next(isNeeded: true) == nil)
    subscription.done()
    #expect(subscription.next(isNeeded: false) == nil)
  }

  /// Whatever comes between: the last state of the need is the state of the transport.
  @Test func theLastNeedRemains() {
    struct State {
      var isNeeded = false
      var subscription = Subscription()
      var transport: [Bool] = []
    }
    for _ in 0..<200 {
      let state = Monitor(State())
      let threads = [true, false].map { isNeeded in
        OSThread {
          state.withLock { $0.isNeeded = isNeeded }
          while let next = state.withLock({ $0.subscription.next(isNeeded: $0.isNeeded) }) {
            sched()
            state.withLock { state in
              state.transport.append(next)
              state.subscription.done()
            }
            state.notify()
          }
          state.waitForChange(of: \.subscription)
        }
      }
      for thread in threads { thread.join() }
      state.withLock { #expect(($0.transport.last ?? false) == $0.isNeeded && $0.subscription.isOn == $0.isNeeded) }
    }
  }
}
