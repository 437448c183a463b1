import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct ScanAnswerTests {
  @Test(arguments: [
    ScanAnswer.accepted(["org.example.a"]), .accepted(["org.example.a", "b-c_d.9"]), .isolated(["org.example.a", "b"]),
    .refused(.abi, "plugin /a b.so declined: \"x\"")
  ])
  func isReadAsItWasWritten(_ answer: ScanAnswer) {
    #expect(ScanAnswer(Array(answer.text.utf8)) == answer)
  }

  @Test func wordsAreOneLine() {
    #expect(ScanAnswer(Array(ScanAnswer.refused(.io, "two\nlines\r\u{1B}[31m").text.utf8)) == .refused(.io, "two lines  [31m"))
  }

  @Test(arguments: [
    "", "mediasdk-scan 1", "mediasdk-scan 1\naccepted a\n", "mediasdk-scan 2\naccepted a\nend\n", "mediasdk-scan 1\naccepted\nend\n",
    "mediasdk-scan 1\naccepted A\nend\n", "mediasdk-scan 1\nisolated\nend\n", "mediasdk-scan 1\nisolated A\nend\n",
    "mediasdk-scan 1\naccepted a  b\nend\n", "mediasdk-scan 1\nrefused\nend\n",
    "mediasdk-scan 1\nrefused -25\nend\n", "mediasdk-scan 1\nrefused 0 fine\nend\n", "mediasdk-scan 1\nrefused x y\nend\n",
    "mediasdk-scan 1\nperhaps a\nend\n", "mediasdk-scan 1\naccepted a\nend\nmore", "hello\nmediasdk-scan 1\naccepted a\nend\n"
  ])
  func anythingElseIsNone(_ text: String) {
    #expect(ScanAnswer(Array(text.utf8)) == nil)
  }

  @Test func boundsHold() {
    let many = (0..<257).map { "c\($0)" }.joined(separator: " ")
    #expect(ScanAnswer(Array("mediasdk-scan 1\naccepted \(many)\nend\n".utf8)) == nil)
    #expect(ScanAnswer(Array("mediasdk-scan 1\naccepted \(String(repeating: "a", count: 128))\nend\n".utf8)) == nil)
    #expect(ScanAnswer([0xFF, 0xFE]) == nil)
    #expect(ScanAnswer([UInt8](repeating: 97, count: ScanAnswer.mostBytes + 1)) == nil)
  }
}
