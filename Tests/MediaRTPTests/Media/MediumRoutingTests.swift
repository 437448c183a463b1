import Testing

@testable import MediaRTP

/// The rules of RFC 9143, section 9.2.
@Suite struct MediumRoutingTests {
  private func header(_ ssrc: UInt32, _ type: UInt8, mid: String? = nil) -> RTPHeader {
    var header = RTPHeader(payloadType: type, sequence: SequenceNumber(1), timestamp: RTPTimestamp(1), ssrc: SSRC(ssrc))
    header.extensions.mid = mid
    return header
  }

  private func routing() -> MediumRouting {
    var video = RTPMedium(mid: "v", receiving: [96: .vp8, 97: .retransmission(of: 96), 100: .h264()])
    video.sources = [.init(SSRC(10), retransmission: SSRC(11), rid: "h")]
    var screen = RTPMedium(mid: "s", receiving: [96: .vp8, 97: .retransmission(of: 96), 101: .vp9])
    screen.sources = [.init(SSRC(20))]
    return MediumRouting([video, screen, RTPMedium(mid: "a", receiving: [111: .opus])])
  }

  @Test func theNameComesFirstThenTheSourceThenThePayloadType() {
    let routing = routing()
    #expect(routing.medium(of: header(10, 96, mid: "s")) == 1)
    #expect(routing.medium(of: header(10, 111, mid: "nobody")) == nil)
    #expect(routing.medium(of: header(10, 101)) == 0 && routing.medium(of: header(20, 96)) == 1 && routing.medium(of: header(11, 97)) == 0)
    #expect(routing.medium(of: header(5, 111)) == 2 && routing.medium(of: header(5, 101)) == 1)
    // Of two media.
    #expect(routing.medium(of: header(5, 96)) == nil && routing.medium(of: header(5, 50)) == nil)
    #expect(routing.repeated(by: 97) == .retransmission(of: 96) && routing.repeated(by: 96) == nil && routing.repeated(by: 111) == nil)
    #expect(routing.rid(of: SSRC(10)) == "h" && routing.original(of: SSRC(11)) == SSRC(10) && routing.rid(of: SSRC(20)) == nil)
  }

  @Test func whereNoMediumHasANameNoneCounts() {
    let routing = MediumRouting([RTPMedium(receiving: [96: .vp8])])
    #expect(routing.medium(of: header(1, 96, mid: "x")) == 0 && routing.isCalled(0, "x"))
    #expect(!self.routing().isCalled(0, "a") && self.routing().isCalled(0, "v") && self.routing().isCalled(0, nil))
  }

  @Test func mediaAreFoundAgain() {
    let former = MediumRouting([RTPMedium(mid: "a"), RTPMedium(), RTPMedium(mid: "b"), RTPMedium()])
    let later = MediumRouting([RTPMedium(), RTPMedium(mid: "b"), RTPMedium()])
    #expect((0..<4).map { later.place(of: $0, in: former) } == [nil, 0, 1, 2])
  }

  @Test func idsOfExtensionsKeepTheirMeaning() {
    var map = ExtensionMap()
    (map.mid, map.transportSequence) = (1, 2)
    func allows(_ change: (inout ExtensionMap) -> Void) -> Bool {
      var later = map
      change(&later)
      return map.allows(later)
    }
    #expect(allows { _ in } && allows { $0.mid = 0 } && allows { $0.rid = 3 } && allows { $0 = ExtensionMap() })
    #expect(!allows { $0.mid = 4 } && !allows { ($0.mid, $0.rid) = (0, 1) } && !allows { ($0.rid, $0.orientation) = (5, 5) })
  }
}
