import MediaCore
import Testing

@testable import MediaTransport

@Suite struct HubLogTests {
  /// `#expect` takes no call that changes something.
  private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) { #expect(condition, sourceLocation: place) }

  @Test func whatWasReceivedIsForgottenAndTheRestIsSaidAgain() {
    var log = HubLog()
    for number in 0..<10 { holds(log.keep([UInt8(number)])) }
    holds(log.confirm(4))
    #expect(log.unconfirmed == (4..<10).map { [UInt8($0)] })
    // Neither fewer than before nor more than were sent.
    for wrong in [3, 11, .max] as [UInt64] { holds(!log.confirm(wrong)) }
    holds(log.confirm(4))
    holds(log.confirm(10))
    #expect(log.unconfirmed.isEmpty)
  }

  @Test func whatIsKeptIsBounded() {
    var log = HubLog()
    let frame = [UInt8](repeating: 0, count: 65_536)
    var kept = 0
    while log.keep(frame) { kept += 1 }
    #expect(kept == HubLog.most / frame.count)
    holds(log.confirm(1))
    holds(log.keep(frame))
  }

  @Test func everySoManyAreToldOf() {
    var log = HubLog()
    for _ in 0..<63 { holds(!log.receive()) }
    holds(log.receive())
    holds(log.tell() == 64)
    holds(!log.receive())
  }
}
