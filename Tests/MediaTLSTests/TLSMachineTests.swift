import Glibc
import MediaCore
import Testing

@testable import MediaTLS

/// Two machines that speak to each other through memory.
private final class Talk {
  let server: TLSMachine
  let client: TLSMachine
  var heardByServer: [UInt8] = []
  var heardByClient: [UInt8] = []
  /// What becomes of bytes on their way.
  var way: (inout [UInt8]) -> Void = { _ in }

  init(_ certificate: TLSCertificate, _ trust: TLSTrust) throws {
    server = try TLSMachine(server: certificate)
    client = try TLSMachine(client: trust)
  }

  /// With a server that has TLS 1.2 only.
  init(older certificate: TLSCertificate, _ trust: TLSTrust, _ oldest: TLSMachine.OldestVersion) throws {
    server = try TLSMachine(olderServer: certificate)
    client = try TLSMachine(client: trust, oldest: oldest)
  }

  /// Until nobody says anything more, in pieces of that size.
  func run(pieces: Int = .max) {
    while true {
      var (there, back): ([UInt8], [UInt8]) = ([], [])
      client.takeOutput(&there)
      server.takeOutput(&back)
      if there.isEmpty && back.isEmpty { return }
      way(&there)
      way(&back)
      carry(there, pieces) { piece in server.receive(piece) { heardByServer += $0 } }
      carry(back, pieces) { piece in client.receive(piece) { heardByClient += $0 } }
    }
  }

  private func carry(_ bytes: [UInt8], _ size: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(size).withUnsafeBytes { body($0) }
      rest = rest.dropFirst(size)
    }
  }
}

@Suite struct TLSMachineTests {
  private static let certificate = try? TLSCertificate.make()

  private func talk() throws -> Talk {
    let certificate = try #require(Self.certificate)
    return try Talk(certificate, .fingerprint(certificate.fingerprint))
  }

  private func say(_ text: [UInt8], by machine: TLSMachine) -> Bool { text.withUnsafeBytes { machine.send($0) } }

  @Test(arguments: [1, 7, 1400, Int.max]) func bothHearWhatTheOtherSays(pieces: Int) throws {
    let talk = try talk()
    #expect(!say([1], by: talk.client))
    talk.run(pieces: pieces)
    #expect(talk.client.state == .open)
    #expect(talk.server.state == .open)
    let long = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(say(long, by: talk.client))
    #expect(say([1, 2, 3], by: talk.server))
    talk.run(pieces: pieces)
    #expect(talk.heardByServer == long)
    #expect(talk.heardByClient == [1, 2, 3])
    talk.client.close()
    talk.run(pieces: pieces)
    #expect(talk.server.state == .closed)
  }

  @Test(arguments: [1, Int.max]) func anOlderServerIsHeardWhereThatWasAskedFor(pieces: Int) throws {
    let certificate = try #require(Self.certificate)
    let talk = try Talk(older: certificate, .fingerprint(certificate.fingerprint), .tls12)
    talk.run(pieces: pieces)
    #expect(talk.client.state == .open && talk.server.state == .open)
    #expect(say([4, 5], by: talk.client) && say([1, 2, 3], by: talk.server))
    talk.run(pieces: pieces)
    #expect(talk.heardByServer == [4, 5] && talk.heardByClient == [1, 2, 3])
    // Whose certificate is another's stays refused, and so does the version where it was not asked for.
    let other = try Talk(older: certificate, .fingerprint(TLSCertificate.make().fingerprint), .tls12)
    let refusing = try Talk(older: certificate, .fingerprint(certificate.fingerprint), .tls13)
    for (talk, status) in [(other, Status.untrusted), (refusing, .io)] {
      talk.run(pieces: pieces)
      guard case .failed(let error) = talk.client.state else {
        Issue.record("the client is \(talk.client.state)")
        continue
      }
      #expect(error.status == status)
    }
  }

  /// A client that takes TLS 1.2 has 1.3 with whoever has it.
  @Test func theNewerVersionIsTaken() throws {
    let certificate = try #require(Self.certificate)
    let server = try TLSMachine(server: certificate)
    let client = try TLSMachine(client: .fingerprint(certificate.fingerprint), oldest: .tls12)
    for _ in 0..<4 {
      var bytes: [UInt8] = []
      client.takeOutput(&bytes)
      bytes.withUnsafeBytes { server.receive($0) { _ in } }
      bytes = []
      server.takeOutput(&bytes)
      bytes.withUnsafeBytes { client.receive($0) { _ in } }
    }
    #expect(client.state == .open && server.state == .open)
  }

  @Test func anotherCertificateIsRefusedBeforeAnythingIsSaid() throws {
    let (mine, other) = (try TLSCertificate.make(), try TLSCertificate.make())
    let talk = try Talk(mine, .fingerprint(other.fingerprint))
    talk.run()
    guard case .failed(let error) = talk.client.state else {
      Issue.record("the client took another certificate")
      return
    }
    #expect(error.status == .untrusted)
    #expect(error.text.contains("\(mine.fingerprint)") && error.text.contains("\(other.fingerprint)"))
    #expect(!say([1], by: talk.client))
  }

  /// The system trusts nobody who has signed for themselves; and which host is meant is said to the server first, unless it is an address.
  @Test(arguments: [("turn.example.org", true), ("192.0.2.1", false)]) func theSystemsAuthoritiesAreAskedAboutTheHost(
    _ host: String, isName: Bool
  ) throws {
    let talk = try Talk(TLSCertificate.make(name: host), .system(host: host))
    talk.run()
    #expect(talk.server.calledName == (isName ? host : nil))
    guard case .failed(let error) = talk.client.state else {
      Issue.record("the client took a certificate that nobody has signed")
      return
    }
    #expect(error.status == .untrusted)
    #expect(!say([1], by: talk.client))
  }

  /// OpenSSL takes an empty one for none, and whatever certificate is shown for the right one.
  @Test func aHostThatNobodyCanBeIsRefused() throws {
    for host in ["", String(repeating: "a", count: 300)] {
      var refusal: MediaError?
      do throws(MediaError) { _ = try TLSMachine(client: .system(host: host)) } catch { refusal = error }
      #expect(refusal?.status == .invalid)
    }
  }

  @Test func whatIsNoTLSIsRefusedInWords() throws {
    let talk = try talk()
    Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { talk.server.receive($0) { _ in } }
    guard case .failed(let error) = talk.server.state else {
      Issue.record("the server took it")
      return
    }
    #expect(error.text.hasPrefix("TLS: the handshake failed: "))
  }

  @Test func whatIsSpoiltAtAnyPlaceNeverGetsThrough() throws {
    let certificate = try #require(Self.certificate)
    var random = SeededRandom(seed: 5)
    for round in 0..<300 {
      let talk = try Talk(certificate, .fingerprint(certificate.fingerprint))
      // A third spoils the handshake, the others what is said.
      if round % 3 != 0 { talk.run() }
      talk.way = { bytes in
        guard !bytes.isEmpty else { return }
        switch random.next() % 3 {
        case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
        }
      }
      _ = say([UInt8](repeating: 9, count: 50), by: talk.client)
      talk.run()
      #expect(talk.heardByServer.isEmpty || talk.heardByServer == [UInt8](repeating: 9, count: 50))
    }
  }

  @Test func noiseNeverOpens() throws {
    let certificate = try #require(Self.certificate)
    var random = SeededRandom(seed: 6)
    for _ in 0..<500 {
      let machine = try TLSMachine(server: certificate)
      // Half of it looks like records of a handshake.
      var noise = (0..<Int.random(in: 1...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random) { noise.replaceSubrange(0..<min(3, noise.count), with: [22, 3, 1].prefix(noise.count)) }
      noise.withUnsafeBytes { machine.receive($0) { _ in Issue.record("noise said something") } }
      #expect(machine.state != .open)
    }
  }

  @Test(arguments: [1, 7, Int.max]) func whatTheOtherEndCausesIsCounted(pieces: Int) throws {
    let talk = try talk()
    talk.server.limits = .init(records: 100, updates: 3)
    talk.run(pieces: pieces)
    let shaken = 100 - talk.server.limits.records
    #expect((3...4).contains(shaken) && talk.server.limits.updates == 3)
    for number in 1...3 {
      #expect(talk.client.changeKeys(asking: true) && say([UInt8(number)], by: talk.client))
      talk.run(pieces: pieces)
      // The change, and what is said with it.
      #expect(talk.server.limits == .init(records: 100 - shaken - 2 * number, updates: 3 - number))
    }
    #expect(talk.server.excess == nil && talk.heardByServer == [1, 2, 3])
    #expect(talk.client.changeKeys(asking: true) && say([4], by: talk.client))
    talk.run(pieces: pieces)
    #expect(talk.server.excess?.status == .limit && talk.server.excess?.text.contains("keys were updated") == true)
    // It can still be said why.
    #expect(say([9], by: talk.server))
    talk.run()
    #expect(talk.heardByClient == [9])
  }

  /// Those that came at once are not all decrypted before it is looked.
  @Test func aFloodOfChangesOfKeysIsNotWorkedOff() throws {
    let talk = try talk()
    talk.run()
    talk.server.limits = .init(records: 10_000, updates: 4)
    for _ in 0..<500 { #expect(talk.client.changeKeys(asking: true) && say([1], by: talk.client)) }
    talk.run()
    #expect(talk.server.excess?.status == .limit)
    #expect(talk.server.limits.records >= 10_000 - 32)
  }

  @Test func recordsAreCountedWhateverIsInThem() throws {
    let talk = try talk()
    talk.run()
    talk.server.limits = .init(records: 20)
    for number in 0..<30 { #expect(say([UInt8(number)], by: talk.client)) }
    talk.run()
    #expect(talk.server.excess?.text.contains("more records") == true)
    #expect(talk.heardByServer == (0..<20).map { UInt8($0) })
  }

  @Test func aHandshakeThatDoesNotEndIsRefused() throws {
    let machine = try TLSMachine(server: try #require(Self.certificate))
    // A ClientHello of 100,000 bytes, in records of 1,000 each.
    let record: [UInt8] = [22, 3, 1, 3, 232] + [UInt8](repeating: 0, count: 1000)
    var bytes = (0..<20).flatMap { _ in record }
    bytes.replaceSubrange(5..<9, with: [1, 1, 0x86, 0xA0])
    bytes.withUnsafeBytes { machine.receive($0) { _ in } }
    #expect(machine.excess?.text.contains("16384 bytes") == true, "\(machine.state)")
  }
}
