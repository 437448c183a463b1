import MediaCore
import MediaRTP

/// Header extensions in descriptions (a=extmap, RFC 8285, section 5). What both ends do has the numbers of the offer.
extension ExtensionMap {
  /// What each extension is called in descriptions (its URI), in the order in which they are written.
  public static var known: [(uri: String, field: WritableKeyPath<ExtensionMap, UInt8>)] {
    [
      // RFC 9143, section 15.
      ("urn:ietf:params:rtp-hdrext:sdes:mid", \.mid),
      // RFC 8852, section 4.
      ("urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id", \.rid),
      ("urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id", \.repairedRID),
      // RFC 6464.
      ("urn:ietf:params:rtp-hdrext:ssrc-audio-level", \.audioLevel),
      // libwebrtc's, described with REMB (draft-alvestrand-rmcat-remb-03).
      ("http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time", \.absoluteSendTime),
      ("http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01", \.transportSequence),
      // 3GPP TS 26.114, section 7.4.5: coordination of video orientation.
      ("urn:3gpp:video-orientation", \.orientation),
      // libwebrtc's.
      ("http://www.webrtc.org/experiments/rtp-hdrext/color-space", \.colorSpace),
      ("http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time", \.captureTime)
    ]
  }

  /// Takes an a=extmap line of an extension that is known here.
  mutating func read(_ line: String) {
    guard let (id, uri) = ExtensionMap.pair(line), let (_, field) = ExtensionMap.known.first(where: { $0.uri == uri }) else { return }
    self[keyPath: field] = id
  }

  private static func pair(_ line: String) -> (id: UInt8, uri: Substring)? {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, let number = parts[0].split(separator: "/").first, let id = UInt8(number), id > 0 else { return nil }
    return (id, parts[1])
  }

  /// What each id means in a medium, also of extensions that are not known here, of which none may have the same id. Throws `.invalid` for an id with
  /// two meanings.
  public static func names(in media: SessionDescription.Media, of session: SessionDescription) throws(MediaError) -> [UInt8: String] {
    var names: [UInt8: String] = [:]
    for line in media.values("extmap") + session.values("extmap") {
      guard let (id, uri) = pair(line) else { continue }
      guard names[id] == nil || names[id] == String(uri) else {
        throw .description("a=extmap:\(id) has two meanings in m=\(media.kind.prefix(20)); accepted: one for each id")
      }
      names[id] = String(uri)
    }
    return names
  }

  var lines: [String] { ExtensionMap.known.compactMap { self[keyPath: $0.field] == 0 ? nil : "\(self[keyPath: $0.field]) \($0.uri)" } }

  /// Those for which that holds of the numbers here and there.
  func filtered(with other: ExtensionMap, _ isKept: (UInt8, UInt8) -> Bool) -> ExtensionMap {
    var map = self
    for (_, field) in ExtensionMap.known where !isKept(self[keyPath: field], other[keyPath: field]) { map[keyPath: field] = 0 }
    return map
  }

  /// The media of a port have one meaning for each number (RFC 9143, section 9.2). Throws `.invalid`.
  public mutating func join(_ other: ExtensionMap) throws(MediaError) {
    for (_, field) in ExtensionMap.known where other[keyPath: field] != 0 {
      guard self[keyPath: field] == 0 || self[keyPath: field] == other[keyPath: field] else {
        throw .description(
          "media that share a port have two numbers for a header extension, \(self[keyPath: field]) and \(other[keyPath: field]); accepted: one"
        )
      }
      self[keyPath: field] = other[keyPath: field]
    }
  }

  /// Throws `.invalid` for a number with two meanings, and for 15, which has another meaning in packets.
  public func check() throws(MediaError) {
    let numbers = ExtensionMap.known.map { self[keyPath: $0.field] }.filter { $0 != 0 }
    guard Set(numbers).count == numbers.count, !numbers.contains(15) else {
      throw .description(
        "header extensions have the numbers \(numbers.map { "\($0)" }.joined(separator: ", ")); accepted: 1..14 or 16..255, each once")
    }
  }
}
