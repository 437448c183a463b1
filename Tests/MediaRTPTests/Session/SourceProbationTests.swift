import MediaCore
import Testing

@testable import MediaRTP

@Suite struct SourceProbationTests {
  private func heard(_ probation: inout SourceProbation, _ ssrc: UInt32, _ sequence: UInt16) -> SourceProbation.Verdict {
    [UInt8(truncatingIfNeeded: ssrc), UInt8(truncatingIfNeeded: sequence)].withUnsafeBytes {
      probation.heard(SSRC(ssrc), SequenceNumber(sequence), $0)
    }
  }

  @Test func aSecondPacketThatFollowsTheFirst() {
    var probation = SourceProbation(salt: 5)
    #expect(heard(&probation, 1, 65_535) == .waits)
    #expect(heard(&probation, 2, 7) == .waits)
    #expect(heard(&probation, 1, 0) == .valid([1, 255]))
    #expect(heard(&probation, 2, 9) == .waits)
    #expect(heard(&probation, 2, 9) == .waits)
    #expect(heard(&probation, 2, 10) == .valid([2, 9]))
    // Known once, it begins anew.
    #expect(heard(&probation, 1, 1) == .waits)
  }

  @Test func inAFloodAnHonestSourceComesThrough() {
    // 66 sources between two packets that are 20 ms apart: 3300 a second.
    var (random, probation) = (SeededRandom(seed: 3), SourceProbation(salt: 11))
    var tries: [Int] = []
    for honest in UInt32(1)...200 {
      var sequence: UInt16 = 100
      while heard(&probation, honest, sequence) == .waits {
        for _ in 0..<66 {
          _ = heard(&probation, UInt32.random(in: 1000...(.max), using: &random), UInt16.random(in: 0...(.max), using: &random))
        }
        sequence &+= 1
      }
      tries.append(Int(sequence) - 99)
    }
    #expect(tries.filter { $0 > 2 }.count < 30 && tries.allSatisfy { $0 < 6 }, "\(tries)")
  }
}
