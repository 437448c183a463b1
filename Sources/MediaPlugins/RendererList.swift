import CMediaSDK
import MediaCore

/// Renderers that are fed from one place, each through an attachment. One that fails is reported once and left out from then on.
public final class RendererList: Sendable {
  public static let limit = 8

  private struct Entry {
    let renderer: PluginInstance
    let attachment: PluginInstance.Attachment
    let takesCodec: Bool
    /// Of those who take encoded frames: nothing before the first key frame is for them.
    var hasKeyFrame = false
  }

  /// Held while one list is looked at and another changed, so that two filters cannot be put behind each other at the same time.
  private static let order = Monitor(false)

  private let entries = Monitor<[Entry]>([])

  public init() {}

  public var isEmpty: Bool { entries.withLock { $0.isEmpty } }
  public var takesRaw: Bool { entries.withLock { $0.contains { !$0.takesCodec } } }
  public var takesEncoded: Bool { entries.withLock { $0.contains { $0.takesCodec } } }

  /// `codec` is what arrives here encoded, 0 for nothing. `source` is the filter whose list this is. Initialises the renderer.
  public func add(
    _ renderer: PluginInstance, to what: String, codec: UInt32, source: PluginInstance? = nil, events: PluginInstance.EventHandler?
  ) throws(MediaError) {
    let attachment = try renderer.attach(to: what, events: events) { [weak self, weak renderer] in
      if let renderer { _ = self?.take(renderer) }
    }
    do throws(MediaError) {
      try renderer.initialiseRenderer()
      let takesCodec = codec == 0 ? false : try renderer.accepts(codec: codec)
      try RendererList.order.withLock { _ throws(MediaError) in
        if let source, renderer.downstream.reaches(source) {
          throw MediaError(.invalid, "the renderer feeds this filter already, directly or through others: frames would go round")
        }
        try append(Entry(renderer: renderer, attachment: attachment, takesCodec: takesCodec), to: what)
      }
    } catch {
      renderer.detach(attachment)
      throw error
    }
  }

  private func append(_ entry: Entry, to what: String) throws(MediaError) {
    try entries.withLock { entries throws(MediaError) in
      guard entries.count < RendererList.limit else {
        throw MediaError(.noMemory, "\(what) feeds \(RendererList.limit) renderers already, the most there may be")
      }
      entries.append(entry)
    }
  }

  private func reaches(_ instance: PluginInstance) -> Bool {
    entries.withLock { $0 }.contains { $0.renderer === instance || $0.renderer.downstream.reaches(instance) }
  }

  public func remove(_ renderer: PluginInstance) throws(MediaError) {
    guard take(renderer) else { throw MediaError(.notFound, "the renderer is not attached here") }
  }

  /// Detaches and releases all, so that what they write is complete.
  public func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    for entry in removed {
      entry.renderer.detach(entry.attachment)
      do throws(MediaError) {
        try entry.renderer.release()
      } catch {
        entry.renderer.log(MSDK_LOG_WARN.level, error.text)
      }
    }
  }

  private func take(_ renderer: PluginInstance) -> Bool {
    let removed = entries.withLock { entries in
      let index = entries.firstIndex { $0.renderer === renderer }
      return index.map { entries.remove(at: $0) }
    }
    guard let removed else { return false }
    removed.renderer.detach(removed.attachment)
    return true
  }

  /// Says whether somebody rendered it.
  @discardableResult
  public func render(_ frame: VideoFrame) -> Bool {
    feed(where: { !$0.takesCodec }) { entry throws(MediaError) in try entry.renderer.render(frame, from: entry.attachment) }
  }

  @discardableResult
  public func render(_ frame: EncodedFrame) -> Bool {
    if frame.isKeyFrame {
      entries.withLock { entries in
        for index in entries.indices { entries[index].hasKeyFrame = true }
      }
    }
    return feed(where: { $0.takesCodec && $0.hasKeyFrame }) { entry throws(MediaError) in try entry.renderer.render(frame, from: entry.attachment) }
  }

  private func feed(where isMeant: (Entry) -> Bool, _ body: (Entry) throws(MediaError) -> Void) -> Bool {
    var isRendered = false
    for entry in entries.withLock({ $0 }) where isMeant(entry) {
      do throws(MediaError) {
        try body(entry)
        isRendered = true
      } catch {
        // Busy this time, or detached meanwhile.
        if error.status == .again || error.status == .closed { continue }
        entry.renderer.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "")
        _ = take(entry.renderer)
      }
    }
    return isRendered
  }
}

/// A filter is a renderer whose producer's side passes on what it makes.
extension PluginInstance {
  public func attachDownstream(_ renderer: PluginInstance) throws(MediaError) {
    guard descriptor.producer != nil, descriptor.renderer != nil else {
      throw MediaError(.unsupported, "class \(descriptor.id) is no filter: it must be a renderer and a producer of video")
    }
    guard renderer !== self else { throw MediaError(.invalid, "a filter cannot feed itself") }
    try downstream.add(renderer, to: "a filter of \(descriptor.id)", codec: 0, source: self) { [weak self] event in
      let handler = self?.state.withLock { $0.events }
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

  public func detachDownstream(_ renderer: PluginInstance) throws(MediaError) {
    try downstream.remove(renderer)
    guard downstream.isEmpty else { return }
    try stopProducer()
    try releaseProducer()
  }
}
