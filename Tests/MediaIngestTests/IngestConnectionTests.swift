import MediaCore
import Testing

@testable import MediaIngest

struct IngestConnectionTests {
  /// The macro cannot call what changes its argument.
  private func reason(
    _ connection: inout IngestConnection, _ bytes: [UInt8], descriptors: Int = 0, isTaken: Bool = false
  ) -> IngestReason? {
    connection.reason(of: bytes, descriptors: descriptors, isTaken: isTaken)
  }

  private func events(
    _ connection: inout IngestConnection, _ bytes: [UInt8], descriptors: Int = 0, piece: Int = .max
  ) throws -> [IngestConnection.Event] {
    try connection.feed(bytes, descriptors: descriptors, piece: piece)
  }

  // MARK: Admission

  @Test func rightProofAdmits() throws {
    for piece in [1, 3, 1000] {
      for route in [IngestRoute.unix, FeederBytes.tcp] {
        var connection = try IngestConnection.new(by: route)
        let greeted = try events(&connection, FeederBytes.hello(), piece: piece)
        // 20 CHALLENGE: the version, the session's nonce, and its proof.
        var challenge = FeederBytes.message(20, [2, 0, 0, 0, 0, 0, 0, 0] + FeederBytes.sessionNonce, size: 72)
        challenge += try FeederBytes.proof(of: FeederBytes.reception, by: .session, route).dropFirst(8)
        #expect(greeted == [.greeted(challenge: challenge)])
        #expect(!connection.isAdmitted)
        #expect(try events(&connection, FeederBytes.proof(route), piece: piece) == [.admitted])
        #expect(connection.isAdmitted)
        #expect(connection.deadline == .max)
      }
    }
  }

  @Test func everyWrongProofIsRefusedAlike() throws {
    let right = FeederBytes.transmission
    let other = [UInt8](repeating: 1, count: 32)
    var wrong = try [right.dropLast(1) + [99], [99] + right.dropFirst(), right + [0], Array(right.prefix(19)), FeederBytes.reception]
      .map { try FeederBytes.proof(of: Array($0)) }
    wrong += [
      FeederBytes.message(7, [UInt8](repeating: 0, count: 32)),
      // Of an earlier connection, which had another challenge.
      try FeederBytes.proof(sessionNonce: other), try FeederBytes.proof(feederNonce: other),
      // The session's own proof, and a proof in its role.
      try FeederBytes.proof(of: FeederBytes.reception, by: .session), try FeederBytes.proof(by: .session),
      // Of a connection to whoever stands in between: another route, port, address.
      try FeederBytes.proof(.unix),
      try FeederBytes.proof(.tcp(session: .init(host: 0x7F00_0001, port: 5001), feeder: .init(host: 0x7F00_0001, port: 40_000))),
      try FeederBytes.proof(.tcp(session: .init(host: 0x7F00_0001, port: 5000), feeder: .init(host: 0x7F00_0001, port: 40_001))),
      try FeederBytes.proof(.tcp(session: .init(host: 0x7F00_0001, port: 5000), feeder: .init(host: 0x7F00_0002, port: 40_000))),
      try FeederBytes.proof(.tcp(session: .init(host: 0x7F00_0002, port: 5000), feeder: .init(host: 0x7F00_0001, port: 40_000)))
    ]
    for byte in 8..<40 {
      var flipped = try FeederBytes.proof()
      flipped[byte] ^= 0x10
      wrong.append(flipped)
    }
    for proof in wrong {
      var connection = try IngestConnection.new()
      _ = try connection.feed(FeederBytes.hello())
      #expect(throws: IngestRefusal.notAdmitted) { try connection.feed(proof) }
      #expect(!connection.isAdmitted)
    }
  }

  @Test func lateProofsAreRefused() throws {
    var late = try IngestConnection.new(at: 100)
    _ = try late.feed(FeederBytes.hello(), at: 100)
    _ = try late.feed(Array(FeederBytes.proof().dropLast()), at: 2_000_000_099)
    #expect(late.deadline == 2_000_000_100)
    try late.check(at: 2_000_000_099)
    #expect(throws: IngestRefusal.notAdmitted) { try late.check(at: 2_000_000_100) }
  }

  @Test func busyIsSaidToThoseWhoKnowTheTokenOnly() throws {
    var second = try IngestConnection.new()
    #expect(reason(&second, try FeederBytes.hello() + FeederBytes.proof(), isTaken: true) == .busy)
    var stranger = try IngestConnection.new()
    #expect(reason(&stranger, try FeederBytes.hello() + FeederBytes.proof(of: FeederBytes.reception), isTaken: true) == .notAdmitted)
  }

  @Test func helloMustBeOne() throws {
    let cases: [([UInt8], IngestReason)] = [
      (FeederBytes.hello(magic: "MSDKFEEE"), .malformed), (FeederBytes.hello(zero: 1), .malformed),
      (FeederBytes.hello(zeros: 1), .malformed),
      (FeederBytes.hello(nonce: Array(0..<31)), .malformed), (FeederBytes.hello(nonce: Array(0..<33)), .malformed),
      (FeederBytes.message(1, []), .malformed), (FeederBytes.message(1, [], size: 272), .malformed),
      (FeederBytes.message(1, [], size: .max), .malformed), (FeederBytes.message(1, [], size: 48, zero: 1), .malformed),
      (FeederBytes.frame(), .malformed), (FeederBytes.bye, .malformed), (FeederBytes.message(0, []), .malformed),
      (try FeederBytes.proof(), .malformed)
    ]
    for (bytes, reason) in cases {
      var connection = try IngestConnection.new(by: .unix)
      #expect(self.reason(&connection, bytes) == reason)
    }
    var twice = try IngestConnection.admitted()
    #expect(reason(&twice, FeederBytes.hello()) == .malformed)
    #expect(reason(&twice, try FeederBytes.proof()) == .malformed)
    // Between HELLO and PROOF nothing else is taken, and no PROOF of another size.
    for type: UInt16 in 0...30 {
      for size in [0, 8, 31, 33, 48] + (type == 7 ? [] : [32]) {
        var between = try IngestConnection.new(by: .unix)
        _ = try between.feed(FeederBytes.hello())
        #expect(reason(&between, FeederBytes.message(type, [UInt8](repeating: 0, count: size))) == .malformed)
      }
    }
  }

  /// Whatever comes after the version; what is refused says which versions there are.
  @Test func otherVersionsAreRefusedInWords() throws {
    for version: UInt16 in [0, 1, 3, .max] {
      for size in [0, 16, 20, 32, 255] {
        var connection = try IngestConnection.new()
        do throws(IngestRefusal) {
          _ = try connection.feed(FeederBytes.hello(nonce: [UInt8](repeating: 7, count: size), version: version))
          Issue.record("version \(version) was taken")
        } catch {
          #expect(error.reason == .version)
          #expect(error.text == "the feeder uses version \(version) of the protocol; accepted: 2")
        }
      }
    }
  }

  // MARK: Frames

  @Test func frameComesWhole() throws {
    for piece in [1, 7, 1 << 20] {
      var connection = try IngestConnection.admitted()
      for _ in 0..<3 {
        let events = try connection.feed(FeederBytes.frame() + [UInt8](repeating: 5, count: 64 * 48), piece: piece)
        #expect(events.count == 2)
        guard case .frameBegan(let frame) = events[0] else { Issue.record("no frame"); return }
        #expect(frame.format.width == 64 && frame.format.height == 32 && frame.format.pixelFormat == .nv12)
        #expect(frame.format.color.matrix == 1 && frame.format.color.fullRange)
        #expect(frame.payloadSize == 64 * 48)
        #expect(events[1] == .frameEnded)
        #expect(connection.payloadLeft == 0 && connection.wanted == 8)
      }
      #expect(try events(&connection, FeederBytes.bye) == [.bye])
    }
  }

  @Test func lengthsOf4GBAreRefusedAtTheHead() throws {
    for type: UInt16 in 0...30 {
      for size: UInt32 in [.max, .max - 63, 1 << 31] {
        var connection = try IngestConnection.admitted(hasSlots: true)
        let reason = connection.reason(of: FeederBytes.message(type, [], size: size))
        #expect(reason == .tooLarge || type != 2 && reason == .malformed)
        #expect(connection.payloadLeft == 0)
      }
    }
    var connection = try IngestConnection.admitted()
    #expect(reason(&connection, FeederBytes.frame(FeederBytes.Header(payload: .max), size: 64 + 64 * 48)) == .tooLarge)
  }

  @Test func headerAndMessageMustAgree() throws {
    for size: UInt32 in [0, 1, 63, 64, 65, 64 + 64 * 48 - 1, 64 + 64 * 48 + 1] {
      var connection = try IngestConnection.admitted()
      #expect(reason(&connection, FeederBytes.frame(size: size)) == .malformed)
    }
  }

  // MARK: Time

  @Test func halfAMessageStalls() throws {
    var connection = try IngestConnection.admitted()
    let whole = FeederBytes.frame() + [UInt8](repeating: 0, count: 64 * 48)
    var now: Int64 = 1
    for cut in [4, 40, 500] {
      _ = try connection.feed(Array(whole.prefix(cut)), at: now)
      #expect(connection.deadline == now + 5_000_000_000)
      try connection.check(at: now + 4_999_999_999)
      let copy = connection
      #expect(throws: IngestRefusal.self) { try copy.check(at: now + 5_000_000_000) }
      // A byte is progress.
      _ = try connection.feed([whole[cut]], at: now + 4_000_000_000)
      #expect(connection.deadline == now + 9_000_000_000)
      now += 4_500_000_000
      _ = try connection.feed(Array(whole.dropFirst(cut + 1)), at: now)
      #expect(connection.deadline == .max)
    }
  }

  // MARK: Slots

  @Test func slotsGoBackAndForth() throws {
    var connection = try IngestConnection.admitted(hasSlots: true)
    #expect(try events(&connection, FeederBytes.slot(3), descriptors: 1) == [.slot(id: 3, size: 65_536)])
    for _ in 0..<3 {
      #expect(try events(&connection, FeederBytes.slotFrame(3)).count == 1)
      var copy = connection
      #expect(reason(&copy, FeederBytes.slotFrame(3)) == .slot)
      copy = connection
      #expect(reason(&copy, FeederBytes.forget(3)) == .slot)
      let isTold = [connection.release(3), connection.release(3)]
      #expect(isTold == [true, false])
    }
    #expect(try events(&connection, FeederBytes.forget(3)) == [.forget(id: 3)])
    #expect(reason(&connection, FeederBytes.slotFrame(3)) == .slot)
  }

  @Test func descriptorsMustBeAskedFor() throws {
    let cases: [([UInt8], Int, IngestReason?)] = [
      (FeederBytes.slot(0), 0, .slot), (FeederBytes.slot(0), 1, nil), (FeederBytes.slot(0), 2, .slot), (FeederBytes.slot(0), 250, .slot),
      (FeederBytes.frame(), 1, nil), (FeederBytes.frame() + [UInt8](repeating: 0, count: 64 * 48), 1, .slot), (FeederBytes.bye, 1, .slot),
      (FeederBytes.slot(16), 1, .slot), (FeederBytes.slot(.max), 1, .slot), (FeederBytes.slot(0, size: 0), 1, .tooLarge),
      (FeederBytes.slot(0, size: .max), 1, .tooLarge), (FeederBytes.slot(0, zero: 1), 1, .malformed), (FeederBytes.forget(0), 0, .slot),
      (FeederBytes.slotFrame(0), 0, .slot), (FeederBytes.slotFrame(99), 0, .slot)
    ]
    for (bytes, descriptors, reason) in cases {
      var connection = try IngestConnection.admitted(hasSlots: true)
      #expect(self.reason(&connection, bytes, descriptors: descriptors) == reason)
    }
    var small = try IngestConnection.admitted(hasSlots: true)
    _ = try small.feed(FeederBytes.slot(0, size: 64 * 48 - 1), descriptors: 1)
    #expect(reason(&small, FeederBytes.slotFrame(0)) == .slot)
    var encoded = try IngestConnection.admitted(hasSlots: true)
    _ = try encoded.feed(FeederBytes.slot(0), descriptors: 1)
    let header = FeederBytes.Header(format: 0x3038_5056, flags: 1, planes: 0, strides: [0, 0, 0, 0], payload: 100)
    #expect(reason(&encoded, FeederBytes.slotFrame(0, header)) == .format)
    for bytes in [FeederBytes.slot(0), FeederBytes.slotFrame(0), FeederBytes.forget(0)] {
      var tcp = try IngestConnection.admitted(hasSlots: false)
      #expect(reason(&tcp, bytes) == .malformed)
    }
  }
}
