import MediaCore
import Testing

@testable import MediaTLS
@testable import MediaTransport

@Suite struct HubConnectionTests {
  private static let certificate = try? TLSCertificate.make()
  private static let second: Int64 = 1_000_000_000

  /// The hub's end, limited, and the member's; after their handshake.
  private func pair(now: Int64 = 0) throws -> (hub: HubConnection, member: HubConnection) {
    let certificate = try #require(Self.certificate)
    return try pair(by: try TLSMachine(client: .fingerprint(certificate.fingerprint)), certificate, now)
  }

  private func pair(by machine: TLSMachine, _ certificate: TLSCertificate, _ now: Int64) throws -> (
    hub: HubConnection, member: HubConnection
  ) {
    let hub = HubConnection(try TLSMachine(server: certificate), isLimited: true, now: now)
    let member = HubConnection(machine, isLimited: false, now: now)
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

  /// Messages of this type change something for others.
  @Test func whoChangesMoreForOthersThanTheyMayHasToWait() throws {
    let (hub, member) = try pair()
    for _ in 0..<700 { member.send(frame([HubWire.firstCounted]), now: 1) }
    carry(hub, member, 1)
    func heard(at now: Int64) -> Int {
      var count = 0
      while hub.next(now: now) != nil { count += 1 }
      return count
    }
    #expect(heard(at: 1) == 500)
    #expect(hub.isHeld && hub.rest(now: 1) ?? 0 > 1)
    #expect(heard(at: Self.second / 100) == 0)
    #expect((99...101).contains(heard(at: Self.second)))
    #expect(heard(at: 3 * Self.second) == 700 - 500 - 100 || hub.isHeld == false)
    // Who is not listened to is not silent.
    #expect(hub.failure == nil && hub.rest(now: 3 * Self.second) == nil)
    #expect(hub.deadline(now: 3 * Self.second) > 3 * Self.second && hub.failure == nil)
  }

  @Test func whoSpeaksInCrumbsHasToWait() throws {
    let (hub, member) = try pair()
    for _ in 0..<30 { member.send(frame([1]), now: 1) }
    #expect(hub.rest(now: 1) == nil)
    carry(hub, member, 1, pieces: 1)
    #expect(hub.rest(now: 1) ?? 0 > 1)
    var heard = 0
    while hub.next(now: 1) != nil { heard += 1 }
    #expect(heard == 30 && hub.failure == nil)
    #expect(hub.rest(now: 10 * Self.second) == nil)
  }

  /// 16 at once, and one a second; each with a message, so that it is sent.
  @Test func whoChangesItsKeysAgainAndAgainIsEnded() throws {
    let certificate = try #require(Self.certificate)
    let machine = try TLSMachine(client: .fingerprint(certificate.fingerprint))
    let (hub, member) = try pair(by: machine, certificate, 0)
    func change(_ now: Int64) {
      #expect(machine.changeKeys(asking: false))
      member.send(frame([1]), now: now)
      carry(hub, member, now)
      while hub.next(now: now) != nil {}
    }
    for _ in 0..<16 { change(1) }
    #expect(hub.failure == nil)
    for second in 1...30 as ClosedRange<Int64> { change(second * Self.second + second) }
    #expect(hub.failure == nil)
    change(31 * Self.second)
    change(31 * Self.second)
    #expect(hub.failure?.status == .limit && hub.failure?.text.contains("keys were updated") == true)
    // It is told.
    hub.close(saying: frame([9]))
    carry(hub, member, 31 * Self.second)
    #expect(member.next(now: 31 * Self.second) == [9])
  }

  @Test func anEmptyMessageIsNone() throws {
    let (hub, member) = try pair()
    member.send([0, 0], now: 1)
    carry(hub, member, 1)
    #expect(hub.next(now: 1) == nil)
    #expect(hub.failure?.status == .corrupt)
  }

  /// Nor what was sent to somebody who is never through with it.
  @Test func whatIsDoneWithIsNotKept() throws {
    let (hub, member) = try pair()
    let message = frame([UInt8](repeating: 1, count: 1000))
    for number in 0..<10_000 as Range<Int64> {
      while hub.waiting < 20_000 { hub.send(message, now: number) }
      hub.flush { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(1000))
        member.receive(piece, now: number)
        return piece.count
      }
      while member.next(now: number) != nil {}
    }
    #expect(hub.failure == nil && member.failure == nil && hub.waiting >= 19_000)
    #expect(hub.memory <= 256 << 10 && member.memory <= 64 << 10, "\(hub.memory), \(member.memory) bytes")
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
