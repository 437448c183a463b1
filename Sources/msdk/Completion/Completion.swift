import MediaCore

/// What one word of a command line may become. The shells' scripts print it as it is written here: what kind it is, then a line for each
/// candidate, a tab and what it stands for.
struct Completion {
  enum Kind: String {
    /// The shell completes the names of files, or of directories.
    case files
    case directories
    /// The candidates are whole words.
    case words
    /// A candidate may go on: no space follows it.
    case open
  }

  struct Candidate {
    let text: String
    var summary = ""
  }

  var kind: Kind
  var candidates: [Candidate] = []

  static let nothing = Completion(kind: .words)
  static let files = Completion(kind: .files)
  static let directories = Completion(kind: .directories)

  static func words(_ texts: [String]) -> Completion { Completion(kind: .words, candidates: texts.map { Candidate(text: $0) }) }
  static func open(_ texts: [String]) -> Completion { Completion(kind: .open, candidates: texts.map { Candidate(text: $0) }) }

  /// Those that begin with what is there already, each once.
  func beginning(with word: String) -> Completion {
    var seen = Set<String>()
    return Completion(kind: kind, candidates: candidates.filter { $0.text.hasPrefix(word) && seen.insert($0.text).inserted })
  }

  /// After what is there before them. What the shell would do by itself is done here then: it knows where a word begins, and no more.
  func after(_ prefix: String, of word: String) -> Completion {
    var completion = self
    if kind == .files || kind == .directories {
      completion = Completion(kind: .open, candidates: DirectoryLook.candidates(for: word, onlyDirectories: kind == .directories))
    }
    completion.candidates = completion.candidates.map { Candidate(text: prefix + $0.text, summary: $0.summary) }
    return completion
  }

  var lines: [String] {
    [kind.rawValue]
      + candidates.map { $0.summary.isEmpty ? Terminal.oneLine($0.text) : "\(Terminal.oneLine($0.text))\t\(Terminal.oneLine($0.summary))" }
  }
}
