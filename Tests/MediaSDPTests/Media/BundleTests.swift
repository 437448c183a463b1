import MediaCore
import Testing

@testable import MediaSDP

@Suite struct BundleTests {
  private let head = "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\nc=IN IP4 192.0.2.1\nt=0 0\n"

  @Test func groupsShareAnAddress() throws {
    func places(_ group: String, _ ports: [Int], bundleOnly: Set<Int> = [], unwanted: Set<Int> = []) throws -> [Int] {
      let media = ports.enumerated().map { "m=video \($1) RTP/AVP 96\na=mid:\($0)\n" + (bundleOnly.contains($0) ? "a=bundle-only\n" : "") }
      return try SessionDescription(parsing: head + group + media.joined()).taggedPlaces { !unwanted.contains($0) }
    }
    #expect(try places("", [5000, 5002]) == [0, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 5002, 5004]) == [0, 0, 2])
    #expect(try places("a=group:BUNDLE 1 0\n", [5000, 5002]) == [1, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 0], bundleOnly: [1]) == [0, 0])
    // Port 0 is refused, unless it is said otherwise.
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 0]) == [0, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [0, 5000], bundleOnly: [0]) == [1, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 5002], unwanted: [0]) == [1, 1])
    #expect(try places("a=group:BUNDLE 0 1\n", [5000, 0], bundleOnly: [1], unwanted: [0]) == [0, 0])
    #expect(try places("a=group:BUNDLE 0 1\n", [0, 0], bundleOnly: [0, 1]) == [0, 1])
    #expect(try places("a=group:BUNDLE 0 1\na=group:BUNDLE 1 2\n", [5000, 5002, 5004]) == [0, 0, 2])
    #expect(try places("a=group:LS 0 1\na=group:BUNDLE\na=group:BUNDLE 7 8\n", [5000, 5002]) == [0, 1])
  }

  @Test func groupsAreBounded() throws {
    var description = SessionDescription(id: 1, address: "192.0.2.1")
    description.bundle((0..<300).map { "\($0)" })
    description.bundle(["a"])
    let back = try SessionDescription(parsing: description.text)
    #expect(back.bundles.map(\.count) == [256, 1] && back.bundles[1] == ["a"])
  }

  @Test func whatBelongsToTheAddressStandsOnce() {
    var (first, second) = (RTPMedia("audio", port: 5000), RTPMedia("video", port: 5002))
    first.connection = .init("192.0.2.7")
    first.keys = [.init(tag: 1, suite: "S", key: [UInt8](repeating: 1, count: 30))]
    (first.isMultiplexed, first.hasReducedSize, first.controlPort, first.controlHost) = (true, true, 6000, "192.0.2.8")
    (second.mid, second.isProtected, second.controlHost) = ("v", true, "192.0.2.9")
    let plain = second
    second.join(first)
    #expect(second.port == 5000 && second.connection == first.connection && second.keys == first.keys && second.hasReducedSize)
    #expect(
      second.isMultiplexed && second.controlPort == 6000 && second.controlHost == "192.0.2.8" && second.kind == "video" && second.mid == "v"
    )
    second.leaveToTagged(port: 0)
    #expect(second.port == 0 && second.keys.isEmpty && !second.isMultiplexed && !second.hasReducedSize)
    #expect(second.controlPort == nil && second.controlHost == nil && second.mid == plain.mid && second.isProtected)
  }
}
