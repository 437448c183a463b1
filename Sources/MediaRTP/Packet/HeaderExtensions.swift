/// What the ids of header extensions mean in a session, from its configuration or the description's extmap lines (RFC 8285, section 5).
public struct ExtensionMap: Sendable, Equatable {
  /// An id of 1..14, or up to 255 where the two-byte form is agreed; 0: not used.
  public var mid: UInt8 = 0
  public var audioLevel: UInt8 = 0
  public var absoluteSendTime: UInt8 = 0
  public var transportSequence: UInt8 = 0
  public var orientation: UInt8 = 0
  public var colorSpace: UInt8 = 0
  public var captureTime: UInt8 = 0

  public init() {}
}

/// The extensions of one packet that this library knows (RFC 8285). Others are read over.
public struct HeaderExtensions: Sendable, Equatable {
  public struct AudioLevel: Sendable, Equatable {
    /// Below full scale, in dB: 0..127.
    public var level: UInt8
    public var isVoice: Bool

    public init(level: UInt8, isVoice: Bool) {
      (self.level, self.isVoice) = (level, isVoice)
    }
  }

  /// Colour as H.273 numbers it, of a picture and of those that follow it.
  public struct ColorSpace: Sendable, Equatable {
    public var primaries: UInt8
    public var transfer: UInt8
    public var matrix: UInt8
    public var isFullRange: Bool

    /// Unspecified, limited range, unless it is said otherwise.
    public init(primaries: UInt8 = 2, transfer: UInt8 = 2, matrix: UInt8 = 2, isFullRange: Bool = false) {
      (self.primaries, self.transfer, self.matrix, self.isFullRange) = (primaries, transfer, matrix, isFullRange)
    }

    static let size = 4

    /// The fourth byte: two bits of range (1: limited, 2: full) above four of where chroma lies. Metadata of HDR after it is read over.
    fileprivate init?(parsing reader: inout PacketReader) {
      guard let primaries = try? reader.u8(), let transfer = try? reader.u8(), let matrix = try? reader.u8(), let rest = try? reader.u8()
      else { return nil }
      self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: rest >> 4 & 3 == 2)
    }

    fileprivate func write(to writer: inout PacketWriter) {
      writer.u8(primaries)
      writer.u8(transfer)
      writer.u8(matrix)
      writer.u8(isFullRange ? 2 << 4 : 1 << 4)
    }
  }

  public var mid: String?
  public var audioLevel: AudioLevel?
  /// 24 bits of seconds in 6.18 fixed point.
  public var absoluteSendTime: UInt32?
  public var transportSequence: UInt16?
  /// Quarter turns clockwise and a flag for mirrored pictures: bits of the one byte of TS 26.114.
  public var orientation: UInt8?
  public var colorSpace: ColorSpace?
  /// When was captured what the packet's stamp stands for, by the clock of the sender's reports.
  public var captureTime: NTPTimestamp?
  private static let captureTimeSize = 8

  public init() {}

  public var isEmpty: Bool {
    mid == nil && audioLevel == nil && absoluteSendTime == nil && transportSequence == nil && orientation == nil
      && colorSpace == nil && captureTime == nil
  }

  static let oneByteProfile: UInt16 = 0xBEDE
  static let twoByteProfile: UInt16 = 0x1000

  // MARK: Reading

  init(profile: UInt16, _ block: UnsafeRawBufferPointer, _ map: ExtensionMap) {
    let isOneByte = profile == HeaderExtensions.oneByteProfile
    guard isOneByte || profile & 0xFFF0 == HeaderExtensions.twoByteProfile else { return }
    var reader = PacketReader(block)
    // An element that reaches beyond the block ends it; what came before it counts (section 4.1.2).
    while let first = try? reader.u8() {
      // Padding.
      if first == 0 { continue }
      var (id, length) = (first, 0)
      if isOneByte {
        (id, length) = (first >> 4, Int(first & 15) + 1)
        // Reserved: nothing after it counts.
        if id == 15 { return }
      } else {
        guard let count = try? reader.u8() else { return }
        length = Int(count)
      }
      guard let bytes = try? reader.bytes(length) else { return }
      if id != 0 { take(id, bytes, map) }
    }
  }

  private mutating func take(_ id: UInt8, _ bytes: UnsafeRawBufferPointer, _ map: ExtensionMap) {
    var reader = PacketReader(bytes)
    switch id {
    case map.transportSequence: transportSequence = try? reader.u16()
    case map.absoluteSendTime: absoluteSendTime = try? reader.u24()
    case map.audioLevel:
      if let byte = try? reader.u8() { audioLevel = AudioLevel(level: byte & 127, isVoice: byte & 128 != 0) }
    case map.orientation: orientation = (try? reader.u8()).map { $0 & 15 }
    case map.colorSpace: colorSpace = ColorSpace(parsing: &reader)
    case map.captureTime:
      guard let time = try? reader.u64() else { return }
      // Whoever passes on what others captured says how far ahead of their own the clock of the capture is, in the same units.
      captureTime = NTPTimestamp(rawValue: time &- ((try? reader.u64()) ?? 0))
    case map.mid:
      // A token of SDP.
      guard !bytes.isEmpty, bytes.allSatisfy({ (33...126).contains($0) }) else { return }
      mid = String(decoding: bytes, as: UTF8.self)
    default: break
    }
  }

  // MARK: Writing

  /// With its profile and length, in whole words; nothing where there is nothing to say. In the one-byte form where that will do.
  func write(to writer: inout PacketWriter, _ map: ExtensionMap) {
    let start = writer.count
    let isOneByte = isOneByte(map)
    writer.u16(isOneByte ? HeaderExtensions.oneByteProfile : HeaderExtensions.twoByteProfile)
    writer.u16(0)
    func begin(_ id: UInt8, _ length: Int) {
      if isOneByte {
        writer.u8(id << 4 | UInt8(truncatingIfNeeded: length - 1))
      } else {
        writer.u8(id)
        writer.u8(UInt8(truncatingIfNeeded: length))
      }
    }
    if let transportSequence, map.transportSequence != 0 {
      begin(map.transportSequence, 2)
      writer.u16(transportSequence)
    }
    if let absoluteSendTime, map.absoluteSendTime != 0 {
      begin(map.absoluteSendTime, 3)
      writer.u24(absoluteSendTime)
    }
    if let audioLevel, map.audioLevel != 0 {
      begin(map.audioLevel, 1)
      writer.u8(audioLevel.level & 127 | (audioLevel.isVoice ? 128 : 0))
    }
    if let orientation, map.orientation != 0 {
      begin(map.orientation, 1)
      writer.u8(orientation & 15)
    }
    if let colorSpace, map.colorSpace != 0 {
      begin(map.colorSpace, ColorSpace.size)
      colorSpace.write(to: &writer)
    }
    if let captureTime, map.captureTime != 0 {
      begin(map.captureTime, HeaderExtensions.captureTimeSize)
      writer.u64(captureTime.rawValue)
    }
    if var mid, map.mid != 0, !mid.isEmpty, mid.utf8.count <= 255 {
      mid.withUTF8 {
        begin(map.mid, $0.count)
        writer.bytes(UnsafeRawBufferPointer($0))
      }
    }
    writer.zeros((4 - (writer.count - start) % 4) % 4)
    writer.u16(UInt16(truncatingIfNeeded: (writer.count - start) / 4 - 1), at: start + 2)
  }

  /// What `write` takes, its head and padding included; nothing where there is nothing to say.
  func size(_ map: ExtensionMap) -> Int {
    guard isSpoken(map) else { return 0 }
    let element = isOneByte(map) ? 1 : 2
    var size = 0
    if transportSequence != nil, map.transportSequence != 0 { size += element + 2 }
    if absoluteSendTime != nil, map.absoluteSendTime != 0 { size += element + 3 }
    if audioLevel != nil, map.audioLevel != 0 { size += element + 1 }
    if orientation != nil, map.orientation != 0 { size += element + 1 }
    if colorSpace != nil, map.colorSpace != 0 { size += element + ColorSpace.size }
    if captureTime != nil, map.captureTime != 0 { size += element + HeaderExtensions.captureTimeSize }
    if let mid, map.mid != 0, !mid.isEmpty, mid.utf8.count <= 255 { size += element + mid.utf8.count }
    return 4 + (size + 3) / 4 * 4
  }

  private func isOneByte(_ map: ExtensionMap) -> Bool {
    max(map.mid, map.audioLevel, map.absoluteSendTime, map.transportSequence, map.orientation, map.colorSpace, map.captureTime) < 15
      && (mid?.utf8.count ?? 0) <= 16
  }

  /// Whether anything would be written under that map.
  func isSpoken(_ map: ExtensionMap) -> Bool {
    (transportSequence != nil && map.transportSequence != 0) || (absoluteSendTime != nil && map.absoluteSendTime != 0)
      || (audioLevel != nil && map.audioLevel != 0) || (orientation != nil && map.orientation != 0)
      || (colorSpace != nil && map.colorSpace != 0) || (captureTime != nil && map.captureTime != 0) || (mid != nil && map.mid != 0)
  }
}
