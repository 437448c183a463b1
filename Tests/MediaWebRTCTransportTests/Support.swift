import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// The error that the body throws; nil when it throws none, or one of another type.
func failure(_ body: () throws -> Void) -> MediaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MediaError
  }
}

/// The clock of a loop, which counts how often it is read: that grows with the jobs that the loop does.
final class CountedClock: MediaClock {
  private let clock: VirtualClock
  private let reads = Monitor(0)
  let isVirtual = true
  var count: Int { reads.withLock { $0 } }

  init(_ clock: VirtualClock) { self.clock = clock }

  func now() -> Int64 {
    reads.withLock { $0 += 1 }
    return clock.now()
  }

  func wallTime() -> Int64 { clock.wallTime() }
  func makeWorker(_ name: String, step: @escaping @Sendable () -> Int64) -> any Worker { clock.makeWorker(name, step: step) }
}

/// Machines, a loop of events and time, which goes on as a test says.
final class WebRTCHouse {
  let clock = VirtualClock()
  let network: EmulatedNetwork
  let loop: EventLoop
  let loopClock: CountedClock
  private(set) var ends: [WebRTCEnd] = []

  init(seed: UInt64 = 1) {
    network = EmulatedNetwork(clock: clock, seed: seed)
    loopClock = CountedClock(clock)
    loop = EventLoop("events", clock: loopClock)
  }

  deinit { loop.stop() }

  /// One that a program has connected, on a machine of its own.
  func end(_ url: String = "webrtc:", at address: String, polite: Bool = true, publishes: [Transceiver.Kind] = []) throws -> WebRTCEnd {
    let host = try network.addHost(address)
    return try end(url + (url.contains("?") ? "&" : "?") + "polite=\(polite ? 1 : 0)", on: host, publishes: publishes)
  }

  func end(_ url: String, on host: EmulatedHost, publishes: [Transceiver.Kind] = []) throws -> WebRTCEnd {
    let end = try WebRTCEnd(url, host, self)
    ends.append(end)
    end.transport.connect(end)
    for kind in publishes { try end.publish(kind) }
    return end
  }

  func run(for time: Int64) throws { try clock.advance(by: time) }

  /// Whether it becomes so in that time.
  func run(for time: Int64, until isDone: () -> Bool) throws -> Bool {
    let end = clock.now() + time
    while clock.now() < end {
      if isDone() { return true }
      try clock.advance(by: 5 * millisecond)
    }
    return isDone()
  }

  /// How much the loop does in a minute in which the test asks for nothing, after another such minute.
  func idleWork() throws -> Int {
    try run(for: 60 * second)
    let before = loopClock.count
    try run(for: 60 * second)
    return loopClock.count - before
  }

  func close() throws {
    for end in ends { end.transport.disconnect() }
    try run(for: second)
  }
}

/// A session's program: it carries descriptions and candidates to the other end, and writes down what happens. All on the thread that moves the clock.
final class WebRTCEnd: MediaEnd, @unchecked Sendable {
  let target: WebRTCTarget
  let transport: WebRTCTransport
  unowned(unsafe) var other: WebRTCEnd?
  /// Offers when something is to be negotiated.
  var negotiates = true
  var restarts = true
  var signalDelay: Int64 = 30 * millisecond
  /// Changes descriptions on their way.
  var tamper: ((String) -> String)?
  private(set) var errors: [MediaError] = []
  private(set) var ignored = 0
  private(set) var candidates: [String] = []
  private(set) var isComplete = false
  private(set) var servers: [String] = []
  private(set) var restartsWanted = 0
  private var described: String?

  init(_ url: String, _ host: EmulatedHost, _ house: WebRTCHouse) throws {
    target = try WebRTCTarget(url, argument: "url", network: host)
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: "me", displayName: "me"), token: AccessToken(""), loop: house.loop, thread: { () throws(MediaError) in host }
      ))
    transport = try #require(made as? WebRTCTransport)
    super.init(host, house, transport)
  }

  func joins(_ other: WebRTCEnd) { (self.other, other.other) = (other, self) }

  var isConnected: Bool { has("connected") && transport.state.withLock { $0.phase == .here } }

  // MARK: Signalling

  private func later(_ body: @escaping @Sendable (WebRTCEnd) -> Void) {
    guard let other else { return }
    house.loop.schedule(at: house.clock.now() + signalDelay) { body(other) }
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { if let error = error as? MediaError { errors.append(error) } }
  }

  /// Makes the next description, and sends it when it has all that it is to have.
  func describe() {
    attempt {
      described = try target.describe().rawValue
      isComplete = false
      if transport.options.trickles { try send() }
    }
  }

  private func send() throws {
    guard let kind = described else { return }
    described = nil
    let text = try target.localDescription()
    let sent = tamper?(text) ?? text
    later { $0.receive(kind, sent) }
  }

  func receive(_ kind: String, _ text: String) {
    attempt {
      let kind = try #require(DescriptionKind(rawValue: kind))
      switch try target.setRemote(kind, text) {
      case .ignored: ignored += 1
      case .applied: if kind == .offer { describe() }
      }
    }
  }

  override func signal(_ event: SignallingEvent) {
    switch event {
    case .negotiationNeeded: if negotiates { describe() }
    case .localCandidate(let text, let mid, _):
      candidates.append(text)
      later { end in end.attempt { try end.target.addRemote(candidate: text, mid: mid) } }
    case .candidatesComplete:
      isComplete = true
      if transport.options.trickles {
        later { end in end.attempt { try end.target.addRemote(candidate: "", mid: nil) } }
      } else {
        attempt { try send() }
      }
    case .restartWanted:
      restartsWanted += 1
      if restarts { attempt { try target.restartICE() } }
    case .serverFailed(let server, _, let text): servers.append("\(server): \(text)")
    }
  }
}
