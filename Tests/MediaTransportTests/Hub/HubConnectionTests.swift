import MediaCore
import MediaTLS
import Testing

@testable import MediaTransport

@Suite struct HubConnectionTests {
  private static let certificate = try? TLSCertificate.make()
  private static let second: Int64 = 1_000_000_000

  /// The hub's end, limited, and the member's; after their handshake.
  private func pair(now: Int64 = 0) throws -> (hub: HubConnection, member: HubConnection) {
    let certificate = try #require(Self.certificate)
    let hub = HubConnection(try TLSMachine(server: certificate), isLimited: true, now: now)
    let member = HubConnection(try TLSMachine(client: .fingerprint(certificate.fingerprint)), isLimited: false, now: now)
    for _ in 0..<4 { carry(hub, member, now) }
    #expect(hub.isOpen && member.isOpen)
    return (hub, member)
  }

  /// Both ways, in pieces of that size.
  private func carry(_ one: HubConnection, _ other: HubConnection, _ now: Int64, pieces: Int = .max) {
    for (from, to) in [(one, other), (other, one)] {
      while from.isWaiting {
        from.flush { bytes in
          let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(pieces))
          to.receive(piece, now: now)
          return piece.count
        }
      }
    }
  }

  private func frame(_ bytes: [UInt8]) -> [UInt8] { HubConnection.frame { $0.block(bytes) } }

  @Test(arguments: [1, 100, Int.max]) func messagesArriveWholeAndInOrder(pieces: Int) throws {
    let (hub, member) = try pair()
    let messages: [[UInt8]] = [[1], [UInt8](repeating: 2, count: 65_535), [3, 4]]
    for message in messages { member.send(frame(message), now: 1) }
    carry(hub, member, 1, pieces: pieces)
    for message in messages { #expect(hub.next(now: 1) == message) }
    #expect(hub.next(now: 1) == nil)
    #expect(hub.failure == nil)
  }

  @Test func theLastWordIsHeardBeforeTheEnd() throws {
    let (hub, member) = try pair()
    hub.close(saying: frame([9]))
    carry(hub, member, 1)
    member.end(MediaError(.closed, "closed"))
    #expect(member.failure == nil)
    #expect(member.next(now: 1) == [9])
    #expect(member.next(now: 1) == nil)
    #expect(member.failure?.status == .closed)
  }

  @Test func aFloodIsEndedWithWords() throws {
    let (hub, member) = try pair()
    var heard = 0
    for _ in 0..<2000 {
      member.send(frame([2]), now: 1)
      carry(hub, member, 1)
      while hub.next(now: 1) != nil { heard += 1 }
    }
    #expect(heard == 1000)
    #expect(hub.failure?.status == .limit)
    #expect(hub.failure?.text.contains("200 messages a second") == true)
  }

  @Test func whoSpeaksAsMuchAsHeMayIsHeard() throws {
    let (hub, member) = try pair()
    var heard = 0
    for step in 0..<4000 {
      let now = Int64(step) * 5_100_000
      member.send(frame([2]), now: now)
      carry(hub, member, now)
      while hub.next(now: now) != nil { heard += 1 }
    }
    #expect(heard == 4000)
    #expect(hub.failure == nil)
  }

  @Test func anEmptyMessageIsNone() throws {
    let (hub, member) = try pair()
    member.send([0, 0], now: 1)
    carry(hub, member, 1)
    #expect(hub.next(now: 1) == nil)
    #expect(hub.failure?.status == .corrupt)
  }

  @Test func whoTakesNothingIsGivenUp() throws {
    let (hub, _) = try pair()
    for _ in 0..<100 { hub.send(frame([UInt8](repeating: 0, count: 65_535)), now: 1) }
    #expect(hub.failure?.status == .limit)
  }

  @Test func silenceIsNoticed() throws {
    let (hub, _) = try pair()
    #expect(!hub.isSilent(now: 4 * Self.second))
    #expect(hub.isSilent(now: 5 * Self.second))
    #expect(hub.deadline(now: 4 * Self.second) == 5 * Self.second)
    // Whoever says nothing at all is not waited for at a time that has passed.
    #expect(hub.deadline(now: 14 * Self.second) == 15 * Self.second)
    #expect(hub.failure == nil)
    #expect(hub.deadline(now: 15 * Self.second) == .min)
    #expect(hub.failure?.status == .timeout)
  }
}
