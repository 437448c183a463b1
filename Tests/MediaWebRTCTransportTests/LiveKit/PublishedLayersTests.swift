import Testing

@testable import MediaWebRTCTransport

@Suite struct PublishedLayersTests {
  @Test func whatIsTakenAndWantedIsSent() {
    var layers = PublishedLayers(count: 3)
    #expect(layers.active == [true, true, true])
    layers.wanted = [true, false, true]
    #expect(layers.active == [true, false, true])
    layers.taken = [true, true, false]
    #expect(layers.active == [true, false, false])
    // The server takes one: that is for everybody.
    layers.taken = [false, false, true]
    layers.wanted = [true, false, false]
    #expect(layers.active == [false, false, true])
    layers.wanted = [false, false, false]
    #expect(layers.active == [false, false, false])
    var one = PublishedLayers(count: 1)
    one.wanted = [false]
    #expect(one.active == [false] && PublishedLayers(count: 1).active == [true])
  }
}
