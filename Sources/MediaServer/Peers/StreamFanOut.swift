import MediaCore
import MediaTransport

/// Takes a stream of the room's once for a member, and hands it to all of their players that are to have it.
final class StreamFanOut: EncodedSink {
  private let lanes = Monitor<[PlayerLane]>([])

  func add(_ lane: PlayerLane) { lanes.withLock { $0.append(lane) } }

  /// Whether none is left.
  func remove(_ lane: PlayerLane) -> Bool {
    lanes.withLock { lanes in
      lanes.removeAll { $0 === lane }
      return lanes.isEmpty
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    for lane in lanes.withLock({ $0 }) { lane.receive(frame, id) }
  }
}
