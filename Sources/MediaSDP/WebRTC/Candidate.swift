import MediaCore

/// An address at which an end may be reached (RFC 8839, section 5.1): the value of a=candidate, and what is trickled.
public struct Candidate: Sendable, Equatable {
  /// How the address was found (RFC 8445, section 4).
  public enum Kind: String, Sendable {
    case host
    case serverReflexive = "srflx"
    case peerReflexive = "prflx"
    case relayed = "relay"
  }

  /// The same for those of one kind, base and server.
  public var foundation: String
  /// 1: RTP, or all; 2: RTCP. At most 256.
  public var component: UInt16
  /// In small letters: udp, tcp.
  public var transport: String
  /// Above 0 when read; a higher one is preferred (RFC 8445, section 5.1.2).
  public var priority: UInt32
  /// Of IPv4 or IPv6, or a name (`.local`), as it stands.
  public var address: String
  /// Of the address, as it stands.
  public var port: UInt16
  /// `typ` in the line.
  public var kind: Kind
  /// The base of a reflexive one, the mapped address of a relayed one.
  public var related: Related?
  /// tcptype, generation, ufrag and others, in order.
  public var extensions: [SessionDescription.Attribute] = []

  /// `raddr` and `rport`.
  public struct Related: Sendable, Equatable {
    /// As it stands; nothing is checked.
    public var address: String
    /// Of the address, as it stands.
    public var port: UInt16

    /// Nothing is checked.
    public init(_ address: String, port: UInt16) {
      (self.address, self.port) = (address, port)
    }
  }

  /// Without a related address and extensions. Nothing is checked.
  public init(
    _ kind: Kind, foundation: String, component: UInt16 = 1, transport: String = "udp", priority: UInt32, address: String, port: UInt16
  ) {
    (self.kind, self.foundation, self.component, self.transport) = (kind, foundation, component, transport)
    (self.priority, self.address, self.port) = (priority, address, port)
  }

  private static let longest = 1_024

  /// With or without "candidate:" before it. nil for a kind that is not known here. Throws `.invalid` for what is no candidate.
  public init?(parsing text: String) throws(MediaError) {
    let parts = (text.hasPrefix("candidate:") ? text.dropFirst(10) : text[...]).split(separator: " ")
    guard text.utf8.count <= Candidate.longest, parts.count >= 8, parts.count % 2 == 0, (1...32).contains(parts[0].utf8.count),
      let component = UInt16(parts[1]), (1...256).contains(component), let priority = UInt32(parts[3]), priority > 0,
      let port = UInt16(parts[5]), parts[6] == "typ"
    else {
      throw .description(
        "a=candidate:\(text.prefix(80)); accepted: foundation component transport priority address port typ kind, and names with values")
    }
    guard let kind = Kind(rawValue: String(parts[7])) else { return nil }
    self.init(
      kind, foundation: String(parts[0]), component: component, transport: parts[2].lowercased(), priority: priority,
      address: String(parts[4]), port: port)
    for place in stride(from: 8, to: parts.count, by: 2) { extensions.append(.init(String(parts[place]), String(parts[place + 1]))) }
    guard extensions.count >= 2, extensions[0].name == "raddr", extensions[1].name == "rport", let address = extensions[0].value,
      let port = extensions[1].value.flatMap({ UInt16($0) })
    else { return }
    related = Related(address, port: port)
    extensions.removeFirst(2)
  }

  /// Without "candidate:".
  public var text: String {
    var text = "\(foundation) \(component) \(transport) \(priority) \(address) \(port) typ \(kind.rawValue)"
    if let related { text += " raddr \(related.address) rport \(related.port)" }
    for one in extensions { text += " \(one.name) \(one.value ?? "")" }
    return text
  }
}
