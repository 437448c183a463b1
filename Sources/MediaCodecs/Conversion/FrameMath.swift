import MediaCore

/// The arithmetic of samples, on all of a frame's.
extension AudioFrame {
  /// As RFC 6464, section 3, has it.
  public var computedLevel: UInt32 {
    let format = self.format
    let count = sampleCount * Int(format.channels)
    switch format.sampleFormat {
    case .s16: return s16.baseAddress.map { SampleMath.level($0, count: count) } ?? AudioFrame.silentLevel
    case .f32: return f32.baseAddress.map { SampleMath.level($0, count: count) } ?? AudioFrame.silentLevel
    }
  }

  /// Multiplies the samples, from one gain at the first to another behind the last.
  public func ramp(from start: Float, to end: Float) {
    let format = self.format
    let channels = Int(format.channels)
    switch format.sampleFormat {
    case .s16:
      if let samples = s16.baseAddress { SampleMath.ramp(samples, channels: channels, count: sampleCount, from: start, to: end) }
    case .f32:
      if let samples = f32.baseAddress { SampleMath.ramp(samples, channels: channels, count: sampleCount, from: start, to: end) }
    }
  }

  /// Refuses floats of which one is infinite or not a number; `argument` names what they came as.
  public func checkNumbers(argument: String) throws(MediaError) {
    guard format.sampleFormat == .f32 else { return }
    let samples = f32
    guard let start = samples.baseAddress, let index = SampleMath.firstNotFinite(start, count: samples.count) else { return }
    throw MediaError(.invalid, "sample \(index) of \(argument) is \(samples[index]); accepted: finite numbers")
  }
}
