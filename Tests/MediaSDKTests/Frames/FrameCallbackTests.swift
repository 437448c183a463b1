import MediaCore
import Testing

@testable import MediaSDK

@Suite struct FrameCallbackTests {
  @Test func isCalledUntilItIsClosed() {
    let given = Monitor<[Int]>([])
    let isForeign = Monitor(false)
    let callback = FrameCallback<Int> { value in
      given.withLock { $0.append(value) }
      isForeign.withLock { $0 = ForeignCode.isRunning }
    }
    #expect(callback.call(1))
    #expect(callback.call(2))
    callback.close()
    #expect(!callback.call(3))
    #expect(given.withLock { $0 } == [1, 2])
    #expect(isForeign.withLock { $0 })
  }

  @Test func closingWaitsForWhoIsInside() {
    let visit = Visit()
    let callback = FrameCallback<Int> { _ in visit.stay() }
    let caller = OSThread { callback.call(1) }
    visit.waitUntilInside()
    expectToWait(for: visit) { callback.close() }
    caller.join()
  }

  @Test func renewedItIsCalledAgainWhileTheFormerStaysClosed() {
    let given = Monitor<[Int]>([])
    let callback = FrameCallback<Int> { value in given.withLock { $0.append(value) } }
    callback.close()
    let renewed = callback.renewed
    #expect(renewed.call(1))
    #expect(!callback.call(2))
    renewed.close()
    #expect(!renewed.call(3))
    #expect(given.withLock { $0 } == [1])
  }

  @Test func closingTheRenewedOneWaitsForWhoIsInsideTheFormer() {
    let visit = Visit()
    let callback = FrameCallback<Int> { _ in visit.stay() }
    let caller = OSThread { callback.call(1) }
    visit.waitUntilInside()
    let renewed = callback.renewed
    expectToWait(for: visit) { renewed.close() }
    caller.join()
  }
}
