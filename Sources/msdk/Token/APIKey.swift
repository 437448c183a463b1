import Glibc
import MediaCore

/// The name and the secret of a server's API key. The secret never stands on a command line, where every user of the machine reads it.
struct APIKey {
  let name: String
  let secret: String

  /// Of a file of one line, KEY SECRET or KEY: SECRET.
  init(reading path: String) throws(MediaError) {
    let words = String(decoding: try FileReader.bytes(of: path, most: 4096), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { throw MediaError(.corrupt, "\(path) is not one line of the form KEY: SECRET") }
    name = String(words[0].hasSuffix(":") ? words[0].dropLast() : words[0])
    secret = String(words[1])
  }

  /// Of MSDK_API_KEY and MSDK_API_SECRET.
  init() throws(MediaError) {
    func variable(_ name: String) throws(MediaError) -> String {
      guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else {
        throw MediaError(.invalid, "\(name) is not set in the environment; accepted: MSDK_API_KEY and MSDK_API_SECRET, or --api-key FILE")
      }
      return value
    }
    name = try variable("MSDK_API_KEY")
    secret = try variable("MSDK_API_SECRET")
  }
}
