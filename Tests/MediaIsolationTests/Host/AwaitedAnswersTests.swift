import CMediaSDK
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct AwaitedAnswersTests {
  private func hear(_ answers: AwaitedAnswers, _ write: (inout WireWriter) -> Void) -> MediaError? {
    var writer = WireWriter()
    write(&writer)
    return writer.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      return failure { try answers.receive(&reader) }
    }
  }

  private func part(_ answers: AwaitedAnswers, _ number: UInt32, of size: Int, from first: Int, _ bytes: [UInt8]) -> MediaError? {
    hear(answers) { writer in
      writer.put(number)
      writer.put(msdk_result(MSDK_OK))
      writer.put(UInt64(size))
      writer.put(UInt64(first))
      bytes.withUnsafeBytes { writer.put(bytes: $0) }
    }
  }

  @Test func answersComeInPartsAndInAnyOrderOfCalls() {
    let answers = AwaitedAnswers()
    let (first, second) = (answers.begin("one"), answers.begin("two"))
    #expect(answers.doing != nil)
    #expect(part(answers, second, of: 5, from: 0, [1, 2, 3]) == nil)
    #expect(part(answers, first, of: 1, from: 0, [9]) == nil)
    #expect(part(answers, second, of: 5, from: 3, [4, 5]) == nil)
    guard case .answer(let one) = answers.wait(for: first, until: 0), case .answer(let two) = answers.wait(for: second, until: 0) else {
      Issue.record("an answer is missing")
      return
    }
    #expect(one.bytes == [9] && two.bytes == [1, 2, 3, 4, 5] && two.result == 0)
    #expect(answers.doing == nil)
  }

  @Test func errorsComeWithTheirWords() {
    let answers = AwaitedAnswers()
    let number = answers.begin("one")
    let error = hear(answers) { writer in
      writer.put(number)
      writer.put(msdk_result(MSDK_E_IO))
      writer.put(text: "no disk")
    }
    #expect(error == nil)
    guard case .answer(let answer) = answers.wait(for: number, until: 0) else {
      Issue.record("the answer is missing")
      return
    }
    #expect(answer.result == msdk_result(MSDK_E_IO) && answer.text == "no disk")
  }

  @Test func whatNobodyAwaitsIsRefused() {
    let answers = AwaitedAnswers()
    let number = answers.begin("one")
    #expect(part(answers, number &+ 1, of: 1, from: 0, [1])?.status == .corrupt)
    #expect(part(answers, number, of: 5, from: 2, [1])?.status == .corrupt)
    #expect(part(answers, number, of: 1, from: 0, [1, 2])?.status == .corrupt)
    #expect(part(answers, number, of: .max, from: 0, [1])?.status == .corrupt)
    #expect(part(answers, number, of: 1, from: 0, [])?.status == .corrupt)
    #expect(part(answers, number, of: 1, from: 0, [1]) == nil)
    #expect(part(answers, number, of: 1, from: 0, [1])?.status == .corrupt)
    #expect(hear(answers) { $0.put(number) }?.status == .corrupt)
  }

  @Test func whoWaitsIsToldOfTheEnd() {
    let answers = AwaitedAnswers()
    let number = answers.begin("one")
    guard case .late = answers.wait(for: number, until: 0) else {
      Issue.record("it cannot have come")
      return
    }
    answers.close()
    guard case .gone = answers.wait(for: answers.begin("two"), until: .max) else {
      Issue.record("it cannot come any more")
      return
    }
  }
}
