import MediaCore
import Testing

@testable import MediaSDK

@Suite struct IncomingLifeTests {
  @Test func startsAndStopsInOrder() throws {
    var life = IncomingLife()
    let early = life.beginStop()
    #expect(!early)
    try life.begin()
    #expect(failure { try life.begin() }?.status == .state)
    let (isStopping, again) = (life.beginStop(), life.beginStop())
    #expect(isStopping && !again)
    #expect(failure { try life.begin() }?.status == .state)
    let isStopped = life.endStop()
    #expect(isStopped && life.state == .stopped)
    try life.begin()
    #expect(life.state == .started)
  }

  @Test func whatIsWithdrawnWhileItStopsStaysSo() throws {
    var life = IncomingLife()
    try life.begin()
    let isStopping = life.beginStop()
    let (wasAvailable, again) = (life.withdraw(), life.withdraw())
    #expect(isStopping && wasAvailable && !again)
    let isStopped = life.endStop()
    #expect(!isStopped && life.state == .notAvailable && life.hasEnded)
    #expect(failure { try life.begin() }?.status == .closed)
    try life.checkAlive()
  }

  @Test func closesOnce() {
    var life = IncomingLife()
    let (first, second) = (life.close(), life.close())
    #expect(first && !second && life.state == .notAvailable && !life.hasEnded)
    #expect(failure { try life.checkAlive() }?.status == .closed)
  }
}
