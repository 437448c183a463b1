import MediaCore
import Testing

@testable import MediaICE

@Suite struct TURNCredentialsTests {
  private func learn(_ credentials: inout TURNCredentials, realm: [UInt8]?, nonce: [UInt8]?, algorithms: [UInt8]? = nil) -> Bool {
    var writer = STUNWriter(.failure, .allocate, TransactionID(high: 1, low: 2))
    writer.add(errorCode: 401, "")
    if let realm { writer.add(STUNAttribute.realm, realm) }
    if let nonce { writer.add(STUNAttribute.nonce, nonce) }
    if let algorithms { writer.add(STUNAttribute.passwordAlgorithms, algorithms) }
    return withMessage(writer.bytes) { credentials.learn(from: $0) } ?? false
  }

  @Test func whatIsMissingOrTooLongIsNotUsed() {
    var credentials = TURNCredentials(user: "u", password: "p")
    let long = [UInt8](repeating: 65, count: TURNCredentials.longest + 1)
    #expect(!learn(&credentials, realm: nil, nonce: [1]) && !learn(&credentials, realm: [1], nonce: nil))
    #expect(!learn(&credentials, realm: [], nonce: [1]) && !learn(&credentials, realm: [1], nonce: []))
    #expect(!learn(&credentials, realm: long, nonce: [1]) && !learn(&credentials, realm: [1], nonce: long) && credentials.key == nil)
    #expect(learn(&credentials, realm: [1], nonce: [1]) && credentials.key?.hash == .sha1)
    // Another nonce of the same realm.
    #expect(learn(&credentials, realm: nil, nonce: [2]))
  }

  @Test func theHashIsTheBestThatIsOffered() {
    for (algorithms, hash) in [
      ([0, 1, 0, 0], .sha1), ([0, 2, 0, 0], .sha256), ([0, 1, 0, 0, 0, 2, 0, 0], .sha256), ([0, 9, 0, 1, 7, 0, 0, 0, 0, 2, 0, 0], .sha256),
      ([0, 9, 0xFF, 0xFF, 0, 2, 0, 0], .sha1), ([0, 2], .sha1)
    ] as [([UInt8], STUNKey.Hash)] {
      var credentials = TURNCredentials(user: "u", password: "p")
      #expect(learn(&credentials, realm: [1], nonce: [1], algorithms: algorithms) && credentials.key?.hash == hash, "\(algorithms)")
    }
  }

  @Test func aPromiseOfANonceIsHeld() {
    for (nonce, isPromise) in [
      ("obMatJos2AAAA", false), ("obMatJos2AAAB", true), ("obMatJos2gAAA", true), ("obMatJos2AAAC", false), ("obMatJos2AAA", false),
      ("another nonce", false), ("obMatJos2AAA/", true)
    ] {
      var credentials = TURNCredentials(user: "u", password: "p")
      #expect(learn(&credentials, realm: [1], nonce: Array(nonce.utf8)) == !isPromise, "\(nonce)")
    }
  }

  @Test func aRequestIsSignedWithWhatWasLearnt() {
    var credentials = TURNCredentials(user: "u", password: "p")
    var plain = STUNWriter(.request, .allocate, TransactionID(high: 1, low: 2))
    #expect(credentials.sign(&plain) && plain.bytes.count == STUNMessage.headerSize)
    let isLearnt = learn(&credentials, realm: [7], nonce: [8], algorithms: [0, 2, 0, 0])
    var signed = STUNWriter(.request, .allocate, TransactionID(high: 1, low: 2))
    #expect(isLearnt && credentials.sign(&signed))
    let isRight = withMessage(signed.bytes) { message in
      message.value(STUNAttribute.nonce).map { Array($0) } == [8] && message.has(STUNAttribute.passwordAlgorithms)
        && message.has(STUNAttribute.passwordAlgorithm) && credentials.key.map { message.isAuthentic($0) } == true && message.integrity == 0
    }
    #expect(isRight == true)
  }
}
