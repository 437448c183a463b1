import MediaCore

/// Who hears of a door's feeders and takes their frames. Called on the loop's thread, one call at a time, without a lock.
public protocol IngestDelegate: AnyObject, Sendable {
  /// `route`: "tcp" or "unix".
  func feederConnected(by route: String)
  /// nil: it said goodbye. `.none`: it broke off.
  func feederLeft(_ reason: IngestRefusal?)
  /// A connection that is not the feeder's was refused, with that reason. One that ends by itself is not reported.
  func connectionRefused(_ reason: IngestRefusal)
  /// Borrowed: retain to keep. An error ends the feeder.
  func received(_ frame: VideoFrame) throws(IngestRefusal)
  /// A whole VP8 frame, which nobody has parsed yet; borrowed for the call. `timestamp`: of its capture, in nanoseconds of the loop's clock.
  /// An error ends the feeder.
  func received(encoded bytes: UnsafeRawBufferPointer, _ header: IngestFrame, timestamp: Int64) throws(IngestRefusal)
}
