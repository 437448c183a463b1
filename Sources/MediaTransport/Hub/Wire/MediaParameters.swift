import MediaCore
import MediaRTP
import MediaSRTP

/// How media passes between the hub and one member, as the hub's welcome says: where to, under which keys, by which numbers.
struct MediaParameters: Sendable {
  /// Of UDP, at the hub's address.
  var port: UInt16
  /// The first 24 bits of every SSRC between the two: by them the hub knows whose a packet is.
  var base: UInt32
  var profile: SRTPProfile
  /// What the member's end sends with, and the hub.
  var up: SRTPKey
  var down: SRTPKey
  private let keyBytes: (up: [UInt8], down: [UInt8])
  var vp8: UInt8 = 96
  var repeated: UInt8 = 97
  var opus: UInt8 = 111
  var transportSequence: UInt8 = 1
  var audioLevel: UInt8 = 2
  var orientation: UInt8 = 3
  var colorSpace: UInt8 = 4
  var captureTime: UInt8 = 5

  init(port: UInt16, base: UInt32, profile: SRTPProfile, up: [UInt8], down: [UInt8]) throws(MediaError) {
    (self.port, self.base, self.profile) = (port, base & ~255, profile)
    (self.up, self.down) = (try SRTPKey(up, profile), try SRTPKey(down, profile))
    keyBytes = (up, down)
  }

  /// With fresh keys.
  static func make(port: UInt16, base: UInt32, profile: SRTPProfile) throws(MediaError) -> MediaParameters {
    // The system's generator: getrandom(2).
    func key() -> [UInt8] { (0..<profile.keySize + profile.saltSize).map { _ in UInt8.random(in: 0...255) } }
    return try MediaParameters(port: port, base: base, profile: profile, up: key(), down: key())
  }

  // MARK: Numbers

  /// The last byte of an SSRC: which way (from the hub: 0x80), sent again (0x40), which place; 63 is the end itself.
  func ssrc(_ slot: HubSlot, fromHub: Bool, again: Bool = false) -> SSRC {
    SSRC(base | (fromHub ? 0x80 : 0) | (again ? 0x40 : 0) | UInt32(slot.index))
  }

  func ssrc(ofEnd isHub: Bool) -> SSRC { SSRC(base | (isHub ? 0x80 : 0) | 63) }

  /// Whose a packet says to be, before it was found authentic; RTCP and RTP have it at different places (RFC 3550, sections 5.1 and 6.4).
  static func base(of packet: UnsafeRawBufferPointer) -> UInt32? { ssrc(of: packet).map { $0 & ~255 } }

  static func ssrc(of packet: UnsafeRawBufferPointer) -> UInt32? {
    guard packet.count >= 12, (128...191).contains(packet[0]) else { return nil }
    return UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: RTPPacket.isRTCP(packet) ? 4 : 8, as: UInt32.self))
  }

  /// nil: of no stream, or from the wrong end.
  func slot(_ ssrc: SSRC, fromHub: Bool) -> HubSlot? {
    guard ssrc.rawValue & ~255 == base, (ssrc.rawValue & 0x80 != 0) == fromHub, ssrc.rawValue & 0x40 == 0 else { return nil }
    return HubSlot(index: UInt8(ssrc.rawValue & 63))
  }

  var types: [UInt8: RTPEncoding] { [vp8: .vp8, repeated: .retransmission(of: vp8), opus: .opus] }

  var extensions: ExtensionMap {
    var map = ExtensionMap()
    (map.transportSequence, map.audioLevel, map.orientation, map.colorSpace) = (transportSequence, audioLevel, orientation, colorSpace)
    map.captureTime = captureTime
    return map
  }

  func outgoing(_ slot: HubSlot, isHub: Bool) -> OutgoingRTP {
    var stream = OutgoingRTP(slot.isVideo ? .vp8 : .opus, ssrc: ssrc(slot, fromHub: isHub), payloadType: slot.isVideo ? vp8 : opus)
    if slot.isVideo { stream.retransmission = (ssrc(slot, fromHub: isHub, again: true), repeated) }
    return stream
  }

  // MARK: On the wire

  func write(to writer: inout PacketWriter) {
    writer.u16(port)
    writer.u32(base)
    writer.u8(profile.hubNumber)
    writer.block(keyBytes.up)
    writer.block(keyBytes.down)
    for number in [vp8, repeated, opus, transportSequence, audioLevel, orientation, colorSpace, captureTime] { writer.u8(number) }
  }

  init(from reader: inout PacketReader) throws(PacketError) {
    let (port, base) = (try reader.u16(), try reader.u32())
    let profile = try SRTPProfile(hubNumber: reader.u8())
    let size = profile.keySize + profile.saltSize
    let (up, down) = (try reader.block(size), try reader.block(size))
    guard port > 0, base & 255 == 0, let terms = try? MediaParameters(port: port, base: base, profile: profile, up: up, down: down) else {
      throw PacketError("hub: invalid terms")
    }
    self = terms
    (vp8, repeated, opus) = (try reader.u8(), try reader.u8(), try reader.u8())
    (transportSequence, audioLevel, orientation, colorSpace) = (try reader.u8(), try reader.u8(), try reader.u8(), try reader.u8())
    captureTime = try reader.u8()
    let (types, extensions) = ([vp8, repeated, opus], [transportSequence, audioLevel, orientation, colorSpace, captureTime])
    let isInRange = types.allSatisfy { (96...127).contains($0) } && extensions.allSatisfy { (1...14).contains($0) }
    guard isInRange, Set(types).count == 3, Set(extensions).count == extensions.count else {
      throw PacketError("hub: invalid payload types or extensions")
    }
  }
}

extension SRTPProfile {
  /// What stands for it in a hub's messages.
  var hubNumber: UInt8 {
    switch self {
    case .aesCounterSHA1: 1
    case .aesGCM: 2
    case .aesGCM256: 3
    }
  }

  init(hubNumber number: UInt8) throws(PacketError) {
    guard let known = SRTPProfile.allCases.first(where: { $0.hubNumber == number }) else {
      throw PacketError("hub: an unknown media protection")
    }
    self = known
  }
}
