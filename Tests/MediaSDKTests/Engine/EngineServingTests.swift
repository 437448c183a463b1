import MediaCore
import Testing

@testable import MediaSDK

@Suite struct EngineServingTests {
  private func engine(isVirtual: Bool = false) -> Engine {
    var options = EngineOptions()
    options.isVirtualClock = isVirtual
    options.ignoresEnvironment = true
    return Engine(options)
  }

  private func options(_ change: (inout ServeOptions) -> Void = { _ in }) -> ServeOptions {
    var options = ServeOptions()
    options.addresses = "127.0.0.1"
    change(&options)
    return options
  }

  @Test func aRoomIsServedOnceAtATime() throws {
    let engine = engine()
    defer { engine.close() }
    let info = try engine.serve("loopback:once", options())
    #expect(
      info.port > 0 && info.memberCount == 0 && info.fingerprint.isEmpty && info.url == "livekit+ws://127.0.0.1:\(info.port)#room=once")
    #expect(failure { _ = try engine.serve("loopback:once", options()) }?.status == .exists)
    #expect(try engine.serveInfo("loopback:once").port == info.port)
    try engine.stopServing("loopback:once")
    #expect(failure { _ = try engine.serveInfo("loopback:once") }?.status == .notFound)
    #expect(failure { try engine.stopServing("loopback:once") }?.status == .notFound)
    #expect(try engine.serve("loopback:once", options { $0.port = info.port }).port == info.port)
  }

  @Test(arguments: [("", Status.invalid), ("localhost", .invalid), ("127.0.0.1,", .invalid), ("224.0.0.1", .invalid), ("192.0.2.1", .io)])
  func addressesAreOfThisMachine(addresses: String, status: Status) {
    let engine = engine()
    defer { engine.close() }
    #expect(failure { _ = try engine.serve("loopback:where", options { $0.addresses = addresses }) }?.status == status)
    // Its name is not taken.
    #expect(failure { _ = try engine.serve("loopback:where", options()) } == nil)
  }

  @Test(arguments: ["", "localhost", "192.0.2.1,", "224.0.0.1", "0.0.0.0", "192.0.2.1,192.0.2.2", "2001:db8::1,192.0.2.1,2001:db8::2"])
  func publicAddressesAreOfMachines(addresses: String) {
    let engine = engine()
    defer { engine.close() }
    let error = failure { _ = try engine.serve("loopback:where", options { $0.publicAddresses = addresses }) }
    #expect(error?.status == .invalid && error?.text.contains("options.public_addresses has ") == true)
  }

  /// One of another family, and one that a machine has for itself alone, are no address of a room elsewhere.
  @Test func urlsHaveThePublicAddress() throws {
    let engine = engine()
    defer { engine.close() }
    let info = try engine.serve("loopback:public", options { ($0.addresses, $0.publicAddresses) = ("0.0.0.0", "2001:db8::7,192.0.2.7") })
    #expect(info.url.hasPrefix("livekit+wss://192.0.2.7:\(info.port)#") && info.pageURL == "https://192.0.2.7:\(info.port)/public")
    let own = try engine.serve("loopback:own", options { $0.publicAddresses = "192.0.2.7" })
    #expect(own.pageURL == "http://127.0.0.1:\(own.port)/own")
  }

  @Test func boundsAreSaid() {
    let engine = engine()
    defer { engine.close() }
    for count in [0, -1, 1001] {
      let error = failure { _ = try engine.serve("loopback:bounds", options { $0.mostMembers = count }) }
      #expect(error?.status == .range && error?.text.contains("1..1000") == true)
    }
    let many = Array(repeating: "127.0.0.1", count: 9).joined(separator: ",")
    #expect(failure { _ = try engine.serve("loopback:bounds", options { $0.addresses = many }) }?.text.contains("1..8") == true)
    let short = failure { _ = try engine.serve("loopback:bounds", options { $0.access = ("key", "short") }) }
    #expect(short?.status == .invalid && short?.text.contains("at least 32") == true)
    let files = failure {
      _ = try engine.serve("loopback:bounds", options { $0.certificate = ("/nowhere/cert.pem", "/nowhere/key.pem") })
    }
    #expect(files?.status == .notFound && files?.text.contains("/nowhere/cert.pem") == true)
  }

  /// Its name is escaped in them. Beyond this machine's own addresses it is over TLS.
  @Test func urlsSayWhereAndHow() throws {
    let engine = engine()
    defer { engine.close() }
    let info = try engine.serve("loopback:a room?", options())
    #expect(info.pageURL == "http://127.0.0.1:\(info.port)/a%20room%3F")
    #expect(info.url == "livekit+ws://127.0.0.1:\(info.port)#room=a%20room%3F")
    #expect(try engine.serveInfo("loopback:a room?").url == info.url)
    #expect(failure { _ = try engine.serve("loopback:taken", options { $0.port = info.port }) }?.status == .exists)
    #expect(failure { _ = try engine.serveInfo("loopback:taken") }?.status == .notFound)
    let keyed = try engine.serve("loopback:keyed", options { $0.access = ("key", String(repeating: "s", count: 32)) })
    #expect(keyed.url == "livekit+ws://127.0.0.1:\(keyed.port)")
    let wide = try engine.serve("loopback:all", options { $0.addresses = "0.0.0.0" })
    #expect(wide.pageURL.hasPrefix("https://") && wide.fingerprint.utf8.count == 95)
    #expect(wide.url.hasPrefix("livekit+wss://") && wide.url.hasSuffix(":\(wide.port)#room=all&fingerprint=\(wide.fingerprint)"))
    _ = try engine.makeSession(SessionOptions(url: wide.url, userID: "anna"))
  }

  @Test func servingIsOfRealTime() {
    let engine = engine(isVirtual: true)
    defer { engine.close() }
    #expect(failure { _ = try engine.serve("loopback:virtual", options()) }?.status == .unsupported)
  }

  @Test func anEngineThatIsClosedOpensNothing() throws {
    let engine = engine()
    let info = try engine.serve("loopback:last", options())
    engine.close()
    #expect(failure { _ = try engine.serveInfo("loopback:last") }?.status == .notFound)
    #expect(failure { _ = try engine.serve("loopback:last", options()) }?.status == .closed)
    #expect(failure { _ = try engine.networkThread() }?.status == .closed)
    // What it listened at is free.
    let other = self.engine()
    defer { other.close() }
    _ = try other.serve("loopback:last", options { $0.port = info.port })
  }
}
