import CMediaSDK
import MediaCodecs
import MediaCore

/// The filters of one stream of pictures.
public final class VideoFilterChain: Sendable {
  private let list = FilterList(.video)
  /// Of an outgoing stream: pictures leave in the format in which they came.
  private let keepsFormat: Bool
  private let pool = BufferPool(limit: FilterAdapter.frames)
  private let scratch = Monitor(ConversionScratch())
  private let composer = Monitor(ViewComposer(limit: FilterAdapter.frames))

  /// `keepsFormat`: frames come out in the size and the pixel format in which they went in, as of an outgoing stream.
  public init(keepsFormat: Bool) {
    self.keepsFormat = keepsFormat
  }

  /// Whether frames pass as they are. Any thread; takes no lock.
  @inline(__always)
  public var isEmpty: Bool { list.isEmpty }

  /// Initialises the filter and puts it behind the others.
  public func add(_ filter: PluginInstance, to what: String, events: PluginInstance.EventHandler?) throws(MediaError) {
    try filter.checkFilter()
    try list.add(filter, to: what, events: events) { () throws(MediaError) in try filter.initialiseFilter() }
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

  /// Passes a frame through all of them; the caller's reference stays his. `isOwned`: the caller's reference is the stream's own, and not
  /// somebody's further up. Filters see it upright; where the format is to stay it is laid back afterwards.
  public func run(_ frame: VideoFrame, isOwned: Bool) -> FilterOutcome<VideoFrame> {
    guard let orientation = Orientation(foreign: frame.native.pointee.orientation), orientation != Orientation() else {
      return pass(frame, isOwned: isOwned)
    }
    let start = MediaTime.monotonic()
    guard let upright = try? composer.withLock({ composer throws(MediaError) in try composer.stand(frame) }) else {
      return FilterOutcome(nil, since: start)
    }
    defer { upright.release() }
    let outcome = pass(upright, isOwned: true)
    guard keepsFormat, let filtered = outcome.frame else { return outcome }
    defer { filtered.release() }
    guard let laid = try? composer.withLock({ composer throws(MediaError) in try composer.lay(filtered, orientation) }) else {
      return FilterOutcome(nil, since: start)
    }
    guard laid.format.pixelFormat != frame.format.pixelFormat else { return FilterOutcome(laid, since: start) }
    defer { laid.release() }
    return FilterOutcome(back(laid, to: frame.format.pixelFormat), since: start)
  }

  private func pass(_ frame: VideoFrame, isOwned: Bool) -> FilterOutcome<VideoFrame> {
    let start = MediaTime.monotonic()
    let followsGap = list.takeGap(frame.native.pointee.flags)
    let result = list.pass(frame, release: { $0.release() }) { entry, current, isMade throws(MediaError) in
      try entry.filter.filter(
        current,
        FilterPass(
          attachment: entry.attachment, meter: entry.meter, isOwned: isOwned || isMade, followsGap: followsGap, keepsSize: keepsFormat))
    }
    switch result {
    case .leftOut: return FilterOutcome(nil, since: start)
    case .same:
      frame.retain()
      return FilterOutcome(frame, since: start)
    case .other(let made):
      guard keepsFormat, !made.fits(frame.format) else { return FilterOutcome(made, since: start) }
      defer { made.release() }
      return FilterOutcome(back(made, to: frame.format.pixelFormat), since: start)
    }
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
}
