import MediaCore
import MediaSDP

/// The keys of SRTP, which never stand on a command line: there every user of the machine reads them. Two lines of base64, what protects what is
/// sent and what protects what comes. Nothing of them is ever told.
struct KeyFile {
  let own: [UInt8]
  let theirs: [UInt8]

  init(reading path: String) throws(MediaError) {
    let text = String(decoding: try FileReader.bytes(of: path, most: 4096), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count == 2 else {
      throw MediaError(
        .corrupt, "\(path) has \(lines.count) lines; accepted: two of base64, the key for what is sent and the key for what is received")
    }
    own = try KeyFile.decode(lines[0], "1", path)
    theirs = try KeyFile.decode(lines[1], "2", path)
  }

  private static func decode(_ line: Substring, _ number: String, _ path: String) throws(MediaError) -> [UInt8] {
    guard let key = Base64.decode(line.filter { !$0.isWhitespace }) else {
      throw MediaError(.corrupt, "line \(number) of \(path) is not base64 (RFC 4648)")
    }
    return key
  }
}
