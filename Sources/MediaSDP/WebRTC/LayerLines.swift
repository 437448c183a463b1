import MediaCore

/// The layers of a medium that is sent in several sizes: what each is (a=rid, RFC 8851), and which are sent at once (a=simulcast,
/// RFC 8853).
public struct LayerLines: Sendable, Equatable {
  /// One a=rid line.
  public struct Layer: Sendable, Equatable {
    /// Letters, digits, - and _.
    public var id: String
    /// send; false: recv.
    public var isSent: Bool
    /// Empty: all of the medium's.
    public var payloads: [UInt8] = []
    /// max-width, max-height, max-fps, max-br and others, in order.
    public var limits: [SessionDescription.Attribute] = []

    /// With all payload types of the medium and without limits.
    public init(_ id: String, isSent: Bool) {
      (self.id, self.isSent) = (id, isSent)
    }
  }

  /// One of a stream's layers, of which one is sent.
  public struct Alternative: Sendable, Equatable {
    /// That of a `Layer`; whether there is one is not checked.
    public var id: String
    /// Written with a ~.
    public var isPaused: Bool

    /// Not paused, unless it is said.
    public init(_ id: String, isPaused: Bool = false) {
      (self.id, self.isPaused) = (id, isPaused)
    }
  }

  /// At most 16 when read, each id once.
  public var layers: [Layer] = []
  /// Streams in the order of the sender, each with its alternatives.
  public var sent: [[Alternative]] = []
  /// The same of the streams that are received.
  public var received: [[Alternative]] = []

  /// No layers, and nothing in several sizes.
  public init() {}

  static let most = 16

  /// Throws `.invalid`.
  public init(_ media: SessionDescription.Media) throws(MediaError) {
    for line in media.values("rid") {
      guard let layer = Layer(parsing: line), layers.count < LayerLines.most, !layers.contains(where: { $0.id == layer.id }) else {
        throw .description("a=rid:\(line.prefix(60)); accepted: name send or name recv, each name once, at most \(LayerLines.most)")
      }
      layers.append(layer)
    }
    guard let line = media.value("simulcast") else { return }
    let parts = line.split(separator: " ")
    var seen: Set<Substring> = []
    for place in stride(from: 0, to: parts.count, by: 2) {
      guard place + 1 < parts.count, ["send", "recv"].contains(parts[place]), seen.insert(parts[place]).inserted,
        let streams = LayerLines.streams(parts[place + 1])
      else { throw .description("a=simulcast:\(line.prefix(60)); accepted: send and recv, each once and with names between ; and ,") }
      if parts[place] == "send" { sent = streams } else { received = streams }
    }
  }

  private static func streams(_ text: Substring) -> [[Alternative]]? {
    let streams = text.split(separator: ";", omittingEmptySubsequences: false).map { stream in
      stream.split(separator: ",", omittingEmptySubsequences: false).map {
        Alternative(String($0.drop { $0 == "~" }), isPaused: $0.hasPrefix("~"))
      }
    }
    return streams.count <= most && streams.allSatisfy({ $0.count <= most && $0.allSatisfy { Layer.isName($0.id) } }) ? streams : nil
  }

  /// a=rid lines, and a=simulcast where something is sent or received.
  public var attributes: [SessionDescription.Attribute] {
    func text(_ streams: [[Alternative]]) -> String {
      streams.map { stream in stream.map { ($0.isPaused ? "~" : "") + $0.id }.joined(separator: ",") }.joined(separator: ";")
    }
    let directions = [("send", sent), ("recv", received)].filter { !$0.1.isEmpty }.map { "\($0.0) \(text($0.1))" }
    return layers.map { .init("rid", $0.text) } + (directions.isEmpty ? [] : [.init("simulcast", directions.joined(separator: " "))])
  }
}

extension LayerLines.Layer {
  static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: "_")
      }
  }

  init?(parsing text: String) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, LayerLines.Layer.isName(String(parts[0])), parts[1] == "send" || parts[1] == "recv" else { return nil }
    self.init(String(parts[0]), isSent: parts[1] == "send")
    for piece in parts.count > 2 ? parts[2].split(separator: ";") : [] {
      let pair = piece.cut(at: UInt8(ascii: "="))
      let name = pair?.before ?? piece
      if name == "pt" {
        let types = (pair?.after ?? "").split(separator: ",", omittingEmptySubsequences: false)
        payloads = types.compactMap { UInt8($0) }.filter { $0 < 128 }
        guard payloads.count == types.count else { return nil }
      } else {
        guard !name.isEmpty else { return nil }
        limits.append(.init(String(name), pair.map { String($0.after) }))
      }
    }
  }

  var text: String {
    let types = payloads.isEmpty ? [] : ["pt=" + payloads.map { "\($0)" }.joined(separator: ",")]
    let limits = types + limits.map { limit in limit.value.map { "\(limit.name)=\($0)" } ?? limit.name }
    return "\(id) \(isSent ? "send" : "recv")" + (limits.isEmpty ? "" : " " + limits.joined(separator: ";"))
  }
}
