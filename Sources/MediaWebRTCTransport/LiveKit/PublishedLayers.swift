/// The layers of a stream that is sent to a server: those that it takes, and those of them that somebody wants. A value.
struct PublishedLayers {
  /// The smallest first: by what was agreed on.
  var taken: [Bool]
  /// By what the server says; until then all.
  var wanted: [Bool]

  init(count: Int) { (taken, wanted) = ([Bool](repeating: true, count: count), [Bool](repeating: true, count: count)) }

  /// Which are to be sent. A server that takes one sends it to everybody who wants any.
  var active: [Bool] {
    if taken.count > 1, taken.count(where: { $0 }) == 1 { return taken.map { $0 && wanted.contains(true) } }
    return zip(taken, wanted).map { $0 && $1 }
  }
}
