import CResampler
import MediaCore

/// Another sample rate, by libsamplerate's sinc of medium quality. What comes out lies exactly where it lay in the input, no sample is
/// shifted; it comes 47 samples (of the lower rate) later, since those after it are needed to make it. Used by one thread at a time.
public final class AudioResampler: @unchecked Sendable {
  /// How far from its middle the filter reaches, in samples of the lower rate.
  static let reach = 47

  /// Samples of the input, at most, for which nothing has come out yet.
  private static func held(_ ratio: Double) -> Int { Int((Double(reach + 2) * max(1, 1.002 / ratio)).rounded(.up)) }

  private let state: OpaquePointer
  private let silence: UnsafeMutableBufferPointer<Float>
  private let inputRate: Double
  private let nominal: Double
  private let channels: Int
  private var drift: Int32 = 0
  /// Output samples for each of the input.
  private var ratio: Double
  /// Where the next output sample lies after the next input sample, in samples of the input, is `offset + (made + known) / ratio - given`.
  /// Counted from the last change of the ratio, so that no rounding adds up.
  private var offset = 0.0
  private var made = 0
  private var given = 0
  /// Output samples to come that the one who asks has already.
  private var known = 0

  public init(from input: UInt32, to output: UInt32, channels: Int) throws(MediaError) {
    guard AudioFormat.sampleRates.contains(input), AudioFormat.sampleRates.contains(output) else {
      throw MediaError(.range, "resampling from \(input) to \(output) Hz; accepted: 8000..192000")
    }
    guard (1...2).contains(channels) else { throw MediaError(.range, "resampling \(channels) channels; accepted: 1, 2") }
    var code: Int32 = 0
    guard let state = src_new(Int32(SRC_SINC_MEDIUM_QUALITY), Int32(channels), &code) else {
      throw MediaError(.noMemory, "making a resampler: \(src_strerror(code).map { String(cString: $0) } ?? "unknown")")
    }
    self.state = state
    self.channels = channels
    inputRate = Double(input)
    nominal = Double(output) / Double(input)
    ratio = nominal
    silence = .allocate(capacity: (AudioResampler.held(nominal) + 1) * channels)
    silence.initialize(repeating: 0)
  }

  deinit {
    src_delete(state)
    silence.deallocate()
  }

  /// Samples per channel that `process` and `flush` may give after so many, for which there must be room.
  public func outputCapacity(for inputSamples: Int) -> Int {
    Int((Double(inputSamples + AudioResampler.held(nominal)) * nominal * 1.002).rounded(.up)) + 4
  }

  /// Takes all of the input, and gives the samples per channel that can be made by now.
  public func process(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> Int {
    run(input, into: output)
  }

  /// The rest, as if silence came after it; what is processed next begins anew.
  public func flush(into output: UnsafeMutableBufferPointer<Float>) -> Int {
    // What lies before the end of the input, but for a place so close to it that the next buffer would have begun there.
    let due = Int(max(0, (-position * ratio - 1e-6).rounded(.up)))
    let room = UnsafeMutableBufferPointer(rebasing: output[..<min(output.count, due * channels)])
    let count = run(UnsafeBufferPointer(silence), into: room)
    reset()
    return count
  }

  /// The time by which the next sample that comes out is older than the next that goes in.
  public var delay: Int64 { Int64((-position * 1e9 / inputRate).rounded()) }

  /// Nanoseconds from one output sample to the next, as the input's timestamps count them.
  var period: Double { 1e9 / (inputRate * ratio) }

  /// The input's clock is fast by so many parts per million, -1,000...1,000: fewer samples come out. Takes effect with the next sample; the
  /// sound goes on without a gap, at a pitch that is changed by as much. Costs nothing: no table depends on it.
  public func setDrift(ppm: Int32) {
    let wanted = min(max(ppm, -1000), 1000)
    guard wanted != drift else { return }
    drift = wanted
    if known == 0 { follow() }
  }

  /// Forgets the sound, not the drift.
  public func reset() {
    src_reset(state)
    offset = 0
    made = 0
    given = 0
    known = 0
    follow()
  }

  /// Begins after sound that has been heard without this resampler, of equal rates: the first sample that comes out is the one after it, as
  /// if it had been processed from the start.
  func prime(_ heard: UnsafeBufferPointer<Float>) {
    reset()
    let count = heard.count / channels
    guard count > 0 else { return }
    change(to: nominal)
    known = count
    let room = UnsafeMutableBufferPointer<Float>.allocate(capacity: outputCapacity(for: count) * channels)
    defer { room.deallocate() }
    // The filter holds back the last of what it is given, so nothing new can come out.
    _ = run(heard, into: room)
  }

  private var position: Double { offset + Double(made + known) / ratio - Double(given) }

  private func follow() { change(to: nominal / (1 + Double(drift) * 1e-6)) }

  private func change(to ratio: Double) {
    offset += Double(made) / self.ratio - Double(given)
    made = 0
    given = 0
    self.ratio = ratio
    src_set_ratio(state, ratio)
  }

  private func run(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> Int {
    guard let start = output.baseAddress else { return 0 }
    let room = output.count / channels
    var left = input
    var count = 0
    while true {
      var data = SRC_DATA()
      data.data_in = left.baseAddress
      data.input_frames = left.count / channels
      data.data_out = start + count * channels
      data.output_frames = known > 0 ? min(known, room) : room - count
      data.src_ratio = ratio
      guard src_process(state, &data) == 0 else { return count }
      made += data.output_frames_gen
      given += data.input_frames_used
      left = UnsafeBufferPointer(rebasing: left[(data.input_frames_used * channels)...])
      if known > 0 {
        known -= data.output_frames_gen
        if known == 0 { follow() }
      } else {
        count += data.output_frames_gen
      }
      // Nothing went in or came out: all is done, or there is no room.
      if data.output_frames_gen == 0, data.input_frames_used == 0 { return count }
    }
  }
}
