import MediaCore

/// What a participant says of themselves: texts by key, which everybody in their room reads.
public struct ParticipantAttributes: Sendable, Equatable {
  static let most = 32
  /// In bytes of UTF-8.
  public static let longestKey = 63
  /// In bytes of UTF-8; checked by the session, not here.
  public static let longestValue = 1023

  private var values: [String: String] = [:]
  /// Counts the changes.
  public private(set) var revision: UInt64 = 0

  /// None, at revision 0.
  public init() {}

  /// Whether nothing is said.
  public var isEmpty: Bool { values.isEmpty }
  /// At most 32.
  public var count: Int { values.count }
  /// In order.
  public var keys: [String] { values.keys.sorted() }
  /// nil when the participant says nothing of that key.
  public subscript(key: String) -> String? { values[key] }

  /// Whether it has 1 to 63 of the characters a-z, 0-9, ".", "_" and "-".
  public static func isKey(_ key: String) -> Bool {
    (1...longestKey).contains(key.utf8.count)
      && key.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  /// Of a caller. nil removes. Whether that changed anything; `.full` when it would be one too many.
  public mutating func set(_ key: String, _ value: String?) throws(MediaError) -> Bool {
    let former = values[key]
    guard let value else {
      values[key] = nil
      revision += former == nil ? 0 : 1
      return former != nil
    }
    // By their bytes: that two texts are drawn in the same way does not make them one.
    if let former, former.utf8.elementsEqual(value.utf8) { return false }
    guard former != nil || values.count < ParticipantAttributes.most else {
      throw MediaError(.full, "the participant already has \(ParticipantAttributes.most) attributes, the maximum")
    }
    values[key] = value
    revision += 1
    return true
  }

  /// What leads from these to others; what is removed comes first.
  func changes(to others: ParticipantAttributes) -> [(key: String, value: String?)] {
    let removed = keys.filter { others[$0] == nil }.map { (key: $0, value: String?.none) }
    let changed = others.keys.filter { key in
      guard let former = self[key], let value = others[key] else { return true }
      return !former.utf8.elementsEqual(value.utf8)
    }
    return removed + changed.map { (key: $0, value: others[$0]) }
  }
}
