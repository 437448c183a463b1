import CMediaSDK
import MediaCore
import Synchronization

/// The filters of one stream, in the order in which frames pass them. One that fails is reported once and taken out.
final class FilterList: Sendable {
  static let limit = 8

  struct Entry {
    let filter: PluginInstance
    let attachment: PluginInstance.Attachment
    let meter = FrameTimeMeter()
  }

  private let medium: PluginInstance.Medium
  private let entries = Monitor<[Entry]>([])
  private let count = Atomic<Int>(0)
  private let hasGap = Atomic<Bool>(false)

  init(_ medium: PluginInstance.Medium) {
    self.medium = medium
  }

  /// All that a stream without filters pays.
  @inline(__always)
  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  var all: [Entry] { entries.withLock { $0 } }

  func add(
    _ filter: PluginInstance, to what: String, events: PluginInstance.EventHandler?, initialise: () throws(MediaError) -> Void
  ) throws(MediaError) {
    // Both hold each other until one lets go: a weak reference would be paid for with every frame.
    let attachment = try filter.attach(to: what, medium: medium, events: events) { _ = self.take(filter) }
    do throws(MediaError) {
      try initialise()
      try append(Entry(filter: filter, attachment: attachment), to: what)
      // Destroyed meanwhile, it was asked to leave before it was here.
      try filter.checkAlive()
    } catch {
      _ = take(filter)
      filter.detach(attachment)
      throw error
    }
  }

  private func append(_ entry: Entry, to what: String) throws(MediaError) {
    try entries.withLock { entries throws(MediaError) in
      guard entries.count < FilterList.limit else {
        throw MediaError(.full, "\(what) already has \(FilterList.limit) filters, the maximum")
      }
      entries.append(entry)
      count.store(entries.count, ordering: .relaxed)
    }
  }

  func remove(_ filter: PluginInstance) throws(MediaError) {
    guard take(filter) else { throw MediaError(.notFound, "the filter is not one of this stream's") }
  }

  /// Detaches all and releases them.
  func removeAll() {
    let removed = entries.withLock { entries in
      defer {
        entries = []
        count.store(0, ordering: .relaxed)
      }
      return entries
    }
    for entry in removed {
      entry.filter.detach(entry.attachment)
      do throws(MediaError) {
        try entry.filter.release(medium)
      } catch {
        entry.filter.log(MSDK_LOG_WARN.level, error.text)
      }
    }
  }

  private func take(_ filter: PluginInstance) -> Bool {
    let removed = entries.withLock { entries in
      let index = entries.firstIndex { $0.filter === filter }
      defer { count.store(entries.count, ordering: .relaxed) }
      return index.map { entries.remove(at: $0) }
    }
    guard let removed else { return false }
    removed.filter.detach(removed.attachment)
    return true
  }

  // MARK: Passing

  /// What comes next does not follow what came last.
  func noteGap() {
    hasGap.store(true, ordering: .relaxed)
  }

  /// Whether something is missing before a frame of these flags.
  func takeGap(_ flags: UInt32) -> Bool {
    hasGap.exchange(false, ordering: .relaxed) || flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0
  }

  /// Passes a frame, which stays the caller's, through all. `filter` is given what came out so far, and whether that is a frame made on the way,
  /// which nobody else knows. Who fails is taken out, and the frame passes him as it was.
  func pass<Frame>(
    _ frame: Frame, release: (Frame) -> Void, by filter: (Entry, Frame, _ isMade: Bool) throws(MediaError) -> Filtered<Frame>
  ) -> Filtered<Frame>.Result {
    /// With a reference of ours.
    var made: Frame?
    for entry in all {
      do throws(MediaError) {
        let filtered = try filter(entry, made ?? frame, made != nil)
        if let verdict = filtered.verdict { tell(verdict, of: entry) }
        if case .same = filtered.result { continue }
        if let made { release(made) }
        guard case .other(let other) = filtered.result else { return .leftOut }
        made = other
      } catch {
        fail(entry, error)
      }
    }
    return made.map { .other($0) } ?? .same
  }

  // MARK: Telling

  private func fail(_ entry: Entry, _ error: MediaError) {
    entry.filter.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "", medium: medium)
    _ = take(entry.filter)
  }

  private func tell(_ verdict: FrameTimeMeter.Verdict, of entry: Entry) {
    let text = verdict.text(entry.filter.descriptor.id)
    entry.filter.report(UInt32(MSDK_PLUGIN_EVENT_SLOW), nil, text: text, medium: medium)
  }
}
