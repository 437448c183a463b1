import MediaCore
import Testing

@testable import MediaICE

@Suite struct TURNPermissionsTests {
  @Test func eachHostIsAskedForOnceAndAgainInTime() {
    var permissions = TURNPermissions()
    #expect(permissions.want(address("192.0.2.1", 5)) && permissions.want(address("192.0.2.1", 6)) && permissions.count == 1)
    #expect(permissions.deadline == .min && permissions.next(now: 0) == address("192.0.2.1", 0) && permissions.next(now: 0) == nil)
    permissions.set(address("192.0.2.1", 0), .granted, now: 0)
    #expect(permissions.deadline == TURNPermissions.refreshAfter && permissions.next(now: TURNPermissions.refreshAfter - 1) == nil)
    #expect(permissions.next(now: TURNPermissions.refreshAfter) != nil)
    // The lifetime is five minutes.
    #expect(TURNPermissions.refreshAfter < 300 * second)
  }

  @Test func whatIsRefusedIsNotAskedForAgain() {
    var permissions = TURNPermissions()
    let isWanted = permissions.want(address("192.0.2.1", 5))
    #expect(isWanted)
    _ = permissions.next(now: 0)
    permissions.set(address("192.0.2.1", 0), .refused, now: 0)
    #expect(!permissions.want(address("192.0.2.1", 9)) && permissions.next(now: 1000 * second) == nil && permissions.deadline == .max)
  }

  @Test func theyAreBounded() {
    var permissions = TURNPermissions()
    let wanted = (0..<1000).filter { permissions.want(SocketAddress(v4: 0x0A00_0000 + UInt32($0), port: 1)) }
    #expect(wanted.count == TURNPermissions.most && permissions.count == TURNPermissions.most)
    permissions.retain { $0 == SocketAddress(v4: 0x0A00_0007, port: 0) }
    #expect(permissions.count == 1 && permissions.next(now: 0) == SocketAddress(v4: 0x0A00_0007, port: 0))
  }
}
