/// Who sends a stream (RFC 3550, section 8): unique within a session, until two collide.
public struct SSRC: RawRepresentable, Hashable, Sendable {
  /// As a number, in the byte order of the machine.
  public let rawValue: UInt32

  /// Every value is an SSRC.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The same without a label.
  public init(_ value: UInt32) {
    rawValue = value
  }
}

/// A packet's number, which wraps around: before and after are told by the shorter way.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  /// As a number, in the byte order of the machine.
  public let rawValue: UInt16

  /// Every value is a sequence number.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  init(_ value: UInt16) {
    rawValue = value
  }

  var next: SequenceNumber { advanced(by: 1) }

  func advanced(by distance: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: distance))
  }

  /// From the other to this one: -32768..32767.
  func distance(from other: SequenceNumber) -> Int {
    Int(Int16(bitPattern: rawValue &- other.rawValue))
  }
}

/// A stamp in the payload's clock, 90 kHz for video (RFC 3551, section 5) and the sampling rate for sound, from a random beginning.
public struct RTPTimestamp: RawRepresentable, Hashable, Sendable {
  /// As a number, in the byte order of the machine.
  public let rawValue: UInt32

  /// Every value is a timestamp.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The same without a label.
  public init(_ value: UInt32) {
    rawValue = value
  }

  func advanced(by distance: Int64) -> RTPTimestamp {
    RTPTimestamp(rawValue &+ UInt32(truncatingIfNeeded: distance))
  }

  /// From the other to this one, by the shorter way.
  func distance(from other: RTPTimestamp) -> Int64 {
    Int64(Int32(bitPattern: rawValue &- other.rawValue))
  }
}

/// Makes numbers that never wrap of ones that do: each is taken for the nearest to the latest one.
struct Unwrapper<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  private var latest: Int64?

  init() {}

  /// What it would be, without remembering it.
  func peek(_ number: Number) -> Int64 {
    guard let latest else { return Int64(truncatingIfNeeded: number) }
    let forward = number &- Number(truncatingIfNeeded: latest)
    let isForward = forward <= Number.max / 2
    return isForward ? latest &+ Int64(truncatingIfNeeded: forward) : latest &- Int64(truncatingIfNeeded: 0 &- forward)
  }

  /// Whether it is later than all that were unwrapped.
  func isNew(_ number: Number) -> Bool { latest.map { peek(number) > $0 } ?? true }

  /// The latest is what numbers are measured from, whatever their order.
  mutating func unwrap(_ number: Number) -> Int64 {
    let value = peek(number)
    latest = max(latest ?? value, value)
    return value
  }

  mutating func reset() {
    latest = nil
  }
}
