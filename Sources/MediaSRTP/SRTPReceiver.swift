import MediaCore
import MediaRTP

/// Opens what one side receives: what is not authentic, comes again or from before the window is refused (RFC 3711, sections 3.3 and 3.4).
/// It must live as long as its key is used, since what it has seen is authentic for ever. Calls come one at a time.
public final class SRTPReceiver {
  /// Thrown before a packet is authenticated; also for a stream that would be more than the 65,536th under the key.
  public static let replayed = PacketError("SRTP: a packet that was received before, or is older than the replay window")
  /// Nothing of such a packet is kept; what was written to the output must not be used.
  static let forged = PacketError("SRTP: not authentic: another key, or modified bytes")

  let profile: SRTPProfile
  private let media: PacketCipher
  private let control: PacketCipher
  /// Only authentic packets make an entry.
  private var windows = ReplayWindows()
  private var controlWindows = ReplayWindows()

  /// For the master key of the other side. `.noMemory`: OpenSSL refused a cipher.
  public init(_ profile: SRTPProfile, _ key: SRTPKey) throws(MediaError) {
    self.profile = profile
    media = try PacketCipher(try SessionKeys(key, profile, isControl: false), profile)
    control = try PacketCipher(try SessionKeys(key, profile, isControl: true), profile)
  }

  /// Writes the packet as it was before; its size.
  public func unprotect(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
    // The padding is encrypted: the last byte says nothing yet.
    let header = try RTPHeaderView(parsing: packet)
    let size = packet.count - profile.tagSize
    guard size >= header.size else { throw PacketError("SRTP: shorter than its header and tag") }
    guard output.count >= size else { throw PacketError("SRTP: no room for the packet") }
    let index = windows.index(of: header.sequence.rawValue, from: header.ssrc)
    guard windows.isNew(index, from: header.ssrc) else { throw SRTPReceiver.replayed }
    let front = UnsafeRawBufferPointer(rebasing: packet.prefix(header.size))
    var rollOver = UInt32(truncatingIfNeeded: index >> 16).bigEndian
    let isAuthentic = withUnsafeBytes(of: &rollOver) { rollOver in
      media.open(
        .init(ssrc: header.ssrc.rawValue, index: index, isControl: false), front: front,
        UnsafeRawBufferPointer(rebasing: packet[header.size..<size]),
        into: UnsafeMutableRawBufferPointer(rebasing: output[header.size..<size]),
        tag: UnsafeRawBufferPointer(rebasing: packet[size...]), trailer: rollOver)
    }
    guard isAuthentic else { throw SRTPReceiver.forged }
    UnsafeMutableRawBufferPointer(rebasing: output.prefix(header.size)).copyMemory(from: front)
    windows.insert(index, from: header.ssrc)
    return size
  }

  /// The same of a compound packet of SRTCP (RFC 3711, section 3.4), which must be encrypted.
  func unprotectControl(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
    let size = packet.count - profile.controlOverhead
    guard size >= 8 else { throw PacketError("SRTCP: shorter than its header, index and tag") }
    guard output.count >= size else { throw PacketError("SRTCP: no room for the packet") }
    let (tagStart, wordStart) =
      switch profile {
      case .aesCounterSHA1: (size + 4, size)
      case .aesGCM, .aesGCM256: (size, size + profile.tagSize)
      }
    let word = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: wordStart, as: UInt32.self))
    guard word & 1 << 31 != 0 else { throw PacketError("SRTCP: not encrypted") }
    let (ssrc, index) = (SSRC(UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 4, as: UInt32.self))), Int64(word & 0x7FFF_FFFF))
    guard controlWindows.isNew(index, from: ssrc) else { throw SRTPReceiver.replayed }
    let front = UnsafeRawBufferPointer(rebasing: packet.prefix(8))
    let isAuthentic = control.open(
      .init(ssrc: ssrc.rawValue, index: index, isControl: true), front: front, UnsafeRawBufferPointer(rebasing: packet[8..<size]),
      into: UnsafeMutableRawBufferPointer(rebasing: output[8..<size]),
      tag: UnsafeRawBufferPointer(rebasing: packet[tagStart..<tagStart + profile.tagSize]),
      trailer: UnsafeRawBufferPointer(rebasing: packet[wordStart..<wordStart + 4]))
    guard isAuthentic else { throw SRTPReceiver.forged }
    UnsafeMutableRawBufferPointer(rebasing: output.prefix(8)).copyMemory(from: front)
    controlWindows.insert(index, from: ssrc)
    return size
  }
}
