import MediaCore
import MediaTLS

/// A client and a server of DTLS; one of them is sent anything by somebody between them, who has no keys. What one end hears is what the other
/// said, once; both have the same keys; and once both are open, nobody but they themselves ends that.
enum DTLSClientConversation: FuzzTarget {
  static let name = "dtls_client"
  static func run(_ bytes: UnsafeRawBufferPointer) throws { try DTLSConversation.run(bytes, attacked: 0) }
}

/// The same against the server.
enum DTLSServerConversation: FuzzTarget {
  static let name = "dtls_server"
  static func run(_ bytes: UnsafeRawBufferPointer) throws { try DTLSConversation.run(bytes, attacked: 1) }
}

private struct DTLSConversation {
  private static let certificates = [try? TLSCertificate.make(), try? TLSCertificate.make()]

  private struct End {
    let machine: DTLSMachine
    var said: [[UInt8]] = []
    var heard = 0
    var output: [[UInt8]] = []

    mutating func drain() {
      while let datagram = machine.takeDatagram() {
        expect((1...1200).contains(datagram.count), "a datagram of \(datagram.count) bytes")
        output.append(datagram)
      }
      // What a network would do with as many.
      if output.count > 64 { output.removeFirst(output.count - 64) }
    }
  }

  private let attacked: Int
  private var ends: [End] = []
  private var now: Int64 = 0
  private var wasOpen = false
  private var isClosed = false

  static func run(_ bytes: UnsafeRawBufferPointer, attacked: Int) throws {
    guard let client = certificates[0], let server = certificates[1] else { fatalError("no certificate") }
    var input = Input(bytes)
    let profiles: [UInt16] = [[7], [1, 8], [8, 7, 1], []][input.number(below: 4)]
    var talk = DTLSConversation(attacked)
    for (role, own, other) in [(DTLSMachine.Role.client, client, server), (.server, server, client)] {
      talk.ends.append(
        End(machine: try DTLSMachine(role, certificate: own, peer: [DTLSFingerprint(of: other)], profiles: profiles, now: 0)))
    }
    talk.drain()
    for _ in 0..<64 where !input.isAtEnd {
      talk.step(&input)
      talk.check()
    }
    for end in talk.ends { end.machine.close() }
    for end in talk.ends { expect(end.machine.poll(now: .max) == .max, "it goes on after it was closed") }
  }

  private init(_ attacked: Int) {
    self.attacked = attacked
  }

  private mutating func step(_ input: inout Input) {
    switch input.number(below: 12) {
    // All that waits, as it is: a whole handshake.
    case 0: for from in [0, 1, 0, 1, 0, 1] { while carry(from) {} }
    case 1: _ = carry(input.number(below: 2))
    case 2:
      let (place, mask) = (Int(input.u16()), input.byte())
      carryChanged { bytes in
        var bytes = bytes
        bytes[place % bytes.count] ^= mask
        return bytes
      }
    case 3:
      let count = Int(input.byte())
      carryChanged { Array($0.dropLast(count)) }
    case 4: if !ends[1 - attacked].output.isEmpty { ends[1 - attacked].output.removeFirst() }
    // Again later.
    case 5: if let first = ends[1 - attacked].output.first { give(first, to: attacked) }
    case 6: give(Array(input.piece()), to: attacked)
    case 7: give(record(input.byte(), epoch: UInt16(input.byte() & 3), input.u32(), Array(input.piece())), to: attacked)
    case 8: give(fragment(&input), to: attacked)
    case 9: now += Int64(input.u16()) * 1_000_000
    case 10: say(Array(input.take(Int(input.byte()) * 5)), by: input.number(below: 2))
    default:
      // Rarely: most of an input is to run on what is open.
      guard input.byte() == 255 else { break }
      ends[input.number(below: 2)].machine.close()
      isClosed = true
    }
    drain()
  }

  private mutating func drain() {
    for end in 0..<2 {
      let next = ends[end].machine.poll(now: now)
      expect(next > now, "a time that has passed")
      ends[end].drain()
    }
  }

  private mutating func say(_ bytes: [UInt8], by end: Int) {
    let isSent = bytes.withUnsafeBytes { raw in (try? ends[end].machine.send(raw)) != nil }
    if isSent { ends[end].said.append(bytes) }
  }

  private mutating func carry(_ from: Int) -> Bool {
    guard !ends[from].output.isEmpty else { return false }
    give(ends[from].output.removeFirst(), to: 1 - from)
    drain()
    return true
  }

  private mutating func carryChanged(_ change: ([UInt8]) -> [UInt8]) {
    guard !ends[1 - attacked].output.isEmpty else { return }
    give(change(ends[1 - attacked].output.removeFirst()), to: attacked)
  }

  private mutating func give(_ bytes: [UInt8], to end: Int) {
    var heard: [[UInt8]] = []
    bytes.withUnsafeBytes { raw in ends[end].machine.receive(raw, now: now) { heard.append(Array($0)) } }
    for bytes in heard {
      guard let index = ends[1 - end].said.firstIndex(of: bytes) else { return expect(false, "somebody heard what nobody said") }
      // Once.
      ends[1 - end].said.remove(at: index)
    }
  }

  private func record(_ kind: UInt8, epoch: UInt16, _ number: UInt32, _ body: [UInt8]) -> [UInt8] {
    let bytes = [20 + kind % 5, 254, 253, 0, UInt8(epoch), 0, 0, UInt8(number >> 24), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255)]
    return bytes + [UInt8(number & 255), UInt8(body.count >> 8), UInt8(body.count & 255)] + body
  }

  /// Of a message of the handshake.
  private func fragment(_ input: inout Input) -> [UInt8] {
    let (type, message) = (input.byte() & 31, input.byte() & 31)
    let (length, offset) = (input.u16(), input.u16())
    let body = Array(input.take(Int(input.byte())))
    let header = [type, 0, UInt8(length >> 8), UInt8(length & 255), 0, message, 0, UInt8(offset >> 8), UInt8(offset & 255)]
    return record(2, epoch: 0, 0, header + [0, 0, UInt8(body.count)] + body)
  }

  private mutating func check() {
    let areOpen = ends.allSatisfy { $0.machine.state == .open }
    if areOpen { expect(ends[0].machine.srtp == ends[1].machine.srtp, "other keys") }
    expect(!wasOpen || areOpen || isClosed, "somebody without keys ended it: \(ends.map(\.machine.state))")
    wasOpen = wasOpen || areOpen
  }
}
