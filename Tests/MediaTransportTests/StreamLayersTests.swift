import MediaCore
import Testing

@testable import MediaTransport

@Suite struct StreamLayersTests {
  @Test func theNumberIsBounded() {
    #expect([Int.min, 0, 1, 3, 4, Int.max].map { StreamLayers(count: $0).layers.count } == [1, 1, 1, 3, 3, 3])
    #expect(StreamLayers(count: 1) == .one && StreamLayers.one.isActive)
  }

  @Test func whatIsNotNamedIsNotActiveAndNotBounded() {
    var layers = StreamLayers(count: 3)
    layers.follow(active: [true, false, true], bitrates: [1, 2, 3])
    #expect(layers.layers.map(\.isActive) == [true, false, true] && layers.layers.map(\.bitrate) == [1, 2, 3])
    layers.follow(active: [false, true], bitrates: [5])
    #expect(layers.layers.map(\.isActive) == [false, true, false] && layers.layers.map(\.bitrate) == [5, 0, 0])
    // More than there are.
    layers.follow(active: [false, false, false, true], bitrates: [0, 0, 0, 9])
    #expect(!layers.isActive && layers.layers.count == 3)
    layers.follow(active: [], bitrates: [])
    #expect(!layers.isActive)
  }

  @Test func theBoundIsThatOfWhatIsActive() {
    var layers = StreamLayers(count: 3)
    #expect(layers.bounded(900, least: 30) == 900)
    layers.follow(active: [true, true, false], bitrates: [100, 300, 1])
    #expect(layers.bounded(900, least: 30) == 400 && layers.bounded(200, least: 30) == 200)
    // Not below the least that the stream makes; and one without a bound takes what there is.
    #expect(layers.bounded(900, least: 500) == 500)
    layers.follow(active: [true, true, true], bitrates: [100, 300])
    #expect(layers.bounded(900, least: 30) == 900)
    // Numbers of a network add up to no more than there are.
    layers.follow(active: [true, true, true], bitrates: [.max, .max, 1])
    #expect(layers.bounded(900, least: 30) == 900)
    layers.follow(active: [false, false, false], bitrates: [1, 1, 1])
    #expect(layers.bounded(900, least: 30) == 900)
  }

  @Test func moreThanOneIsRefusedWhereATransportSendsOne() throws {
    let error = failure { try StreamLayers(count: 2).checkIsOne(over: "rtp:") }
    #expect(error?.status == .unsupported && error?.text == "the stream has 2 layers; accepted over rtp:: 1")
    try StreamLayers.one.checkIsOne(over: "rtp:")
  }

  @Test func theSmallestThatIsReceivedHasAPartOfThePixels() {
    var layers = StreamLayers(count: 3)
    func part(_ active: [Bool]) -> Double {
      layers.follow(active: active, bitrates: [])
      return layers.smallestPart
    }
    #expect(layers.smallestPart == 0.0625 && part([false, true, true]) == 0.25 && part([false, false, true]) == 1)
    #expect(part([false, false, false]) == 1 && StreamLayers.one.smallestPart == 1)
    #expect(layers == StreamLayers(count: 3).unreceived && StreamLayers.one.unreceived.layers.map(\.isActive) == [false])
  }

  @Test func eachIsHalfAsWideAndHighAsTheNext() {
    let layers = StreamLayers(count: 3)
    let sizes = (0..<3).map { layers.size(of: $0, width: 1_280, height: 720) }
    #expect(sizes.map(\.width) == [320, 640, 1_280] && sizes.map(\.height) == [180, 360, 720])
    let odd = (0..<3).map { layers.size(of: $0, width: 855, height: 5) }
    #expect(odd.map(\.width) == [212, 426, 855] && odd.map(\.height) == [2, 2, 5])
    #expect(StreamLayers.one.size(of: 0, width: 3, height: 1) == (3, 1))
  }
}
