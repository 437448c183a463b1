import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaTransport

@Suite struct MediaParametersTests {
  @Test func everyPlaceHasItsOwnNumbers() throws {
    let terms = try MediaParameters.make(port: 1, base: 0x1234_5678, profile: .aesGCM)
    #expect(terms.base == 0x1234_5600)
    var seen: Set<UInt32> = [terms.ssrc(ofEnd: true).rawValue, terms.ssrc(ofEnd: false).rawValue]
    #expect(seen.count == 2)
    for slot in HubSlot.all(video: true) + HubSlot.all(video: false) {
      for fromHub in [true, false] {
        for again in [true, false] { #expect(seen.insert(terms.ssrc(slot, fromHub: fromHub, again: again).rawValue).inserted) }
        #expect(terms.slot(terms.ssrc(slot, fromHub: fromHub), fromHub: fromHub) == slot)
        #expect(terms.slot(terms.ssrc(slot, fromHub: fromHub), fromHub: !fromHub) == nil)
        #expect(terms.slot(terms.ssrc(slot, fromHub: fromHub, again: true), fromHub: fromHub) == nil)
      }
    }
    #expect(seen.allSatisfy { $0 & ~255 == terms.base })
    #expect(terms.slot(terms.ssrc(ofEnd: true), fromHub: true) == nil)
    #expect(HubSlot(index: 60) == nil)
    #expect(HubSlot.all(video: true).allSatisfy(\.isVideo) && !HubSlot.all(video: false).contains(where: \.isVideo))
  }

  @Test func keysAreFreshEachTime() throws {
    let (one, other) = (
      try MediaParameters.make(port: 1, base: 256, profile: .aesGCM), try MediaParameters.make(port: 1, base: 256, profile: .aesGCM)
    )
    #expect(one.up != other.up && one.down != other.down && one.up != one.down)
    #expect(!"\(one.up)".contains("["))
  }

  @Test func whosePacketsAreIsSaidByBothKinds() {
    var rtp: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44]
    #expect(rtp.withUnsafeBytes { MediaParameters.base(of: $0) } == 0x1122_3300)
    let rtcp: [UInt8] = [0x80, 201, 0, 1, 0x55, 0x66, 0x77, 0x88, 0, 0, 0, 0]
    #expect(rtcp.withUnsafeBytes { MediaParameters.base(of: $0) } == 0x5566_7700)
    #expect(rtp.prefix(11).withUnsafeBytes { MediaParameters.base(of: $0) } == nil)
    rtp[0] = 22
    #expect(rtp.withUnsafeBytes { MediaParameters.base(of: $0) } == nil)
  }
}
