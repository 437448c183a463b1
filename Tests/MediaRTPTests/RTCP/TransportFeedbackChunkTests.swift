import Testing

@testable import MediaRTP

@Suite struct TransportFeedbackChunkTests {
  private func symbols(_ chunk: TransportFeedbackChunk) -> [UInt8] { (0..<chunk.length).map { chunk.symbol(at: $0) } }

  /// The draft's examples, sections 3.1.3 and 3.1.4.
  @Test func theDraftsExamples() {
    #expect(TransportFeedbackChunk.run(of: 0, 221).rawValue == 0x00DD)
    #expect(symbols(TransportFeedbackChunk(rawValue: 0x00DD)) == [UInt8](repeating: 0, count: 221))
    #expect(symbols(TransportFeedbackChunk(rawValue: 0x6018)) == [UInt8](repeating: 3, count: 24))
    let narrow: [UInt8] = [0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0]
    #expect(symbols(TransportFeedbackChunk(rawValue: 0x9F1C)) == narrow)
    #expect(TransportFeedbackChunk.narrow(narrow[...]).rawValue == 0x9F1C)
    #expect(symbols(TransportFeedbackChunk(rawValue: 0xCD50)) == [0, 3, 1, 1, 1, 0, 0])
    #expect(TransportFeedbackChunk.wide([0, 2, 1, 1, 1, 0, 0]).rawValue == 0xC950)
  }

  @Test func shortVectorsAreFilledWithMissing() {
    #expect(symbols(.narrow([1])) == [1] + [UInt8](repeating: 0, count: 13))
    #expect(symbols(.wide([2])) == [2, 0, 0, 0, 0, 0, 0])
  }

  @Test func whatDeltasTake() {
    #expect(isSize(TransportFeedbackChunk.run(of: 2, 8191).sizes(of: 8191), (8191, 16_382)))
    #expect(isSize(TransportFeedbackChunk.run(of: 0, 8191).sizes(of: 8191), (0, 0)))
    #expect(isSize(TransportFeedbackChunk(rawValue: 0x9F1C).sizes(of: 4), (3, 3)))
    #expect(isSize(TransportFeedbackChunk(rawValue: 0xC950).sizes(of: 7), (4, 5)))
    let reserved = TransportFeedbackChunk(rawValue: 0xCD50)
    #expect(reserved.sizes(of: 7) == nil && isSize(reserved.sizes(of: 1), (0, 0)))
    #expect(TransportFeedbackChunk(rawValue: 0x6018).sizes(of: 1) == nil)
  }

  @Test func whetherItIsARunOfMissing() {
    #expect(TransportFeedbackChunk(rawValue: 0x1FFF).isRunOfMissing && !TransportFeedbackChunk(rawValue: 0x2000).isRunOfMissing)
    #expect(!TransportFeedbackChunk(rawValue: 0x8000).isRunOfMissing)
  }
}

private func isSize(_ size: (received: Int, bytes: Int)?, _ expected: (Int, Int)) -> Bool {
  size.map { $0 == expected } ?? false
}
