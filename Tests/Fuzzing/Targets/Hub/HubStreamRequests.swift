import CMediaSDK
import MediaCore
import MediaRTP

@testable import MediaTransport

/// A hostile member's requests in any order, between what the room and the network do: streams offered and withdrawn, units arriving and
/// leaving. The host's tables for that member never hold more than there are places, and no place is taken twice.
enum HubStreamRequests: FuzzTarget {
  static let name = "hub_streams"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    var streams = HubStreams()
    var now: Int64 = 0
    var offered: [StreamID] = []
    for _ in 0..<512 where !input.isAtEnd {
      now += Int64(input.byte()) * 10_000_000
      switch input.number(below: 5) {
      case 0:
        guard offered.count < 64 else { break }
        let id = StreamID.next()
        offered.append(id)
        expect(streams.number(of: id) == nil, "a number of a stream that is not known")
        let number = streams.offer(id, codec: UInt32(input.byte() & 1 != 0 ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS))
        expect(streams.number(of: id) == number && streams.wasOffered(number), "a stream without its number")
      case 1:
        guard !offered.isEmpty else { break }
        expect(streams.withdraw(offered.remove(at: input.number(below: offered.count))) != nil, "a stream that is gone")
      case 2:
        guard let slot = HubSlot(index: input.byte()) else { break }
        let codec = UInt32(slot.isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS)
        let bits = input.byte()
        _ = streams.arrived(slot, codec, isKeyFrame: bits & 1 != 0, isAfterGap: bits & 2 != 0)
        streams.missed(Int(Int32(bitPattern: input.u32())), at: slot)
      case 3:
        let (number, delay) = (UInt32(input.byte()), Int64(input.u16()) * 100_000)
        let (slot, _) = streams.leave(
          number, size: Int(input.u32()), isKeyFrame: input.byte() & 1 != 0, delay: delay, target: Int(input.u32()), now: now)
        expect(slot == nil || streams.offered[number]?.received?.slot == slot, "a place that nobody chose")
        expect(streams.wanted >= 0, "less than nothing is wanted")
      default: act(on: input.piece(), &streams, now)
      }
      expect(streams.published.count <= Int(HubSlot.perKind) * 2, "\(streams.published.count) streams are published")
      expect(Set(streams.published.values.map(\.slot)).count == streams.published.count, "a place of two streams")
      let received = streams.offered.values.compactMap { $0.received?.slot }
      expect(Set(received).count == received.count, "a place of two streams of others")
    }
  }

  /// As the host does it, without the room.
  private static func act(on bytes: UnsafeRawBufferPointer, _ streams: inout HubStreams, _ now: Int64) {
    switch try? HubRequest(parsing: bytes) {
    case .publish(let number, let slot, let codec, _):
      guard HubStreams.fits(codec, slot) else { return }
      _ = streams.publish(number, .init(id: StreamID.next(), slot: slot, codec: codec))
    case .unpublish(let number): _ = streams.unpublish(number)
    case .setSpeaking(let number, let isSpeaking, _): streams.setSpeaking(number, isSpeaking)
    case .subscribe(let number, let slot): _ = streams.receive(number, at: slot, now: now)
    case .unsubscribe(let number): _ = streams.endReceiving(number)
    default: break
    }
  }
}
