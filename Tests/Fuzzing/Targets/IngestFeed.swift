import MediaCore

@testable import MediaIngest

/// What a feeder says to a session, cut as the input says, with descriptors and at times of the input's; the payload of frames is not in the
/// input, only how much of it comes. Nobody is let in without the proof, room is made for nothing beyond the limits, and every end has a reason.
enum IngestFeed: FuzzTarget {
  static let name = "ingest_connection"
  static let tokens = (transmission: [UInt8]("proved by the feeder".utf8), reception: [UInt8]("proved by the session".utf8))
  static let nonce = [UInt8](repeating: 9, count: IngestWire.nonceSize)
  private static let address = IngestRoute.Address(host: 0x7F00_0001, port: 7)

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let flags = input.byte()
    let rules = try IngestRules(
      transmission: IngestToken(tokens.transmission, argument: "transmission"),
      reception: IngestToken(tokens.reception, argument: "reception"), limits: .extended, frameRate: FrameRate(30))
    let route = flags & 1 != 0 ? IngestRoute.unix : .tcp(session: address, feeder: address)
    var feeder = Feeder(IngestConnection(rules, by: route, nonce: nonce, at: 0), rules, route, isTaken: flags & 2 != 0)
    do throws(IngestRefusal) {
      if flags & 4 != 0 { try feeder.greet() }
      for _ in 0..<256 where !input.isAtEnd { try feeder.step(&input) }
    } catch {
      expect(error.reason != .none && !error.text.isEmpty, "an end without a reason")
      expect(IngestAnswer.refused(error).count <= 1024, "more words than a feeder reads")
    }
  }
}

/// A connection with what it was sent, and what may follow from that.
private struct Feeder {
  var connection: IngestConnection
  let rules: IngestRules
  let route: IngestRoute
  let isTaken: Bool
  var now: Int64 = 0
  var sent: [UInt8] = []
  var wasAdmitted = false
  /// Bytes of those that are registered, and whether each is the session's.
  var slots: [UInt32: (size: UInt64, isTaken: Bool)] = [:]
  var payload: Int?

  init(_ connection: IngestConnection, _ rules: IngestRules, _ route: IngestRoute, isTaken: Bool) {
    (self.connection, self.rules, self.route, self.isTaken) = (connection, rules, route, isTaken)
  }

  /// As a right feeder does.
  mutating func greet() throws(IngestRefusal) {
    var hello = IngestWire.head(.hello, bodySize: IngestWire.helloSize) + IngestWire.magic
    hello.append(IngestWire.version)
    hello += [UInt8](repeating: 0, count: 6) + [UInt8](repeating: 5, count: IngestWire.nonceSize)
    try send(hello, descriptors: 0)
    let proof = rightProof()
    expect(proof != nil, "no proof")
    try send(IngestWire.head(.proof, bodySize: IngestWire.proofSize) + (proof ?? []), descriptors: 0)
    expect(wasAdmitted, "a right feeder is not admitted")
  }

  mutating func step(_ input: inout Input) throws(IngestRefusal) {
    let kind = input.byte()
    switch kind & 7 {
    case 0:
      now += Int64(input.u16()) * 1_000_000
      try connection.check(at: now)
      expect(connection.deadline > now, "a deadline that has passed")
    case 1:
      let id = input.u32()
      let isTold = connection.release(id)
      expect(isTold == (slots[id]?.isTaken ?? false), "a slot is released that was not taken")
      slots[id]?.isTaken = false
    case 2: try pay(Int(input.u32() >> 4), descriptors: Int(kind >> 6))
    default: try send(Array(input.take(Int(kind >> 1 & 3) == 3 ? Int(input.u16()) : Int(input.byte()))), descriptors: Int(kind >> 6))
    }
  }

  /// Over what was sent: HELLO has the nonce at its end.
  private func rightProof() -> [UInt8]? {
    guard sent.count >= 8 + IngestWire.helloSize else { return nil }
    var exchange = IngestProof(route, sessionNonce: IngestFeed.nonce)
    exchange.feederNonce = Array(sent[24..<56])
    return exchange.proof(by: .feeder, of: rules.transmission)
  }

  private mutating func pay(_ count: Int, descriptors: Int) throws(IngestRefusal) {
    let before = connection.payloadLeft
    let event = try connection.receivedPayload(count, descriptors: descriptors, at: now)
    expect(connection.payloadLeft == max(0, before - max(0, count)), "payload is not counted")
    expect((event == .frameEnded) == (before > 0 && connection.payloadLeft == 0), "a frame does not end with its payload")
  }

  private mutating func send(_ bytes: [UInt8], descriptors: Int) throws(IngestRefusal) {
    var (position, more) = (0, descriptors)
    while position < bytes.count, connection.wanted > 0 {
      expect(connection.wanted <= 8 + IngestWire.frameHeaderSize, "room for more than a header")
      let count = min(connection.wanted, bytes.count - position)
      let piece = Array(bytes[position..<position + count])
      sent = wasAdmitted ? [] : sent + piece
      let event = try receive(piece, descriptors: more)
      if let event { check(event) }
      position += count
      more = 0
    }
  }

  private mutating func receive(_ bytes: [UInt8], descriptors: Int) throws(IngestRefusal) -> IngestConnection.Event? {
    try bytes.withUnsafeBufferPointer { bytes throws(IngestRefusal) in
      try connection.receive(UnsafeRawBufferPointer(bytes), descriptors: descriptors, at: now, isTaken: isTaken)
    }
  }

  private mutating func check(_ event: IngestConnection.Event) {
    switch event {
    case .greeted(let challenge):
      expect(!wasAdmitted && sent.count == 8 + IngestWire.helloSize && challenge.count == 80, "a challenge to something else")
      return
    case .admitted:
      expect(!wasAdmitted && !isTaken && connection.isAdmitted, "admitted twice, or beside another")
      expect(rightProof().map { Array(sent.suffix($0.count)) == $0 } ?? false, "admitted without the proof")
      wasAdmitted = true
      return
    default: expect(wasAdmitted, "taken from a stranger: \(event)")
    }
    switch event {
    case .frameBegan(let frame):
      check(frame)
      expect(connection.payloadLeft == frame.payloadSize, "payload of another size")
    case .slot(let id, let size):
      expect(id < UInt32(IngestWire.slotCount) && slots[id] == nil && route.isUnix, "a slot that cannot be")
      slots[id] = (size, false)
    case .slotFrame(let id, let frame):
      check(frame)
      let isFree = slots[id].map { !$0.isTaken && $0.size >= UInt64(frame.payloadSize) } ?? false
      expect(isFree && frame.codec == 0, "a frame in a slot that is not free, or too small")
      slots[id]?.isTaken = true
    case .forget(let id):
      expect(slots[id].map { !$0.isTaken } ?? false, "a slot is forgotten that is not there, or taken")
      slots[id] = nil
    default: break
    }
  }

  private func check(_ frame: IngestFrame) {
    expect((1...rules.largestPayload).contains(frame.payloadSize), "a payload of \(frame.payloadSize) bytes")
  }
}
