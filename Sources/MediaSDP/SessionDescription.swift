import MediaCore

/// A description of a session as text (RFC 8866). Lines that mean nothing here are read over; attributes are kept as they stand.
public struct SessionDescription: Sendable, Equatable {
  /// An a= line: a name, or a name and a value.
  public struct Attribute: Sendable, Equatable {
    /// What stands before the colon.
    public var name: String
    /// What stands after the colon; nil: the line has none.
    public var value: String?

    /// Nothing is checked: neither part may hold the end of a line.
    public init(_ name: String, _ value: String? = nil) {
      (self.name, self.value) = (name, value)
    }
  }

  /// c=, section 5.7.
  public struct Connection: Sendable, Equatable {
    /// Of IPv4 or IPv6, or a name, as it stands; without the time to live.
    public var address: String
    var isIPv6: Bool
    /// Of a multicast address of IPv4.
    var timeToLive: UInt8?

    /// Of IPv6 where the address has a colon.
    public init(_ address: String, timeToLive: UInt8? = nil) {
      self.address = address
      isIPv6 = address.contains(":")
      self.timeToLive = timeToLive
    }
  }

  /// m= and what follows it, section 5.14.
  public struct Media: Sendable, Equatable {
    /// "audio", "video" or another.
    public var kind: String
    /// 0: refused, or switched off (RFC 3264, section 8.2).
    public var port: UInt16
    /// RTP/AVP, RTP/AVPF, RTP/SAVP, RTP/SAVPF.
    public var transport: String
    /// Payload types of RTP, or what another transport has instead; at most 64 when read.
    public var formats: [String]
    /// nil: that of the session counts.
    public var connection: Connection?
    /// b= lines by their modifier, AS or TIAS (RFC 3890).
    public var bandwidths: [Attribute] = []
    /// a= lines in their order; at most 1024 when read.
    public var attributes: [Attribute] = []

    /// Without a connection, bandwidths and attributes.
    public init(_ kind: String, port: UInt16, transport: String, formats: [String]) {
      (self.kind, self.port, self.transport, self.formats) = (kind, port, transport, formats)
    }

    /// Of the first attribute of that name; nil: there is none, or it has no value.
    public func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    /// Of all attributes of that name that have one, in order.
    public func values(_ name: String) -> [String] { attributes.compactMap { $0.name == name ? $0.value : nil } }
    /// Whether there is an attribute of that name, with or without a value.
    public func has(_ name: String) -> Bool { attributes.contains { $0.name == name } }
    /// SRTP, however keyed.
    public var isProtected: Bool { transport.has("SAVP") }
  }

  /// o=: who made it, section 5.2.
  var originName = "-"
  var originID: UInt64
  var originVersion: UInt64
  var originAddress: String
  /// s=
  public var name = "-"
  /// Counts for the media that have none; nil: there is none for all.
  public var connection: Connection?
  /// a= lines before the first m= line, in their order; at most 1024 when read.
  public var attributes: [Attribute] = []
  /// m= lines in their order; as many as the bounds allow when read.
  public var media: [Media] = []

  /// Another version stands for a changed description of the same id (RFC 8866, section 5.2).
  public init(id: UInt64, version: UInt64 = 1, address: String) {
    (originID, originVersion, originAddress) = (id, version, address)
  }

  func values(_ name: String) -> [String] { attributes.compactMap { $0.name == name ? $0.value : nil } }
  /// Whether the session, before its media, has an attribute of that name.
  public func has(_ name: String) -> Bool { attributes.contains { $0.name == name } }

  // MARK: Reading

  /// How much is read.
  public struct Bounds: Sendable {
    /// Of the text, in bytes.
    let longest: Int
    let mostMedia: Int

    /// 65,536 bytes and 64 media.
    public static let plain = Bounds(longest: 65_536, mostMedia: 64)
    /// 1,048,576 bytes and 256 media, as browsers describe them.
    public static let bundled = Bounds(longest: 1 << 20, mostMedia: 256)
  }

  private static let mostAttributes = 1_024

  /// Lines end in CRLF or LF. Throws `.limit` for more bytes than the bounds allow, `.invalid` for what is no description, with the line where it
  /// is one that is wrong.
  public init(parsing text: String, _ bounds: Bounds = .plain) throws(MediaError) {
    guard text.utf8.count <= bounds.longest else {
      throw MediaError(.limit, "a description of \(text.utf8.count) bytes; accepted: at most \(bounds.longest)")
    }
    self.init(id: 0, address: "")
    var (hasVersion, hasOrigin) = (false, false)
    var number = 0
    // CRLF by the standard, LF by the habit of people.
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let line = String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
      if line.isEmpty { continue }
      func refuse(_ reason: String) -> MediaError { MediaError(.invalid, "SDP line \(number), \"\(line.prefix(80))\": \(reason)") }
      guard !line.utf8.contains(0) else { throw refuse("a NUL") }
      guard let type = line.first, line.dropFirst().first == "=" else { throw refuse("no letter followed by =") }
      let value = String(line.dropFirst(2))
      guard hasVersion || type == "v" else { throw refuse("before v=0") }
      do throws(SDPFault) {
        switch type {
        case "v":
          guard value == "0" else { throw SDPFault("accepted: v=0") }
          hasVersion = true
        case "o":
          try readOrigin(value)
          hasOrigin = true
        case "s": name = value
        case "c":
          let connection = try Connection(parsing: value)
          if media.isEmpty { self.connection = connection } else { media[media.count - 1].connection = connection }
        case "b":
          guard let place = media.indices.last else { break }
          guard let bandwidth = SDPFault.pair(value) else { throw SDPFault("accepted: b=AS:number") }
          if media[place].bandwidths.count < 8 { media[place].bandwidths.append(bandwidth) }
        case "m":
          guard media.count < bounds.mostMedia else { throw SDPFault("more than \(bounds.mostMedia) media") }
          media.append(try Media(parsing: value))
        case "a":
          let attribute = SDPFault.pair(value) ?? Attribute(value)
          guard (media.last?.attributes ?? attributes).count < SessionDescription.mostAttributes else {
            throw SDPFault("more than \(SessionDescription.mostAttributes) attributes")
          }
          if media.isEmpty { attributes.append(attribute) } else { media[media.count - 1].attributes.append(attribute) }
        default: break
        }
      } catch { throw refuse(error.reason) }
    }
    guard hasVersion, hasOrigin else { throw MediaError(.invalid, "a description without \(hasVersion ? "o=" : "v=0"), so it is not SDP") }
  }

  private mutating func readOrigin(_ value: String) throws(SDPFault) {
    let parts = value.split(separator: " ")
    guard parts.count == 6, let id = UInt64(parts[1]), let version = UInt64(parts[2]) else {
      throw SDPFault("accepted: o=name number version IN IP4 address")
    }
    (originName, originID, originVersion, originAddress) = (String(parts[0]), id, version, String(parts[5]))
  }

  // MARK: Writing

  /// All lines, each with CRLF at its end.
  public var text: String {
    var lines = [
      "v=0", "o=\(originName) \(originID) \(originVersion) IN \(SessionDescription.family(originAddress)) \(originAddress)", "s=\(name)"
    ]
    if let connection { lines.append(connection.line) }
    lines.append("t=0 0")
    lines += attributes.map(\.line)
    for media in media {
      lines.append("m=\(media.kind) \(media.port) \(media.transport) \(media.formats.joined(separator: " "))")
      if let connection = media.connection { lines.append(connection.line) }
      lines += media.bandwidths.map { "b=\($0.name):\($0.value ?? "0")" }
      lines += media.attributes.map(\.line)
    }
    return lines.joined(separator: "\r\n") + "\r\n"
  }

  static func family(_ address: String) -> String { address.contains(":") ? "IP6" : "IP4" }
}

/// What is wrong with a description, as a whole.
extension MediaError {
  /// `.invalid`, and the text after "SDP: ".
  public static func description(_ text: String) -> MediaError { MediaError(.invalid, "SDP: \(text)") }
}

/// What is wrong with a line.
struct SDPFault: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  /// What a colon parts.
  static func pair(_ text: String) -> SessionDescription.Attribute? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    return .init(String(text[..<colon]), String(text[text.index(after: colon)...]))
  }
}

extension SessionDescription.Attribute {
  fileprivate var line: String { value.map { "a=\(name):\($0)" } ?? "a=\(name)" }
}

extension SessionDescription.Connection {
  fileprivate init(parsing value: String) throws(SDPFault) {
    let parts = value.split(separator: " ")
    guard parts.count == 3, parts[0] == "IN", parts[1] == "IP4" || parts[1] == "IP6" else {
      throw SDPFault("accepted: c=IN IP4 address or c=IN IP6 address")
    }
    let pieces = parts[2].split(separator: "/")
    guard let address = pieces.first, (address.contains(":")) == (parts[1] == "IP6") else {
      throw SDPFault("an address of another family than IN states")
    }
    self.init(String(address))
    guard pieces.count > 1, !isIPv6 else { return }
    guard let timeToLive = UInt8(pieces[1]) else { throw SDPFault("a time to live outside 0..255") }
    self.timeToLive = timeToLive
  }

  fileprivate var line: String {
    "c=IN \(SessionDescription.family(address)) \(address)\(timeToLive.map { "/\($0)" } ?? "")"
  }
}

extension SessionDescription.Media {
  fileprivate init(parsing value: String) throws(SDPFault) {
    let parts = value.split(separator: " ")
    guard parts.count >= 4, let digits = parts[1].split(separator: "/").first, let port = UInt16(digits) else {
      throw SDPFault("accepted: m=kind port transport formats, with the port in 0..65535")
    }
    guard parts.count <= 67 else { throw SDPFault("more than 64 formats") }
    self.init(String(parts[0]), port: port, transport: String(parts[2]), formats: parts[3...].map(String.init))
  }
}
