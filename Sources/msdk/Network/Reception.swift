import MediaCore
import MediaPlugins
import MediaSDK

/// The receiving side: the stream with its renderers, and what came of it.
final class Reception: Sendable {
  struct Counts {
    var frames: UInt64 = 0
    /// Times of arrival, 0 for none.
    var first: Int64 = 0
    var last: Int64 = 0
    var isComplete = false

    /// From arrival to arrival.
    var framesPerSecond: Double? {
      frames > 1 && last > first ? Double(frames - 1) * 1e9 / Double(last - first) : nil
    }
  }

  private let incoming: IncomingVideo
  private let limit: UInt64?
  /// Renderers of pictures; they are fed after the callback has returned.
  private let pictures: [PluginInstance]
  /// Renderers of encoded frames; they are fed before it.
  private let recorders: [PluginInstance]
  private let guarded = Monitor(Counts())

  private static let patience: UInt32 = 10_000
  /// Raw frames that may wait for the renderers: less than the eight that a producer's pool has, so that it never runs dry.
  private static let rawCapacity = 6

  init(_ incoming: IncomingVideo, feeding chains: [RendererChain], recorder: PluginInstance? = nil, limit: UInt64?) throws(MediaError) {
    self.incoming = incoming
    self.limit = limit
    var pictures: [PluginInstance] = []
    var recorders: [PluginInstance] = []
    for renderer in chains.flatMap(\.heads) + [recorder].compactMap({ $0 }) {
      try incoming.attachRenderer(renderer)
      let codec = incoming.description.codec
      if codec != FourCC.raw, try renderer.accepts(codec: codec) {
        recorders.append(renderer)
      } else {
        pictures.append(renderer)
      }
    }
    self.pictures = pictures
    self.recorders = recorders
  }

  var counts: Counts { guarded.withLock { $0 } }

  func start() throws(MediaError) {
    incoming.setFrameCallback { [weak self] _ in self?.take() }
    var options = IncomingVideoOptions()
    if incoming.description.codec == FourCC.raw { options.queueCapacity = Reception.rawCapacity }
    try incoming.start(options)
  }

  /// On the stream's thread, for each picture. That the last one wanted was drawn is known when the next one comes, which is not drawn any
  /// more.
  private func take() {
    let now = MediaTime.monotonic()
    let (isLast, isOver): (Bool, Bool) = guarded.withLock { counts in
      guard !counts.isComplete else { return (false, false) }
      guard counts.frames < limit ?? .max else {
        counts.isComplete = true
        return (false, true)
      }
      counts.frames += 1
      if counts.first == 0 { counts.first = now }
      counts.last = now
      let isLast = counts.frames == limit
      if isLast, pictures.isEmpty { counts.isComplete = true }
      return (isLast, false)
    }
    // One that failed is detached already.
    if isLast { for renderer in recorders { try? incoming.detachRenderer(renderer) } }
    if isOver { for renderer in pictures { try? incoming.detachRenderer(renderer) } }
  }

  /// After the stream was withdrawn: returns when all that arrived has been drawn.
  func waitForTheLast() throws(MediaError) {
    let deadline = Deadline.after(milliseconds: Reception.patience)
    while true {
      do throws(MediaError) {
        try incoming.read(deadline: deadline).release()
      } catch {
        if error.status == .closed { return }
        throw MediaError(.timeout, "the renderers were not finished \(Reception.patience / 1000) s after the last frame")
      }
    }
  }
}
