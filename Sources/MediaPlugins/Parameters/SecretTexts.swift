import MediaCore

/// The secrets that an instance was given, to be taken out of all that it says: plugins log addresses with the token still in them.
package final class SecretTexts: Sendable {
  private static let most = 32
  /// The beginning of a secret that is left at the end of a text that was cut counts from so many bytes on.
  private static let leastRest = 4
  private static let mask = Array("(secret)".utf8)
  /// Where the beginning of a text was cut off: the end of a secret may follow.
  package static let cut = "\u{2026}"

  private let held = Monitor<[[UInt8]]>([])

  init(_ parameters: [ParameterDescriptor]) {
    for parameter in parameters where parameter.isSecret { add(parameter.defaultValue) }
  }

  /// As the value would be written in a text. Former ones stay, as far as there is room.
  func add(_ value: ParameterValue) {
    let text: [UInt8]
    switch value {
    case .bool: return
    case .string(let string): text = Array(string.utf8)
    case .bytes(let bytes): text = bytes
    default: text = value == value.type.empty ? [] : Array(value.description.utf8)
    }
    guard !text.isEmpty else { return }
    held.withLock { secrets in
      secrets.removeAll { $0 == text }
      secrets.append(text)
      if secrets.count > SecretTexts.most { secrets.removeFirst() }
    }
  }

  func redacted(_ text: String) -> String {
    let secrets = held.withLock { $0 }
    guard !secrets.isEmpty else { return text }
    // Longer ones first: a shorter one may be part of them.
    return secrets.sorted { $0.count > $1.count }.reduce(text) { SecretTexts.replace($1, in: $0) }
  }

  private static func replace(_ secret: [UInt8], in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    let cut = Array(SecretTexts.cut.utf8)
    while index < bytes.count {
      let rest = bytes[index...]
      if rest.starts(with: cut) {
        result += cut
        index += cut.count
        let ends = stride(from: secret.count - 1, through: leastRest, by: -1).lazy.map { secret.suffix($0) }
        guard let end = ends.first(where: { bytes[index...].starts(with: $0) }) else { continue }
        result += mask
        index += end.count
      } else if rest.starts(with: secret) {
        result += mask
        index += secret.count
      } else if rest.count >= leastRest, rest.count < secret.count, secret.starts(with: rest) {
        return String(decoding: result + mask, as: UTF8.self)
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result.count == bytes.count && result == bytes ? text : String(decoding: result, as: UTF8.self)
  }
}
