/// What somebody meant who mistyped a name.
enum Suggestion {
  /// "; did you mean testpattern?", or nothing when no name is near. Goes behind the sentence that says what is wrong.
  static func text(for word: String, among names: [String]) -> String {
    nearest(to: word, among: names).map { "; did you mean \($0)?" } ?? ""
  }

  /// The name that the fewest changed letters make of the word: one for each three letters of the word, and always one.
  static func nearest(to word: String, among names: [String]) -> String? {
    let most = max(1, word.count / 3)
    let near = names.map { (name: $0, distance: distance(Array(word.lowercased()), Array($0.lowercased()))) }
    return near.filter { $0.distance <= most }.min { $0.distance < $1.distance }?.name
  }

  /// Letters to insert, remove, change, or exchange with the next one.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, wanted) in other.enumerated() {
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == wanted ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], wanted == one[row - 1] { cost = min(cost, beforeLast[column - 1] + 1) }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }
}
