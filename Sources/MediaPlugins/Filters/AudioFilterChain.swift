import CMediaSDK
import MediaCore

/// The filters of one stream of sound.
public final class AudioFilterChain: Sendable {
  private let list = FilterList(.audio)

  /// Without filters.
  public init() {}

  /// Whether frames pass as they are. Any thread; takes no lock.
  @inline(__always)
  public var isEmpty: Bool { list.isEmpty }

  /// Initialises the filter and puts it behind the others.
  public func add(_ filter: PluginInstance, to what: String, events: PluginInstance.EventHandler?) throws(MediaError) {
    try filter.checkAudioFilter()
    try list.add(filter, to: what, events: events) { () throws(MediaError) in try filter.initialiseAudioFilter() }
  }

  /// Detaches the filter. `.notFound` when it is not one of this stream's.
  public func remove(_ filter: PluginInstance) throws(MediaError) {
    try list.remove(filter)
  }

  /// Detaches and releases all.
  public func removeAll() {
    list.removeAll()
  }

  /// What comes next does not follow what came last.
  public func noteGap() {
    list.noteGap()
  }

  /// Passes a buffer through all of them; the caller's reference stays his. `isOwned`: nobody but the stream sees its memory. What comes out
  /// has the same format.
  public func run(_ frame: AudioFrame, isOwned: Bool) -> FilterOutcome<AudioFrame> {
    let start = MediaTime.monotonic()
    let followsGap = list.takeGap(frame.native.pointee.flags)
    let result = list.pass(frame, release: { $0.release() }) { entry, current, isMade throws(MediaError) in
      let isOurs = isMade ? current.references == 1 : isOwned
      return try entry.filter.filter(
        current, FilterPass(attachment: entry.attachment, meter: entry.meter, isOwned: isOurs, followsGap: followsGap))
    }
    switch result {
    case .leftOut: return FilterOutcome(nil, since: start)
    case .same:
      frame.retain()
      return FilterOutcome(frame, since: start)
    case .other(let made): return FilterOutcome(made, since: start)
    }
  }
}
