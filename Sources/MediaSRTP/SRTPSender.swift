import MediaCore
import MediaRTP

/// Protects what one side sends (RFC 3711, sections 3.3 and 3.4). Calls come one at a time. An index of a stream seals one packet, whoever asks: the same
/// bytes may be sealed again, others are refused. So it must live as long as its key is used.
public final class SRTPSender {
  static let reused = PacketError("SRTP: another packet was or may have been protected with this sequence number")

  /// Its `tagSize` and `controlOverhead` say how much room a packet needs beside its own bytes.
  public let profile: SRTPProfile
  private let media: PacketCipher
  private let control: PacketCipher
  private var streams: [SSRC: SealedPackets] = [:]
  /// Of each stream, the index of its last control packet: each has one of its own.
  private var controlIndices: [SSRC: UInt32] = [:]
  /// A sender's own streams.
  private static let mostStreams = 4096

  /// For the master key of this side, which no other sender may have. `.noMemory`: OpenSSL refused a cipher.
  public init(_ profile: SRTPProfile, _ key: SRTPKey) throws(MediaError) {
    self.profile = profile
    media = try PacketCipher(try SessionKeys(key, profile, isControl: false), profile)
    control = try PacketCipher(try SessionKeys(key, profile, isControl: true), profile)
  }

  /// Writes the protected packet; its size. Packets of a stream come about in order, as they are made, or again as they were; `reused` otherwise.
  public func protect(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
    let header = try RTPHeaderView(parsing: packet)
    let size = packet.count + profile.tagSize
    guard output.count >= size else { throw PacketError("SRTP: no room for the tag") }
    let (ssrc, sequence) = (header.ssrc, header.sequence.rawValue)
    let place = streams.index(forKey: ssrc)
    if place == nil, streams.count >= SRTPSender.mostStreams { throw PacketError("SRTP: more than 4096 streams") }
    let highest = place.map { streams.values[$0].highest } ?? Int64(sequence)
    let index = highest + Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
    // 2^48 packets under one key are the end of it (section 9.2).
    guard index < 1 << 48 else { throw PacketError("SRTP: the key is used up") }
    guard index >= 0, place.map({ streams.values[$0].reaches(index) }) ?? true else { throw SRTPSender.reused }
    let front = UnsafeRawBufferPointer(rebasing: packet.prefix(header.size))
    UnsafeMutableRawBufferPointer(rebasing: output.prefix(front.count)).copyMemory(from: front)
    var rollOver = UInt32(truncatingIfNeeded: index >> 16).bigEndian
    let isDone = withUnsafeBytes(of: &rollOver) { rollOver in
      media.seal(
        .init(ssrc: ssrc.rawValue, index: index, isControl: false), front: front,
        UnsafeRawBufferPointer(rebasing: packet.dropFirst(front.count)),
        into: UnsafeMutableRawBufferPointer(rebasing: output[front.count..<packet.count]),
        tag: UnsafeMutableRawBufferPointer(rebasing: output[packet.count..<size]), trailer: rollOver)
    }
    guard isDone else { throw PacketError("SRTP: OpenSSL failed") }
    let tag = output.loadUnaligned(fromByteOffset: packet.count, as: UInt64.self)
    guard place.map({ streams.values[$0].allows(tag, at: index) }) ?? true else {
      UnsafeMutableRawBufferPointer(rebasing: output.prefix(size)).initializeMemory(as: UInt8.self, repeating: 0)
      throw SRTPSender.reused
    }
    if let place { streams.values[place].insert(tag, at: index) } else { streams[ssrc] = SealedPackets(first: index, tag) }
    return size
  }

  /// The same of a compound packet of RTCP.
  public func protectControl(_ packet: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
    guard packet.count >= 8 else { throw PacketError("SRTCP: a packet of less than 8 bytes") }
    let size = packet.count + profile.controlOverhead
    guard output.count >= size else { throw PacketError("SRTCP: no room for the tag") }
    let ssrc = SSRC(UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    if controlIndices[ssrc] == nil, controlIndices.count >= SRTPSender.mostStreams { throw PacketError("SRTP: more than 4096 streams") }
    let index = controlIndices[ssrc, default: 0] + 1
    guard index < 1 << 31 else { throw PacketError("SRTCP: the key is used up") }
    controlIndices[ssrc] = index
    let front = UnsafeRawBufferPointer(rebasing: packet.prefix(8))
    UnsafeMutableRawBufferPointer(rebasing: output.prefix(8)).copyMemory(from: front)
    // With the bit that says that it is encrypted.
    var word = (index | 1 << 31).bigEndian
    let (tagStart, wordStart) =
      switch profile {
      case .aesCounterSHA1: (packet.count + 4, packet.count)
      case .aesGCM, .aesGCM256: (packet.count, packet.count + profile.tagSize)
      }
    let isDone = withUnsafeBytes(of: &word) { word in
      UnsafeMutableRawBufferPointer(rebasing: output[wordStart..<wordStart + 4]).copyMemory(from: word)
      return control.seal(
        .init(ssrc: ssrc.rawValue, index: Int64(index), isControl: true), front: front,
        UnsafeRawBufferPointer(rebasing: packet.dropFirst(8)),
        into: UnsafeMutableRawBufferPointer(rebasing: output[8..<packet.count]),
        tag: UnsafeMutableRawBufferPointer(rebasing: output[tagStart..<tagStart + profile.tagSize]), trailer: word)
    }
    guard isDone else { throw PacketError("SRTCP: OpenSSL failed") }
    return size
  }
}
