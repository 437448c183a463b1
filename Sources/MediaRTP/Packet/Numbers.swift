/// Who sends a stream (RFC 3550, section 8): unique within a session, until two collide.
public struct SSRC: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public init(_ value: UInt32) {
    rawValue = value
  }
}

/// A packet's number, which wraps around: before and after are told by the shorter way.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public init(_ value: UInt16) {
    rawValue = value
  }

  public var next: SequenceNumber { advanced(by: 1) }

  public func advanced(by distance: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: distance))
  }

  /// From the other to this one: -32768..32767.
  public func distance(from other: SequenceNumber) -> Int {
    Int(Int16(bitPattern: rawValue &- other.rawValue))
  }
}

/// A stamp in the payload's clock, 90 kHz for video (RFC 3551, section 5) and the sampling rate for sound, from a random beginning.
public struct RTPTimestamp: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public init(_ value: UInt32) {
    rawValue = value
  }

  public func advanced(by distance: Int64) -> RTPTimestamp {
    RTPTimestamp(rawValue &+ UInt32(truncatingIfNeeded: distance))
  }

  /// From the other to this one, by the shorter way.
  public func distance(from other: RTPTimestamp) -> Int64 {
    Int64(Int32(bitPattern: rawValue &- other.rawValue))
  }
}

/// Makes numbers that never wrap of ones that do: each is taken for the nearest to the latest one.
public struct Unwrapper<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  private var latest: Int64?

  public init() {}

  /// What it would be, without remembering it.
  public func peek(_ number: Number) -> Int64 {
    guard let latest else { return Int64(truncatingIfNeeded: number) }
    let forward = number &- Number(truncatingIfNeeded: latest)
    let isForward = forward <= Number.max / 2
    return isForward ? latest &+ Int64(truncatingIfNeeded: forward) : latest &- Int64(truncatingIfNeeded: 0 &- forward)
  }

  /// Whether it is later than all that were unwrapped.
  public func isNew(_ number: Number) -> Bool { latest.map { peek(number) > $0 } ?? true }

  /// The latest is what numbers are measured from, whatever their order.
  public mutating func unwrap(_ number: Number) -> Int64 {
    let value = peek(number)
    latest = max(latest ?? value, value)
    return value
  }

  public mutating func reset() {
    latest = nil
  }
}
