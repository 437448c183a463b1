import MediaCore

@testable import MediaTLS
@testable import MediaTransport

/// Two ends of a connection to a hub after their handshake, one of which says what the input has, cut as the input says, at times of the
/// input's. The other one holds no more than it may, and what it hears are messages of the length that stands before them.
///
/// A handshake takes longer than all of that, so the two TLS machines stay for the next input if nothing but their sequence numbers has
/// changed: both are open, and all bytes have been read. The connections around them are new for each input.
enum HubConversation: FuzzTarget {
  static let name = "hub_connection"
  private static let certificate = try? TLSCertificate.make()
  private nonisolated(unsafe) static var kept: Pair?

  private struct Pair {
    let hub: TLSMachine
    let member: TLSMachine

    init() throws {
      guard let certificate = HubConversation.certificate else { fatalError("no certificate") }
      (hub, member) = (try TLSMachine(server: certificate), try TLSMachine(client: .fingerprint(certificate.fingerprint)))
      for _ in 0..<2 {
        Pair.carry(from: member, to: hub)
        Pair.carry(from: hub, to: member)
      }
      expect(isWhole, "no handshake")
    }

    var isWhole: Bool { hub.state == .open && member.state == .open && hub.excess == nil && member.excess == nil }

    static func carry(from one: TLSMachine, to other: TLSMachine) {
      var bytes: [UInt8] = []
      one.takeOutput(&bytes)
      bytes.withUnsafeBytes { other.receive($0) { _ in } }
    }

    /// What one end has still to send goes to the other one, and is read for nobody.
    func settle(_ connections: (hub: HubConnection, member: HubConnection)) {
      (hub.limits, member.limits) = (.init(), .init())
      for (connection, machine) in [(connections.hub, member), (connections.member, hub)] {
        while connection.isWaiting {
          connection.flush {
            machine.receive($0) { _ in }
            return $0.count
          }
        }
      }
      Pair.carry(from: hub, to: member)
      Pair.carry(from: member, to: hub)
    }
  }

  /// What one input may cost: pieces that are cut, and records.
  private struct Allowance {
    var pieces = 1000
    var records = 6000
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    let pair = try kept ?? Pair()
    // Whoever stops in between leaves no pair.
    kept = nil
    var input = Input(bytes)
    let options = input.byte()
    let hub = HubConnection(pair.hub, isLimited: true, now: 0)
    let member = HubConnection(pair.member, isLimited: false, now: 0)
    let (hostile, honest, machine) = options & 1 != 0 ? (hub, member, pair.hub) : (member, hub, pair.member)
    var (now, cut): (Int64, Int) = (0, .max)
    var (said, heard) = (0, 0)
    var left = Allowance()
    var isSpoilt = false
    for _ in 0..<64 where !input.isAtEnd {
      switch input.number(below: 5) {
      case 0: now += Int64(input.u16()) * 1_000_000
      case 1: cut = Int(input.u16())
      case 2:
        // It leaves with the next message.
        let isChanged = machine.changeKeys(asking: input.byte() & 1 != 0)
        let count = send(hostile, [0, 1, 2], now)
        isSpoilt = isSpoilt || isChanged && count == 0
        said += count
      case 3:
        // Messages of no more than a byte, many at once: in one record, or each in its own.
        let count = Int(input.byte()) * 8
        if options & 0xE != 2 || count > left.records {
          said += send(hostile, (0..<count).flatMap { _ in [0, 1, 2] as [UInt8] }, now)
        } else {
          left.records -= count
          for _ in 0..<count { said += send(hostile, [0, 1, 2], now) }
        }
      default: said += send(hostile, Array(input.piece()), now)
      }
      carry(hostile, honest, now, cut, &left)
      for _ in 0..<4096 {
        guard let message = honest.next(now: now) else { break }
        heard += message.count + 2
        expect((1...HubWire.longest).contains(message.count), "a message of \(message.count) bytes")
        message.withUnsafeBytes {
          _ = try? HubRequest(parsing: $0)
          _ = try? HubNotice(parsing: $0)
        }
      }
      expect(heard <= said, "more was heard than was said")
      _ = honest.deadline(now: now)
    }
    if options & 0xF0 == 0x10 {
      hostile.close()
      carry(hostile, honest, now, cut, &left)
      while honest.next(now: now) != nil {}
      expect(honest.rest(now: now) != nil || honest.failure != nil || hostile.isWaiting, "a connection that was closed is open")
    }
    pair.settle((hub, member))
    if pair.isWhole, !isSpoilt { kept = pair }
  }

  private static func send(_ connection: HubConnection, _ bytes: [UInt8], _ now: Int64) -> Int {
    guard connection.isOpen, !bytes.isEmpty else { return 0 }
    connection.send(bytes, now: now)
    return bytes.count
  }

  /// As a socket does it: who rests does not read.
  private static func carry(_ from: HubConnection, _ to: HubConnection, _ now: Int64, _ cut: Int, _ left: inout Allowance) {
    while from.isWaiting, to.failure == nil, to.rest(now: now) == nil {
      left.pieces -= 1
      let most = left.pieces > 0 ? max(1, cut) : .max
      from.flush { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(most))
        to.receive(piece, now: now)
        return piece.count
      }
    }
    to.flush { $0.count }
  }
}
