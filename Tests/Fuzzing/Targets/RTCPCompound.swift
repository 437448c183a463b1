import MediaCore
import MediaRTP

/// Datagrams of RTCP: every list of every message is gone over, and none is longer than its bytes can hold.
enum RTCPCompound: FuzzTarget {
  static let name = "rtcp"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let form: RTCPForm = input.byte() & 1 == 0 ? .compound : .reducedSize
    var messages = try RTCPMessage.Iterator(parsing: input.rest, form)
    var count = 0
    while let message = messages.next() {
      count += 1
      look(at: message, within: input.rest.count)
    }
    expect((count + messages.unknown + messages.malformed) * 4 <= input.rest.count, "more messages than there is room for")
  }

  private static func look(at message: RTCPMessage, within size: Int) {
    switch message {
    case .senderReport(_, let blocks), .receiverReport(_, let blocks):
      var count = 0
      for block in blocks { count += 1 + Int(block.fractionLost >> 8) }
      expect(count <= 31, "\(count) blocks")
    case .sourceDescription(let chunks):
      var bytes = 0
      for chunk in chunks { bytes += 4 + (chunk.cname?.utf8.count ?? 0) / 3 }
      expect(bytes <= size, "more sources than there is room for")
    case .goodbye(let goodbye): expect(goodbye.sources.count <= 31, "more than 31 leave")
    case .nack(let numbers): expect(numbers.reduce(0) { count, _ in count + 1 } * 4 <= size * 17, "more numbers than there is room for")
    case .fullIntraRequest(let commands):
      expect(commands.reduce(0) { count, _ in count + 1 } * 8 <= size, "more commands than there is room for")
    case .maximumBitrate(let estimate):
      expect(estimate.bitrate >= 0 && estimate.sources.count * 4 <= size, "an estimate that cannot be")
    case .transportFeedback(let feedback):
      var received = 0
      for arrival in feedback {
        received += 1
        expect(abs(arrival.time) < 1 << 48, "a time that cannot be")
      }
      expect(received == feedback.receivedCount && received <= feedback.count, "other arrivals than it said")
      expect(received <= size * 14, "more arrivals than there is room for")
    case .extendedReport(let report):
      for case .delays(let delays) in report {
        expect(delays.reduce(0) { count, _ in count + 1 } * 12 <= size, "more delays than there is room for")
      }
    case .pictureLoss: break
    }
  }
}
