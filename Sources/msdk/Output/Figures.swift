import MediaCore

/// What is told at the end, as a table.
struct Figures {
  private var rows: [(name: String, value: String)] = []

  mutating func add(_ name: String, _ count: some BinaryInteger) {
    rows.append((name, "\(count)"))
  }

  mutating func add(_ name: String, _ text: String) {
    rows.append((name, Terminal.oneLine(text)))
  }

  mutating func add(_ name: String, _ number: Double?, digits: Int, _ unit: String) {
    rows.append((name, number.map { "\($0.text(digits: digits)) \(unit)" } ?? "unknown"))
  }

  var text: String {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    return rows.map { "\("\($0.name):".padded(to: width))\($0.value)" }.joined(separator: "\n")
  }
}
