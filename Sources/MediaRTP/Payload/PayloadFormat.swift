/// How frames of one codec are carried in packets: all that a session knows of a codec. A new one is a file of its own and a line in
/// `RTPEncoding.formats`. A value without state; what has state is made by it, once for each stream.
public protocol PayloadFormat: Sendable {
  /// Its fourcc, the value of `MSDK_CODEC_…` where there is one.
  var codec: UInt32 { get }
  /// Tells formats of one codec apart of which one cannot be sent as the other.
  var variant: UInt8 { get }
  /// What descriptions call it (a=rtpmap).
  var name: String { get }
  var clockRate: UInt32 { get }
  var isVideo: Bool { get }
  /// Payloads say which frame they are of, so that a receiver knows of a missing frame though no packet is missing.
  var numbersFrames: Bool { get }
  func makePacketizer() -> any FramePacketizer
  /// Of video.
  func makeAssembler() -> any FrameAssembler
  /// Of a packet of audio, in units of the clock; 0: it does not say.
  func duration(of packet: UnsafeRawBufferPointer) -> Int
}

extension PayloadFormat {
  /// 0, unless a format has another: the codec has one kind of streams.
  public var variant: UInt8 { 0 }
  /// 90 kHz, unless a format has another: that of video (RFC 3551, section 5).
  public var clockRate: UInt32 { 90_000 }
  /// True, unless a format says otherwise.
  public var isVideo: Bool { true }
  /// False, unless a format says otherwise.
  public var numbersFrames: Bool { false }
  /// 0, unless a format says otherwise: that of video.
  public func duration(of packet: UnsafeRawBufferPointer) -> Int { 0 }
}

/// Cuts frames into payloads. A stream has one, which keeps its memory from frame to frame.
public protocol FramePacketizer: AnyObject {
  /// Decides how a frame is cut, whose bytes are borrowed until its last payload is written. `number` counts the stream's frames;
  /// `isDroppable`: no other frame is predicted from this one. No payload is larger than `limit`. Throws for what this format cannot carry.
  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, isDroppable: Bool, limit: Int) throws(PacketError) -> PacketizedFrame
  /// The next payload; false: there is none left. The last one's packet bears the marker, where it is of video.
  func writeNext(to writer: inout PacketWriter) -> Bool
}

/// What a frame was cut into.
public struct PacketizedFrame: Sendable, Equatable {
  /// Payloads, each for a packet of its own.
  public var packets: Int
  /// Of all payloads together.
  public var bytes: Int
  /// Who has nothing yet can begin with it.
  public var isKeyFrame = false
  /// No other frame is predicted from it.
  public var isDroppable = false
}

/// Puts frames together from their payloads. A stream has one. First each payload is looked at by itself as it comes; those of a frame that is complete
/// are added in the order of their packets, to measure it and later to have its bytes.
public protocol FrameAssembler: AnyObject {
  /// What a payload, which is not empty, says of the frame that it is of. Throws for what is malformed.
  func look(at payload: UnsafeRawBufferPointer) throws(PacketError) -> FramePart
  /// Without memory the frame is only measured.
  func begin(_ memory: UnsafeMutableRawBufferPointer?)
  /// One that `look` took.
  func add(_ payload: UnsafeRawBufferPointer) throws(PacketError)
  /// nil: the payloads do not make a frame, or it does not fit into the memory.
  func end() -> AssembledFrame?
}

/// What one payload says of its frame.
public struct FramePart: Sendable, Equatable {
  enum Start: Sendable {
    /// Other payloads of the frame go before it.
    case none
    /// It begins a frame if the packet before it is of another one.
    case unknown
    /// It begins a frame unless the packet before it is known to be of the same one.
    case likely
    case certain
  }

  var start = Start.none
  /// Of a key frame, as far as it can be seen here.
  var isKeyFrame = false
  var number: FrameNumber?
  var layer: VP8Descriptor.Layer?

  init() {}
}

/// What was put together of the payloads of a frame.
public struct AssembledFrame: Sendable, Equatable {
  /// Bytes of the frame, those that the format adds included.
  public var size: Int
  var isKeyFrame = false
  var isDroppable = false
  /// Of a key frame; 0: it does not say.
  var width: UInt16 = 0
  var height: UInt16 = 0
}

/// What a payload type holds.
public enum RTPEncoding: Sendable, Equatable {
  case media(any PayloadFormat)
  /// Packets of that payload type, sent again (RFC 4588).
  case retransmission(of: UInt8)
  /// Packets of audio of that payload type, with earlier ones (RFC 2198). What comes is taken for what it holds.
  case redundancy(of: UInt8)

  /// All that there are: the ones that this library encodes and decodes, and those that it only carries.
  public static let formats: [any PayloadFormat] = [
    VP8Format(), OpusFormat(), H264Format(.nonInterleaved), H264Format(.single), VP9Format(), AV1Format()
  ]

  /// nil: packets of other payload types.
  public var format: (any PayloadFormat)? { if case .media(let format) = self { format } else { nil } }
  /// Of a stream, not of what is sent again of one.
  var isOriginal: Bool { if case .retransmission = self { false } else { true } }
  /// In Hz; 90,000 where it is that of other payload types.
  public var clockRate: UInt32 { format?.clockRate ?? 90_000 }
  /// True for a stream of retransmissions, whatever it repeats, and for redundancy.
  public var isVideo: Bool { format?.isVideo ?? true }

  /// Formats are equal by codec and variant, retransmissions and redundancy by the payload type that they repeat.
  public static func == (one: RTPEncoding, other: RTPEncoding) -> Bool {
    switch (one, other) {
    case (.media(let one), .media(let other)): one.codec == other.codec && one.variant == other.variant
    case (.retransmission(let one), .retransmission(let other)), (.redundancy(let one), .redundancy(let other)): one == other
    default: false
    }
  }
}

/// Bytes of a frame that is put together: written into memory, or only counted.
struct FrameWriter {
  private let memory: UnsafeMutableRawBufferPointer?
  private(set) var count = 0
  /// There was no room for something.
  private(set) var isFull = false

  init(_ memory: UnsafeMutableRawBufferPointer?) { self.memory = memory }

  mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
    defer { count += bytes.count }
    guard let memory, let source = bytes.baseAddress else { return }
    guard !isFull, bytes.count <= memory.count - count else { return isFull = true }
    memory.baseAddress?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
  }

  mutating func u8(_ value: UInt8) { withUnsafeBytes(of: value) { bytes($0) } }

  /// Puts bytes between others that were written before.
  mutating func insert(_ value: UInt64, bytes size: Int, at offset: Int) {
    defer { count += size }
    guard let memory, let base = memory.baseAddress else { return }
    guard !isFull, size <= min(8, memory.count - count), offset <= count else { return isFull = true }
    (base + offset + size).copyMemory(from: base + offset, byteCount: count - offset)
    withUnsafeBytes(of: value.littleEndian) { (base + offset).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: size) }
  }
}
