import CMediaSDK
import MediaCore
import Synchronization

/// Renderers that are fed from one place, each through an attachment: what the lists for pictures and for sound have in common. One that
/// fails is reported once and left out from then on.
final class AttachedRenderers: Sendable {
  static let limit = 8

  struct Entry {
    let renderer: PluginInstance
    let attachment: PluginInstance.Attachment
    var takesCodec: Bool
    /// Of those who take encoded pictures: nothing before the first key frame is for them.
    var hasKeyFrame = false
    /// Whether they would rather have pictures, which can be turned.
    var wasAskedForPictures = false
    /// Of pictures: what the renderer sees them through.
    var view: ViewSlot?
  }

  private let medium: PluginInstance.Medium
  private let entries = Monitor<[Entry]>([])
  /// How many there are, changed with them: a frame that nobody renders takes no lock.
  private let count = Atomic<Int>(0)
  private let removed = Monitor<(@Sendable () -> Void)?>(nil)

  init(_ medium: PluginInstance.Medium) {
    self.medium = medium
  }

  var all: [Entry] { entries.withLock { $0 } }

  func contains(where isMeant: (Entry) -> Bool) -> Bool {
    guard count.load(ordering: .acquiring) > 0 else { return false }
    return entries.withLock { $0.contains(where: isMeant) }
  }

  // MARK: Coming and going

  /// Is called after each that left, for whatever reason but that all are removed.
  func whenRemoved(_ body: @escaping @Sendable () -> Void) {
    removed.withLock { $0 = body }
  }

  /// Attaches a renderer, which `join` prepares and appends; when that fails it is detached again.
  func attach(
    _ renderer: PluginInstance, to what: String, events: PluginInstance.EventHandler?,
    join: (PluginInstance.Attachment) throws(MediaError) -> Void
  ) throws(MediaError) {
    let attachment = try renderer.attach(to: what, medium: medium, events: events) { [weak self, weak renderer] in
      if let renderer { _ = self?.take(renderer) }
    }
    do throws(MediaError) {
      try join(attachment)
      // Destroyed meanwhile, it was asked to leave before it was here.
      try renderer.checkAlive()
    } catch {
      _ = take(renderer)
      renderer.detach(attachment)
      throw error
    }
  }

  func append(_ entry: Entry, to what: String) throws(MediaError) {
    try entries.withLock { entries throws(MediaError) in
      guard entries.count < AttachedRenderers.limit else {
        throw MediaError(.full, "\(what) already feeds \(AttachedRenderers.limit) renderers, the maximum")
      }
      entries.append(entry)
      count.store(entries.count, ordering: .releasing)
    }
  }

  /// Changes the view of a renderer that is attached here; says whether it is.
  func show(_ renderer: PluginInstance, through view: ViewSlot?) -> Bool {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.renderer === renderer }) else { return false }
      entries[index].view = view
      if view != nil { entries[index].takesCodec = false }
      return true
    }
  }

  /// Those who take encoded frames, and of whom `isMeant` is true, take pictures from now on; each is asked once.
  func askForPictures(_ isMeant: (PluginInstance) -> Bool) {
    for entry in all where entry.takesCodec && !entry.wasAskedForPictures {
      let takesPictures = isMeant(entry.renderer)
      entries.withLock { entries in
        guard let index = entries.firstIndex(where: { $0.renderer === entry.renderer }) else { return }
        entries[index].wasAskedForPictures = true
        if takesPictures { entries[index].takesCodec = false }
      }
    }
  }

  func remove(_ renderer: PluginInstance) throws(MediaError) {
    guard take(renderer) else { throw MediaError(.notFound, "the renderer is not attached here") }
  }

  /// Detaches all and releases what was fed from here, so that what they write is complete.
  func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = [] }
      count.store(0, ordering: .releasing)
      return entries
    }
    for entry in removed {
      entry.renderer.detach(entry.attachment)
      do throws(MediaError) {
        try entry.renderer.release(medium)
      } catch {
        entry.renderer.log(MSDK_LOG_WARN.level, error.text)
      }
    }
  }

  private func take(_ renderer: PluginInstance) -> Bool {
    let removed = entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.renderer === renderer }) else { return Entry?.none }
      defer { count.store(entries.count, ordering: .releasing) }
      return entries.remove(at: index)
    }
    guard let removed else { return false }
    removed.renderer.detach(removed.attachment)
    self.removed.withLock { $0 }?()
    return true
  }

  // MARK: Feeding

  func noteKeyFrame() {
    entries.withLock { entries in
      for index in entries.indices { entries[index].hasKeyFrame = true }
    }
  }

  /// Says whether somebody rendered it.
  func feed(where isMeant: (Entry) -> Bool, _ body: (Entry) throws(MediaError) -> Void) -> Bool {
    var isRendered = false
    for entry in all where isMeant(entry) {
      do throws(MediaError) {
        try body(entry)
        isRendered = true
      } catch {
        // Busy this time, or detached meanwhile.
        if error.status == .again || error.status == .closed { continue }
        entry.renderer.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "", medium: medium)
        _ = take(entry.renderer)
      }
    }
    return isRendered
  }
}
