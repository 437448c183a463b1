import MediaCore

@testable import MediaTLS

/// Two machines over an emulated network on a virtual clock: what the seed says is lost, delayed, and comes twice.
final class DTLSTalk {
  static let certificates = [try? TLSCertificate.make(), try? TLSCertificate.make()]
  static let client = 0
  static let server = 1

  /// The client first.
  let ends: [DTLSMachine]
  var client: DTLSMachine { ends[0] }
  var server: DTLSMachine { ends[1] }
  /// Nanoseconds.
  private(set) var now: Int64
  /// Of one direction.
  var delay: Int64 = 25_000_000
  /// Further delay of some, so that they come after later ones.
  var jitter: Int64 = 0
  /// Of a hundred.
  var lost = 0
  var doubled = 0
  /// What of a datagram of an end arrives.
  var change: (_ from: Int, _ datagram: [UInt8]) -> [[UInt8]] = { [$1] }
  private(set) var heard: [[[UInt8]]] = [[], []]
  /// All that an end sent, with the time.
  private(set) var sent: [[(time: Int64, bytes: [UInt8])]] = [[], []]
  /// When an end became open.
  private(set) var opened: [Int64?] = [nil, nil]
  private var flying: [(time: Int64, to: Int, bytes: [UInt8])] = []
  private var random: SeededRandom

  init(
    client: TLSCertificate? = certificates[0], server: TLSCertificate? = certificates[1], clientExpects: [DTLSFingerprint]? = nil,
    serverExpects: [DTLSFingerprint]? = nil, clientProfiles: [UInt16] = [7, 1], serverProfiles: [UInt16] = [7, 8, 1],
    timers: [DTLSTimer] = [DTLSTimer(), DTLSTimer()], now: Int64 = 1_000_000_000, seed: UInt64 = 1
  ) throws {
    guard let client, let server else { throw MediaError(.fail, "no certificate") }
    (self.now, random) = (now, SeededRandom(seed: seed))
    ends = [
      try DTLSMachine(
        .client, certificate: client, peer: clientExpects ?? [DTLSFingerprint(of: server)], profiles: clientProfiles, timer: timers[0],
        now: now),
      try DTLSMachine(
        .server, certificate: server, peer: serverExpects ?? [DTLSFingerprint(of: client)], profiles: serverProfiles, timer: timers[1],
        now: now)
    ]
  }

  /// Until nothing is in flight and nothing is due, or until that time (nanoseconds from now on).
  func run(for duration: Int64 = 60_000_000_000) {
    let end = now + duration
    while true {
      send()
      let due = ends.map { $0.poll(now: now) }.min() ?? .max
      send()
      let next = min(due, flying.map(\.time).min() ?? .max)
      guard next <= end else { break }
      now = max(now, next)
      deliver()
    }
    now = end == .max ? now : max(now, min(end, now + duration))
  }

  private func send() {
    for from in 0..<2 {
      while let bytes = ends[from].takeDatagram() {
        sent[from].append((now, bytes))
        for bytes in change(from, bytes) {
          if chance(lost) { continue }
          for _ in 0..<(chance(doubled) ? 2 : 1) {
            let more = jitter > 0 ? Int64.random(in: 0...jitter, using: &random) : 0
            flying.append((now + delay + more, 1 - from, bytes))
          }
        }
      }
    }
  }

  private func deliver() {
    while let index = flying.indices.filter({ flying[$0].time <= now }).min(by: { flying[$0].time < flying[$1].time }) {
      let datagram = flying.remove(at: index)
      give(datagram.bytes, to: datagram.to)
    }
  }

  private func chance(_ percent: Int) -> Bool { percent > 0 && Int.random(in: 0..<100, using: &random) < percent }

  /// At once, from anybody.
  func give(_ bytes: [UInt8], to end: Int) {
    bytes.withUnsafeBytes { raw in ends[end].receive(raw, now: now) { heard[end].append(Array($0)) } }
    if ends[end].state == .open, opened[end] == nil { opened[end] = now }
  }

  func say(_ bytes: [UInt8], by end: Int) throws {
    try bytes.withUnsafeBytes { raw in try ends[end].send(raw) }
  }

  var isOpen: Bool { ends.allSatisfy { $0.state == .open } }

  func error(of end: Int) -> MediaError? {
    guard case .failed(let error) = ends[end].state else { return nil }
    return error
  }

  /// A record of somebody.
  static func record(_ kind: UInt8, epoch: UInt16 = 0, number: UInt64 = 1000, _ body: [UInt8]) -> [UInt8] {
    [kind, 254, 253, UInt8(epoch >> 8), UInt8(epoch & 255)] + (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * UInt64($0))) }
      + [UInt8(body.count >> 8), UInt8(body.count & 255)] + body
  }

  /// A fragment of a message of the handshake.
  static func fragment(_ type: UInt8, length: Int, message: Int, offset: Int, _ body: [UInt8]) -> [UInt8] {
    func u24(_ value: Int) -> [UInt8] { [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)] }
    return [type] + u24(length) + [UInt8(message >> 8 & 255), UInt8(message & 255)] + u24(offset) + u24(body.count) + body
  }
}
