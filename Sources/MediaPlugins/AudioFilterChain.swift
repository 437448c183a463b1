import CMediaSDK
import MediaCore
import Synchronization

/// The filters of one stream of sound.
public final class AudioFilterChain: Sendable {
  private let list = FilterList(.audio)
  private let hasGap = Atomic<Bool>(false)

  public init() {}

  @inline(__always)
  public var isEmpty: Bool { list.isEmpty }

  /// Initialises the filter and puts it behind the others.
  public func add(_ filter: PluginInstance, to what: String, events: PluginInstance.EventHandler?) throws(MediaError) {
    try filter.checkAudioFilter()
    try list.add(filter, to: what, events: events) { () throws(MediaError) in try filter.initialiseAudioFilter() }
  }

  public func remove(_ filter: PluginInstance) throws(MediaError) {
    try list.remove(filter)
  }

  /// Detaches and releases all.
  public func removeAll() {
    list.removeAll()
  }

  /// What comes next does not follow what came last.
  public func noteGap() {
    hasGap.store(true, ordering: .relaxed)
  }

  /// Passes a buffer through all of them; the caller's reference stays his. `isOwned`: nobody but the stream sees its memory. What comes out
  /// has the same format.
  public func run(_ frame: AudioFrame, isOwned: Bool) -> FilterOutcome<AudioFrame> {
    let start = MediaTime.monotonic()
    let flags = frame.native.pointee.flags
    let followsGap = hasGap.exchange(false, ordering: .relaxed) || flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0
    var current = frame
    /// With a reference of ours.
    var made: AudioFrame?
    for entry in list.all {
      let isOurs = made.map { $0.references == 1 } ?? isOwned
      let pass = FilterPass(attachment: entry.attachment, meter: entry.meter, isOwned: isOurs, followsGap: followsGap)
      do throws(MediaError) {
        let filtered = try entry.filter.filter(current, pass)
        if let verdict = filtered.verdict { list.tell(verdict, of: entry) }
        switch filtered.result {
        case .same: break
        case .other(let other):
          made?.release()
          made = other
          current = other
        case .leftOut:
          made?.release()
          return outcome(nil, since: start)
        }
      } catch {
        list.fail(entry, error)
      }
    }
    if made == nil { frame.retain() }
    return outcome(made ?? frame, since: start)
  }

  private func outcome(_ frame: AudioFrame?, since start: Int64) -> FilterOutcome<AudioFrame> {
    FilterOutcome(frame: frame, spent: UInt64(max(0, MediaTime.monotonic() - start)))
  }
}
