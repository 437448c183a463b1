/// Why bytes are no packet of the kind that they were read as. Costs nothing to make: what comes from a network is refused by the million, and
/// counted rather than told.
public struct PacketError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, in English: for people and for logs.
  public let reason: StaticString

  /// A literal only, so that nothing is allocated.
  public init(_ reason: StaticString) {
    self.reason = reason
  }

  /// The reason, as a string.
  public var description: String { "\(reason)" }

  /// Errors with the same text are equal.
  public static func == (one: PacketError, other: PacketError) -> Bool {
    let (one, other) = (one.reason, other.reason)
    // One of a single character may have no bytes to point at.
    guard one.hasPointerRepresentation, other.hasPointerRepresentation else { return "\(one)" == "\(other)" }
    guard one.utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
    guard one.utf8Start != other.utf8Start else { return true }
    return UnsafeBufferPointer(start: one.utf8Start, count: one.utf8CodeUnitCount)
      .elementsEqual(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
  }
}
