import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport

/// The encodings of one start of a stream: one for each layer in which it is published, of one picture that is scaled down. Used by the encoder's
/// worker, one frame at a time.
final class LayerEncoding: @unchecked Sendable {
  /// What the layers share.
  struct Plan: Equatable {
    var layers: StreamLayers
    /// What the best layer would take without a bound, and what all may take, in bits a second.
    var wish: UInt64
    var total: UInt64
    /// The best is needed here, whoever receives it.
    var hasBest: Bool

    /// Whether a layer is to be sent. A stream in one goes to its transport in any case.
    func isReceived(_ layer: Int) -> Bool { layers.layers.count == 1 || layers.layers[layer].isActive }
  }

  private let codec: VideoCodecEntry
  private let stages: [EncodingStage]
  private let normalizer = FrameNormalizer()
  private let pool = BufferPool(limit: 4)
  private var plan: Plan?
  private var division = LayerPlan()
  /// Of each layer, its frames so far.
  private var numbers: [FrameID]

  init(_ codec: VideoCodecEntry, _ options: OutgoingVideoOptions, layers: Int, events: @escaping PluginInstance.EventHandler) {
    self.codec = codec
    // For narrow paths, to which a server forwards half of the frames. The largest layer is for wide ones, and would look worse.
    stages = (0..<layers).map { layer in EncodingStage(codec, options, temporalLayers: layer < layers - 1 ? 2 : 1, events: events) }
    numbers = [FrameID](repeating: 0, count: layers)
  }

  var count: Int { stages.count }
  var hasEncoder: Bool { stages.contains(where: \.hasEncoder) }

  /// The number of a layer's next frame.
  func nextNumber(of layer: Int) -> FrameID {
    numbers[layer] &+= 1
    return numbers[layer]
  }

  /// Encodes a frame in each layer that is to be sent, and calls `take` with each, borrowed, and what its encoder was to make: the smallest first, as it is soonest done. `take` says
  /// whether it goes on. Of what the rate control leaves out it is not called.
  func encode(
    _ frame: VideoFrame, _ step: EncodingStage.Step, _ plan: Plan, _ take: (_ layer: Int, EncodedFrame, _ target: UInt64) -> Bool
  ) throws(MediaError) {
    let frame = try normalizer.normalize(
      frame, for: codec.inputFormats, carriesColor: step.carriage.color, carriesOrientation: step.carriage.orientation)
    defer { frame.release() }
    guard stages.count > 1 else {
      _ = try encode(frame, step, in: 0, take)
      return
    }
    if self.plan != plan {
      self.plan = plan
      division.update(plan.layers, wish: plan.wish, total: plan.total, hasBest: plan.hasBest)
    }
    for layer in stages.indices {
      var step = step
      step.bitrate = division.bitrates[layer]
      guard step.bitrate > 0 else {
        stages[layer].rest()
        continue
      }
      let (width, height) = plan.layers.size(of: layer, width: frame.format.width, height: frame.format.height)
      let scaled = try scale(frame, width, height)
      defer { scaled.release() }
      guard try encode(scaled, step, in: layer, take) else { return }
    }
  }

  /// Whether it goes on.
  private func encode(
    _ frame: VideoFrame, _ step: EncodingStage.Step, in layer: Int, _ take: (_ layer: Int, EncodedFrame, _ target: UInt64) -> Bool
  ) throws(MediaError) -> Bool {
    guard let encoded = try stages[layer].encode(frame, step) else { return true }
    defer { encoded.release() }
    return take(layer, encoded, step.bitrate)
  }

  /// With a reference for the caller.
  private func scale(_ frame: VideoFrame, _ width: UInt32, _ height: UInt32) throws(MediaError) -> VideoFrame {
    var format = frame.format
    guard width != format.width || height != format.height else {
      frame.retain()
      return frame
    }
    (format.width, format.height) = (width, height)
    guard let scaled = try VideoFrame.make(format, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "the encoder holds 4 frames of a layer")
    }
    do throws(MediaError) {
      try VideoConverter.convert(frame.native, into: scaled.native)
    } catch {
      scaled.release()
      throw error
    }
    scaled.copyIdentity(from: frame)
    return scaled
  }
}
