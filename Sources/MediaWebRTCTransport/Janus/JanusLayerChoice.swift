import MediaSignalling
import MediaTransport

/// Which layer of a stream is received for a preference: the smallest that is not smaller. The server does not say how large layers are: key frames
/// do, and of those that did not come yet half the size is expected (as libwebrtc makes them), until the first of them. One step at a time, as the
/// publisher may not send the smallest. A plain value.
struct JanusLayerChoice: Sendable {
  private struct Size: Equatable {
    let longer: UInt32
    let shorter: UInt32

    func covers(_ preference: VideoPreference) -> Bool { longer >= preference.longer && shorter >= preference.shorter }
    var half: Size { Size(longer: longer / 2, shorter: shorter / 2) }
  }

  private(set) var layer = JanusLayer.best
  /// What the server says that it does not send yet, of the sizes; nil: it does, or says nothing, as of a video without layers.
  var awaited: Int? { relayed == nil || relayed == layer.substream ? nil : layer.substream }
  private var preference = VideoPreference.any
  /// Of the last key frame.
  private var size: Size?
  /// When the layer was asked for; nil: that one has come, or any.
  private var former: Size?
  /// What the server says that it sends.
  private var relayed: Int?
  /// Smaller ones were too small.
  private var floor = 0

  /// Rates that are called the same, such as 30 and 29.97, are.
  private static let tolerance = 1.01
  /// Frames a second of all layers together, which the server does not say.
  private static let usualRate = 30.0

  mutating func prefer(_ preference: VideoPreference) {
    (self.preference, floor) = (preference, 0)
    // What was asked for may not come at all.
    if let relayed, relayed != layer.substream { (layer, former) = (JanusLayer(substream: relayed, temporal: layer.temporal), nil) }
    var temporal = 2
    if let wanted = preference.frameRate?.perSecond {
      while temporal > 0, wanted <= JanusLayerChoice.usualRate / Double(1 << (3 - temporal)) * JanusLayerChoice.tolerance { temporal -= 1 }
    }
    layer = JanusLayer(substream: layer.substream, temporal: temporal)
    decide()
  }

  /// A key frame of that size came.
  mutating func came(width: UInt32, height: UInt32) {
    size = Size(longer: max(width, height), shorter: min(width, height))
    if size != former { former = nil }
    decide()
  }

  /// The server says that it sends that from now on.
  mutating func relays(_ substream: Int) {
    relayed = substream
    decide()
  }

  private mutating func decide() {
    guard !preference.isAnySize else { return ask(2) }
    let substream = layer.substream
    guard let size, former == nil, relayed == nil || relayed == substream else { return }
    if !size.covers(preference), substream < 2 {
      floor = substream + 1
      ask(substream + 1)
    } else if size.half.covers(preference), substream > floor {
      ask(substream - 1)
    }
  }

  private mutating func ask(_ substream: Int) {
    guard substream != layer.substream else { return }
    layer = JanusLayer(substream: substream, temporal: layer.temporal)
    former = size
  }
}
