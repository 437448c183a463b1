import MediaCore
import Testing

@testable import MediaIngest

struct IngestTokenTests {
  private func matches(_ token: [UInt8], _ given: [UInt8]) throws -> Bool {
    let token = try IngestToken(token, argument: "token")
    return given.withUnsafeBytes { token.matches($0) }
  }

  @Test func onlyTheSameBytesMatch() throws {
    let token: [UInt8] = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0]
    #expect(try matches(token, token))
    for index in token.indices {
      for bit in 0..<8 {
        var other = token
        other[index] ^= 1 << UInt8(bit)
        #expect(try !matches(token, other))
      }
    }
  }

  /// NULs at the end are bytes like others, although shorter tokens are filled up with them inside.
  @Test func lengthMatters() throws {
    let token = [UInt8](repeating: 0, count: 20)
    for count in 0...300 { #expect(try matches(token, [UInt8](repeating: 0, count: count)) == (count == 20)) }
    let longest = [UInt8](repeating: 7, count: 255)
    #expect(try matches(longest, longest))
    #expect(try !matches(longest, longest + [7]))
  }

  @Test func sizesAreChecked() {
    for count in [0, 15, 256, 1000] {
      #expect(throws: MediaError.self) { try IngestToken([UInt8](repeating: 1, count: count), argument: "token") }
    }
  }

  @Test func bothTokensMustDiffer() throws {
    let token = try IngestToken(FeederBytes.transmission, argument: "token")
    #expect(throws: MediaError.self) {
      try IngestRules(transmission: token, reception: token, limits: .conference, frameRate: FrameRate(15))
    }
  }

  @Test func largestPayloadIsThatOfTheLimits() throws {
    #expect(try FeederBytes.rules(limits: .conference).largestPayload < 25_000_000)
    #expect(try FeederBytes.rules(limits: .extended).largestPayload >= 3840 * 2160 * 4)
  }
}
