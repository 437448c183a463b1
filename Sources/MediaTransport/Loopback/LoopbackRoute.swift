import MediaCore
import Synchronization

/// Where a stream of a loopback room goes now: who receives it, and what the network of its sender does. The room replaces it under its lock;
/// whoever sends reads it without one.
final class LoopbackRoute: Sendable {
  let receivers: [LoopbackRoom.Receiver]
  let script: NetworkScript?
  /// Withdrawn, or its publisher left.
  let isOver: Bool

  init(to receivers: [LoopbackRoom.Receiver], under script: NetworkScript?, isOver: Bool = false) {
    (self.receivers, self.script, self.isOver) = (receivers, script, isOver)
  }
}

/// One published stream, for the one who sends it: no look-up, no lock.
final class LoopbackOutlet: MediaOutlet {
  private let transport: LoopbackTransport
  private let stream: StreamID
  private let route: Snapshot<LoopbackRoute>

  init(_ transport: LoopbackTransport, _ stream: StreamID, _ route: Snapshot<LoopbackRoute>) {
    (self.transport, self.stream, self.route) = (transport, stream, route)
  }

  func send(_ frame: EncodedFrame, _ id: FrameID) -> SendResult { route.read { transport.carry(frame, id, on: stream, along: $0) } }
  func send(_ frame: VideoFrame, _ id: FrameID) -> SendResult { route.read { transport.carry(frame, id, on: stream, along: $0) } }
  func send(_ frame: AudioFrame, _ id: FrameID) -> SendResult { route.read { transport.carry(frame, id, on: stream, along: $0) } }
}

/// What a member sent and received whole, counted by whatever thread brings it.
struct LoopbackTraffic: ~Copyable {
  private let bytesSent = Atomic<UInt64>(0)
  private let packetsSent = Atomic<UInt64>(0)
  private let bytesReceived = Atomic<UInt64>(0)
  private let packetsReceived = Atomic<UInt64>(0)

  func countSent(bytes: Int, packets: UInt64) {
    bytesSent.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    packetsSent.wrappingAdd(packets, ordering: .relaxed)
  }

  func countReceived(bytes: Int, packets: UInt64) {
    bytesReceived.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    packetsReceived.wrappingAdd(packets, ordering: .relaxed)
  }

  func add(to stats: inout TransportStats) {
    stats.bytesSent &+= bytesSent.load(ordering: .relaxed)
    stats.packetsSent &+= packetsSent.load(ordering: .relaxed)
    stats.bytesReceived &+= bytesReceived.load(ordering: .relaxed)
    stats.packetsReceived &+= packetsReceived.load(ordering: .relaxed)
  }
}
