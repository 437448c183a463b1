import MediaCore
import MediaRTP
import MediaTransport

@testable import MediaSDK

/// A way to a room of which a test says how long what is sent has to wait, and how good the network is.
final class StandInTransport: Transport {
  let figures = Monitor<NetworkFigures?>(nil)
  let backlog = Monitor<Int64>(0)
  let published = Monitor<StreamID?>(nil)
  let layers = Journal<StreamLayers>()
  /// A frame of a stream in several.
  struct Layered: Sendable {
    let layer: Int
    let id: FrameID
    let size: (width: UInt32, height: UInt32)
    let isKey: Bool
  }
  let layered = Journal<Layered>()
  let targets = Monitor([Int: UInt64]())
  let withdrawn = Journal<StreamID>()
  let sent = Journal<FrameID>()
  let carriage = Monitor(Carriage())
  let units = Journal<EncodedFrame>()

  deinit {
    for frame in units.entries { frame.release() }
  }

  func connect(_ delegate: any TransportDelegate) {}
  func disconnect() {}
  /// One that was not there yet.
  private let lastID = Monitor<UInt64>(1 << 40)
  func makeStreamID() -> StreamID {
    lastID.withLock { last in
      last += 1
      return StreamID(value: last)
    }
  }
  func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, carriesMetadata: Bool) {
    published.withLock { $0 = stream }
    self.layers.add(layers)
  }
  func unpublish(_ stream: StreamID) { withdrawn.add(stream) }
  func setFormat(_ stream: StreamID, _ format: StreamFormat) {}
  func setMuted(_ stream: StreamID, _ isMuted: Bool) {}
  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) {}

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    sent.add(id)
    frame.retain()
    units.add(frame)
    return .sent
  }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID, layer: Int) -> SendResult {
    layered.add(Layered(layer: layer, id: id, size: (frame.native.pointee.width, frame.native.pointee.height), isKey: frame.isKeyFrame))
    return send(frame, id, on: stream)
  }

  func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) { targets.withLock { $0[layer] = bitrate } }

  func send(_ frame: VideoFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    sent.add(id)
    return .sent
  }

  var carriesRaw: Bool { true }
  func carriage(of stream: StreamID) -> Carriage { carriage.withLock { $0 } }
  func backlog(of stream: StreamID) -> Int64 { backlog.withLock { $0 } }
  func subscribe(to stream: StreamID, _ sink: StreamSink) {}
  func unsubscribe(from stream: StreamID) {}
  func requestKeyFrame(of stream: StreamID) {}
  func remove(_ userID: String, reason: String) {}
  func mute(_ userID: String, _ isMuted: Bool) {}
  var stats: TransportStats { TransportStats() }
  var networkFigures: NetworkFigures? { figures.withLock { $0 } }
}

extension Call {
  /// In place of anna's way to the room.
  func standIn() -> StandInTransport {
    let way = StandInTransport()
    anna.guarded.withLock { $0.transport = way }
    return way
  }
}
