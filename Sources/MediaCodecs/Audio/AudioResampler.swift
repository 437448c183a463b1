import CResampler
import MediaCore

/// Another sample rate, by a polyphase filter bank (`FilterBank`). What comes out lies exactly where it lay in the input, no sample is
/// shifted; it comes 44 samples (of the lower rate) later, since those after it are needed to make it. Used by one thread at a time.
///
/// Places in the input are counted in integers: as parts of a sample of which there are as many as the output has samples in a million
/// seconds. A drift changes the step from one output to the next by a whole number of them, so nothing is ever rounded, and whatever the
/// step is, an output is made in the same manner.
public final class AudioResampler: @unchecked Sendable {
  /// Input samples that are taken at once.
  private static let piece = 1024
  private static let million: Int64 = 1_000_000

  private let bank: FilterBank
  private let loops: cresampler_bank
  private let inputRate: Int64
  private let outputRate: Int64
  private let channels: Int

  /// The input samples that are still needed, one channel behind the other.
  private let window: UnsafeMutablePointer<Float>
  private let capacity: Int
  /// Of each channel; the first one is the first that the next output needs.
  private var filled = 0
  /// Where the next output and those after it lie.
  private var places: cresampler_places

  /// The rates are in Hz, of `AudioFormat.sampleRates`; `channels` is 1 or 2. Throws `.range` for others.
  public convenience init(from input: UInt32, to output: UInt32, channels: Int) throws(MediaError) {
    try self.init(from: input, to: output, channels: channels, isWide: cresampler_is_wide() != 0)
  }

  /// With or without the processor's vectors of 32 bytes, which it must have.
  init(from input: UInt32, to output: UInt32, channels: Int, isWide: Bool) throws(MediaError) {
    guard AudioFormat.sampleRates.contains(input), AudioFormat.sampleRates.contains(output) else {
      throw MediaError(.range, "resampling from \(input) to \(output) Hz; accepted: 8000..192000")
    }
    guard (1...2).contains(channels) else { throw MediaError(.range, "resampling \(channels) channels; accepted: 1, 2") }
    bank = FilterBank.shared(from: input, to: output)
    loops = cresampler_bank(rows: bank.rows, phases: Int32(bank.phases), taps: Int32(bank.taps), is_wide: isWide ? 1 : 0)
    self.channels = channels
    inputRate = Int64(input)
    outputRate = Int64(output)
    places = cresampler_places(
      part: 0, step: inputRate * AudioResampler.million, denominator: outputRate * AudioResampler.million)
    capacity = bank.taps + AudioResampler.piece
    window = .allocate(capacity: capacity * channels)
    window.initialize(repeating: 0, count: capacity * channels)
    reset()
  }

  deinit { window.deallocate() }

  /// Samples per channel that `process` and `flush` may give after so many, for which there must be room.
  public func outputCapacity(for inputSamples: Int) -> Int {
    Int((Double(inputSamples + bank.after + 2) * Double(outputRate) / Double(inputRate) * 1.002).rounded(.up)) + 4
  }

  /// Takes all of the input, and gives the samples per channel that can be made by now. What there is no room for is lost.
  public func process(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> Int {
    run(input.baseAddress, count: input.count / channels, into: output)
  }

  /// The rest, as if silence came after it; what is processed next begins anew.
  func flush(into output: UnsafeMutableBufferPointer<Float>) -> Int {
    // As much silence as the filter reaches over: what lies before the end of the input can be made now, and nothing else.
    let count = run(nil, count: bank.after, into: output)
    reset()
    return count
  }

  /// The time by which the next sample that comes out is older than the next that goes in.
  var delay: Int64 {
    let samples = Double(filled - before) - Double(places.part) / Double(places.denominator)
    return Int64((samples * 1e9 / Double(inputRate)).rounded())
  }

  /// Nanoseconds from one output sample to the next, as the input's timestamps count them.
  var period: Double { 1e9 * Double(places.step) / Double(places.denominator) / Double(inputRate) }

  /// The input's clock is fast by so many parts per million, -1,000...1,000: fewer samples come out. Takes effect with the next sample; the
  /// audio goes on without a gap, at a pitch that is changed by as much.
  public func setDrift(ppm: Int32) {
    places.step = inputRate * (AudioResampler.million + Int64(min(max(ppm, -1000), 1000)))
  }

  /// Forgets the sound, not the drift.
  func reset() {
    filled = before
    places.part = 0
    for channel in 0..<channels { (window + channel * capacity).update(repeating: 0, count: filled) }
  }

  /// Begins after sound that has been heard without this resampler, of equal rates: the first sample that comes out is the one after it, as
  /// if it had been processed from the start.
  func prime(_ heard: UnsafeBufferPointer<Float>) {
    reset()
    let count = min(heard.count / channels, before)
    guard count > 0, let source = heard.baseAddress else { return }
    filled -= count
    append(source + (heard.count / channels - count) * channels, count: count)
  }

  // MARK: Steps

  /// Input samples that are needed before the one that an output lies on or behind.
  private var before: Int { bank.taps - 1 - bank.after }

  /// With a source of nil silence goes in.
  private func run(_ source: UnsafePointer<Float>?, count: Int, into output: UnsafeMutableBufferPointer<Float>) -> Int {
    let room = output.count / channels
    var taken = 0
    var made = 0
    repeat {
      let next = min(AudioResampler.piece, count - taken)
      append(source.map { $0 + taken * channels }, count: next)
      taken += next
      made += make(output.baseAddress.map { $0 + made * channels }, room: room - made)
    } while taken < count
    return made
  }

  private func append(_ source: UnsafePointer<Float>?, count: Int) {
    let left = window + filled
    let right = left + (channels - 1) * capacity
    filled += count
    guard let source else {
      left.update(repeating: 0, count: count)
      right.update(repeating: 0, count: count)
      return
    }
    if channels == 1 {
      left.update(from: source, count: count)
    } else {
      for index in 0..<count {
        left[index] = source[2 * index]
        right[index] = source[2 * index + 1]
      }
    }
  }

  private func make(_ output: UnsafeMutablePointer<Float>?, room: Int) -> Int {
    let starts = Int64(filled - bank.taps + 1)
    guard starts > 0 else { return 0 }
    let possible = Int((starts * places.denominator - places.part + places.step - 1) / places.step)
    let count = min(possible, room)
    if let output, count > 0 {
      var (loops, places) = (loops, places)
      if channels == 1 {
        cresampler_mono(&loops, &places, window, output, Int32(count))
      } else {
        cresampler_stereo(&loops, &places, window, window + capacity, output, Int32(count))
      }
    }
    advance(by: possible)
    return count
  }

  private func advance(by outputs: Int) {
    let part = places.part + Int64(outputs) * places.step
    let samples = Int(part / places.denominator)
    places.part = part % places.denominator
    // A step is much shorter than the filter, so the next output's first sample is there.
    filled -= samples
    for channel in 0..<channels {
      let row = window + channel * capacity
      row.update(from: row + samples, count: filled)
    }
  }
}
