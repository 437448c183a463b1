/// A screen that is too full to leave in time is sent coarsely first, and then ever finer, some rows of macroblocks at a time. Which they
/// are; pure.
struct RowRefinement {
  enum Level: Int, Comparable {
    /// As good as nothing can be read.
    case blurred
    case coarse
    case sharp

    static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// Rows to send next, and how finely.
  struct Part: Equatable {
    var rows: [Bool]
    var level: Level
  }

  /// What each row showed when it was last sent, and how well.
  private var shown: [UInt64]
  private var levels: [Level]
  private(set) var isCoarse = false
  /// That one takes when it is sent coarsely, and sharply.
  private var bytesPerRow = (coarse: 4096.0, sharp: 4096.0)

  init(rows: Int) {
    shown = [UInt64](repeating: 0, count: rows)
    levels = [Level](repeating: .blurred, count: rows)
  }

  var rows: Int { shown.count }

  /// All of it would take, or took, so much at that level.
  mutating func measured(_ level: Level, bytes: Int, rows count: Int? = nil) {
    let each = max(64, Double(bytes) / Double(max(1, count ?? rows)))
    if level == .sharp { bytesPerRow.sharp = each } else { bytesPerRow.coarse = each }
  }

  /// A key frame was sent of which so many rows, from the top on, can be read.
  mutating func sentCoarsely(_ hashes: [UInt64], readable: Int) {
    shown = hashes
    for row in levels.indices { levels[row] = row < readable ? .coarse : .blurred }
    isCoarse = true
  }

  /// All of it was sent as ever.
  mutating func sentWhole() {
    for row in levels.indices { levels[row] = .sharp }
    isCoarse = false
  }

  /// Whether that very picture has been sent sharply.
  func shows(_ hashes: [UInt64]) -> Bool { shown == hashes && levels.allSatisfy { $0 == .sharp } }

  /// The rows that changed, and from the top on as many of the others as there is room for, one at least: first until all can be read, then
  /// until all is sharp. nil: more has changed than there is room for.
  func next(_ hashes: [UInt64], room bytes: Int) -> Part? {
    let level: Level = levels.contains(.blurred) ? .coarse : .sharp
    var part = zip(hashes, shown).map { $0 != $1 }
    let changed = part.count { $0 }
    let room = max(1, Int(min(Double(rows), Double(bytes) / (level == .sharp ? bytesPerRow.sharp : bytesPerRow.coarse))))
    guard changed <= max(room, 2) else { return nil }
    var left = max(room - changed, changed == 0 ? 1 : 0)
    for row in part.indices where left > 0 && levels[row] < level && !part[row] {
      part[row] = true
      left -= 1
    }
    return Part(rows: part, level: level)
  }

  mutating func sent(_ part: Part, _ hashes: [UInt64], bytes: Int) {
    for row in part.rows.indices where part.rows[row] { (shown[row], levels[row]) = (hashes[row], part.level) }
    // Rows differ: after an empty one the next part is not to be many times too large.
    let (count, former) = (part.rows.count { $0 }, part.level == .sharp ? bytesPerRow.sharp : bytesPerRow.coarse)
    measured(part.level, bytes: max(bytes, Int(former / 2) * count), rows: count)
    isCoarse = levels.contains { $0 != .sharp }
  }
}
