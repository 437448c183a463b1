import MediaCore

/// Every prefix of a text, and so many copies with bytes changed, taken out, doubled or put elsewhere; the same for a seed.
func spoil(_ text: String, seed: UInt64, count: Int, _ body: (String) -> Void) {
  let valid = Array(text.utf8)
  for end in 0...valid.count { body(String(decoding: valid.prefix(end), as: UTF8.self)) }
  var random = SeededRandom(seed: seed)
  for _ in 0..<count {
    var copy = valid
    for _ in 0..<Int.random(in: 1...4, using: &random) where !copy.isEmpty {
      let place = Int.random(in: 0..<copy.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: copy[place] = UInt8.random(in: 0...255, using: &random)
      case 1: copy[place] = copy[Int.random(in: 0..<copy.count, using: &random)]
      case 2: copy.remove(at: place)
      case 3: copy[place] = UInt8.random(in: 48...57, using: &random)
      case 4:
        let end = min(copy.count, place + Int.random(in: 1...40, using: &random))
        copy.insert(contentsOf: copy[place..<end], at: Int.random(in: 0...copy.count, using: &random))
      default: copy.removeSubrange(place..<min(copy.count, place + Int.random(in: 1...40, using: &random)))
      }
    }
    body(String(decoding: copy, as: UTF8.self))
  }
}
