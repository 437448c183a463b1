// What resampling costs, without the path around it: seconds of a processor for an hour of audio, in buffers of 10 ms. At equal clocks, and
// with a drift that changes with every buffer, as clocks are followed.
//   resampling-cost
import Glibc
import MediaCodecs

let pairs: [(UInt32, UInt32)] = [
  (44100, 48000), (48000, 44100), (16000, 48000), (48000, 16000), (24000, 48000), (48000, 24000), (48000, 48000)
]
/// Of an hour, and the best of so many.
let part = 120
let rounds = 5

func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func secondsAnHour(_ rates: (UInt32, UInt32), channels: Int, isDrifting: Bool) throws -> Double {
  let resampler = try AudioResampler(from: rates.0, to: rates.1, channels: channels)
  let count = Int(rates.0) / 100
  let input = (0..<count * channels).map { Float(sin(Double($0) * 0.1)) }
  var output = [Float](repeating: 0, count: resampler.outputCapacity(for: count) * channels)
  var best = Double.infinity
  for _ in 0..<rounds {
    let start = processorSeconds()
    for buffer in 0..<3600 * 100 / part {
      if isDrifting { resampler.setDrift(ppm: Int32(buffer * 37 % 201 - 100) * 10) }
      input.withUnsafeBufferPointer { input in output.withUnsafeMutableBufferPointer { _ = resampler.process(input, into: $0) } }
    }
    best = min(best, processorSeconds() - start)
  }
  return best * Double(part)
}

func column(_ seconds: Double) -> String {
  let hundredths = Int((seconds * 100).rounded())
  let text = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  return String(repeating: " ", count: max(1, 17 - text.count)) + text
}

print("CPU s an hour             mono   mono, drifting           stereo stereo, drifting")
for rates in pairs {
  var line = "\(rates.0) -> \(rates.1)"
  line += String(repeating: " ", count: 14 - line.count)
  for channels in 1...2 {
    for isDrifting in [false, true] { line += column(try secondsAnHour(rates, channels: channels, isDrifting: isDrifting)) }
  }
  print(line)
}
