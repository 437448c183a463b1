import CMediaSDK
import MediaCore

/// What a child that loaded a plugin file tells of it. Writer and reader face each other here:
///
///     mediasdk-scan 1
///     accepted CLASS CLASS...      or      isolated CLASS CLASS...      or      refused CODE WORDS...
///     end
enum ScanAnswer: Equatable {
  case accepted([String])
  /// The same, and one of them would rather run in a process of its own: the file is not to be loaded just to be listed.
  case isolated([String])
  case refused(Status, String)

  static let mostBytes = 65_536
  private static let head = "mediasdk-scan 1"
  private static let tail = "end"

  var text: String {
    switch self {
    case .accepted(let ids): "\(ScanAnswer.head)\naccepted \(ids.joined(separator: " "))\n\(ScanAnswer.tail)\n"
    case .isolated(let ids): "\(ScanAnswer.head)\nisolated \(ids.joined(separator: " "))\n\(ScanAnswer.tail)\n"
    case .refused(let status, let words):
      "\(ScanAnswer.head)\nrefused \(status.rawValue) \(ScanText.oneLine(words, most: 2048))\n\(ScanAnswer.tail)\n"
    }
  }

  /// nil for anything but a whole answer.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= ScanAnswer.mostBytes, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 4, lines[0] == ScanAnswer.head, lines[2] == ScanAnswer.tail, lines[3].isEmpty else { return nil }
    let words = lines[1].split(separator: " ", omittingEmptySubsequences: false)
    switch words.first {
    case "accepted", "isolated":
      let ids = words.dropFirst().map(String.init)
      guard (1...256).contains(ids.count), ids.allSatisfy(ScanAnswer.isID) else { return nil }
      self = words.first == "isolated" ? .isolated(ids) : .accepted(ids)
    case "refused":
      guard words.count > 2, let code = msdk_result(words[1]), let status = Status(rawValue: code) else { return nil }
      self = .refused(status, words.dropFirst(2).joined(separator: " "))
    default: return nil
    }
  }

  static func isID(_ text: String) -> Bool {
    (1...127).contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 46 || $0 == 95 || $0 == 45 }
  }
}

enum ScanText {
  /// Control characters are spaces; what is too long is cut.
  static func oneLine(_ text: String, most: Int) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(most) {
      line.append(scalar.value < 32 || (127..<160).contains(scalar.value) ? " " : scalar)
    }
    return String(line)
  }
}
