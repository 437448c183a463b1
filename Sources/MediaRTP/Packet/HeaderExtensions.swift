/// What the ids of header extensions mean in a session, from its configuration or the description's extmap lines (RFC 8285, section 5).
public struct ExtensionMap: Sendable, Equatable {
  /// An id of 1..14, or up to 255 where the two-byte form is agreed; 0: not used.
  public var mid: UInt8 = 0
  /// Which of several streams of a medium a packet is of (RFC 8852), and which one a packet that is sent again.
  public var rid: UInt8 = 0
  /// Which stream of its medium a packet repeats (RFC 8852).
  public var repairedRID: UInt8 = 0
  /// How loud the audio of a packet is (RFC 6464).
  public var audioLevel: UInt8 = 0
  /// When a packet left (abs-send-time of libwebrtc).
  public var absoluteSendTime: UInt8 = 0
  /// The number by which transport-wide feedback reports a packet (draft-holmer-rmcat-transport-wide-cc-extensions-01).
  public var transportSequence: UInt8 = 0
  /// How a frame is to be rotated (3GPP TS 26.114, section 7.4.5).
  public var orientation: UInt8 = 0
  /// The colour of a frame by the numbers of H.273 (color-space of libwebrtc).
  public var colorSpace: UInt8 = 0
  /// When a frame was captured (abs-capture-time of libwebrtc).
  public var captureTime: UInt8 = 0

  /// No extension is used.
  public init() {}

  subscript(element: HeaderExtensions.Element) -> UInt8 {
    switch element {
    case .transportSequence: transportSequence
    case .absoluteSendTime: absoluteSendTime
    case .audioLevel: audioLevel
    case .orientation: orientation
    case .colorSpace: colorSpace
    case .captureTime: captureTime
    case .mid: mid
    case .rid: rid
    case .repairedRID: repairedRID
    }
  }
}

/// The extensions of one packet that this library knows (RFC 8285). Others are read over.
public struct HeaderExtensions: Sendable, Equatable {
  /// How loud the audio of one packet is, and whether somebody speaks (RFC 6464, section 3).
  public struct AudioLevel: Sendable, Equatable {
    /// Below full scale, in dB: 0..127.
    public var level: UInt8
    /// Somebody speaks, as the sender has it (bit V).
    public var isVoice: Bool

    /// Only the low seven bits of the level are sent.
    public init(level: UInt8, isVoice: Bool) {
      (self.level, self.isVoice) = (level, isVoice)
    }
  }

  /// Colour as H.273 numbers it, of a picture and of those that follow it.
  public struct ColorSpace: Sendable, Equatable {
    /// ColourPrimaries (H.273, section 8.1); 2: unspecified.
    public var primaries: UInt8
    /// TransferCharacteristics (H.273, section 8.2); 2: unspecified.
    public var transfer: UInt8
    /// MatrixCoefficients (H.273, section 8.3); 2: unspecified.
    public var matrix: UInt8
    /// VideoFullRangeFlag (H.273); false: limited range.
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

  /// In the order in which they are written.
  enum Element {
    case transportSequence, absoluteSendTime, audioLevel, orientation, colorSpace, captureTime, mid, rid, repairedRID

    static let all: [Element] = [
      .transportSequence, .absoluteSendTime, .audioLevel, .orientation, .colorSpace, .captureTime, .mid, .rid, .repairedRID
    ]
  }

  var mid: String?
  var rid: String?
  var repairedRID: String?
  /// nil: the packet has none.
  public var audioLevel: AudioLevel?
  /// 24 bits of seconds in 6.18 fixed point.
  var absoluteSendTime: UInt32?
  var transportSequence: UInt16?
  /// Quarter turns clockwise and a flag for mirrored pictures: bits of the one byte of TS 26.114.
  var orientation: UInt8?
  var colorSpace: ColorSpace?
  /// When was captured what the packet's stamp stands for, by the clock of the sender's reports.
  var captureTime: NTPTimestamp?
  private static let captureTimeSize = 8

  init() {}

  var isEmpty: Bool {
    mid == nil && rid == nil && repairedRID == nil && audioLevel == nil && absoluteSendTime == nil && transportSequence == nil
      && orientation == nil
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
    case map.mid: mid = HeaderExtensions.token(bytes)
    case map.rid: rid = HeaderExtensions.token(bytes)
    case map.repairedRID: repairedRID = HeaderExtensions.token(bytes)
    default: break
    }
  }

  /// A token of SDP.
  private static func token(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard !bytes.isEmpty, bytes.allSatisfy({ (33...126).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Where an element's bytes lie in a packet, that many of them; nil: it is not in it.
  static func place(of id: UInt8, size: Int, in packet: UnsafeRawBufferPointer) -> Int? {
    guard id != 0, packet.count >= RTPHeader.size, packet[0] & 16 != 0 else { return nil }
    var place = RTPHeader.size + Int(packet[0] & 15) * 4
    guard packet.count >= place + 4 else { return nil }
    let profile = UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: place, as: UInt16.self))
    let end = min(packet.count, place + 4 + 4 * Int(UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))))
    let isOneByte = profile == oneByteProfile
    guard isOneByte || profile & 0xFFF0 == twoByteProfile else { return nil }
    place += 4
    while place < end {
      let head = packet[place]
      place += 1
      if head == 0 { continue }
      var (found, length) = (head, 0)
      if isOneByte {
        (found, length) = (head >> 4, Int(head & 15) + 1)
        if found == 15 { return nil }
      } else {
        guard place < end else { return nil }
        length = Int(packet[place])
        place += 1
      }
      guard place + length <= end else { return nil }
      if found == id { return length == size ? place : nil }
      place += length
    }
    return nil
  }

  // MARK: Writing

  /// Of an element's bytes; nil: there is nothing to say.
  private func length(_ element: Element) -> Int? {
    func length(_ text: String?) -> Int? { text.flatMap { (1...255).contains($0.utf8.count) ? $0.utf8.count : nil } }
    return switch element {
    case .transportSequence: transportSequence == nil ? nil : 2
    case .absoluteSendTime: absoluteSendTime == nil ? nil : 3
    case .audioLevel: audioLevel == nil ? nil : 1
    case .orientation: orientation == nil ? nil : 1
    case .colorSpace: colorSpace == nil ? nil : ColorSpace.size
    case .captureTime: captureTime == nil ? nil : HeaderExtensions.captureTimeSize
    case .mid: length(mid)
    case .rid: length(rid)
    case .repairedRID: length(repairedRID)
    }
  }

  private func write(_ element: Element, to writer: inout PacketWriter) {
    func write(_ text: String?) {
      guard var text else { return }
      text.withUTF8 { writer.bytes(UnsafeRawBufferPointer($0)) }
    }
    switch element {
    case .transportSequence: writer.u16(transportSequence ?? 0)
    case .absoluteSendTime: writer.u24(absoluteSendTime ?? 0)
    case .audioLevel: writer.u8((audioLevel?.level ?? 127) & 127 | (audioLevel?.isVoice == true ? 128 : 0))
    case .orientation: writer.u8((orientation ?? 0) & 15)
    case .colorSpace: colorSpace?.write(to: &writer)
    case .captureTime: writer.u64(captureTime?.rawValue ?? 0)
    case .mid: write(mid)
    case .rid: write(rid)
    case .repairedRID: write(repairedRID)
    }
  }

  /// With its profile and length, in whole words; nothing where there is nothing to say. In the one-byte form where that will do.
  func write(to writer: inout PacketWriter, _ map: ExtensionMap) {
    let start = writer.count
    let isOneByte = isOneByte(map)
    writer.u16(isOneByte ? HeaderExtensions.oneByteProfile : HeaderExtensions.twoByteProfile)
    writer.u16(0)
    for element in Element.all where map[element] != 0 {
      guard let length = length(element) else { continue }
      if isOneByte {
        writer.u8(map[element] << 4 | UInt8(truncatingIfNeeded: length - 1))
      } else {
        writer.u8(map[element])
        writer.u8(UInt8(truncatingIfNeeded: length))
      }
      write(element, to: &writer)
    }
    writer.zeros((4 - (writer.count - start) % 4) % 4)
    writer.u16(UInt16(truncatingIfNeeded: (writer.count - start) / 4 - 1), at: start + 2)
  }

  /// What `write` takes, its head and padding included; nothing where there is nothing to say.
  func size(_ map: ExtensionMap) -> Int {
    let head = isOneByte(map) ? 1 : 2
    var size = 0
    for element in Element.all where map[element] != 0 {
      if let length = length(element) { size += head + length }
    }
    return size == 0 ? 0 : 4 + (size + 3) / 4 * 4
  }

  private func isOneByte(_ map: ExtensionMap) -> Bool {
    for element in Element.all where map[element] > 14 || (map[element] != 0 && length(element) ?? 0 > 16) { return false }
    return true
  }

  /// Whether anything would be written under that map.
  func isSpoken(_ map: ExtensionMap) -> Bool { Element.all.contains { map[$0] != 0 && length($0) != nil } }
}
