import MediaCore

@testable import MediaSCTP

/// Two ends over an emulated network on a virtual clock: what the seed says is lost, delayed, and comes twice.
final class DataTalk {
  static let second: Int64 = 1_000_000_000

  /// The client first. nil: it is gone.
  private(set) var ends: [DataChannels?]
  var client: DataChannels { end(0) }
  var server: DataChannels { end(1) }
  /// Nanoseconds.
  private(set) var now: Int64
  /// Of one direction.
  var delay: Int64 = 25_000_000
  /// Further delay of some, so that they come after later ones.
  var jitter: Int64 = 0
  /// Of a hundred.
  var lost = 0
  var doubled = 0
  /// What of a packet of an end arrives.
  var change: (_ from: Int, _ packet: [UInt8]) -> [[UInt8]] = { [$1] }
  /// Whether the events of an end are taken.
  var takes = [true, true]
  private(set) var events: [[DataChannelEvent]] = [[], []]
  /// When an event was taken.
  private(set) var times: [[Int64]] = [[], []]
  /// All that an end sent.
  private(set) var sent: [[[UInt8]]] = [[], []]
  private var flying: [(time: Int64, to: Int, bytes: [UInt8])] = []
  private var random: SeededRandom

  init(
    client: DataChannelSettings = DataChannelSettings(), server: DataChannelSettings = DataChannelSettings(), clientMost: UInt64? = nil,
    serverMost: UInt64? = nil, now: Int64 = 1_000_000_000, seed: UInt64 = 1
  ) throws {
    (self.now, random) = (now, SeededRandom(seed: seed))
    ends = [
      try DataChannels(
        role: .client, settings: client, peerMostBytes: serverMost ?? UInt64(server.mostBytes),
        random: SeededRandom(seed: seed, name: "client"), now: now),
      try DataChannels(
        role: .server, settings: server, peerMostBytes: clientMost ?? UInt64(client.mostBytes),
        random: SeededRandom(seed: seed, name: "server"), now: now)
    ]
  }

  func end(_ index: Int) -> DataChannels {
    guard let end = ends[index] else { preconditionFailure("it is gone") }
    return end
  }

  func remove(_ index: Int) { ends[index] = nil }

  /// Until nothing is in flight and nothing is due before that time (nanoseconds from now on), or `isDone`.
  func run(for duration: Int64 = 60 * second, until isDone: () -> Bool = { false }) {
    let end = now + duration
    while true {
      send()
      if isDone() { return }
      let next = min(ends.compactMap { $0?.nextDeadline }.min() ?? .max, flying.map(\.time).min() ?? .max)
      guard next <= end else { break }
      now = max(now, next)
      deliver()
      for end in ends where (end?.nextDeadline ?? .max) <= now { end?.poll(now: now) }
    }
    now = end
  }

  private func send() {
    var isMore = true
    while isMore {
      isMore = false
      for from in 0..<2 {
        while takes[from], let event = ends[from]?.takeEvent() {
          events[from].append(event)
          times[from].append(now)
        }
        while let bytes = ends[from]?.takePacket() {
          isMore = true
          sent[from].append(bytes)
          for bytes in change(from, bytes) { fly(bytes, from: from) }
        }
      }
    }
  }

  private func fly(_ bytes: [UInt8], from: Int) {
    guard !chance(lost) else { return }
    for _ in 0..<(chance(doubled) ? 2 : 1) {
      let more = jitter > 0 ? Int64.random(in: 0...jitter, using: &random) : 0
      flying.append((now + delay + more, 1 - from, bytes))
    }
  }

  private func deliver() {
    let due = flying.enumerated().filter { $0.element.time <= now }.sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    flying.removeAll { $0.time <= now }
    for (_, packet) in due { give(packet.bytes, to: packet.to) }
  }

  private func chance(_ percent: Int) -> Bool { percent > 0 && Int.random(in: 0..<100, using: &random) < percent }

  /// At once, from anybody.
  func give(_ bytes: [UInt8], to end: Int) {
    bytes.withUnsafeBytes { raw in ends[end]?.receive(raw, now: now) }
  }

  // MARK: What happened

  func isUp(_ end: Int) -> Bool {
    events[end].contains { if case .up = $0 { true } else { false } }
  }
  var areUp: Bool { isUp(0) && isUp(1) }

  func error(of end: Int) -> MediaError? {
    for case .lost(let error) in events[end] { return error }
    return nil
  }

  func opened(_ end: Int) -> [DataChannelInfo] {
    events[end].compactMap { if case .opened(let info) = $0 { info } else { nil } }
  }

  func closed(_ end: Int) -> [DataChannelID] {
    events[end].compactMap { if case .closed(let id, _) = $0 { id } else { nil } }
  }

  func messages(_ end: Int, of id: DataChannelID? = nil) -> [[UInt8]] {
    events[end].compactMap { if case .message(let from, let bytes, _) = $0, id == nil || from == id { bytes } else { nil } }
  }

  /// A channel of the client's that both ends have reported.
  func channel(
    _ label: String = "chat", isOrdered: Bool = true, reliability: DataChannelReliability = .reliable
  ) throws -> (client: DataChannelID, server: DataChannelID) {
    let id = try client.open(label: label, isOrdered: isOrdered, reliability: reliability, now: now)
    let before = opened(1).count
    run(for: 120 * DataTalk.second) { opened(1).count > before && opened(0).contains { $0.id == id } }
    guard opened(1).count > before else { throw MediaError(.fail, "the channel is not opened") }
    return (id, opened(1)[before].id)
  }

  /// Of the chunks of a packet.
  static func kinds(_ packet: [UInt8]) -> Set<UInt8> {
    var (kinds, place): (Set<UInt8>, Int) = ([], 12)
    while place + 4 <= packet.count {
      kinds.insert(packet[place])
      place += max(4, (Int(packet[place + 2]) * 256 + Int(packet[place + 3]) + 3) & ~3)
    }
    return kinds
  }

  /// `size` bytes of which each message has others.
  static func message(_ number: Int, size: Int) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(number))
    var bytes: [UInt8] = []
    while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(bytes.count - size)
    return bytes
  }
}

extension DataChannels {
  /// One whose association has begun.
  convenience init(
    role: Role, settings: DataChannelSettings, peerMostBytes: UInt64, random: any RandomNumberGenerator, now: Int64
  ) throws(MediaError) {
    try self.init(settings: settings, now: now)
    try begin(role: role, peerMostBytes: peerMostBytes, random: random, now: now)
  }

  func open(
    label: String, protocol: String = "", isOrdered: Bool = true, reliability: DataChannelReliability = .reliable, priority: UInt16 = 256,
    negotiated: UInt16? = nil, now: Int64
  ) throws(MediaError) -> DataChannelID {
    var options = DataChannelOptions(label: label)
    (options.protocol, options.isOrdered, options.reliability) = (`protocol`, isOrdered, reliability)
    (options.priority, options.negotiated) = (priority, negotiated)
    return try open(options, now: now)
  }
}
