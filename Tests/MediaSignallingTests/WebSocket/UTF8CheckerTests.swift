import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct UTF8CheckerTests {
  private func isText(_ bytes: [UInt8]) -> Bool {
    var checker = UTF8Checker()
    return checker.take(bytes) && checker.isComplete
  }

  @Test func itAgreesWithTheLibrary() {
    // All of one and two bytes, and of three and four those of which each byte is at a border.
    let borders: [UInt8] = [
      0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5,
      0xFF
    ]
    for one in UInt8.min...UInt8.max {
      #expect(isText([one]) == (String(validating: [one], as: UTF8.self) != nil))
      for other in UInt8.min...UInt8.max where isText([one, other]) != (String(validating: [one, other], as: UTF8.self) != nil) {
        Issue.record("\(one) \(other)")
      }
    }
    for first in borders {
      for second in borders {
        for third in borders {
          let three = [first, second, third]
          if isText(three) != (String(validating: three, as: UTF8.self) != nil) { Issue.record("\(three)") }
          for fourth in borders where isText(three + [fourth]) != (String(validating: three + [fourth], as: UTF8.self) != nil) {
            Issue.record("\(three) \(fourth)")
          }
        }
      }
    }
  }

  /// Before the character is complete.
  @Test(
    arguments: [
      [0x80], [0xC0], [0xC1], [0xE0, 0x80], [0xED, 0xA0], [0xF0, 0x8F], [0xF4, 0x90], [0xF5], [0xFF], [0xE2, 0x28], [0xCE, 0xBA, 0xFE]
    ] as [[UInt8]])
  func itFailsAsSoonAsItCan(bytes: [UInt8]) {
    var checker = UTF8Checker()
    let (before, after) = (checker.take(bytes.dropLast()), checker.take(bytes.suffix(1)))
    #expect(before && !after)
  }
}
