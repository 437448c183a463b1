import MediaCore

/// What is driven by a loop: a session of RTP, a connection. Its sockets are readable, or its time has come.
public protocol NetworkDriver: AnyObject, Sendable {
  /// On the loop's thread, one call at a time; when it wants to be called again.
  func drive(isReadable: Bool) -> Int64
}

/// Drives whoever waits for sockets and for time: the `Reactor` on the system's clock, an emulated network on a virtual one. Handed in beside the
/// `Network` that made the sockets, by whose descriptors they are known here. Functions are called from any thread.
public protocol DriverLoop: AnyObject, Sendable {
  /// Of all times that are given and returned.
  var clock: any MediaClock { get }

  /// Drives it from now on, at first at once; a tag for the other calls.
  func add(_ driver: any NetworkDriver, _ descriptors: [Int32]) throws(MediaError) -> UInt64

  /// When it returns the driver is not called any more, unless this is called from inside a call, or from foreign code, for which one may wait.
  func remove(_ tag: UInt64)

  /// Has it called at that time at the latest.
  func wake(_ tag: UInt64, at time: Int64)

  /// There was no room to write to one of its descriptors, and it is driven as soon as there is some; or that is not waited for any more. While the
  /// caller holds the descriptor open.
  func setFull(_ isFull: Bool, _ descriptor: Int32, of tag: UInt64)

  /// Until that time its descriptors are not looked at, whatever comes; then it is driven.
  func rest(_ tag: UInt64, until time: Int64)

  /// Its descriptors are looked at again from now on.
  func endRest(_ tag: UInt64)

  /// Drives nothing any more.
  func stop()
}
