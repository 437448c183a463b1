/// The first byte of an Opus packet, its table of contents, and the number of frames where another byte has it: RFC 6716, section 3.1.
public struct OpusTOC: Sendable, Equatable {
  /// What the packet is encoded with: SILK, CELT, or both (section 2).
  public enum Mode: Sendable { case silk, hybrid, celt }
  enum Bandwidth: Sendable { case narrow, medium, wide, superWide, full }

  /// Of RTP and of decoded audio, whatever the packet's bandwidth.
  public static let clockRate: UInt32 = 48_000
  /// Samples per channel at 48,000 Hz: 120 ms.
  public static let longest = 5760

  /// The same for all frames of the packet.
  public let mode: Mode
  let bandwidth: Bandwidth
  /// Whether the packet has two channels; a decoder for one channel or for two takes both kinds.
  public let isStereo: Bool
  let frameCount: Int
  /// Per channel at 48,000 Hz.
  public let samplesPerFrame: Int

  /// Of all frames, in samples per channel at 48,000 Hz.
  public var duration: Int { frameCount * samplesPerFrame }

  /// The frames themselves may be missing. `.corrupt`: the data does not begin a packet. The rules are those of section 3.4.
  public init(parsing data: UnsafeRawBufferPointer) throws(MediaError) {
    guard let contents = data.first else { throw MediaError(.corrupt, "Opus packet of 0 bytes; it has at least 1 (rule 1)") }
    let configuration = contents >> 3
    let sizes: [4 of Int]
    switch configuration {
    case ..<12:
      mode = .silk
      bandwidth = configuration < 4 ? .narrow : configuration < 8 ? .medium : .wide
      sizes = [480, 960, 1920, 2880]
    case ..<16:
      mode = .hybrid
      bandwidth = configuration < 14 ? .superWide : .full
      sizes = [480, 960, 480, 960]
    default:
      mode = .celt
      bandwidth = configuration < 20 ? .narrow : configuration < 24 ? .wide : configuration < 28 ? .superWide : .full
      sizes = [120, 240, 480, 960]
    }
    samplesPerFrame = sizes[Int(configuration & 3)]
    isStereo = contents & 4 != 0
    switch contents & 3 {
    case 0: frameCount = 1
    case 1, 2: frameCount = 2
    default:
      guard data.count >= 2 else {
        throw MediaError(.corrupt, "Opus packet of 1 byte, without the byte with the number of its frames (rules 6 and 7)")
      }
      frameCount = Int(data[1] & 0x3F)
    }
    guard frameCount >= 1, duration <= OpusTOC.longest else {
      let milliseconds = Double(duration) / 48
      throw MediaError(
        .corrupt, "Opus packet of \(frameCount) frames, \(milliseconds) ms; accepted: 1 or more frames, at most 120 ms in all (rule 5)")
    }
  }
}

/// A whole Opus packet, and how its frames are packed: RFC 6716, sections 3.2 to 3.4.
public struct OpusPacket: Sendable, Equatable {
  /// Bytes.
  public static let largestFrame = 1275

  /// With the mode and the duration of all frames.
  public let toc: OpusTOC
  /// Where the first frame lies in the packet; empty when there is nothing but its length.
  public private(set) var firstFrame = 0..<0
  /// The first frame carries the packet before it again (section 4.2.4), in a lower quality.
  public private(set) var hasRedundancy = false

  /// `.corrupt`: it is no packet. The rules are those of section 3.4.
  public init(parsing data: UnsafeRawBufferPointer) throws(MediaError) {
    toc = try OpusTOC(parsing: data)
    switch data[0] & 3 {
    case 0: firstFrame = 1..<data.count
    case 1:
      guard data.count % 2 == 1 else {
        throw MediaError(.corrupt, "Opus packet of \(data.count) bytes with two frames of equal length; their number must be odd (rule 3)")
      }
      firstFrame = 1..<1 + data.count / 2
    case 2:
      guard let (length, start) = OpusPacket.frameLength(data, at: 1), length <= data.count - start else {
        throw MediaError(.corrupt, "Opus packet of \(data.count) bytes whose first frame's length is cut off or too large (rule 4)")
      }
      firstFrame = start..<start + length
      try OpusPacket.checkFrame(data.count - start - length)
    default: try findFirst(data)
    }
    try OpusPacket.checkFrame(firstFrame.count)
    hasRedundancy = redundancyFlag(data)
  }

  /// Any number of frames: section 3.2.5.
  private mutating func findFirst(_ data: UnsafeRawBufferPointer) throws(MediaError) {
    let frameCount = toc.frameCount
    let isVariable = data[1] & 0x80 != 0
    let isPadded = data[1] & 0x40 != 0
    var start = 2
    var end = data.count
    if isPadded {
      // 255 stands for 254 bytes and another such byte after it.
      var more = true
      while more {
        guard start < end else { throw tooShort(data, "its padding") }
        let value = Int(data[start])
        start += 1
        end -= min(value, 254)
        more = value == 255
      }
      guard start <= end else { throw tooShort(data, "its padding") }
    }
    if isVariable {
      var first: Int?
      var explicit = 0
      for _ in 1..<frameCount {
        guard start < end, let (length, next) = OpusPacket.frameLength(data, at: start), next <= end else {
          throw tooShort(data, "the lengths of its frames")
        }
        first = first ?? length
        explicit += length
        start = next
      }
      let last = end - start - explicit
      guard last >= 0 else { throw tooShort(data, "its \(frameCount) frames") }
      try OpusPacket.checkFrame(last)
      firstFrame = start..<start + (first ?? last)
    } else {
      let length = (end - start) / frameCount
      guard length * frameCount == end - start else {
        throw MediaError(.corrupt, "Opus packet with \(end - start) bytes for \(frameCount) frames of equal length (rule 6)")
      }
      firstFrame = start..<start + length
    }
  }

  private func tooShort(_ data: UnsafeRawBufferPointer, _ what: String) -> MediaError {
    MediaError(.corrupt, "Opus packet of \(data.count) bytes, too short for \(what) (rules 6 and 7)")
  }

  private static func checkFrame(_ length: Int) throws(MediaError) {
    guard length <= largestFrame else {
      throw MediaError(.corrupt, "Opus packet with a frame of \(length) bytes; accepted: up to \(largestFrame) (rule 2)")
    }
  }

  /// One or two bytes: section 3.2.1. The length, and where the next byte is.
  private static func frameLength(_ data: UnsafeRawBufferPointer, at start: Int) -> (length: Int, next: Int)? {
    guard start < data.count else { return nil }
    let first = Int(data[start])
    guard first >= 252 else { return (first, start + 1) }
    guard start + 1 < data.count else { return nil }
    return (Int(data[start + 1]) * 4 + first, start + 2)
  }

  /// SILK begins with an activity flag for each of its frames of 20 ms and a flag for redundancy, the same again for the side channel
  /// (section 4.2.3). Each is as likely set as not, and so the range coder leaves them what they are: the first bits.
  private func redundancyFlag(_ data: UnsafeRawBufferPointer) -> Bool {
    guard toc.mode != .celt, !firstFrame.isEmpty else { return false }
    let flags = data[firstFrame.lowerBound]
    let frames = max(1, toc.samplesPerFrame / 960)
    let middle = flags >> (7 - UInt8(frames)) & 1
    let side = toc.isStereo ? flags >> (6 - UInt8(2 * frames)) & 1 : 0
    return middle | side != 0
  }
}
