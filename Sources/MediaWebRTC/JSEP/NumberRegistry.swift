import MediaRTP
import MediaSDP

/// What payload types and ids of header extensions mean in a session: what one meant once it means always (RFC 9143, sections 9.1 and 9.2; RFC 8285,
/// section 5). Offers of this end draw from it.
struct NumberRegistry: Sendable {
  private var payloads: [UInt8: RTPMedia.Payload] = [:]
  private(set) var extensions: [UInt8: String] = [:]
  /// The id by which each extension was agreed on first. The other end may give it a second one, which is not read: the session reads one.
  private(set) var agreed: [String: UInt8] = [:]
  /// By the last offers of this end: the next one keeps them, as the other end may use them until it has answered.
  var proposed: [String: UInt8] = [:]
  /// 64 to 95 look like RTCP (RFC 5761, section 4); below 35 are static ones.
  private static let free: [ClosedRange<UInt8>] = [96...127, 35...63]
  /// Of the one-byte form.
  private static let freeIDs: ClosedRange<UInt8> = 1...14

  /// What a description says that was agreed on, or may be.
  mutating func note(_ names: [UInt8: String]) { extensions.merge(names) { first, _ in first } }
  mutating func agree(_ map: ExtensionMap) {
    for (id, uri) in map.names where agreed[uri] == nil { agreed[uri] = id }
  }
  mutating func note(_ payload: RTPMedia.Payload) {
    if payloads[payload.type] == nil { payloads[payload.type] = payload }
  }

  /// An id that means something else already; nil: there is none.
  func conflict(_ names: [UInt8: String]) -> UInt8? { names.keys.sorted().first { extensions[$0] != nil && extensions[$0] != names[$0] } }

  // MARK: For offers

  /// Types for codecs, each with its retransmissions after it, or of audio its redundancy. What finds none is not among them.
  mutating func types(for codecs: [RTPMedia.Payload], _ kind: Transceiver.Kind) -> [RTPMedia.Payload] {
    var typed: [RTPMedia.Payload] = []
    for var codec in codecs {
      guard let type = type(like: codec, preferred: codec.type) else { continue }
      codec.type = type
      note(codec)
      typed.append(codec)
      // Of redundancy as browsers have it.
      var second =
        switch kind {
        case .video: RTPMedia.Payload.retransmission(type < 127 ? type + 1 : type, of: type)
        case .audio: RTPMedia.Payload.redundancy(63, of: codec)
        }
      guard let free = self.type(like: second, preferred: second.type) else { continue }
      second.type = free
      note(second)
      typed.append(second)
    }
    return typed
  }

  private func type(like payload: RTPMedia.Payload, preferred: UInt8) -> UInt8? {
    let known = payloads.filter { isSame($0.value, payload) }.keys
    if known.contains(preferred) { return preferred }
    if let known = known.min() { return known }
    if payloads[preferred] == nil, NumberRegistry.free.contains(where: { $0.contains(preferred) }) { return preferred }
    return NumberRegistry.free.joined().first { payloads[$0] == nil }
  }

  private func isSame(_ one: RTPMedia.Payload, _ other: RTPMedia.Payload) -> Bool {
    one.associated == other.associated && (one.associated == nil ? one.allows(other) : one.isOf(other))
  }

  private func isFree(_ id: UInt8, for uri: String) -> Bool {
    if let name = extensions[id] { return name == uri }
    return !proposed.contains { $0.value == id && $0.key != uri }
  }

  private func known(_ uri: String) -> UInt8? { agreed[uri] ?? extensions.filter { $0.value == uri }.keys.min() }

  /// Ids for what is wanted, which has those that are preferred.
  mutating func ids(for wanted: ExtensionMap) -> ExtensionMap {
    var map = ExtensionMap()
    let fields = ExtensionMap.known.filter { wanted[keyPath: $0.field] != 0 }
    for (uri, field) in fields {
      let choices = [known(uri), proposed[uri], wanted[keyPath: field]].compactMap { $0 }
      guard let id = choices.first(where: { isFree($0, for: uri) }) else { continue }
      (map[keyPath: field], extensions[id]) = (id, uri)
    }
    for (uri, field) in fields where map[keyPath: field] == 0 {
      guard let id = NumberRegistry.freeIDs.first(where: { isFree($0, for: uri) }) else { break }
      (map[keyPath: field], extensions[id]) = (id, uri)
    }
    for (id, uri) in map.names { proposed[uri] = id }
    return map
  }
}
