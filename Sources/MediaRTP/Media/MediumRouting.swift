/// Which medium a packet of the other end is of, where several share a transport (RFC 9143, section 9.2): the one that it names; else the one whose
/// description names its source; else the only one that has its payload type. Sources that were heard are known by their streams.
struct MediumRouting {
  private(set) var media: [RTPMedium]
  private var names: [String: Int] = [:]
  /// nil: of several.
  private var types: [UInt8: Int?] = [:]
  private var sources: [SSRC: (medium: Int, rid: String?)] = [:]
  /// Of sources of retransmissions, whose they are.
  private var repeated: [SSRC: SSRC] = [:]

  init(_ media: [RTPMedium]) {
    self.media = media
    for (place, medium) in media.enumerated() {
      if let mid = medium.mid { names[mid] = place }
      for type in medium.receiving.keys { types[type] = types[type] == nil ? .some(place) : .some(nil) }
      for source in medium.sources {
        sources[source.ssrc] = (place, source.rid)
        guard let again = source.retransmission else { continue }
        sources[again] = (place, nil)
        repeated[again] = source.ssrc
      }
    }
  }

  func medium(of header: RTPHeader) -> Int? {
    if let mid = header.extensions.mid, !names.isEmpty { return names[mid] }
    return sources[header.ssrc]?.medium ?? types[header.payloadType].flatMap { $0 }
  }

  /// Whether packets that say that they are of that medium, or of none, are of this one.
  func isCalled(_ place: Int, _ mid: String?) -> Bool {
    mid == nil || names.isEmpty || media[place].mid == mid
  }

  func encoding(_ type: UInt8, in place: Int) -> RTPEncoding? { media[place].receiving[type] }

  /// What is sent again under a payload type that several media have, if they agree on it.
  func repeated(by type: UInt8) -> RTPEncoding? {
    guard let place = types[type], place == nil, let medium = media.first(where: { $0.receiving[type] != nil }),
      case .retransmission? = medium.receiving[type]
    else { return nil }
    return medium.receiving[type]
  }

  func rid(of ssrc: SSRC) -> String? { sources[ssrc]?.rid }
  func original(of ssrc: SSRC) -> SSRC? { repeated[ssrc] }

  /// Where the medium at a place of another is here, which is the same one.
  func place(of other: Int, in former: MediumRouting) -> Int? {
    if let mid = former.media[other].mid { return names[mid] }
    let nameless = former.media[..<other].count { $0.mid == nil }
    return media.indices.filter { media[$0].mid == nil }.dropFirst(nameless).first
  }
}
