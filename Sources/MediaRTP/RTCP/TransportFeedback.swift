/// When which packets arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1): a sequence of those that did, borrowed from the
/// packet. Going over it costs no more than its bytes, however many missing packets it speaks of.
public struct TransportFeedback: Sequence {
  /// One packet that arrived.
  public struct Arrival: Sendable, Equatable {
    var sequence: SequenceNumber
    /// In nanoseconds after the reference time, in steps of 250 µs.
    public var time: Int64

    init(sequence: SequenceNumber, time: Int64) {
      (self.sequence, self.time) = (sequence, time)
    }
  }

  let sender: SSRC
  let media: SSRC
  /// The first packet that it speaks of.
  let base: SequenceNumber
  /// How many it speaks of, and how many of those arrived.
  public let count: Int
  /// Of `count`; the sequence has as many elements.
  public let receivedCount: Int
  /// Of the receiver's clock, in 64 ms: 24 bits that wrap around.
  let referenceTime: UInt32
  /// Of the feedback: one more in each, so that lost feedback shows.
  let number: UInt8
  private let chunks: UnsafeRawBufferPointer
  private let deltas: UnsafeRawBufferPointer

  static let format: UInt8 = 15
  static let fixedSize = 20
  static let tick: Int64 = 250_000
  static let referenceUnit: Int64 = 64_000_000

  init(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    (sender, media) = (SSRC(try reader.u32()), SSRC(try reader.u32()))
    (base, count) = (SequenceNumber(try reader.u16()), Int(try reader.u16()))
    guard count > 0 else { throw PacketError("transport feedback: it is about no packets") }
    (referenceTime, number) = (try reader.u24(), try reader.u8())
    let all = reader.rest
    var (left, received, size) = (count, 0, 0)
    while left > 0 {
      let chunk = TransportFeedbackChunk(rawValue: try reader.u16())
      let length = Swift.min(chunk.length, left)
      guard let (packets, bytes) = chunk.sizes(of: length) else { throw PacketError("transport feedback: a reserved status") }
      left -= length
      received += packets
      size += bytes
    }
    receivedCount = received
    chunks = UnsafeRawBufferPointer(rebasing: all.dropLast(reader.count))
    deltas = try reader.bytes(size)
  }

  /// Over the packets that arrived, in the order of their numbers.
  public struct Iterator: IteratorProtocol {
    private var chunks: PacketReader
    private var deltas: PacketReader
    private var sequence: UInt16
    private var left: Int
    private var chunk = TransportFeedbackChunk(rawValue: 0)
    private var position = 0
    private var end = 0
    private var ticks: Int64 = 0

    fileprivate init(_ feedback: TransportFeedback) {
      (chunks, deltas) = (PacketReader(feedback.chunks), PacketReader(feedback.deltas))
      (sequence, left) = (feedback.base.rawValue, feedback.count)
    }

    /// nil after the last arrival.
    public mutating func next() -> Arrival? {
      while true {
        if position == end {
          guard left > 0, let word = try? chunks.u16() else { return nil }
          chunk = TransportFeedbackChunk(rawValue: word)
          (position, end) = (0, Swift.min(chunk.length, left))
          left -= end
          guard !chunk.isRunOfMissing else {
            sequence &+= UInt16(truncatingIfNeeded: end)
            position = end
            continue
          }
          continue
        }
        let symbol = chunk.symbol(at: position)
        position += 1
        sequence &+= 1
        switch symbol {
        case TransportFeedbackChunk.small:
          guard let delta = try? deltas.u8() else { return nil }
          ticks += Int64(delta)
        case TransportFeedbackChunk.large:
          guard let delta = try? deltas.u16() else { return nil }
          ticks += Int64(Int16(bitPattern: delta))
        default: continue
        }
        return Arrival(sequence: SequenceNumber(sequence &- 1), time: ticks * TransportFeedback.tick)
      }
    }
  }

  /// The packet's bytes must outlive it.
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// All of them, without going over the bytes.
  public var underestimatedCount: Int { receivedCount }
}

/// The receiver's clock in nanoseconds from reference times, which wrap around every twelve days.
struct TransportFeedbackClock: Sendable {
  private var unwrapper = Unwrapper<UInt32>()

  init() {}

  /// When the reference time of that feedback was, after the beginning of the first.
  mutating func time(of feedback: TransportFeedback) -> Int64 {
    (unwrapper.unwrap(feedback.referenceTime << 8) >> 8) * TransportFeedback.referenceUnit
  }
}
