import MediaCore
import MediaRTP

/// SRTP between two ends, each with a key of its own (RFC 4568, section 6.1). It outlives a peer that is followed by another one under the same keys,
/// so that no number is sealed twice and no packet is accepted twice (RFC 3711, sections 3.3.2 and 9.1). Used by one peer at a time, under its lock.
public final class PacketProtection: @unchecked Sendable {
  private let sender: SRTPSender
  private let receiver: SRTPReceiver

  /// `own` seals, `theirs` opens; neither may be in use by another object. `.noMemory`: OpenSSL refused a cipher.
  public init(_ profile: SRTPProfile, own: SRTPKey, theirs: SRTPKey) throws(MediaError) {
    sender = try SRTPSender(profile, own)
    receiver = try SRTPReceiver(profile, theirs)
  }

  /// Writes the packet as it goes over the network; its size. Throws when there is no room for it, or the key is used up.
  public func seal(_ packet: UnsafeRawBufferPointer, isControl: Bool, into output: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int
  {
    isControl ? try sender.protectControl(packet, into: output) : try sender.protect(packet, into: output)
  }

  /// Writes the packet as it was before it was sealed; its size. Throws `SRTPReceiver.replayed` or another error for what is not authentic.
  public func open(_ datagram: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
    RTPPacket.isRTCP(datagram) ? try receiver.unprotectControl(datagram, into: output) : try receiver.unprotect(datagram, into: output)
  }
}
