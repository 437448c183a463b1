import Glibc

/// Names of files that begin with what is there, for words that the shells cannot complete: the file stands after a colon or an equals sign.
enum DirectoryLook {
  private static let most = 1000

  static func candidates(for word: String, onlyDirectories: Bool) -> [Completion.Candidate] {
    let slash = word.lastIndex(of: "/")
    let directory = slash.map { String(word[...$0]) } ?? ""
    let beginning = slash.map { word[word.index(after: $0)...] } ?? word[...]
    guard let list = opendir(directory.isEmpty ? "." : directory) else { return [] }
    defer { closedir(list) }
    var found: [String] = []
    while found.count < most, let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasPrefix(beginning), name != ".", name != "..", !name.hasPrefix(".") || beginning.hasPrefix(".") else { continue }
      var status = stat()
      let isDirectory = stat("\(directory)\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      if isDirectory || !onlyDirectories { found.append("\(directory)\(name)\(isDirectory ? "/" : "")") }
    }
    return found.sorted().map { Completion.Candidate(text: $0) }
  }
}
