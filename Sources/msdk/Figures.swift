import MediaCore

/// What is told at the end: as a table, or as one object of JSON whose names have _ for spaces.
struct Figures {
  private var rows: [(name: String, value: JSON, unit: String)] = []

  mutating func add(_ name: String, _ count: some BinaryInteger, _ unit: String = "") {
    rows.append((name, .whole(count), unit))
  }

  mutating func add(_ name: String, _ text: String) {
    rows.append((name, .text(text), ""))
  }

  /// nil is told in JSON only.
  mutating func add(_ name: String, _ number: Double?, digits: Int, _ unit: String) {
    rows.append((name, number.map { .number(Double($0.text(digits: digits)) ?? $0) } ?? .null, unit))
  }

  var json: JSON { .object(rows.map { (String($0.name.map { $0 == " " ? "_" : $0 }), $0.value) }) }

  var text: String {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    return rows.compactMap { row in
      let value: String
      switch row.value {
      case .integer(let count): value = "\(count)"
      case .number(let number): value = "\(number)"
      case .text(let text): value = Terminal.oneLine(text)
      default: return nil
      }
      return "\("\(row.name):".padded(to: width))\(value)\(row.unit.isEmpty ? "" : " \(row.unit)")"
    }.joined(separator: "\n")
  }
}
