import CMediaSDK
import Glibc
import MediaCodecs
import MediaPlugins
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct AudioDecodingStageTests {
  /// Packets of 20 ms of a tone from one second on, numbered from 1.
  private struct Film {
    var packets: [EncodedFrame] = []
    let lookahead: Int64

    init(count: Int, fec: Bool = false) throws {
      var options = Make.opus()
      (options.fec, options.expectedLoss, options.bitrate) = (fec, fec ? 30 : nil, 24_000)
      let stage = try AudioEncodingStage(options, options.encoderSettings)
      var packets: [EncodedFrame] = []
      for index in 0..<count {
        let frame = try Make.frame(options.format, at: second + Int64(index) * 20 * millisecond)
        defer { frame.release() }
        frame.write { 0.4 * sinf(2 * .pi * 300 * Float(index * 960 + $0) / 48_000) }
        try stage.encode(frame) { packet in
          guard let encoded = packet.frame else { return }
          encoded.retain()
          packets.append(encoded)
        }
      }
      self.packets = packets
      lookahead = second - (packets.first?.native.pointee.timestamp_ns ?? 0)
    }

    /// What comes of the packets of these numbers.
    func play(_ numbers: some Sequence<Int>) throws -> (heard: [HeardBuffer], result: AudioDecodingStage.Result) {
      let stage = AudioDecodingStage(try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS)), channels: 1)
      var heard: [HeardBuffer] = []
      var total = AudioDecodingStage.Result()
      for number in numbers {
        let result = try stage.decode(packets[number - 1], UInt64(number)) { heard.append(HeardBuffer($0)) }
        total.recovered += result.recovered
        total.concealed += result.concealed
        total.samples += result.samples
      }
      return (heard, total)
    }

    func release() {
      for packet in packets { packet.release() }
    }
  }

  private func isContinuous(_ heard: [HeardBuffer]) -> Bool {
    zip(heard, heard.dropFirst()).allSatisfy { one, next in
      abs(next.timestamp - one.timestamp - one.format.duration(ofSamples: one.count)) <= 1
    }
  }

  private func power(_ samples: [Float]) -> Float {
    (samples.map { $0 * $0 }.reduce(0, +) / Float(max(1, samples.count))).squareRoot()
  }

  @Test func packetsInOrderAreDecodedAsTheyAre() throws {
    let film = try Film(count: 20)
    defer { film.release() }
    let (heard, result) = try film.play(1...20)
    #expect(heard.map(\.count) == Array(repeating: 960, count: 20))
    #expect(heard.map(\.sequence) == Array(1...20))
    #expect(heard[0].timestamp == second - film.lookahead)
    #expect(isContinuous(heard))
    #expect(heard.allSatisfy { !$0.isMadeUp && !$0.isAfterGap })
    #expect(result.recovered == 0 && result.concealed == 0 && result.samples == 20 * 960)
    #expect(abs(power(heard[10].samples) - 0.283) < 0.03)
    #expect(heard[10].level == 11)
  }

  @Test(arguments: [1, 2, 5])
  func gapsUpTo100MillisecondsAreConcealed(missing: Int) throws {
    let film = try Film(count: 20)
    defer { film.release() }
    let (heard, result) = try film.play(Array(1...10) + Array(10 + missing + 1...20))
    #expect(heard.count == 20)
    #expect(isContinuous(heard))
    #expect(heard.enumerated().allSatisfy { index, buffer in buffer.isMadeUp == (10..<10 + missing).contains(index) })
    #expect(heard.allSatisfy { !$0.isAfterGap })
    #expect(result.concealed == UInt64(missing * 960))
    #expect(result.samples == 20 * 960)
    #expect(result.recovered == 0)
    // The tone goes on.
    #expect(power(heard[10].samples) > 0.1)
  }

  @Test func longerGapsAreLeft() throws {
    let film = try Film(count: 40)
    defer { film.release() }
    let (heard, result) = try film.play(Array(1...10) + Array(31...40))
    #expect(result.concealed == 4800)
    let after = try #require(heard.firstIndex { $0.timestamp == film.packets[30].native.pointee.timestamp_ns })
    #expect(heard[after].isAfterGap && !heard[after].isMadeUp)
    #expect(heard[..<after].count == 15)
    #expect(isContinuous(Array(heard[..<after])))
    #expect(heard[heard.index(after: after)...].allSatisfy { !$0.isAfterGap })
    // The tail fades, as the decoder has it.
    #expect(heard[14].isMadeUp && power(heard[14].samples) < power(heard[10].samples))
  }

  @Test func theSuccessorRepairsALoss() throws {
    let film = try Film(count: 40, fec: true)
    defer { film.release() }
    let whole = try film.play(1...40).heard
    let numbers = (1...40).filter { $0 % 5 != 0 || $0 == 40 }
    let (heard, result) = try film.play(numbers)
    #expect(heard.count == 40)
    #expect(isContinuous(heard))
    #expect(result.recovered >= 6, "\(result.recovered) of 7")
    #expect(UInt64(heard.count { $0.isMadeUp }) * 960 == result.concealed)
    // What is repaired is like what was sent.
    for index in stride(from: 19, to: 39, by: 5) where !heard[index].isMadeUp {
      let difference = zip(heard[index].samples, whole[index].samples).map { $0 - $1 }
      #expect(power(difference) < 0.5 * power(whole[index].samples), "buffer \(index)")
    }
  }

  @Test func ofALongerGapTheLastIsRepairedInItsPlace() throws {
    let film = try Film(count: 40, fec: true)
    defer { film.release() }
    let codec = try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS))
    for least in [3, 12] {
      // The encoder does not repeat every packet.
      let next = try #require((20 + least + 1...40).first { (try? codec.parse(film.packets[$0 - 1].bytes))?.hasRedundancy == true })
      let missing = next - 21
      let (heard, result) = try film.play(Array(1...20) + Array(next...40))
      let packet = film.packets[next - 1]
      let index = try #require(heard.firstIndex { $0.timestamp == packet.native.pointee.timestamp_ns })
      #expect(result.recovered == 1)
      // Just before the packet that brought it.
      let repaired = heard[index - 1]
      #expect(abs(repaired.timestamp + 20 * millisecond - packet.native.pointee.timestamp_ns) <= 1)
      #expect(!repaired.isMadeUp)
      #expect(repaired.isAfterGap == (missing > 5))
      #expect(!heard[index].isAfterGap)
      #expect(zip(heard, heard.dropFirst()).allSatisfy { $1.timestamp > $0.timestamp })
      #expect(result.concealed == UInt64(min(missing - 1, 4) * 960))
    }
  }

  @Test func aPauseOfTheSendersIsNoGap() throws {
    let film = try Film(count: 20)
    defer { film.release() }
    let stage = AudioDecodingStage(try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS)), channels: 1)
    var heard: [HeardBuffer] = []
    // Numbered without a gap, but ten packets' time went by: silence that was not sent.
    for (number, index) in [0, 1, 12, 13].enumerated() {
      let result = try stage.decode(film.packets[index], UInt64(number + 1)) { heard.append(HeardBuffer($0)) }
      #expect(result.concealed == 0 && result.recovered == 0)
    }
    #expect(heard.map(\.timestamp) == [0, 1, 12, 13].map { film.packets[$0].native.pointee.timestamp_ns })
    #expect(heard.allSatisfy { !$0.isMadeUp })
  }

  @Test func resettingBeginsAnew() throws {
    let film = try Film(count: 20)
    defer { film.release() }
    let stage = AudioDecodingStage(try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS)), channels: 1)
    var heard: [HeardBuffer] = []
    _ = try stage.decode(film.packets[0], 1) { heard.append(HeardBuffer($0)) }
    stage.reset()
    let result = try stage.decode(film.packets[9], 10) { heard.append(HeardBuffer($0)) }
    #expect(result.concealed == 0)
    #expect(heard.map(\.isAfterGap) == [false, true])
  }

  @Test func monoPacketsMayBeHeardInStereo() throws {
    let film = try Film(count: 5)
    defer { film.release() }
    let stage = AudioDecodingStage(try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS)), channels: 2)
    for number in 1...5 {
      _ = try stage.decode(film.packets[number - 1], UInt64(number)) { frame in
        #expect(frame.format.channels == 2 && frame.sampleCount == 960)
        #expect((0..<960).allSatisfy { frame.f32[2 * $0] == frame.f32[2 * $0 + 1] })
      }
    }
  }

  @Test func timesOfAnySizeDoNotTrap() throws {
    let film = try Film(count: 8)
    defer { film.release() }
    let stage = AudioDecodingStage(try Codecs.builtIn.audio(UInt32(MSDK_CODEC_OPUS)), channels: 1)
    let times: [Int64] = [1, .max - 1_000_000_000, 5, .min + 5, 0, second]
    for (index, time) in times.enumerated() {
      film.packets[index].native.pointee.timestamp_ns = time
      _ = failure { _ = try stage.decode(film.packets[index], UInt64(index * 3 + 1)) { _ in } }
    }
  }
}
