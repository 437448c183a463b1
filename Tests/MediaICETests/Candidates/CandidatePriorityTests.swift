import MediaSDP
import Testing

@testable import MediaICE

@Suite struct CandidatePriorityTests {
  @Test func prioritiesAreThoseOfTheStandard() {
    // As browsers say for the first host.
    #expect(CandidatePriority.of(type: CandidatePriority.type(.host), place: 0) == 2_130_706_431)
    #expect(CandidatePriority.of(type: CandidatePriority.type(.serverReflexive), place: 0) == 1_694_498_815)
    #expect(
      CandidatePriority.of(type: CandidatePriority.type(.host), place: 1)
        < CandidatePriority.of(type: CandidatePriority.type(.host), place: 0))
    #expect(CandidatePriority.of(type: 126, place: .max) > CandidatePriority.of(type: 110, place: -1))
    #expect(CandidatePriority.pair(controlling: 5, controlled: 3) == 3 << 32 + 10 + 1)
    #expect(CandidatePriority.pair(controlling: 3, controlled: 5) == 3 << 32 + 10)
    #expect(CandidatePriority.pair(controlling: .max, controlled: .max) > 0)
  }

  @Test func directIsBeforeRelayedAndUDPBeforeTCP() {
    let order = [
      CandidatePriority.type(.host), CandidatePriority.type(.peerReflexive), CandidatePriority.type(.serverReflexive),
      CandidatePriority.type(.host, isTCP: true), CandidatePriority.type(.peerReflexive, isTCP: true), CandidatePriority.type(.relayed),
      CandidatePriority.type(.relayed, relay: .tcp), CandidatePriority.type(.relayed, relay: .tls)
    ]
    #expect(order == order.sorted(by: >) && Set(order).count == order.count)
  }
}
