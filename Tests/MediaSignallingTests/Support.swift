import MediaCore

@testable import MediaSignalling

let second: Int64 = 1_000_000_000

/// In pieces of random sizes, small ones mostly.
func inPieces(_ bytes: [UInt8], _ random: inout SeededRandom, _ body: (UnsafeRawBufferPointer) -> Void) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let size = Bool.random(using: &random) ? Int.random(in: 1...4, using: &random) : Int.random(in: 1...200, using: &random)
    Array(rest.prefix(size)).withUnsafeBytes(body)
    rest = rest.dropFirst(size)
  }
}

/// Each division of them in two, and all in pieces of one.
func everyCut(_ bytes: [UInt8], _ body: ([[UInt8]]) throws -> Void) rethrows {
  for place in 0...bytes.count { try body([Array(bytes[..<place]), Array(bytes[place...])]) }
  try body(bytes.map { [$0] })
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func refusal(_ body: () throws -> Void) -> MediaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MediaError
  }
}

extension HTTPServerConnection {
  func receive(_ text: String, now: Int64 = 0) { Array(text.utf8).withUnsafeBytes { receive($0, now: now) } }

  func events() -> [Event] {
    var found: [Event] = []
    while let event = takeEvent() { found.append(event) }
    return found
  }

  func written() -> [UInt8] {
    var bytes: [UInt8] = []
    takeOutput(&bytes)
    return bytes
  }
}

extension HTTPClientConnection {
  func receive(_ text: String, now: Int64 = 0) { Array(text.utf8).withUnsafeBytes { receive($0, now: now) } }

  func events() -> [Event] {
    var found: [Event] = []
    while let event = takeEvent() { found.append(event) }
    return found
  }

  func written() -> [UInt8] {
    var bytes: [UInt8] = []
    takeOutput(&bytes)
    return bytes
  }
}
