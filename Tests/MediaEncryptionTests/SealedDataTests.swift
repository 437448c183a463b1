import MediaCore
import Testing

@testable import MediaEncryption

/// Data that a sealer made, and other, opened.
@Suite final class SealedDataTests {
  private let ring = FrameKeyRing(of: "anna")
  private let elsewhere = FrameKeyRing(of: "bert")
  /// What was opened, or else what was said of it.
  private let results = Monitor([String]())
  /// Keys that are to be derived.
  private let derivations = Monitor([@Sendable () -> Void]())

  private func key(_ text: String) throws -> FrameKey { try FrameKey(Array(text.utf8), argument: "key") }

  private func sealer() -> DataSealer { DataSealer(ring, random: SystemRandomNumberGenerator()) }

  private func opener() -> DataOpener {
    DataOpener(elsewhere, of: "anna") { [derivations] job in
      derivations.withLock { $0.append(job) }
    } done: { [results] sealed, opened in
      let text =
        switch opened {
        case .success(.opened(let bytes)): String(decoding: bytes, as: UTF8.self)
        case .success(.noKey): "no key \(sealed.index)"
        case .success(.notAuthentic): "not authentic"
        case .failure(let error): error.text
        }
      results.withLock { $0.append(text) }
    }
  }

  private func sealed(_ text: String, by sealer: DataSealer) throws -> DataOpener.Sealed {
    let (bytes, nonce, index) = try #require(try sealer.seal(Array(text.utf8)))
    return DataOpener.Sealed(bytes, nonce: nonce, index: UInt32(index), isLossy: false)
  }

  private func takeResults() -> [String] {
    results.withLock { results in
      defer { results = [] }
      return results
    }
  }

  private func derive() -> Int {
    let jobs = derivations.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in jobs { job() }
    return jobs.count
  }

  /// Made by Python's cryptography, of a nonce of its own.
  @Test func dataOfAnotherProgramIsOpened() throws {
    try elsewhere.set(try key("correct horse"), of: nil, index: 3)
    let text = "492c689625ea7755ae20139b55d816729d80fe85f3"
    let digits = Array(text.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)! }
    _ = opener().take(DataOpener.Sealed(bytes, nonce: Array(100..<112), index: 3, isLossy: true))
    #expect(takeResults() == ["hello"])
  }

  @Test func whatIsSealedIsOpened() throws {
    for ring in [ring, elsewhere] { try ring.set(try key("k"), of: "anna", index: 2) }
    ring.select(2)
    let (sealer, opener) = (sealer(), opener())
    var nonces: Set<[UInt8]> = []
    for text in ["", "a", String(repeating: "x", count: 15_000)] {
      let (bytes, nonce, index) = try #require(try sealer.seal(Array(text.utf8)))
      #expect(bytes.count == text.utf8.count + 16 && index == 2)
      nonces.insert(nonce)
      #expect(opener.take(DataOpener.Sealed(bytes, nonce: nonce, index: 2, isLossy: false)))
      #expect(takeResults() == [text])
    }
    #expect(nonces.count == 3)
  }

  @Test func whatIsChangedOrCutIsNotOpened() throws {
    for ring in [ring, elsewhere] { try ring.set(try key("k"), of: nil, index: 0) }
    let (bytes, nonce, _) = try #require(try sealer().seal([1, 2, 3]))
    let opener = opener()
    func result(_ bytes: [UInt8], _ nonce: [UInt8], _ index: UInt32 = 0) -> [String] {
      _ = opener.take(DataOpener.Sealed(bytes, nonce: nonce, index: index, isLossy: false))
      while derive() > 0 {}
      return takeResults()
    }
    for place in bytes.indices {
      var other = bytes
      other[place] ^= 1
      #expect(result(other, nonce) == ["not authentic"])
    }
    for place in nonce.indices {
      var other = nonce
      other[place] ^= 1
      #expect(result(bytes, other) == ["not authentic"])
    }
    for count in 0..<bytes.count { #expect(result(Array(bytes.prefix(count)), nonce) == ["not authentic"]) }
    for other in [[], Array(nonce.dropLast()), nonce + [0]] { #expect(result(bytes, other) == ["not authentic"]) }
    #expect(result(bytes, nonce, 16) == ["not authentic"] && result(bytes, nonce, .max) == ["not authentic"])
    #expect(result(bytes, nonce, 1) == ["no key 1"])
    #expect(result(bytes, nonce) == ["\u{1}\u{2}\u{3}"])
  }

  @Test func withoutAKeyNothingIsSealedOrOpened() throws {
    let (sealer, opener) = (sealer(), opener())
    #expect(try sealer.seal([1]) == nil)
    try ring.set(try key("k"), of: nil, index: 0)
    let data = try sealed("x", by: sealer)
    #expect(opener.take(data) && takeResults() == ["no key 0"])
    try elsewhere.set(try key("k"), of: nil, index: 0)
    #expect(opener.take(data) && takeResults() == ["x"])
  }

  /// A sender who ratchets their key loses nothing: what comes waits until the receiver has derived the key, and stays in order.
  @Test func dataWaitsForAKeyThatIsBeingDerived() throws {
    let start = try key("start")
    for ring in [ring, elsewhere] { try ring.set(start, of: nil, index: 0) }
    let (sealer, opener) = (sealer(), opener())
    #expect(opener.take(try sealed("1", by: sealer)))
    try ring.set(try start.ratcheted().ratcheted(), of: nil, index: 0)
    for text in ["2", "3"] { #expect(opener.take(try sealed(text, by: sealer))) }
    #expect(takeResults() == ["1"])
    let first = derive()
    #expect(opener.take(try sealed("4", by: sealer)) && takeResults() == [])
    let second = derive()
    #expect(first == 1 && second == 1 && takeResults() == ["2", "3", "4"])
    #expect(opener.take(try sealed("5", by: sealer)) && takeResults() == ["5"])
    // Of another key: it is given up when enough were tried, and what comes after is opened.
    let keys = FrameKeyRing(of: "anna")
    try keys.set(try key("another"), of: nil, index: 0)
    #expect(opener.take(try sealed("6", by: DataSealer(keys, random: SystemRandomNumberGenerator()))))
    #expect(opener.take(try sealed("7", by: sealer)) && takeResults() == [])
    var count = 0
    while derive() > 0 { count += 1 }
    #expect(count == OpeningKeys.window && takeResults() == ["not authentic", "7"])
  }

  @Test func whatWaitsIsBounded() throws {
    for (ring, text) in [(ring, "a"), (elsewhere, "b")] { try ring.set(try key(text), of: nil, index: 0) }
    let (sealer, opener) = (sealer(), opener())
    let data = try sealed("x", by: sealer)
    for _ in 0..<DataOpener.mostWaiting { #expect(opener.take(data)) }
    #expect(!opener.take(data))
    while derive() > 0 {}
    #expect(takeResults().count == DataOpener.mostWaiting)
    let other = self.opener()
    let long = try sealed(String(repeating: "x", count: DataOpener.mostWaitingBytes / 2), by: sealer)
    #expect(other.take(long) && !other.take(long))
    // One is opened, however long it is.
    let longest = try sealed(String(repeating: "x", count: 2 * DataOpener.mostWaitingBytes), by: sealer)
    #expect(self.opener().take(longest))
  }
}
