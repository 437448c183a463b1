import Glibc
import MediaCore

@testable import MediaCodecs

/// Something like speech: a voice whose pitch and loudness change from syllable to syllable.
struct SpeechSource {
  let rate: Double
  let channels: Int
  private var index = 0
  private var phase = 0.0
  private var random = SeededRandom(seed: 11)

  init(rate: UInt32, channels: Int) {
    self.rate = Double(rate)
    self.channels = channels
  }

  mutating func next(_ count: Int) -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(count * channels)
    for _ in 0..<count {
      let time = Double(index) / rate
      let pitch = 320 + 60 * sin(2 * .pi * 1.7 * time) + 25 * sin(2 * .pi * 5.3 * time)
      phase += 2 * .pi * pitch / rate
      let loudness = 0.12 * (1 + 0.8 * sin(2 * .pi * 4.1 * time))
      var value = 0.0
      for harmonic in 1...12 { value += sin(Double(harmonic) * phase) / Double(harmonic) }
      value = value * loudness + (Double(random.next() >> 40) / Double(1 << 24) - 0.5) * 0.002
      for channel in 0..<channels { samples.append(Float(channel == 0 ? value : value * 0.5)) }
      index += 1
    }
    return samples
  }
}

extension OpusEncoder {
  func packet(_ samples: [Float]) throws -> [UInt8]? {
    try samples.withUnsafeBufferPointer { try encode($0) { Array($0) } }
  }
}

extension OpusDecoder {
  func samples(_ packet: [UInt8], channels: Int) throws -> [Float] {
    try [Float](unsafeUninitializedCapacity: 5760 * channels) { room, used in
      used = try packet.withUnsafeBytes { try decode($0, into: room) } * channels
    }
  }

  func concealed(_ count: Int, channels: Int) throws -> [Float] {
    try [Float](unsafeUninitializedCapacity: 5760 * channels) { room, used in
      used = try conceal(sampleCount: count, into: room) * channels
    }
  }

  func recovered(_ count: Int, from next: [UInt8], channels: Int) throws -> [Float]? {
    var isThere = true
    let samples = try [Float](unsafeUninitializedCapacity: 5760 * channels) { room, used in
      let count = try next.withUnsafeBytes { try recover(sampleCount: count, from: $0, into: room) }
      isThere = count != nil
      used = (count ?? 0) * channels
    }
    return isThere ? samples : nil
  }
}

/// Of two sounds of equal length: 1 when one is the other times a number.
func correlation(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Double {
  var ab = 0.0
  var aa = 0.0
  var bb = 0.0
  for (x, y) in zip(a, b) {
    ab += Double(x) * Double(y)
    aa += Double(x) * Double(x)
    bb += Double(y) * Double(y)
  }
  return ab / (aa * bb).squareRoot()
}
