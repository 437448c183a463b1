import CMediaSDK
import MediaCodecs
import MediaCore
import Synchronization

/// The filters of one stream of pictures.
public final class VideoFilterChain: Sendable {
  private let list = FilterList(.video)
  /// Of an outgoing stream: pictures leave in the format in which they came.
  private let keepsFormat: Bool
  private let hasGap = Atomic<Bool>(false)
  private let pool = BufferPool(limit: FilterAdapter.frames)
  private let scratch = Monitor(ConversionScratch())

  public init(keepsFormat: Bool) {
    self.keepsFormat = keepsFormat
  }

  @inline(__always)
  public var isEmpty: Bool { list.isEmpty }

  /// Initialises the filter and puts it behind the others.
  public func add(_ filter: PluginInstance, to what: String, events: PluginInstance.EventHandler?) throws(MediaError) {
    try filter.checkFilter()
    try list.add(filter, to: what, events: events) { () throws(MediaError) in try filter.initialiseFilter() }
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

  /// Passes a frame through all of them; the caller's reference stays his. `isOwned`: the caller's reference is the stream's own, and not
  /// somebody's further up.
  public func run(_ frame: VideoFrame, isOwned: Bool) -> FilterOutcome<VideoFrame> {
    let start = MediaTime.monotonic()
    let flags = frame.native.pointee.flags
    let followsGap = hasGap.exchange(false, ordering: .relaxed) || flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0
    var current = frame
    /// With a reference of ours.
    var made: VideoFrame?
    for entry in list.all {
      let pass = FilterPass(
        attachment: entry.attachment, meter: entry.meter, isOwned: isOwned || made != nil, followsGap: followsGap, keepsSize: keepsFormat)
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
    guard let made else {
      frame.retain()
      return outcome(frame, since: start)
    }
    guard keepsFormat, !made.fits(frame.format) else { return outcome(made, since: start) }
    defer { made.release() }
    return outcome(back(made, to: frame.format.pixelFormat), since: start)
  }

  private func back(_ frame: VideoFrame, to pixelFormat: PixelFormat) -> VideoFrame? {
    var format = frame.format
    format.pixelFormat = pixelFormat
    format.color = VideoConverter.resultColor(from: frame.format, to: pixelFormat)
    let wanted = format
    return try? scratch.withLock { scratch throws(MediaError) in
      let converted = try FilterAdapter.convert(frame, to: wanted, pool, scratch)
      converted.setWritable(false)
      return converted
    }
  }

  private func outcome(_ frame: VideoFrame?, since start: Int64) -> FilterOutcome<VideoFrame> {
    FilterOutcome(frame: frame, spent: UInt64(max(0, MediaTime.monotonic() - start)))
  }
}
