import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP

/// A medium of a description with what `RTPMedia` leaves to the session: addresses as sockets have them, and what shares a port with what.
struct DescribedMedium {
  var rtp: RTPMedia
  let kind: RTPConfiguration.Medium.Kind
  /// RFC 5506, section 5.
  var hasReducedSize: Bool
  let frameRate: FrameRate?
  /// a=rtcp with an address (RFC 3605).
  private let controlHost: String?
  /// RFC 9143, section 6.
  let isBundleOnly: Bool
  /// Keys that stand beside RTP/AVP, as FFmpeg writes them.
  var isProtected: Bool { rtp.isProtected || !rtp.keys.isEmpty }

  /// nil for what is not RTP, or neither pictures nor sound.
  init?(_ media: SessionDescription.Media, in session: SessionDescription) throws(MediaError) {
    guard let kind = RTPConfiguration.Medium.Kind(rawValue: media.kind), let rtp = try RTPMedia(media, in: session) else { return nil }
    (self.rtp, self.kind) = (rtp, kind)
    // What looks like RTCP is of no use (RFC 5761, section 4).
    self.rtp.payloads.removeAll { (64...95).contains($0.type) }
    hasReducedSize = media.has("rtcp-rsize")
    frameRate = (media.value("framerate") ?? session.values("framerate").first).flatMap { DescribedMedium.frameRate($0) }
    isBundleOnly = media.has("bundle-only")
    let parts = media.value("rtcp")?.split(separator: " ") ?? []
    controlHost = parts.count == 4 ? String(parts[3]) : nil
  }

  /// Frames a second, in decimals (RFC 8866, section 6.13). Rates of television are meant exactly.
  static func frameRate(_ text: String) -> FrameRate? {
    guard text.utf8.count <= 12, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }), let rate = Double(text),
      rate >= 0.001, rate <= 1000
    else { return nil }
    let whole = rate.rounded()
    if abs(rate - whole) < 0.0005 { return FrameRate(UInt32(whole)) }
    let next = rate.rounded(.up)
    if abs(rate - next * 1000 / 1001) < 0.006 { return FrameRate(UInt32(next) * 1000, 1001) }
    return FrameRate(UInt32((rate * 1000).rounded()), 1000)
  }

  static func text(_ rate: FrameRate) -> String {
    guard rate.denominator != 1 else { return "\(rate.numerator)" }
    let thousandths = UInt64(rate.numerator) * 1000 / UInt64(max(1, rate.denominator))
    let rest = "\(thousandths % 1000)"
    return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }

  /// c= and the port of m=.
  func address() throws(MediaError) -> SocketAddress {
    guard let connection = rtp.connection else { throw .description("m=\(kind.rawValue) has no c= line, and neither has the session") }
    return try address(connection.address, rtp.port)
  }

  /// Where RTCP goes; nil where it goes with the rest.
  func controlAddress() throws(MediaError) -> SocketAddress? {
    if rtp.isMultiplexed { return nil }
    let media = try address()
    guard let port = rtp.controlPort ?? (rtp.port < .max ? rtp.port + 1 : nil), port > 0 else {
      throw .description(
        "m=\(kind.rawValue) at port \(rtp.port) has no port for RTCP; accepted: a=rtcp with 1..65535, a port below 65535, or rtcp-mux")
    }
    return try controlHost.map { (host) throws(MediaError) in try address(host, port) } ?? media.with(port: port)
  }

  private func address(_ host: String, _ port: UInt16) throws(MediaError) -> SocketAddress {
    guard let address = SocketAddress(host, port: port) else {
      throw .description("m=\(kind.rawValue) is at \"\(host.prefix(64))\"; accepted: an IPv4 or IPv6 address, host names are not resolved")
    }
    return address
  }

  /// Of a time before directions: nobody is there to be sent to (RFC 3264, section 8.4).
  mutating func applyHold() throws(MediaError) {
    guard rtp.connection != nil, try address().isUnspecified else { return }
    rtp.direction = .init(sends: rtp.direction.sends, receives: false)
  }

  /// Who is reached by one address takes its keys and manners from the medium that has it (RFC 9143, section 7.1.3).
  mutating func join(_ tagged: DescribedMedium) {
    (rtp.port, rtp.connection) = (tagged.rtp.port, tagged.rtp.connection)
    (rtp.isMultiplexed, rtp.controlPort) = (tagged.rtp.isMultiplexed, tagged.rtp.controlPort)
    (rtp.keys, hasReducedSize) = (tagged.rtp.keys, tagged.hasReducedSize)
  }
}

extension SessionDescription {
  /// The groups of a=group:BUNDLE, by the names of their media.
  var bundles: [[String]] {
    values("group").compactMap { line in
      let parts = line.split(separator: " ")
      return parts.first == "BUNDLE" ? parts.dropFirst().prefix(64).map { String($0) } : nil
    }
  }

  /// Of each medium, the place of the one whose address it shares: its own, unless a group says otherwise. Who offers may have put first what the
  /// other end does not want (RFC 9143, section 7.3.1); where all others have no port of their own, its address serves nevertheless.
  func taggedPlaces(preferring isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
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
