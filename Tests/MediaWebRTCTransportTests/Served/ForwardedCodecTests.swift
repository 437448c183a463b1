import CMediaSDK
import Testing

@testable import MediaWebRTC
@testable import MediaWebRTCTransport

@Suite struct ForwardedCodecTests {
  @Test(arguments: [("vp8", UInt32(MSDK_CODEC_VP8)), ("opus", UInt32(MSDK_CODEC_OPUS)), ("h264", 0x3436_3248)])
  func namesAndCodes(name: String, fourcc: UInt32) {
    #expect(ForwardedCodec(fourcc)?.name == name && ForwardedCodec(named: name)?.fourcc == fourcc)
  }

  @Test(arguments: ["vp9", "VP8", "raw", ""]) func othersAreNotForwarded(name: String) { #expect(ForwardedCodec(named: name) == nil) }

  @Test(arguments: [UInt32(MSDK_CODEC_RAW), 0x3039_5056]) func norAreTheirCodes(fourcc: UInt32) { #expect(ForwardedCodec(fourcc) == nil) }

  /// Whatever descriptions offer can be carried.
  @Test func eachOfferedCodecIsForwarded() {
    for payload in JSEPSettings.forwardedVideo {
      #expect(ForwardedCodec(named: payload.encoding.lowercased()) != nil, "\(payload.encoding)")
    }
  }
}
