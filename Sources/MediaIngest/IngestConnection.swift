import MediaCore

/// The protocol of one connection, seen from the session: bytes and time go in, what they mean and a deadline come out. It knows no
/// socket, no clock and no thread.
struct IngestConnection: Sendable {
  enum Event: Sendable, Equatable {
    /// The CHALLENGE to send: this side's proof, and what the feeder must prove its token over.
    case greeted(challenge: [UInt8])
    /// The proof was right: welcome it.
    case admitted
    /// `payloadLeft` bytes follow, for memory that the caller finds now.
    case frameBegan(IngestFrame)
    case frameEnded
    /// With the descriptor that came with it.
    case slot(id: UInt32, size: UInt64)
    case slotFrame(id: UInt32, IngestFrame)
    case forget(id: UInt32)
    case bye
  }

  private enum Admission: Sendable {
    case none
    case challenged
    case admitted
  }

  private enum Phase: Sendable {
    case head
    /// Of a HELLO of that size.
    case front(size: Int)
    case body(IngestWire.Message, size: Int)
    case payload
  }

  static let tokenTimeout: Int64 = 2_000_000_000
  static let progressTimeout: Int64 = 5_000_000_000

  private let rules: IngestRules
  private let openedAt: Int64
  private var exchange: IngestProof
  private var admission = Admission.none
  private var phase = Phase.head
  private var buffer: [UInt8] = []
  private var need = IngestWire.headSize
  private var lastProgress: Int64
  private var descriptors = 0
  private var slots = IngestSlotOwners()
  /// Bytes of a frame's payload that are still to come; they go past `receive`.
  private(set) var payloadLeft = 0

  /// nonce: random bytes that were never used before.
  init(_ rules: IngestRules, by route: IngestRoute, nonce: [UInt8], at now: Int64) {
    self.rules = rules
    exchange = IngestProof(route, sessionNonce: nonce)
    openedAt = now
    lastProgress = now
    buffer.reserveCapacity(IngestWire.frameHeaderSize + 8)
  }

  var isAdmitted: Bool { admission == .admitted }
  /// It has said HELLO, and its proof is waited for.
  var isChallenged: Bool { admission == .challenged }
  private var hasSlots: Bool { exchange.route.isUnix }

  /// How many bytes `receive` takes next, at most; 0 while a payload comes.
  var wanted: Int {
    if case .payload = phase { return 0 }
    return need - buffer.count
  }

  // MARK: Time

  private var isInMessage: Bool {
    if case .head = phase { return !buffer.isEmpty }
    return true
  }

  /// When `check` has something to say, if nothing comes before.
  var deadline: Int64 {
    if !isAdmitted { return openedAt + IngestConnection.tokenTimeout }
    return isInMessage ? lastProgress + IngestConnection.progressTimeout : .max
  }

  func check(at now: Int64) throws(IngestRefusal) {
    guard now >= deadline else { return }
    throw isAdmitted ? IngestRefusal(.stalled, "a message was incomplete for 5 s") : .notAdmitted
  }

  // MARK: Bytes

  /// At most `wanted` bytes, and the number of descriptors that came with them. `isTaken`: there is a feeder already.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, descriptors more: Int = 0, at now: Int64, isTaken: Bool
  ) throws(IngestRefusal) -> Event? {
    try take(descriptors: more)
    let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(wanted))
    if !bytes.isEmpty { lastProgress = now }
    buffer.append(contentsOf: bytes)
    guard buffer.count == need else { return nil }
    // Taken out while it is read, and put back for the next message.
    var part: [UInt8] = []
    swap(&part, &buffer)
    defer {
      part.removeAll(keepingCapacity: true)
      swap(&part, &buffer)
    }
    return try part.withUnsafeBufferPointer { part throws(IngestRefusal) -> Event? in
      let part = UnsafeRawBufferPointer(part)
      return switch phase {
      case .head: try begin(part, isTaken: isTaken)
      case .front(let size): try greet(part, size: size)
      case .body(let message, let size): try finish(message, size: size, part, isTaken: isTaken)
      case .payload: nil
      }
    }
  }

  /// So many bytes of the payload have come, straight to where they belong.
  mutating func receivedPayload(_ count: Int, descriptors more: Int = 0, at now: Int64) throws(IngestRefusal) -> Event? {
    try take(descriptors: more)
    guard count > 0, case .payload = phase else { return nil }
    lastProgress = now
    payloadLeft -= min(count, payloadLeft)
    guard payloadLeft == 0 else { return nil }
    try next()
    return .frameEnded
  }

  /// The last reference to what was in a slot has gone; says whether the feeder is to be told.
  mutating func release(_ id: UInt32) -> Bool {
    slots.release(id)
  }

  private mutating func take(descriptors more: Int) throws(IngestRefusal) {
    descriptors += more
    guard descriptors <= 1 else { throw IngestRefusal(.slot, "\(descriptors) descriptors arrived; accepted: one with each SLOT") }
  }

  /// The next message; a descriptor must have been asked for by the one before.
  private mutating func next() throws(IngestRefusal) {
    guard descriptors == 0 else { throw IngestRefusal(.slot, "a descriptor arrived with a message that takes none") }
    phase = .head
    need = IngestWire.headSize
  }

  // MARK: Heads

  private mutating func begin(_ head: UnsafeRawBufferPointer, isTaken: Bool) throws(IngestRefusal) -> Event? {
    let size: UInt32 = head.number(at: 0)
    let (type, zero): (UInt16, UInt16) = (head.number(at: 4), head.number(at: 6))
    guard zero == 0, let message = IngestWire.Message(rawValue: type) else {
      throw IngestRefusal(.malformed, "a message of type \(type), \(zero); feeder.h has the list")
    }
    try checkSize(of: message, Int(size))
    if message == .hello {
      need = IngestWire.helloFrontSize
      phase = .front(size: Int(size))
      return nil
    }
    need = message == .frame ? IngestWire.frameHeaderSize : Int(size)
    phase = .body(message, size: Int(size))
    return need == 0 ? try finish(message, size: 0, head, isTaken: isTaken) : nil
  }

  private func checkSize(of message: IngestWire.Message, _ size: Int) throws(IngestRefusal) {
    let exactly: Int
    switch message {
    case .hello where admission == .none:
      guard IngestWire.helloSizes.contains(size) else { throw IngestRefusal(.malformed, "HELLO has \(size) bytes") }
      return
    case _ where admission == .none: throw IngestRefusal(.malformed, "the first message must be HELLO")
    case .proof where admission == .challenged: exactly = IngestWire.proofSize
    case _ where admission == .challenged: throw IngestRefusal(.malformed, "the second message must be PROOF")
    case .frame:
      guard size <= IngestWire.frameHeaderSize + rules.largestPayload else {
        throw IngestRefusal(.tooLarge, "a message of \(size) bytes; accepted: at most \(IngestWire.frameHeaderSize + rules.largestPayload)")
      }
      guard size > IngestWire.frameHeaderSize else { throw IngestRefusal(.malformed, "a frame of \(size) bytes; its header alone has 64") }
      return
    case .slot where hasSlots: exactly = 16
    case .slotFrame where hasSlots: exactly = 8 + IngestWire.frameHeaderSize
    case .forget where hasSlots: exactly = 8
    case .bye: exactly = 0
    default: throw IngestRefusal(.malformed, "a message of type \(message.rawValue) is not accepted here")
    }
    guard size == exactly else {
      throw IngestRefusal(
        size > rules.largestPayload ? .tooLarge : .malformed,
        "a message of type \(message.rawValue) has \(size) bytes; accepted: \(exactly)")
    }
  }

  // MARK: Bodies

  private mutating func finish(
    _ message: IngestWire.Message, size: Int, _ body: UnsafeRawBufferPointer, isTaken: Bool
  ) throws(IngestRefusal) -> Event? {
    let event: Event
    switch message {
    case .hello: event = .greeted(challenge: try challenge(body))
    case .proof:
      try admit(body, isTaken: isTaken)
      event = .admitted
    case .frame:
      let frame = try IngestFrame(body, rules)
      guard frame.payloadSize == size - IngestWire.frameHeaderSize else {
        throw IngestRefusal(.malformed, "the payload is \(frame.payloadSize) bytes, the message has \(size - IngestWire.frameHeaderSize)")
      }
      payloadLeft = frame.payloadSize
      phase = .payload
      return .frameBegan(frame)
    case .slot:
      try checkZero(body.number(at: 4))
      guard descriptors == 1 else { throw IngestRefusal(.slot, "SLOT arrived without a descriptor") }
      descriptors = 0
      let (id, bytes): (UInt32, UInt64) = (body.number(at: 0), body.number(at: 8))
      try slots.register(id, size: bytes, largest: rules.largestPayload)
      event = .slot(id: id, size: bytes)
    case .slotFrame:
      try checkZero(body.number(at: 4))
      let frame = try IngestFrame(UnsafeRawBufferPointer(rebasing: body.dropFirst(8)), rules)
      guard frame.codec == 0 else { throw IngestRefusal(.format, "VP8 in a slot; accepted: raw frames") }
      try slots.take(body.number(at: 0), for: frame.payloadSize)
      event = .slotFrame(id: body.number(at: 0), frame)
    case .forget:
      try checkZero(body.number(at: 4))
      try slots.forget(body.number(at: 0))
      event = .forget(id: body.number(at: 0))
    case .bye: event = .bye
    default: throw IngestRefusal(.malformed, "a message of type \(message.rawValue) is not accepted here")
    }
    try next()
    return event
  }

  /// What any version begins with is looked at alone, so that another one is refused as such, whatever comes after it.
  private mutating func greet(_ front: UnsafeRawBufferPointer, size: Int) throws(IngestRefusal) -> Event? {
    guard front.prefix(8).elementsEqual(IngestWire.magic) else { throw IngestRefusal(.malformed, "HELLO does not begin with MSDKFEED") }
    let (version, zero): (UInt16, UInt16) = (front.number(at: 8), front.number(at: 10))
    guard version == IngestWire.version else {
      throw IngestRefusal(.version, "the feeder uses version \(version) of the protocol; accepted: \(IngestWire.version)")
    }
    guard size == IngestWire.helloSize else {
      throw IngestRefusal(.malformed, "HELLO has \(size) bytes; accepted: \(IngestWire.helloSize)")
    }
    try checkZero(UInt32(zero))
    try checkZero(front.number(at: 12))
    need = IngestWire.nonceSize
    phase = .body(.hello, size: size)
    return nil
  }

  private mutating func challenge(_ nonce: UnsafeRawBufferPointer) throws(IngestRefusal) -> [UInt8] {
    exchange.feederNonce = Array(nonce)
    guard let proof = exchange.proof(by: .session, of: rules.reception) else { throw IngestRefusal(.crowded, "out of memory") }
    admission = .challenged
    return IngestAnswer.challenge(nonce: exchange.sessionNonce, proof: proof)
  }

  private mutating func admit(_ proof: UnsafeRawBufferPointer, isTaken: Bool) throws(IngestRefusal) {
    guard exchange.isProof(proof, by: .feeder, of: rules.transmission) else { throw .notAdmitted }
    guard !isTaken else { throw IngestRefusal(.busy, "another feeder is connected") }
    admission = .admitted
  }

  private func checkZero(_ value: UInt32) throws(IngestRefusal) {
    guard value == 0 else { throw IngestRefusal(.malformed, "a member that must be 0 is \(value)") }
  }
}
