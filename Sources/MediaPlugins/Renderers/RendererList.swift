import CMediaSDK
import MediaCore

/// Renderers of pictures that are fed from one place.
public final class RendererList: Sendable {
  static let limit = AttachedRenderers.limit

  /// Held while one list is looked at and another changed, so that two filters cannot be put behind each other at the same time.
  private static let order = Monitor(false)

  private let list = AttachedRenderers(.video)

  /// Without renderers.
  public init() {}

  /// Any thread; takes no lock while there is none.
  public var isEmpty: Bool { !list.contains { _ in true } }
  /// Whether a renderer takes decoded frames.
  public var takesRaw: Bool { list.contains { !$0.takesCodec } }
  /// Whether a renderer takes encoded frames as they arrive.
  public var takesEncoded: Bool { list.contains { $0.takesCodec } }

  /// Is called after each that left, by itself too.
  public func whenRemoved(_ body: @escaping @Sendable () -> Void) {
    list.whenRemoved(body)
  }

  /// `codec` is what arrives here encoded, 0 for nothing. `source` is the filter whose list this is. Initialises the renderer.
  public func add(
    _ renderer: PluginInstance, to what: String, codec: UInt32, source: PluginInstance? = nil, events: PluginInstance.EventHandler?
  ) throws(MediaError) {
    try list.attach(renderer, to: what, events: events) { attachment throws(MediaError) in
      try renderer.initialiseRenderer()
      let takesCodec = codec == FourCC.raw ? false : try renderer.accepts(codec: codec)
      try RendererList.order.withLock { _ throws(MediaError) in
        if let source, renderer.downstream.reaches(source) {
          throw MediaError(.invalid, "the renderer already feeds this filter, directly or through others: frames would circulate")
        }
        try list.append(AttachedRenderers.Entry(renderer: renderer, attachment: attachment, takesCodec: takesCodec), to: what)
      }
    }
  }

  /// Attaches a renderer, through a view if there is one; one that is attached here already gets another one, or with nil none. Says whether
  /// it was not here before.
  @discardableResult
  public func add(
    _ renderer: PluginInstance, through view: View?, to what: String, codec: UInt32, events: PluginInstance.EventHandler?
  ) throws(MediaError) -> Bool {
    let slot = view.map { ViewSlot($0) }
    if list.show(renderer, through: slot) { return false }
    try add(renderer, to: what, codec: slot == nil ? codec : 0, events: events)
    _ = list.show(renderer, through: slot)
    return true
  }

  private func reaches(_ instance: PluginInstance) -> Bool {
    list.all.contains { $0.renderer === instance || $0.renderer.downstream.reaches(instance) }
  }

  /// Detaches the renderer without releasing it. `.notFound` when it is not here.
  public func remove(_ renderer: PluginInstance) throws(MediaError) {
    try list.remove(renderer)
  }

  /// Detaches and releases all, so that what they write is complete.
  public func removeAll() {
    list.removeAll()
  }

  /// Says whether somebody rendered it.
  @discardableResult
  public func render(_ frame: VideoFrame) -> Bool {
    list.feed(where: { !$0.takesCodec }) { entry throws(MediaError) in
      guard let view = entry.view else { return try entry.renderer.render(frame, from: entry.attachment) }
      let seen = try view.show(frame)
      defer { seen.release() }
      try entry.renderer.render(seen, from: entry.attachment)
    }
  }

  /// Says whether somebody rendered it. Before the first key frame nobody does.
  @discardableResult
  public func render(_ frame: EncodedFrame) -> Bool {
    if frame.isKeyFrame { list.noteKeyFrame() }
    if frame.native.pointee.orientation != 0 { list.askForPictures { $0.takesUpright(frame) } }
    return list.feed(where: { $0.takesCodec && $0.hasKeyFrame }) { entry throws(MediaError) in
      try entry.renderer.render(frame, from: entry.attachment)
    }
  }
}

/// A filter is a renderer whose producer's side passes on what it makes.
extension PluginInstance {
  /// Appends a renderer, which gets what this filter makes; the first one starts the filter. `.unsupported` for a class that is not both
  /// renderer and producer, `.invalid` for a loop.
  public func attachDownstream(_ renderer: PluginInstance) throws(MediaError) {
    guard descriptor.producer != nil, descriptor.renderer != nil else {
      throw MediaError(.unsupported, "class \(descriptor.id) is not a filter: it must be a renderer and a producer of video")
    }
    guard renderer !== self else { throw MediaError(.invalid, "a filter cannot feed itself") }
    try downstream.add(renderer, to: "a filter of \(descriptor.id)", codec: FourCC.raw, source: self) { [weak self] event in
      let handler = self?.state.withLock { $0.videoHolder?.events }
      handler?(event)
    }
    do throws(MediaError) {
      try initialiseProducer()
      guard producerPhase == .ready else { return }
      let downstream = self.downstream
      try startProducer { frame in
        downstream.render(frame)
        return nil
      }
    } catch {
      try downstream.remove(renderer)
      throw error
    }
  }

  /// Detaches the renderer; with the last one the filter stops and releases its producer. `.notFound` when it is not here.
  public func detachDownstream(_ renderer: PluginInstance) throws(MediaError) {
    try downstream.remove(renderer)
    guard downstream.isEmpty else { return }
    try stopProducer()
    try releaseProducer()
  }
}
