import MediaCore
import MediaTransport

/// What a run is to do.
struct RunPlan: Sendable {
  var producer: PluginItem
  var renderers: [[PluginItem]] = []
  /// In the order in which what is sent passes them.
  var filters: [PluginItem] = []
  /// nil: VP8, or that of a producer of encoded frames.
  var codec: Codec?
  var size: Size?
  var frameRate: FrameRate?
  /// Bits a second; nil leaves it to the SDK.
  var bitrate: UInt64?
  /// When it ends, if the producer does not end before.
  var seconds: Double?
  var frames: UInt64?
  var network: NetworkScript.Step?
  var seed: UInt64 = 1
  var plugins: [String] = []
  /// What is printed are the figures at the end, as JSON, and nothing else.
  var isJSON = false
  /// Paths of what msdk params saved.
  var parameterFiles: [String] = []
}
