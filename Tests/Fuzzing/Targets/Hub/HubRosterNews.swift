import MediaCore
import MediaRTP

@testable import MediaTransport

/// A hostile host's news of streams in any order, between what an honest member does: publishes, receives, ends. The tables never hold
/// more than they may, and no place is taken twice.
enum HubRosterNews: FuzzTarget {
  static let name = "hub_roster"

  private final class Nobody: EncodedSink {
    func receive(_ frame: EncodedFrame, _ id: FrameID) {}
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    var room = HubRoster()
    var log = ReliableOutbox()
    var now: Int64 = 0
    var ids: [StreamID] = []
    let sink = Nobody()
    for _ in 0..<512 where !input.isAtEnd {
      now += Int64(input.byte()) * 10_000_000
      switch input.number(below: 6) {
      case 0:
        let id = StreamID.next()
        let isVideo = input.byte() & 1 != 0
        if let own = room.publish(id, codec: 0, video: isVideo, now: now) {
          expect(own.slot.isVideo == isVideo, "the place of another kind")
          ids.append(id)
        }
      case 1: if !ids.isEmpty { _ = room.unpublish(ids[input.number(below: ids.count)], now: now) }
      case 2:
        let others = room.others.keys.sorted { $0.value < $1.value }
        if !others.isEmpty { _ = room.receive(others[input.number(below: others.count)], sink, now: now) }
      case 3:
        if let slot = HubSlot(index: input.byte()) {
          _ = room.arrived(slot, UInt32(input.byte()), isAfterGap: input.byte() & 1 != 0)
          room.missed(Int(Int32(bitPattern: input.u32())), at: slot)
        }
      case 4:
        _ = log.keep(Array(input.take(input.number(below: 16))))
        while log.next(now: now) != nil {}
        _ = log.confirm(UInt64(input.byte()) | UInt64(input.byte()) << 56, now: now)
      default: follow(input.piece(), &room, now)
      }
      expect(room.others.count <= HubRoster.mostOthers, "\(room.others.count) streams")
      expect(Set(room.own.values.map(\.slot)).count == room.own.count, "a place of two streams")
      let received = room.others.values.compactMap(\.slot)
      expect(Set(received).count == received.count, "a place of two streams of others")
    }
  }

  private static func follow(_ bytes: UnsafeRawBufferPointer, _ room: inout HubRoster, _ now: Int64) {
    switch try? HubNotice(parsing: bytes) {
    case .streamAdded(let stream):
      let before = room.others.count
      expect(room.add(stream) == nil || room.others.count == before + 1, "a stream that is nowhere")
    case .streamRemoved(let number): _ = room.remove(number, now: now)
    case .receivers(let number, let count): _ = room.setReceivers(number, count)
    case .streamMuted(let number, _), .keyFrameRequested(let number): _ = (room.own(number), room.other(number))
    default: break
    }
  }
}
