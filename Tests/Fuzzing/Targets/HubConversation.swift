import MediaCore
import MediaTLS

@testable import MediaTransport

/// Two ends of a connection to a hub after their handshake, one of which says what the input has, cut as the input says, at times of the
/// input's. The other one holds no more than it may, and what it hears are messages of the length that stands before them.
enum HubConversation: FuzzTarget {
  static let name = "hub_connection"
  private static let certificate = try? TLSCertificate.make()

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let certificate else { fatalError("no certificate") }
    var input = Input(bytes)
    let hub = HubConnection(try TLSMachine(server: certificate), isLimited: true, now: 0)
    let member = HubConnection(try TLSMachine(client: .fingerprint(certificate.fingerprint)), isLimited: false, now: 0)
    for _ in 0..<4 {
      carry(hub, member, 0, .max)
      carry(member, hub, 0, .max)
    }
    expect(hub.isOpen && member.isOpen, "no handshake")
    let (hostile, honest) = input.byte() & 1 != 0 ? (hub, member) : (member, hub)
    var now: Int64 = 0
    var (said, heard) = (0, 0)
    for _ in 0..<64 where !input.isAtEnd {
      switch input.number(below: 5) {
      case 0: now += Int64(input.u16()) * 1_000_000
      case 1: carry(hostile, honest, now, Int(input.u16()))
      case 2: hostile.close()
      case 3:
        // Messages of no more than a byte, many at once.
        for _ in 0..<Int(input.byte()) * 8 { said += send(hostile, [0, 1, 2], now) }
      default: said += send(hostile, Array(input.piece()), now)
      }
      carry(hostile, honest, now, .max)
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
      honest.flush { $0.count }
    }
  }

  private static func send(_ connection: HubConnection, _ bytes: [UInt8], _ now: Int64) -> Int {
    guard connection.isOpen, !bytes.isEmpty else { return 0 }
    connection.send(bytes, now: now)
    return bytes.count
  }

  private static func carry(_ from: HubConnection, _ to: HubConnection, _ now: Int64, _ pieces: Int) {
    while from.isWaiting, pieces > 0 {
      var count = 0
      from.flush { bytes in
        count = min(pieces, bytes.count)
        to.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), now: now)
        return count
      }
      if count == 0 { return }
    }
  }
}
