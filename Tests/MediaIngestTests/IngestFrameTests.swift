import CMediaSDK
import MediaCore
import Testing

@testable import MediaIngest

struct IngestFrameTests {
  private func parse(_ header: FeederBytes.Header, limits: VideoLimits = .extended) throws -> IngestFrame {
    let rules = try FeederBytes.rules(limits: limits)
    return try header.bytes.withUnsafeBytes { try IngestFrame($0, rules) }
  }

  private func reason(_ change: (inout FeederBytes.Header) -> Void, limits: VideoLimits = .extended) throws -> IngestReason? {
    var header = FeederBytes.Header()
    change(&header)
    do {
      _ = try parse(header, limits: limits)
      return nil
    } catch let refusal as IngestRefusal {
      return refusal.reason
    }
  }

  @Test func everyPixelFormatAndOddSizesHavePlanes() throws {
    for format in PixelFormat.allCases {
      for (width, height) in [(1, 1), (33, 35), (3840, 2160)] as [(UInt32, UInt32)] {
        let layout = try FrameLayout(format, width: width, height: height, alignment: 1)
        var strides = layout.planes.map { UInt32($0.stride) }
        strides += [UInt32](repeating: 0, count: 4 - strides.count)
        let header = FeederBytes.Header(
          format: format.rawValue, width: width, height: height, planes: UInt32(layout.planes.count), strides: strides,
          payload: UInt64(layout.size))
        #expect(try parse(header).payloadSize == layout.size)
      }
    }
  }

  @Test func numbersAreChecked() throws {
    #expect(try reason { _ in } == nil)
    #expect(try reason { $0.format = 7 } == .format)
    #expect(try reason { $0.width = 0 } == .format)
    #expect(try reason { $0.height = .max } == .format)
    #expect(try reason { $0.width = 3841 } == .format)
    #expect(try reason { $0.flags = 1 } == .malformed)
    #expect(try reason { $0.orientation = 8 } == .malformed)
    #expect(try reason { $0.planes = 1 } == .malformed)
    #expect(try reason { $0.planes = .max } == .malformed)
    #expect(try reason { $0.strides = [63, 64, 0, 0] } == .malformed)
    #expect(try reason { $0.strides = [.max, .max, 0, 0] } == .malformed)
    #expect(try reason { $0.strides = [64, 64, 0, 1] } == .malformed)
    #expect(try reason { $0.strides = [64 + 4097, 64, 0, 0] } == .malformed)
    #expect(try reason { $0.fullRange = 2 } == .malformed)
    #expect(try reason { $0.payload -= 1 } == .malformed)
    #expect(try reason { $0.payload = .max } == .tooLarge)
  }

  @Test func limitsAreTheSessions() throws {
    #expect(
      try reason(
        {
          $0.width = 62; $0.height = 34; $0.payload = 64 * 51
        }, limits: .conference) == nil)
    #expect(try reason({ $0.height = 31 }, limits: .conference) == .format)
    #expect(try reason({ $0.width = 1922 }, limits: .conference) == .format)
  }

  @Test func encodedFramesHaveNoPlanes() throws {
    func vp8(_ change: (inout FeederBytes.Header) -> Void) throws -> IngestReason? {
      try reason {
        $0.format = UInt32(MSDK_CODEC_VP8)
        $0.flags = 1
        $0.planes = 0
        $0.strides = [0, 0, 0, 0]
        $0.payload = 1000
        change(&$0)
      }
    }
    #expect(try vp8 { _ in } == nil)
    #expect(try vp8 { $0.flags = 2 } == .malformed)
    #expect(try vp8 { $0.planes = 1 } == .malformed)
    #expect(try vp8 { $0.strides[0] = 64 } == .malformed)
    #expect(try vp8 { $0.payload = 0 } == .malformed)
    #expect(try vp8 { $0.payload = UInt64(EncodedFrame.largest) + 1 } == .malformed)
  }

  @Test func timestampsThatCannotBeAreReadAsNow() throws {
    let now: Int64 = 100_000_000_000
    for (stamp, expected) in [
      (now - 1, now - 1), (now, now), (now + 1, now), (0, now), (-1, now), (.min, now), (.max, now), (now - 10_000_000_001, now),
      (now - 10_000_000_000, now - 10_000_000_000)
    ] {
      #expect(try parse(FeederBytes.Header(timestamp: stamp)).captured(arriving: now) == expected)
    }
  }
}
