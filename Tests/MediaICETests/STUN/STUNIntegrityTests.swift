import MediaCore
import Testing

@testable import MediaICE

@Suite struct STUNIntegrityTests {
  @Test func theVectorsOfTheStandardAreAuthentic() throws {
    for vector in [Vectors.request, Vectors.response, Vectors.response6] {
      #expect(withMessage(vector) { $0.isAuthentic(password: Vectors.password) && $0.hasFingerprint } == true)
      #expect(withMessage(vector) { $0.isAuthentic(password: Vectors.password + "x") } == false)
    }
    let realm = Array("example.org".utf8)
    let md5 = try #require(STUNKey(user: Vectors.user, realm: realm, password: "TheMatrIX", .sha1))
    #expect(withMessage(Vectors.longTerm) { $0.isAuthentic(md5) && !$0.hasFingerprint } == true)
    let sha256 = try #require(STUNKey(user: Vectors.user, realm: realm, password: "TheMatrIX", .sha256))
    #expect(withMessage(Vectors.longTerm256) { $0.isAuthentic(sha256) && !$0.isAuthentic(md5) } == true)
  }

  @Test(arguments: [STUNKey.Hash.sha1, .sha256]) func everyByteIsProtected(hash: STUNKey.Hash) {
    let key = STUNKey(password: "a password of ICE", hash)
    var writer = STUNWriter(.request, .binding, TransactionID(high: 1, low: 2))
    writer.add(STUNAttribute.username, "abcd:efgh")
    writer.add(STUNAttribute.priority, number: UInt32(77))
    let isProven = writer.addIntegrity(key)
    #expect(isProven)
    #expect(withMessage(writer.bytes) { $0.isAuthentic(key) } == true)
    var authentic = 0
    forEachDamage(of: writer.bytes) { damaged in
      if withMessage(damaged, { $0.isAuthentic(key) }) == true { authentic += 1 }
    }
    #expect(authentic == 0)
    writer.addFingerprint()
    #expect(withMessage(writer.bytes) { $0.isAuthentic(key) && $0.hasFingerprint } == true)
    var fingerprints = 0
    forEachDamage(of: writer.bytes) { damaged in
      if withMessage(damaged, { $0.hasFingerprint }) == true { fingerprints += 1 }
    }
    #expect(fingerprints == 0)
  }

  /// A proof of another size is none, however it begins.
  @Test func proofsThatAreCutTooShortAreNone() {
    let key = STUNKey(password: "p", .sha256)
    for size in [0, 4, 12] {
      var writer = STUNWriter(.request, .binding, TransactionID(high: 1, low: 2))
      writer.add(STUNAttribute.integrity256, [UInt8](repeating: 0, count: size))
      #expect(withMessage(writer.bytes) { $0.isAuthentic(key) } != true)
    }
  }
}
