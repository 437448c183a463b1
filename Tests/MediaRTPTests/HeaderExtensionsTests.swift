import MediaCore
import Testing

@testable import MediaRTP

@Suite struct HeaderExtensionsTests {
  @Test func theSizeIsWhatIsWritten() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<2000 {
      var map = ExtensionMap()
      func id() -> UInt8 { [0, 1, 5, 14, 15, 200].randomElement(using: &random) ?? 0 }
      (map.mid, map.audioLevel, map.absoluteSendTime, map.transportSequence, map.orientation) = (id(), id(), id(), id(), id())
      var extensions = HeaderExtensions()
      if Bool.random(using: &random) { extensions.transportSequence = 1 }
      if Bool.random(using: &random) { extensions.absoluteSendTime = 2 }
      if Bool.random(using: &random) { extensions.audioLevel = .init(level: 3, isVoice: true) }
      if Bool.random(using: &random) { extensions.orientation = 1 }
      if Bool.random(using: &random) { extensions.mid = String(repeating: "m", count: Int.random(in: 0...300, using: &random)) }
      let isWritten = extensions.isSpoken(map)
      let block = isWritten ? written { extensions.write(to: &$0, map) } : []
      #expect(extensions.size(map) == block.count, "\(extensions), \(map)")
    }
  }
}
