import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// What receivers want of a stream, in a room that is open to the network.
@Suite(.serialized) struct HubPreferencesTests {
  private let small = VideoPreference(width: 320, height: 180)
  private let large = VideoPreference(width: 1280, height: 720, frameRate: FrameRate(30000, 1001))

  private func wanted(_ witness: HubWitness) -> [String] { witness.events.filter { $0.hasPrefix("wants") } }

  /// From a member of this process, of a sender elsewhere, and the other way round.
  @Test(arguments: [true, false]) func theyReachTheSender(isSenderElsewhere: Bool) throws {
    let house = try HubHouse("\(#function) \(isSenderElsewhere)")
    let anna = isSenderElsewhere ? try house.remote("anna") : house.local("anna")
    let bert = isSenderElsewhere ? house.local("bert") : try house.remote("bert")
    let carl = try house.remote("carl")
    for one in [anna, bert, carl] { #expect(one.sees("connected")) }
    let own = try anna.publishVideo()
    let (his, hers) = (try bert.stream(ofCodec: MSDK_CODEC_VP8).id, try carl.stream(ofCodec: MSDK_CODEC_VP8).id)
    bert.transport.subscribe(to: his, bert)
    bert.transport.prefer(small, of: his)
    #expect(anna.sees("wants 320x180"))
    // Said before the subscription, and kept.
    carl.transport.prefer(large, of: hers)
    carl.transport.subscribe(to: hers, carl)
    #expect(anna.sees("wants 1280x720"))
    bert.transport.prefer(large, of: his)
    #expect(anna.sees("wants 1280x720@30000/1001"))
    carl.transport.unsubscribe(from: hers)
    bert.transport.prefer(.any, of: his)
    #expect(anna.sees("wants anything"))
    #expect(wanted(anna) == ["wants 320x180", "wants 1280x720", "wants 1280x720@30000/1001", "wants anything"])
    #expect(wanted(bert).isEmpty && wanted(carl).isEmpty)
    // Of a stream that is gone nothing is said, or it is void.
    anna.transport.unpublish(own)
    #expect(carl.sees("removed"))
    carl.transport.prefer(small, of: hers)
    try anna.transport.setAttribute("a", "1")
    #expect(carl.sees("anna a=1"))
    #expect(!carl.events.contains { $0.hasPrefix("disconnected") })
    house.close()
  }

  /// As fast as the hub takes them: the sender hears of it once, and nobody is held up.
  @Test func whoTogglesCostsNobodyAnything() throws {
    let house = try HubHouse()
    let (anna, bert, carl) = (try house.remote("anna"), try house.remote("bert"), try house.remote("carl"))
    for one in [anna, bert, carl] { #expect(one.sees("connected")) }
    _ = try anna.publishVideo()
    let (his, hers) = (try bert.stream(ofCodec: MSDK_CODEC_VP8).id, try carl.stream(ofCodec: MSDK_CODEC_VP8).id)
    bert.transport.subscribe(to: his, bert)
    carl.transport.subscribe(to: hers, carl)
    carl.transport.prefer(small, of: hers)
    for step in 0..<900 { bert.transport.prefer(step.isMultiple(of: 2) ? small : large, of: his) }
    try carl.transport.setAttribute("a", "1")
    #expect(anna.sees("carl a=1"))
    try bert.transport.setAttribute("b", "1")
    // Behind all that he has said.
    #expect(anna.sees("bert b=1"))
    #expect(wanted(anna).allSatisfy { $0.hasPrefix("wants 1280x720") } && wanted(anna).count <= 1, "\(wanted(anna))")
    #expect(!bert.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
    house.close()
  }
}
