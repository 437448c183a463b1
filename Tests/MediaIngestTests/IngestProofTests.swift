import Testing

@testable import MediaIngest

struct IngestProofTests {
  /// Computed by another implementation: Python's hmac over the transcript that feeder.h describes.
  @Test func proofsAreThoseOfTheHeader() throws {
    for (route, role, proof) in [
      (
        .unix, .session,
        [
          0xcc, 0xb1, 0x8e, 0x07, 0xf0, 0xe3, 0x49, 0x77, 0xca, 0x03, 0xa3, 0x7e, 0xf3, 0xfe, 0xda, 0x89,
          0x1e, 0x49, 0x7d, 0x6b, 0xce, 0x7e, 0x4f, 0xdd, 0xad, 0xe9, 0x68, 0x25, 0x4d, 0xce, 0x80, 0xe9
        ]
      ),
      (
        .unix, .feeder,
        [
          0x60, 0x2a, 0x97, 0x71, 0xf1, 0x7b, 0xa3, 0xca, 0xd4, 0x61, 0x4c, 0x7d, 0xf8, 0x8d, 0x15, 0xab,
          0xf8, 0xbe, 0xcd, 0x98, 0x8a, 0xb7, 0x52, 0x27, 0x88, 0x2f, 0xb2, 0xc7, 0xdb, 0xf2, 0x60, 0x1d
        ]
      ),
      (
        FeederBytes.tcp, .session,
        [
          0x3f, 0x84, 0xb0, 0x70, 0xa8, 0xff, 0x80, 0xb1, 0x1b, 0x42, 0x57, 0xf2, 0x08, 0xaa, 0xf3, 0xf3,
          0x0e, 0xee, 0xc1, 0x7a, 0x12, 0xd1, 0x38, 0x40, 0x86, 0x1f, 0x6d, 0x63, 0xd1, 0x45, 0xbe, 0xf4
        ]
      ),
      (
        FeederBytes.tcp, .feeder,
        [
          0x36, 0x21, 0x6e, 0xa0, 0x44, 0xdc, 0xcd, 0xa9, 0x58, 0x5b, 0x86, 0x10, 0xa3, 0x90, 0x08, 0xf9,
          0xb4, 0x7c, 0x74, 0xb8, 0xb3, 0xa8, 0x2d, 0xce, 0xbb, 0x47, 0xd3, 0xcc, 0xb8, 0x54, 0x00, 0xf8
        ]
      )
    ] as [(IngestRoute, IngestProof.Role, [UInt8])] {
      let token = role == .session ? FeederBytes.reception : FeederBytes.transmission
      #expect(try Array(FeederBytes.proof(of: token, by: role, route).dropFirst(8)) == proof)
    }
  }

  /// HMAC fills keys up with zeros, and hashes those of more than a block: tokens that are the same key to it must not be the same token.
  @Test func tokensThatAreOneKeyToHMACAreNotOneToken() throws {
    let token = [UInt8](repeating: 9, count: 20)
    let proof = try FeederBytes.proof(of: token)
    for count in 1...44 { #expect(try FeederBytes.proof(of: token + [UInt8](repeating: 0, count: count)) != proof) }
    let zeros = [UInt8](repeating: 0, count: 16)
    #expect(try FeederBytes.proof(of: zeros) != FeederBytes.proof(of: zeros + [0]))
    let long = [UInt8](repeating: 3, count: 200)
    #expect(try FeederBytes.proof(of: long) == FeederBytes.proof(of: long))
    #expect(try FeederBytes.proof(of: long) != FeederBytes.proof(of: long.dropLast()))
  }

  @Test func noncesAreNotUsedTwice() {
    let nonces = (0..<1000).map { _ in IngestProof.freshNonce() }
    #expect(nonces.allSatisfy { $0.count == 32 })
    #expect(Set(nonces).count == nonces.count)
  }
}
