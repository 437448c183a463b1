import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct FrameMathTests {
  private func frame(_ sampleFormat: SampleFormat, channels: UInt32 = 2) throws -> AudioFrame {
    try AudioFrame.make(AudioFormat(sampleFormat, sampleRate: 48_000, channels: channels), sampleCount: 480)
  }

  @Test func theLevelIsThatOfAllChannels() throws {
    for sampleFormat in SampleFormat.allCases {
      let frame = try frame(sampleFormat)
      defer { frame.release() }
      #expect(frame.computedLevel == AudioFrame.silentLevel)
      // The second channel alone, at full scale.
      for index in stride(from: 1, to: 960, by: 2) {
        if sampleFormat == .s16 { frame.s16[index] = .min } else { frame.f32[index] = -1 }
      }
      #expect(frame.computedLevel == 3)
    }
  }

  @Test func aRampGoesOverAllChannels() throws {
    for sampleFormat in SampleFormat.allCases {
      let frame = try frame(sampleFormat)
      defer { frame.release() }
      for index in 0..<960 {
        if sampleFormat == .s16 { frame.s16[index] = 9600 } else { frame.f32[index] = 1 }
      }
      frame.ramp(from: 0, to: 1)
      let expected = (0..<960).map { Double($0 / 2) / 480 }
      for (index, gain) in expected.enumerated() {
        let value = sampleFormat == .s16 ? Double(frame.s16[index]) / 9600 : Double(frame.f32[index])
        #expect(abs(value - gain) < 1e-4, "\(sampleFormat) \(index): \(value)")
      }
    }
  }

  @Test func whatIsNoNumberIsRefusedByItsPlace() throws {
    for bad in [Float.nan, .infinity, -.infinity] {
      let frame = try frame(.f32)
      defer { frame.release() }
      try frame.checkNumbers(argument: "data")
      frame.f32[701] = bad
      do {
        try frame.checkNumbers(argument: "data")
        Issue.record("\(bad) was accepted")
      } catch {
        #expect(error.status == .invalid)
        #expect(error.text == "sample 701 of data is \(bad); accepted: finite numbers")
      }
    }
  }

  @Test func wholeNumbersAreNumbers() throws {
    let frame = try frame(.s16, channels: 1)
    defer { frame.release() }
    // As floats these would be none.
    for index in 0..<480 { frame.s16[index] = -1 }
    try frame.checkNumbers(argument: "data")
  }
}
