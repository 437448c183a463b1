import MediaCore

/// Which media a client's offer has, section by section.
public struct LiveKitOffer: Sendable, Equatable {
  /// One of audio or video.
  public struct Section: Sendable, Equatable {
    /// Its mid.
    public let mid: String
    /// Of video; else of audio.
    public let isVideo: Bool
    /// The client takes media in it.
    public internal(set) var isReceived = true
    /// The client sends media in it.
    public internal(set) var isSent = true
    /// What the client calls the track that it sends: the second part of a=msid (RFC 8830). nil: it does not say.
    public internal(set) var track: String?
    /// The layers in which the client sends it at once (a=rid, RFC 8851), the smallest first; none: it is one.
    public internal(set) var layers: [String] = []
    /// Names of its codecs (a=rtpmap), in small letters.
    public internal(set) var codecs: Set<String> = []
  }

  /// Clients of LiveKit name layers by these, others in their order (a quarter, a half, the whole).
  private static let names = ["q", "h", "f"]

  /// Of a section: as many as browsers have, and more.
  private static let mostCodecs = 64

  /// In the order of the offer; those that were ended (port 0), and those without a mid, are left out.
  public private(set) var sections: [Section] = []

  /// Reads what stands in any description; what is wrong in it is noticed by who answers it.
  public init(_ sdp: String) {
    var (kind, section): (Bool?, Section?) = (nil, nil)
    func value(_ line: Substring, _ name: String) -> String? {
      line.utf8.starts(with: name.utf8) ? String(Substring(line.utf8.dropFirst(name.utf8.count))) : nil
    }
    // Lines may come before that of the mid.
    var (isReceived, isSent, track, layers): (Bool, Bool, String?, [String]) = (true, true, nil, [])
    var codecs: Set<String> = []
    func end() {
      guard var section else { return }
      (section.isReceived, section.isSent, section.track, section.codecs) = (isReceived, isSent, track, codecs)
      let isKnown = layers.allSatisfy { LiveKitOffer.names.contains($0) }
      section.layers = isKnown ? LiveKitOffer.names.filter { layers.contains($0) } : layers
      sections.append(section)
    }
    for line in WHIPDescriptions.lines(of: sdp) {
      if let medium = value(line, "m=") {
        end()
        (kind, section, isReceived, isSent, track, layers, codecs) = (nil, nil, true, true, nil, [], [])
        let words = medium.utf8.split(separator: UInt8(ascii: " "))
        guard words.count > 1, !words[1].elementsEqual("0".utf8) else { continue }
        if words[0].elementsEqual("video".utf8) { kind = true }
        if words[0].elementsEqual("audio".utf8) { kind = false }
      }
      guard let kind else { continue }
      if let mid = value(line, "a=mid:") { section = Section(mid: mid, isVideo: kind) }
      if let text = value(line, "a=msid:") {
        track = text.utf8.split(separator: UInt8(ascii: " ")).dropFirst().first.map { String(Substring($0)) } ?? track
      }
      if let text = value(line, "a=rtpmap:"), codecs.count < LiveKitOffer.mostCodecs {
        let name = text.utf8.split(separator: UInt8(ascii: " ")).dropFirst().first?.prefix { $0 != UInt8(ascii: "/") }
        if let name { codecs.insert(HTTPText.lower(String(Substring(name)))) }
      }
      if let text = value(line, "a=rid:") {
        let words = text.utf8.split(separator: UInt8(ascii: " "))
        if words.count > 1, words[1].elementsEqual("send".utf8), layers.count < 3 { layers.append(String(Substring(words[0]))) }
      }
      switch line {
      case "a=recvonly": (isReceived, isSent) = (true, false)
      case "a=sendonly": (isReceived, isSent) = (false, true)
      case "a=inactive": (isReceived, isSent) = (false, false)
      default: break
      }
    }
    end()
  }
}
