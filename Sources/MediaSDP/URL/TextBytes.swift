/// Text by its bytes: whatever combines with a letter of ASCII does not hide it. Swift's own searches for text in text are of a library of regular
/// expressions, which is a tenth of the whole library's size and would be linked for them.
extension Substring {
  /// Before and after the first one; nil: there is none.
  package func cut(at letter: UInt8) -> (before: Substring, after: Substring)? { utf8.firstIndex(of: letter).map { cut($0) } }
  package func cut(atLast letter: UInt8) -> (before: Substring, after: Substring)? { utf8.lastIndex(of: letter).map { cut($0) } }
  private func cut(_ place: Index) -> (before: Substring, after: Substring) { (self[..<place], self[utf8.index(after: place)...]) }
}

extension StringProtocol {
  /// Whether that text is somewhere in it.
  package func has(_ piece: String) -> Bool {
    utf8.indices.contains { utf8[$0...].starts(with: piece.utf8) } || piece.isEmpty
  }
}
