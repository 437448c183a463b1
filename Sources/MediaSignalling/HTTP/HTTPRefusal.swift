import MediaCore

/// Why a message is not taken.
struct HTTPRefusal: Error {
  /// What a server answers.
  let status: Int
  let error: MediaError

  /// What is no HTTP, or could be read in two senses.
  static func malformed(_ what: String) -> HTTPRefusal { HTTPRefusal(status: 400, error: MediaError(.corrupt, "HTTP: \(what)")) }

  /// What is longer than accepted.
  static func tooLarge(_ status: Int, _ what: String, _ most: Int) -> HTTPRefusal {
    HTTPRefusal(status: status, error: MediaError(.limit, "HTTP: \(what); accepted: at most \(most)"))
  }

  static func unsupported(_ status: Int, _ what: String) -> HTTPRefusal {
    HTTPRefusal(status: status, error: MediaError(.unsupported, "HTTP: \(what)"))
  }
}
