import MediaCore
import MediaICE

/// What was read of a connection of TCP that a server has accepted, as long as nobody knows whose it is: its first datagram, a check of ICE,
/// says so. Calls come one at a time.
package final class PassiveArrival {
  let stream = ICEStream()
  private(set) var check: [UInt8]?

  /// nil: it begins with another byte than the length of a check, as TLS and HTTP do.
  package init?(first: UInt8) {
    guard first < 3 else { return nil }
  }

  /// false: the connection is to be closed.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard stream.append(bytes) else { return false }
    check = check ?? stream.next()
    return true
  }

  /// The first datagram is there.
  package var isComplete: Bool { check != nil }
}
