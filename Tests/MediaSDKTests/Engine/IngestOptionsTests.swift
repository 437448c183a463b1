import CMediaSDK
import MediaCore
import MediaIngest
import Testing

@testable import MediaSDK

struct IngestOptionsTests {
  private func options() -> IngestOptions {
    var options = IngestOptions(transmissionToken: Array(0..<16), receptionToken: Array(1..<17))
    options.port = 0
    return options
  }

  private func status(_ change: (inout IngestOptions) -> Void) -> Status? {
    var changed = options()
    change(&changed)
    do throws(MediaError) {
      _ = try changed.rules()
      return nil
    } catch {
      return error.status
    }
  }

  @Test func optionsAreChecked() {
    #expect(status { _ in } == nil)
    #expect(status { $0.port = nil } == .invalid)
    #expect(status { $0.framesPerSecond = 0 } == .range)
    #expect(status { $0.framesPerSecond = 31 } == .range)
    #expect(
      status {
        $0.limits = .extended; $0.framesPerSecond = 60
      } == nil)
    #expect(status { $0.codec = 7 } == .unsupported)
    #expect(status { $0.targetBitrate = 10 } == .range)
    #expect(status { $0.receptionToken = $0.transmissionToken } == .invalid)
    #expect(status { $0.transmissionToken.removeLast() } == .range)
  }

  @Test func streamIsAScreenShareThatTheSessionOwns() {
    var given = options()
    given.codec = UInt32(MSDK_CODEC_VP8)
    let format = VideoFormat(.nv12, width: 640, height: 480, frameRate: FrameRate(15))
    let raw = given.stream(format, isEncoded: false)
    #expect(raw.kind == .screenShare && raw.isFed && raw.codec == given.codec && !raw.isEncodedInput && raw.formats == [format])
    given.codec = 0
    let encoded = given.stream(format, isEncoded: true)
    #expect(encoded.codec == UInt32(MSDK_CODEC_VP8) && encoded.isEncodedInput)
  }

  /// A crowd at the door must not push other events out, and those not told of are counted.
  @Test func refusalsAreToldSparingly() {
    var meter = RefusalMeter()
    let second: Int64 = 1_000_000_000
    let first = (0..<100).map { _ in meter.mayTell(at: 5 * second) }
    #expect(first.count { $0 } == 16 && first[15] && !first[16])
    #expect(meter.untold == 84)
    var told = 0
    for tenth in 1...50 { told += meter.mayTell(at: 5 * second + Int64(tenth) * second / 10) ? 1 : 0 }
    #expect(told == 5)
    let untold = meter.takeUntold()
    #expect(untold == 84 + 45)
    #expect(meter.untold == 0)
    let later = (0..<20).map { _ in meter.mayTell(at: 1000 * second) }
    #expect(later.count { $0 } == 16)
  }
}
