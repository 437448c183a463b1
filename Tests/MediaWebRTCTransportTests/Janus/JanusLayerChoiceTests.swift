import MediaCore
import MediaSignalling
import MediaTransport
import Testing

@testable import MediaWebRTCTransport

@Suite struct JanusLayerChoiceTests {
  /// A publisher with these sizes, and a server that sends what was asked for: which layer comes in the end, and how often another was asked for.
  private func settle(_ choice: inout JanusLayerChoice, _ sizes: [UInt32]) -> (substream: Int, changes: Int) {
    var changes = 0
    for _ in 0..<10 {
      let substream = choice.layer.substream
      choice.relays(substream)
      choice.came(width: sizes[substream], height: sizes[substream] * 3 / 4)
      if choice.layer.substream == substream { break }
      changes += 1
    }
    return (choice.layer.substream, changes)
  }

  @Test(arguments: [
    (UInt32(0), 2, 0), (640, 2, 0), (500, 2, 0), (320, 1, 1), (240, 1, 1), (160, 0, 2), (4, 0, 2), (2_000, 2, 0)
  ]) func theSmallestThatIsNotSmallerIsReceived(width: UInt32, substream: Int, changes: Int) {
    var choice = JanusLayerChoice()
    choice.prefer(VideoPreference(width: width, height: width * 3 / 4))
    #expect(settle(&choice, [160, 320, 640]) == (substream, changes))
  }

  @Test func anotherPreferenceMovesItBothWays() {
    var choice = JanusLayerChoice()
    choice.prefer(VideoPreference(width: 160, height: 120))
    #expect(settle(&choice, [160, 320, 640]).substream == 0)
    choice.prefer(VideoPreference(width: 640, height: 480))
    #expect(settle(&choice, [160, 320, 640]).substream == 2)
    choice.prefer(VideoPreference(width: 120, height: 160))
    #expect(settle(&choice, [160, 320, 640]).substream == 0)
    choice.prefer(.any)
    #expect(choice.layer == .best)
  }

  /// Where layers are of other sizes than expected, it ends where it is large enough.
  @Test func whatTurnsOutTooSmallIsGoneBackFrom() {
    var choice = JanusLayerChoice()
    choice.prefer(VideoPreference(width: 320, height: 240))
    #expect(settle(&choice, [100, 150, 640]) == (2, 2))
  }

  /// A key frame of the layer before may still come, and the server may send another one than it was asked for.
  @Test func onlyTheLayerThatWasAskedForIsJudged() {
    var choice = JanusLayerChoice()
    choice.relays(2)
    choice.came(width: 640, height: 480)
    choice.prefer(VideoPreference(width: 320, height: 240))
    #expect(choice.layer.substream == 1)
    choice.came(width: 640, height: 480)
    choice.relays(1)
    #expect(choice.layer.substream == 1)
    choice.came(width: 320, height: 240)
    choice.relays(0)
    choice.came(width: 160, height: 120)
    #expect(choice.layer.substream == 1)
  }

  /// The publisher does not send the smallest, and the server goes on with the one before.
  @Test func whatDoesNotComeIsNotWaitedFor() {
    var choice = JanusLayerChoice()
    choice.prefer(VideoPreference(width: 100, height: 75))
    choice.came(width: 640, height: 480)
    choice.relays(1)
    choice.came(width: 320, height: 240)
    #expect(choice.layer.substream == 0)
    choice.prefer(VideoPreference(width: 640, height: 480))
    #expect(choice.layer.substream == 2)
  }

  @Test(arguments: [(30, 2), (20, 2), (15, 1), (10, 1), (7, 0), (1, 0)]) func aLowRateIsALowLayer(rate: Int, temporal: Int) {
    var choice = JanusLayerChoice()
    choice.prefer(VideoPreference(frameRate: FrameRate(UInt32(rate))))
    #expect(choice.layer == JanusLayer(substream: 2, temporal: temporal))
  }
}
