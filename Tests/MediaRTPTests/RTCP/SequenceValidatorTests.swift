import Testing

@testable import MediaRTP

@Suite struct SequenceValidatorTests {
  private func judge(_ validator: inout SequenceValidator, _ numbers: some Sequence<Int>) -> [SequenceValidator.Outcome] {
    numbers.map { validator.judge(SequenceNumber(UInt16(truncatingIfNeeded: $0))) }
  }

  @Test func probationWantsSoManyInARow() {
    var validator = SequenceValidator(minimumSequential: 3)
    #expect(judge(&validator, [1, 2, 4, 5, 5, 6]) == [.probation, .probation, .probation, .probation, .probation, .probation])
    #expect(validator.highest == nil && validator.expected == 0)
    #expect(judge(&validator, [7, 8]) == [.accepted, .accepted])
    #expect(validator.highest == 8 && validator.expected == 2)
  }

  @Test func wrapsAreCounted() {
    var validator = SequenceValidator(minimumSequential: 1)
    _ = judge(&validator, stride(from: 60_000, to: 60_000 + 65_536 * 3, by: 2000))
    #expect(validator.highest == 256_000)
    #expect(validator.expected == (validator.highest ?? 0) - 60_000 + 1)
  }

  @Test func theEdgesOfTheWindow() {
    var validator = SequenceValidator(minimumSequential: 1, dropout: 3000, misorder: 1000)
    _ = judge(&validator, [10_000])
    #expect(judge(&validator, [12_999, 11_999, 11_998]) == [.accepted, .reordered, .jumped])
    #expect(judge(&validator, [15_999, 15_998, 18_997]) == [.jumped, .accepted, .accepted])
    // What interrupts a jump ends it.
    #expect(judge(&validator, [40_000, 18_998, 40_001, 40_002]) == [.jumped, .accepted, .jumped, .restarted])
  }

  @Test func theWindowOfDuplicatesMovesOn() {
    var validator = SequenceValidator(minimumSequential: 1)
    _ = judge(&validator, 0..<3000)
    #expect(judge(&validator, [2001, 2999]) == [.duplicate, .duplicate])
    // A leap of more than the window leaves nothing of the old behind.
    #expect(judge(&validator, [5500]) == [.accepted])
    #expect(judge(&validator, [5499, 4501, 5500, 4501]) == [.reordered, .reordered, .duplicate, .duplicate])
    // Of a leap within it neither: 4501 stood where 5525 stands.
    #expect(judge(&validator, [6000, 5999, 5501, 5525, 5525]) == [.accepted, .reordered, .reordered, .reordered, .duplicate])
  }
}
