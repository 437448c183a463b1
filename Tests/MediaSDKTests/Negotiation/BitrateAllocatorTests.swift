import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// An estimate among the streams of a session.
@Suite struct BitrateAllocatorTests {
  private func share(_ wish: UInt64, _ wishes: [UInt64], _ sounds: [UInt64] = [], in estimate: UInt64) -> UInt64 {
    BitrateAllocator.share(of: .init(bits: wish), among: wishes.map { .init(bits: $0) }, beside: sounds, in: estimate)
  }

  @Test func aScreenKeepsItsSizeFirst() {
    let (screen, camera) = (BitrateAllocator.Wish(bits: 700, need: 30), BitrateAllocator.Wish(bits: 500))
    func shares(_ estimate: UInt64) -> [UInt64] {
      [screen, camera].map { BitrateAllocator.share(of: $0, among: [screen, camera], beside: [40], in: estimate) }
    }
    #expect(shares(50) == [10, 1])
    #expect(shares(70) == [30, 1])
    #expect(shares(1270) == [730, 500])
    var options = OutgoingVideoOptions(formats: [VideoFormat(.nv12, width: 1280, height: 720, frameRate: FrameRate(10))])
    options.codec = UInt32(MSDK_CODEC_VP8)
    #expect(options.wish(options.bitrate, options.formats, isEncoded: true).need == 0)
    options.kind = .screenShare
    #expect(options.wish(options.bitrate, options.formats, isEncoded: true).need == 27_648)
    #expect(!options.wish(options.bitrate, options.formats, isEncoded: true).isOpen)
    options.isEncodedInput = true
    #expect(options.wish(options.bitrate, options.formats, isEncoded: true).isOpen)
    options.bitrate.target = 2_000_000
    #expect(!options.wish(options.bitrate, options.formats, isEncoded: true).isOpen)
  }

  @Test func demandIsAllThatWouldBeSentWithoutABound() {
    let (camera, sound) = (Box(), Box())
    var allocator = BitrateAllocator()
    #expect(allocator.demand == 0)
    allocator.set(camera, wish: .init(bits: 700_000, need: 30))
    allocator.set(sound, bits: 38_000)
    #expect(allocator.demand == 738_000)
    allocator.set(camera, wish: .init(bits: 700_000, isOpen: true))
    #expect(allocator.demand == 0)
    allocator.set(camera, wish: nil)
    #expect(allocator.demand == 38_000)
    allocator.set(sound, bits: .max)
    #expect(allocator.demand == 1_000_000_000_000_000)
  }

  private final class Box {}

  @Test func whatIsAloneHasAll() {
    #expect(share(500, [500], in: 300) == 300)
    #expect(share(500, [500], in: 3000) == 3000)
    #expect(share(0, [0], in: 3000) == 3000)
  }

  @Test func theRestOfSoundIsDividedByWishes() {
    #expect(share(600, [600, 200], [100, 100], in: 1000) == 600)
    #expect(share(200, [600, 200], [100, 100], in: 1000) == 200)
    #expect(share(200, [600, 200], in: 0) == 0)
  }

  @Test func nothingIsLeftButItIsNotUnlimited() {
    #expect(share(600, [600], [500], in: 300) == 1)
    #expect(share(0, [0, 5], in: 300) == 1)
    #expect(share(.max, [.max, .max], [.max], in: .max) == 1)
    #expect(share(.max, [.max, .max], in: .max) == 1_000_000_000_000_000)
  }

  @Test func soundTakesItsHeadersToo() {
    var options = OutgoingAudioOptions()
    options.codec = UInt32(MSDK_CODEC_OPUS)
    #expect(options.bits(32_000) == 60_000)
    options.packetMilliseconds = 40
    #expect(options.bits(32_000) == 46_000)
    #expect(options.bits(nil) == 768_000)
  }

  /// Of two streams, each of which the way would carry alone, both go down; the one that stays goes up when the other is stopped.
  @Test func twoStreamsGoDownWhereOneWouldNot() throws {
    let call = try Call()
    try call.script(.init(at: 0, bandwidth: 300_000))
    _ = try call.connect(taking: second)
    func stream() throws -> OutgoingVideo {
      let formats = [(640, 360, 30), (320, 180, 15)] as [(UInt32, UInt32, UInt32)]
      var options = OutgoingVideoOptions(formats: formats.map { VideoFormat(.nv12, width: $0.0, height: $0.1, frameRate: FrameRate($0.2)) })
      options.limits = .extended
      options.codec = UInt32(MSDK_CODEC_VP8)
      return try call.engine.makeOutgoingVideo(options)
    }
    let (one, other) = (try stream(), try stream())
    try call.anna.start(one)
    #expect(try one.currentSender().format.width == 640)
    try call.anna.start(other)
    #expect(try one.currentSender().format.width == 320 && other.currentSender().format.width == 320)
    try call.anna.stop(other)
    try call.advance(4 * second)
    #expect(try one.currentSender().format.width == 320)
    try call.advance(2 * second)
    #expect(try one.currentSender().format.width == 640)
  }
}
