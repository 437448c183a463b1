import MediaTransport
import MediaWebRTC

/// A stream that is sent to a server of WHIP, in this session there or the next.
struct WHIPPublication: Sendable {
  let id: StreamID
  let codec: UInt32
  var format: StreamFormat
  let layers: StreamLayers
  let kind: Transceiver.Kind
  /// The server receives it.
  var isTaken = false
}
