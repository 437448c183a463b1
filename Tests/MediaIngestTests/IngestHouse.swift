import MediaCore
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaEmulation
@testable import MediaIngest

/// A local ingest and its feeders on one emulated machine, on a virtual clock.
final class IngestHouse {
  static let ms: Int64 = 1_000_000
  let clock = VirtualClock()
  let network: EmulatedNetwork
  let host: EmulatedHost
  let far: EmulatedHost
  let session = SessionRecorder()
  let door: IngestEndpoint

  init(seed: UInt64 = 1) throws {
    network = EmulatedNetwork(clock: clock, seed: seed)
    host = try network.addHost("127.0.0.1")
    far = try network.addHost("10.0.0.2")
    door = try IngestEndpoint(port: 0, socketPath: nil, FeederBytes.rules(), network: host, loop: host, session)
  }

  deinit { door.close() }

  func run(milliseconds: Int64 = 0) throws { try clock.advance(by: milliseconds * IngestHouse.ms) }

  /// `distant`: from another machine, whose link may be bad.
  func connect(distant: Bool = false) throws -> EmulatedFeeder {
    let address = try #require(SocketAddress("127.0.0.1", port: UInt16(door.port)))
    return try EmulatedFeeder(from: distant ? far : host, to: address)
  }

  /// One whose proof is accepted.
  func feeder(distant: Bool = false) throws -> EmulatedFeeder {
    let feeder = try connect(distant: distant)
    feeder.send(FeederBytes.hello())
    try run(milliseconds: distant ? 500 : 1)
    try feeder.prove()
    try run(milliseconds: distant ? 500 : 1)
    #expect(feeder.take().map(\.type) == [16])
    return feeder
  }
}

/// Records what a session is notified of.
final class SessionRecorder: IngestDelegate {
  enum Event: Equatable {
    case connected(String)
    case left(IngestReason?)
    case refused(IngestReason)
    case frame(width: UInt32, height: UInt32, timestamp: Int64, first: UInt8, last: UInt8)
    case encoded(bytes: Int, timestamp: Int64)
  }

  private struct State {
    var events: [Event] = []
    var onFrame: (@Sendable () -> Void)?
  }

  private let state = Monitor(State())

  /// Called inside of each delivery.
  func setOnFrame(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onFrame = body } }

  func take() -> [Event] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  private func add(_ event: Event) { state.withLock { $0.events.append(event) } }

  func feederConnected(by route: String) { add(.connected(route)) }
  func feederLeft(_ reason: IngestRefusal?) { add(.left(reason?.reason)) }
  func connectionRefused(_ reason: IngestRefusal) { add(.refused(reason.reason)) }

  func received(_ frame: VideoFrame) throws(IngestRefusal) {
    let (format, plane) = (frame.format, frame.native.pointee.plane)
    let last = Int(plane.1.stride) * Int(format.height / 2) - 1
    add(
      .frame(
        width: format.width, height: format.height, timestamp: frame.native.pointee.timestamp_ns, first: plane.0.data?[0] ?? 0,
        last: plane.1.data?[last] ?? 0))
    state.withLock { $0.onFrame }?()
  }

  func received(encoded bytes: UnsafeRawBufferPointer, _ header: IngestFrame, timestamp: Int64) throws(IngestRefusal) {
    add(.encoded(bytes: bytes.count, timestamp: timestamp))
  }
}

/// The other end of a connection: writes as there is room, and reads messages.
final class EmulatedFeeder: NetworkDriver {
  struct Message: Equatable {
    let type: UInt16
    let body: [UInt8]

    /// Of REFUSED.
    var reason: IngestReason? { type == 17 ? body.withUnsafeBytes { IngestReason(rawValue: $0.number(at: 0)) } : nil }
  }

  private struct State {
    var outbox: [UInt8] = []
    var inbox: [UInt8] = []
    var end: StreamReading?
    var tag: UInt64?
    var connection: (any StreamConnection)?
  }

  private let host: EmulatedHost
  private let guarded = Monitor(State())

  init(from host: EmulatedHost, to address: SocketAddress) throws {
    self.host = host
    let connection = try host.connect(to: address)
    let descriptor = connection.descriptor
    guarded.withLock { $0.connection = connection }
    let tag = try host.add(self, [descriptor])
    guarded.withLock { $0.tag = tag }
  }

  func drive(isReadable: Bool) -> Int64 {
    guarded.withLock { state in
      guard let connection = state.connection else { return }
      // Until it is connected there is no room.
      if !state.outbox.isEmpty {
        state.outbox.removeFirst(state.outbox.withUnsafeBytes { connection.write($0) } ?? state.outbox.count)
      }
      if let tag = state.tag { host.setFull(!state.outbox.isEmpty, connection.descriptor, of: tag) }
      guard isReadable, state.end == nil else { return }
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let reading = bytes.withUnsafeMutableBytes { connection.read(into: $0) }
        switch reading {
        case .bytes(let count): state.inbox += bytes.prefix(count)
        case .nothing: return
        case .end, .failed:
          state.end = reading
          // It would be found readable again and again.
          if let tag = state.tag { host.rest(tag, until: .max) }
          return
        }
      }
    }
    return .max
  }

  func send(_ bytes: [UInt8]) {
    let tag = guarded.withLock { state in
      state.outbox += bytes
      return state.tag
    }
    if let tag { host.wake(tag, at: .min) }
  }

  /// After HELLO: answers the CHALLENGE that has come.
  func prove(of token: [UInt8] = FeederBytes.transmission) throws {
    let challenge = try #require(take().first { $0.type == 20 })
    let (own, other) = guarded.withLock { ($0.connection?.localAddress, $0.connection?.remoteAddress) }
    let route = IngestRoute.tcp(
      session: try #require(other.flatMap(IngestRoute.Address.init)), feeder: try #require(own.flatMap(IngestRoute.Address.init)))
    send(try FeederBytes.proof(of: token, by: .feeder, route, sessionNonce: Array(challenge.body[8..<40])))
  }

  /// Messages that have come whole since.
  func take() -> [Message] {
    guarded.withLock { state in
      var messages: [Message] = []
      while state.inbox.count >= 8 {
        let (size, type): (UInt32, UInt16) = state.inbox.withUnsafeBytes { ($0.number(at: 0), $0.number(at: 4)) }
        guard state.inbox.count >= 8 + Int(size) else { break }
        messages.append(Message(type: type, body: Array(state.inbox[8..<8 + Int(size)])))
        state.inbox.removeFirst(8 + Int(size))
      }
      return messages
    }
  }

  /// How reading ended, if it did.
  var end: StreamReading? { guarded.withLock { $0.end } }
  /// Whether nothing can be written any more.
  var isBroken: Bool {
    guarded.withLock { state in
      var byte: UInt8 = 0
      return withUnsafeBytes(of: &byte) { state.connection?.write($0) } == nil
    }
  }

  func close() {
    let (tag, connection) = guarded.withLock { state in
      defer { (state.tag, state.connection) = (nil, nil) }
      return (state.tag, state.connection)
    }
    if let tag { host.remove(tag) }
    _ = connection
  }
}
