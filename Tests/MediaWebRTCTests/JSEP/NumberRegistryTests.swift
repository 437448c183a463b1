import MediaRTP
import MediaSDP
import Testing

@testable import MediaWebRTC

@Suite struct NumberRegistryTests {
  @Test func typesThatMeanSomethingAreAvoidedOrUsed() {
    var registry = NumberRegistry()
    registry.note(RTPMedia.Payload(96, "H265", clockRate: 90_000))
    registry.note(RTPMedia.Payload.vp8(120))
    let types = registry.types(for: [.vp8(96), .vp9(96)], .video)
    #expect(types.map(\.type) == [120, 121, 97, 98] && types[1].associated == 120 && types[3].associated == 97)
    // And the same again.
    #expect(registry.types(for: [.vp8(96), .vp9(96)], .video).map(\.type) == [120, 121, 97, 98])
  }

  @Test func audioHasItsRedundancy() {
    var registry = NumberRegistry()
    let types = registry.types(for: [.opus(111)], .audio)
    #expect(types.map(\.type) == [111, 63] && types[1] == .redundancy(63, of: .opus(111)) && types[1].associated == 111)
    #expect(registry.types(for: [.opus(111)], .audio).map(\.type) == [111, 63])
    // Another codec has its own.
    #expect(registry.types(for: [.opus(109), RTPMedia.Payload(9, "G722", clockRate: 8000)], .audio).map(\.type) == [111, 63, 96, 97])
  }

  @Test func whatFindsNoTypeIsLeftOut() {
    var registry = NumberRegistry()
    for type in UInt8(35)...127 { registry.note(RTPMedia.Payload(type, "X\(type)", clockRate: 90_000)) }
    #expect(registry.types(for: [.vp8(96)], .video).isEmpty)
  }

  @Test func anExtensionWithTwoIdsHasTheFirstThatWasAgreedOn() {
    var (registry, map) = (NumberRegistry(), ExtensionMap())
    let uri = "urn:ietf:params:rtp-hdrext:sdes:mid"
    registry.note([3: uri, 9: uri])
    #expect(registry.ids(for: JSEPSettings.standardExtensions).mid == 3)
    for id in [UInt8(9), 3] {
      map.mid = id
      registry.agree(map)
    }
    #expect(registry.agreed == [uri: 9] && registry.ids(for: JSEPSettings.standardExtensions).mid == 9)
  }

  @Test func idsAreNotUsedForAnotherName() {
    var registry = NumberRegistry()
    registry.note([4: "urn:other", 9: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"])
    let map = registry.ids(for: JSEPSettings.standardExtensions)
    #expect(map.rid == 9 && map.mid != 4 && map.mid != 0 && map.audioLevel == 1)
    #expect(registry.conflict([4: "urn:another"]) == 4 && registry.conflict([4: "urn:other", 14: "urn:new"]) == nil)
    var full = NumberRegistry()
    full.note(Dictionary(uniqueKeysWithValues: (UInt8(1)...14).map { ($0, "urn:\($0)") }))
    #expect(full.ids(for: JSEPSettings.standardExtensions) == ExtensionMap())
  }
}
