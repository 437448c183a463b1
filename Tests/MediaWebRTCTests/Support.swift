import Glibc
import MediaCore
import MediaICE
import MediaSDP
import Testing

@testable import MediaWebRTC

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// Added to seeds, as those of `MediaRTPTests`: what holds for one holds for others.
let seedOffset = getenv("MSDK_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 0

/// The error that the body throws; nil when it throws none, or one of another type.
func failure(_ body: () throws -> Void) -> MediaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MediaError
  }
}

/// A session, its random bits, and what a test changes about it.
struct SignalledEnd {
  var session: JSEPSession
  var random: SeededRandom

  init(_ seed: UInt64 = 1, isPolite: Bool = true, _ change: (inout JSEPSettings) -> Void = { _ in }) {
    random = SeededRandom(seed: seed)
    var settings = JSEPSettings(
      cname: "end\(seed)", id: seed, fingerprint: .init("sha-256", [UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: 32)))
    settings.isPolite = isPolite
    change(&settings)
    session = JSEPSession(settings, credentials: ICECredentials(using: &random))
  }

  @discardableResult mutating func add(
    _ kind: Transceiver.Kind, _ direction: RTPMedia.Direction = .sendReceive, layers: [String] = []
  ) throws -> Transceiver.ID {
    try session.addTransceiver(
      kind, direction, tracks: [.init("stream", "\(kind.rawValue)\(session.transceivers.count)")],
      layers: layers.map { .init($0, isSent: true) })
  }

  mutating func offer() throws -> String { try session.setLocal(.offer, using: &random) }
  mutating func answer() throws -> String { try session.setLocal(.answer, using: &random) }
  mutating func rollBack() throws { _ = try session.setLocal(.rollback, using: &random) }

  /// The answer to an offer.
  mutating func answer(to offer: String) throws -> String {
    _ = try session.setRemote(.offer, offer)
    return try answer()
  }

  /// An offer of this end, answered by the other.
  @discardableResult mutating func negotiate(with other: inout SignalledEnd) throws -> (offer: String, answer: String) {
    let offer = try offer()
    let answer = try other.answer(to: offer)
    _ = try session.setRemote(.answer, answer)
    return (offer, answer)
  }

  func transceiver(_ id: Transceiver.ID) throws -> Transceiver { try #require(session.transceiver(id)) }
  var media: [NegotiatedSession.Medium] { session.negotiated?.media ?? [] }
}

/// Sections of a description, read again.
func sections(_ text: String) throws -> [SessionDescription.Media] { try SessionDescription(parsing: text, .bundled).media }

extension String {
  /// The same with another line in the place of the first that begins so; without one, it is removed.
  func replacing(line start: String, by other: String? = nil) -> String {
    var lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    guard let place = lines.firstIndex(where: { $0.hasPrefix(start) }) else { return self }
    if let other { lines[place] = other } else { lines.remove(at: place) }
    return lines.joined(separator: "\n")
  }

  /// The same with other words in the place of these, where they are first.
  func replacing(_ words: String, by other: String) -> String {
    let place = range(of: words)
    return place == endIndex ? self : self[..<place] + other + self[place...].dropFirst(words.count)
  }

  /// Without all lines that begin so.
  func removing(lines start: String) -> String {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).filter { !$0.hasPrefix(start) }.joined(separator: "\n")
  }

  func count(_ start: String) -> Int { split(whereSeparator: \.isNewline).count { $0.hasPrefix(start) } }
  func has(_ line: String) -> Bool { split(whereSeparator: \.isNewline).contains { $0 == line } }
}

extension String {
  /// Where a text begins in this one; its end, where it is not in it.
  func range(of text: String) -> String.Index {
    indices.first { self[$0...].hasPrefix(text) } ?? endIndex
  }
}
