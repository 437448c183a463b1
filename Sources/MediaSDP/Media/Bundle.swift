/// Media that share an address (BUNDLE, RFC 9143).
extension SessionDescription {
  private static let mostMembers = 256

  /// The groups of a=group:BUNDLE, by the names of their media.
  public var bundles: [[String]] {
    values("group").compactMap { line in
      let parts = line.split(separator: " ")
      return parts.first == "BUNDLE" ? parts.dropFirst().prefix(SessionDescription.mostMembers).map { String($0) } : nil
    }
  }

  /// Appends a=group:BUNDLE. The names are those of media (a=mid); the first of them has the address that all share.
  public mutating func bundle(_ names: [String]) { attributes.append(.init("group", "BUNDLE " + names.joined(separator: " "))) }

  /// Of each medium, the place of the one whose address it shares: its own, unless a group says otherwise. Who offers may have put first what the
  /// other end does not want (section 7.3.1); where all others have no port of their own, its address serves nevertheless.
  public func taggedPlaces(preferring isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
    var places = Array(media.indices)
    var taken: Set<Int> = []
    let names = media.map { $0.value("mid") }
    for group in bundles {
      let members = group.compactMap { name in names.firstIndex(of: name) }.filter { media[$0].port != 0 || media[$0].has("bundle-only") }
      let reached = members.filter { media[$0].port != 0 }
      guard taken.isDisjoint(with: members), let tagged = reached.first(where: isWanted) ?? reached.first else { continue }
      taken.formUnion(members)
      for member in members { places[member] = tagged }
    }
    return places
  }
}

extension RTPMedia {
  /// Who is reached by one address takes its keys and manners from the medium that has it (RFC 9143, section 7.1.3).
  public mutating func join(_ tagged: RTPMedia) {
    (port, connection, keys, hasReducedSize) = (tagged.port, tagged.connection, tagged.keys, tagged.hasReducedSize)
    (isMultiplexed, controlPort, controlHost) = (tagged.isMultiplexed, tagged.controlPort, tagged.controlHost)
  }

  /// And they stand with that medium alone.
  public mutating func leaveToTagged(port: UInt16) {
    (self.port, keys, isMultiplexed, controlPort, controlHost, hasReducedSize) = (port, [], false, nil, nil, false)
  }
}
