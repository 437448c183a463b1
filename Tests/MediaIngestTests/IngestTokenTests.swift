import MediaCore
import Testing

@testable import MediaIngest

struct IngestTokenTests {
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
    let longer = try IngestToken(FeederBytes.transmission + [0], argument: "token")
    #expect(throws: Never.self) {
      try IngestRules(transmission: token, reception: longer, limits: .conference, frameRate: FrameRate(15))
    }
  }

  @Test func largestPayloadIsThatOfTheLimits() throws {
    #expect(try FeederBytes.rules(limits: .conference).largestPayload < 25_000_000)
    #expect(try FeederBytes.rules(limits: .extended).largestPayload >= 3840 * 2160 * 4)
  }
}
