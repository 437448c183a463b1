import MediaCore
import Testing

@testable import MediaSDK

@Suite struct EngineHubsTests {
  private func engine(isVirtual: Bool = false) -> Engine {
    var options = EngineOptions()
    options.isVirtualClock = isVirtual
    options.ignoresEnvironment = true
    return Engine(options)
  }

  private func options(_ change: (inout HubOptions) -> Void = { _ in }) -> HubOptions {
    var options = HubOptions()
    options.addresses = "127.0.0.1"
    change(&options)
    return options
  }

  @Test func aRoomIsOpenedOnceAtATime() throws {
    let engine = engine()
    defer { engine.close() }
    let info = try engine.openHub("loopback:once", options())
    #expect(info.port > 0 && info.memberCount == 0 && info.foreignPackets == 0 && info.fingerprint.utf8.count == 95)
    #expect(failure { _ = try engine.openHub("loopback:once", options()) }?.status == .exists)
    #expect(try engine.hubInfo("loopback:once").port == info.port)
    try engine.closeHub("loopback:once")
    #expect(failure { _ = try engine.hubInfo("loopback:once") }?.status == .notFound)
    #expect(failure { try engine.closeHub("loopback:once") }?.status == .notFound)
    #expect(try engine.openHub("loopback:once", options { $0.port = info.port }).fingerprint != info.fingerprint)
  }

  @Test(arguments: [("", Status.invalid), ("localhost", .invalid), ("127.0.0.1,", .invalid), ("224.0.0.1", .invalid), ("192.0.2.1", .io)])
  func addressesAreOfThisMachine(addresses: String, status: Status) {
    let engine = engine()
    defer { engine.close() }
    #expect(failure { _ = try engine.openHub("loopback:where", options { $0.addresses = addresses }) }?.status == status)
    // Its name is not taken.
    #expect(failure { _ = try engine.openHub("loopback:where", options()) } == nil)
  }

  @Test func boundsAreSaid() {
    let engine = engine()
    defer { engine.close() }
    for count in [0, -1, 1001] {
      let error = failure { _ = try engine.openHub("loopback:bounds", options { $0.mostMembers = count }) }
      #expect(error?.status == .range && error?.text.contains("1..1000") == true)
    }
    let many = Array(repeating: "127.0.0.1", count: 9).joined(separator: ",")
    #expect(failure { _ = try engine.openHub("loopback:bounds", options { $0.addresses = many }) }?.text.contains("1..8") == true)
    #expect(failure { _ = try engine.openHub("loopback:what?", options()) }?.status == .invalid)
    let files = failure {
      _ = try engine.openHub("loopback:bounds", options { $0.certificate = ("/nowhere/cert.pem", "/nowhere/key.pem") })
    }
    #expect(files?.status == .notFound && files?.text.contains("/nowhere/cert.pem") == true)
  }

  @Test func aRoomIsOpenToBrowsers() throws {
    let engine = engine()
    defer { engine.close() }
    #expect(try engine.openHub("loopback:none", options()).webURL.isEmpty)
    let info = try engine.openHub("loopback:page", options { $0.webPort = 0 })
    #expect(info.webPort > 0 && info.webURL == "http://127.0.0.1:\(info.webPort)/page")
    #expect(try engine.hubInfo("loopback:page").webPort == info.webPort)
    // Neither is open when the other cannot be.
    #expect(failure { _ = try engine.openHub("loopback:taken", options { $0.webPort = info.webPort }) }?.status == .exists)
    #expect(failure { _ = try engine.openHub("loopback:taken", options { ($0.port, $0.webPort) = (info.port, 0) }) }?.status == .exists)
    #expect(failure { _ = try engine.hubInfo("loopback:taken") }?.status == .notFound)
    try engine.closeHub("loopback:page")
    _ = try engine.openHub("loopback:again", options { $0.webPort = info.webPort })
    // Elsewhere it is over TLS.
    #expect(try engine.openHub("loopback:all", options { ($0.addresses, $0.webPort) = ("0.0.0.0", 0) }).webURL.hasPrefix("https://"))
  }

  @Test func aHubIsOfRealTime() {
    let engine = engine(isVirtual: true)
    defer { engine.close() }
    #expect(failure { _ = try engine.openHub("loopback:virtual", options()) }?.status == .unsupported)
  }

  @Test func anEngineThatIsClosedOpensNothing() throws {
    let engine = engine()
    let info = try engine.openHub("loopback:last", options())
    engine.close()
    #expect(failure { _ = try engine.hubInfo("loopback:last") }?.status == .notFound)
    #expect(failure { _ = try engine.openHub("loopback:last", options()) }?.status == .closed)
    #expect(failure { _ = try engine.networkThread() }?.status == .closed)
    // What it listened at is free.
    let other = self.engine()
    defer { other.close() }
    _ = try other.openHub("loopback:last", options { $0.port = info.port })
  }
}
