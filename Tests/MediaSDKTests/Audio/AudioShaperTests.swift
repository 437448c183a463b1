import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct AudioShaperTests {
  private static let format = AudioFormat(.f32, sampleRate: 48_000, channels: 1, samplesPerBuffer: 960)

  private func shape(
    _ shaper: AudioShaper, _ frame: AudioFrame, _ options: IncomingAudioOptions
  ) -> [HeardBuffer] {
    var all: [HeardBuffer] = []
    shaper.shape(frame, options) {
      all.append(HeardBuffer($0))
    } failed: {
      Issue.record("no memory")
    }
    return all
  }

  @Test func whatFitsPassesAsItIs() throws {
    let shaper = AudioShaper()
    let frame = try Make.frame(Self.format, 0.5, at: 7)
    defer { frame.release() }
    var passed: [UnsafeMutableRawPointer?] = []
    shaper.shape(frame, IncomingAudioOptions()) {
      passed.append($0.bytes.baseAddress)
    } failed: {
    }
    shaper.shape(frame, Make.hearing { ($0.sampleRate, $0.channels, $0.sampleFormat) = (48_000, 1, .f32) }) {
      passed.append($0.bytes.baseAddress)
    } failed: {
    }
    #expect(passed == [frame.bytes.baseAddress, frame.bytes.baseAddress])
    #expect(frame.references == 1)
  }

  @Test func withoutGainNothingIsCopied() throws {
    let shaper = AudioShaper()
    let frame = try Make.frame(Self.format, 0.5)
    let scaled = shaper.scale(frame, by: 1)
    #expect(scaled == frame)
    #expect(frame.references == 2)
    scaled.release()
    frame.release()
  }

  @Test func gainIsReachedWithinABufferAndLeavesTheSendersSamples() throws {
    let shaper = AudioShaper()
    let frame = try Make.frame(Self.format, 0.25, at: 1234)
    frame.native.pointee.sequence = 9
    frame.native.pointee.flags |= UInt32(MSDK_FRAME_DISCONTINUITY)
    let buffers = [2, 2, 1, 1].map { (gain: Float) -> HeardBuffer in
      let scaled = shaper.scale(frame, by: gain)
      defer { scaled.release() }
      return HeardBuffer(scaled)
    }
    #expect(buffers[0].samples[0] == 0.25 && abs(buffers[0].samples[959] - 0.5) < 0.001)
    #expect(buffers[1].samples.allSatisfy { $0 == 0.5 })
    #expect(buffers[1].level == 6)
    #expect(buffers[2].samples[0] == 0.5 && abs(buffers[2].samples[959] - 0.25) < 0.001)
    #expect(buffers[3].samples.allSatisfy { $0 == 0.25 })
    #expect(buffers.allSatisfy { $0.timestamp == 1234 && $0.sequence == 9 && $0.isAfterGap })
    #expect(frame.f32.allSatisfy { $0 == 0.25 })
    #expect(frame.references == 1)
    frame.release()
  }

  @Test func soundIsMadeAsWanted() throws {
    let shaper = AudioShaper()
    let wanted = Make.hearing { ($0.sampleFormat, $0.channels, $0.bufferMilliseconds) = (.s16, 2, 50) }
    var all: [HeardBuffer] = []
    for index in 0..<5 as Range<Int64> {
      let frame = try Make.frame(Self.format, 0.5, at: second + index * 20 * millisecond)
      all += shape(shaper, frame, wanted)
      frame.release()
    }
    #expect(all.map(\.count) == [2400, 2400])
    #expect(all.map(\.timestamp) == [second, second + 50 * millisecond])
    #expect(all.allSatisfy { $0.format.isSameSound(as: AudioFormat(.s16, sampleRate: 48_000, channels: 2)) })
    #expect(all.allSatisfy { $0.samples.allSatisfy { $0 == 0.5 } })
  }

  @Test func whatWaitsIsFlushedWithSilence() throws {
    let shaper = AudioShaper()
    let wanted = Make.hearing { $0.bufferMilliseconds = 50 }
    let frame = try Make.frame(Self.format, 0.5, at: second)
    #expect(shape(shaper, frame, wanted).isEmpty)
    frame.release()
    var flushed: [HeardBuffer] = []
    shaper.flush { flushed.append(HeardBuffer($0)) }
    #expect(flushed.map(\.count) == [2400])
    #expect(flushed.first?.samples[959] == 0.5 && flushed.first?.samples[960] == 0)
    shaper.flush { _ in Issue.record("flushed twice") }
  }

  @Test func aSenderWhoChangesHisFormatIsFollowed() throws {
    let shaper = AudioShaper()
    let wanted = Make.hearing { $0.sampleFormat = .f32 }
    for (sampleFormat, channels) in [(SampleFormat.f32, 1), (.s16, 2), (.f32, 1), (.s16, 1)] as [(SampleFormat, UInt32)] {
      let format = AudioFormat(sampleFormat, sampleRate: 48_000, channels: channels, samplesPerBuffer: 480)
      let frame = try Make.frame(format, 0.5, at: second)
      defer { frame.release() }
      let buffers = shape(shaper, frame, wanted)
      #expect(buffers.map(\.count) == [480])
      #expect(buffers.allSatisfy { $0.format.sampleFormat == .f32 && $0.format.channels == channels })
    }
  }

  @Test func memoryThatIsAllHeldIsToldAndComesBack() throws {
    let shaper = AudioShaper()
    let wanted = Make.hearing { $0.sampleFormat = .s16 }
    let frame = try Make.frame(AudioFormat(.f32, sampleRate: 48_000, channels: 1, samplesPerBuffer: 16), 0.5)
    var kept: [AudioFrame] = []
    var failures = 0
    for _ in 0..<2050 {
      shaper.shape(frame, wanted) { piece in
        piece.retain()
        kept.append(piece)
      } failed: {
        failures += 1
      }
    }
    #expect(kept.count == 2048)
    #expect(failures == 2)
    for piece in kept { piece.release() }
    #expect(shape(shaper, frame, wanted).count == 1)
    frame.release()
  }
}
