import MediaSDP
import Testing

@testable import MediaICE

@Suite struct FoundationsTests {
  @Test func theSameOriginHasTheSameFoundation() {
    var foundations = Foundations()
    let host = foundations.of(.host, base: "192.0.2.1")
    let others = [
      foundations.of(.host, base: "192.0.2.2"), foundations.of(.serverReflexive, base: "192.0.2.1", server: "198.51.100.1"),
      foundations.of(.serverReflexive, base: "192.0.2.1", server: "198.51.100.2"), foundations.of(.host, base: "192.0.2.1", isTCP: true)
    ]
    #expect(Set(others + [host]).count == 5 && foundations.of(.host, base: "192.0.2.1") == host)
  }
}
