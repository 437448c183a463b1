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

  @Test func rightTokenAdmits() throws {
    for piece in [1, 3, 1000] {
      var connection = IngestConnection(try FeederBytes.rules(), hasSlots: false, at: 0)
      #expect(try events(&connection, FeederBytes.hello(), piece: piece) == [.admitted])
      #expect(connection.isAdmitted)
      #expect(connection.deadline == .max)
    }
  }

  @Test func everyWrongTokenIsRefusedAlike() throws {
    let right = FeederBytes.transmission
    for token in [right.dropLast(1) + [99], [99] + right.dropFirst(), right + [0], Array(right.prefix(19)), FeederBytes.reception] {
      var connection = IngestConnection(try FeederBytes.rules(), hasSlots: false, at: 0)
      #expect(throws: IngestRefusal.notAdmitted) { try connection.feed(FeederBytes.hello(Array(token))) }
      #expect(!connection.isAdmitted)
    }
    // Too short, too long: refused at the head, in the same words.
    for count in [0, 15, 256, 10_000] {
      var connection = IngestConnection(try FeederBytes.rules(), hasSlots: false, at: 0)
      #expect(throws: IngestRefusal.notAdmitted) { try connection.feed(FeederBytes.hello([UInt8](repeating: 0, count: count))) }
    }
    var late = IngestConnection(try FeederBytes.rules(), hasSlots: false, at: 100)
    _ = try late.feed(Array(FeederBytes.hello().dropLast()), at: 100)
    #expect(late.deadline == 2_000_000_100)
    try late.check(at: 2_000_000_099)
    #expect(throws: IngestRefusal.notAdmitted) { try late.check(at: 2_000_000_100) }
  }

  @Test func busyIsSaidToThoseWhoKnowTheTokenOnly() throws {
    var second = IngestConnection(try FeederBytes.rules(), hasSlots: false, at: 0)
    #expect(reason(&second, FeederBytes.hello(), isTaken: true) == .busy)
    var stranger = IngestConnection(try FeederBytes.rules(), hasSlots: false, at: 0)
    #expect(reason(&stranger, FeederBytes.hello(FeederBytes.reception), isTaken: true) == .notAdmitted)
  }

  @Test func helloMustBeOne() throws {
    let cases: [([UInt8], IngestReason)] = [
      (FeederBytes.hello(version: 0), .version), (FeederBytes.hello(version: 2), .version),
      (FeederBytes.hello(magic: "MSDKFEEE"), .malformed),
      (FeederBytes.hello(size: 19), .notAdmitted), (FeederBytes.message(1, [], size: .max), .notAdmitted),
      (FeederBytes.frame(), .malformed), (FeederBytes.bye, .malformed), (FeederBytes.message(0, []), .malformed),
      (FeederBytes.message(1, [], size: 36, zero: 1), .malformed),
    ]
    for (bytes, reason) in cases {
      var connection = IngestConnection(try FeederBytes.rules(), hasSlots: true, at: 0)
      #expect(self.reason(&connection, bytes) == reason)
    }
    var twice = try IngestConnection.admitted()
    #expect(reason(&twice, FeederBytes.hello()) == .malformed)
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
      (FeederBytes.slotFrame(0), 0, .slot), (FeederBytes.slotFrame(99), 0, .slot),
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
