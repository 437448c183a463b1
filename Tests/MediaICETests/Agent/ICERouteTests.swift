import MediaCore
import Testing

@testable import MediaICE

@Suite struct ICERouteTests {
  private func route(_ wrapping: ICERoute.Wrapping, to remote: SocketAddress = address("192.0.2.7", 9), isStream: Bool = false) -> ICERoute
  {
    ICERoute(
      base: ICEBase(number: 0), destination: remote, remote: remote, wrapping: wrapping, isRelayed: false, isStream: isStream)
  }

  private func wrap(_ route: ICERoute, _ data: [UInt8]) -> [UInt8]? {
    var memory = [UInt8](repeating: 0xEE, count: ICERoute.headRoom) + data + [UInt8](repeating: 0xEE, count: ICERoute.tailRoom)
    let payload = ICERoute.headRoom..<(ICERoute.headRoom + data.count)
    return memory.withUnsafeMutableBytes { route.wrap($0, payload: payload) }.map { Array(memory[$0]) }
  }

  @Test func dataAreWrappedInPlace() {
    #expect(wrap(route(.none), [1, 2, 3]) == [1, 2, 3])
    #expect(wrap(route(.length), [1, 2, 3]) == [0, 3, 1, 2, 3])
    #expect(wrap(route(.channel(0x4001, isStream: false)), [1, 2, 3]) == [0x40, 1, 0, 3, 1, 2, 3])
    #expect(wrap(route(.channel(0x4001, isStream: true)), [1, 2, 3]) == [0x40, 1, 0, 3, 1, 2, 3, 0])
  }

  @Test(arguments: ["192.0.2.7", "2001:db8::7"]) func anIndicationIsAMessage(host: String) throws {
    for size in 0..<9 {
      let data = [UInt8](repeating: 5, count: size)
      let bytes = try #require(wrap(route(.indication(TransactionID(high: 1, low: 2)), to: address(host, 9)), data))
      let isRight = withMessage(bytes) {
        $0.kind == .indication && $0.method == .send && $0.xorAddress(STUNAttribute.xorPeerAddress) == address(host, 9)
          && $0.value(STUNAttribute.data).map { Array($0) } == data
      }
      #expect(isRight == true)
    }
  }

  @Test func withoutRoomNothingIsWritten() {
    let routes = [
      route(.length), route(.channel(0x4000, isStream: true)), route(.indication(TransactionID(high: 1, low: 2)))
    ]
    for route in routes {
      var memory = [UInt8](repeating: 0xEE, count: 10)
      let range = memory.withUnsafeMutableBytes { route.wrap($0, payload: 1..<10) }
      #expect(range == nil && memory.allSatisfy { $0 == 0xEE })
    }
    var large = [UInt8](repeating: 0, count: 70_000)
    let range = large.withUnsafeMutableBytes { route(.none).wrap($0, payload: 0..<70_000) }
    #expect(range == nil)
  }
}
