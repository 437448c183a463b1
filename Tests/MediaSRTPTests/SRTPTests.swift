import MediaCore
import MediaRTP
import Testing

@testable import MediaSRTP

@Suite(.serialized) struct SRTPTests {
  private let control = bytes("80 c8 0006 11223344 0102030405060708 00001000 00000001 00000032")

  @Test(arguments: SRTPProfile.allCases) func packetsComeBackAsTheyWere(_ profile: SRTPProfile) throws {
    let (sender, receiver) = (try SRTPSender(profile, key(profile)), try SRTPReceiver(profile, key(profile)))
    for number in 0..<2000 {
      let plain = packet(UInt16(truncatingIfNeeded: 65_000 + number), payload: number % 60, extended: number % 2 == 0)
      let sealed = try #require(transformed(plain) { p, o throws(PacketError) in try sender.protect(p, into: o) }.value)
      #expect(sealed.count == plain.count + profile.tagSize)
      let front = number % 2 == 0 ? 20 : 12
      #expect(sealed.prefix(front) == plain.prefix(front))
      if number % 60 > 8 { #expect(sealed[front..<plain.count] != plain[front...]) }
      #expect(transformed(sealed) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.value == plain)
    }
  }

  @Test(arguments: SRTPProfile.allCases) func controlPacketsComeBackToo(_ profile: SRTPProfile) throws {
    let (sender, receiver) = (try SRTPSender(profile, key(profile)), try SRTPReceiver(profile, key(profile)))
    var all: [[UInt8]] = []
    for _ in 0..<50 {
      let sealed = try #require(transformed(control) { p, o throws(PacketError) in try sender.protectControl(p, into: o) }.value)
      #expect(sealed.count == control.count + profile.controlOverhead && sealed.prefix(8) == control.prefix(8))
      all.append(sealed)
    }
    for sealed in all.reversed() {
      #expect(transformed(sealed) { p, o throws(PacketError) in try receiver.unprotectControl(p, into: o) }.value == control)
    }
    #expect(transformed(all[7]) { p, o throws(PacketError) in try receiver.unprotectControl(p, into: o) }.error == SRTPReceiver.replayed)
  }

  @Test(arguments: SRTPProfile.allCases) func whatIsChangedIsRefusedAndHarmsNothing(_ profile: SRTPProfile) throws {
    let (sender, receiver) = (try SRTPSender(profile, key(profile)), try SRTPReceiver(profile, key(profile)))
    let plain = packet(7)
    let sealed = try #require(transformed(plain) { p, o throws(PacketError) in try sender.protect(p, into: o) }.value)
    let sealedControl = try #require(transformed(control) { p, o throws(PacketError) in try sender.protectControl(p, into: o) }.value)
    for index in sealed.indices {
      for bit in [1, 0x80] as [UInt8] {
        var copy = sealed
        copy[index] ^= bit
        #expect(transformed(copy) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.error != nil)
      }
    }
    for index in sealedControl.indices {
      var copy = sealedControl
      copy[index] ^= 4
      #expect(transformed(copy) { p, o throws(PacketError) in try receiver.unprotectControl(p, into: o) }.error != nil)
    }
    for count in 0..<sealed.count {
      #expect(transformed(Array(sealed.prefix(count))) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.error != nil)
    }
    for count in 0..<sealedControl.count {
      #expect(
        transformed(Array(sealedControl.prefix(count))) { p, o throws(PacketError) in try receiver.unprotectControl(p, into: o) }.error
          != nil)
    }
    let other = try SRTPReceiver(profile, key(profile, 2))
    #expect(transformed(sealed) { p, o throws(PacketError) in try other.unprotect(p, into: o) }.error == SRTPReceiver.forged)
    #expect(transformed(sealedControl) { p, o throws(PacketError) in try other.unprotectControl(p, into: o) }.error == SRTPReceiver.forged)
    // None of them moved the window.
    #expect(transformed(sealed) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.value == plain)
    #expect(transformed(sealed) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.error == SRTPReceiver.replayed)
    #expect(transformed(sealedControl) { p, o throws(PacketError) in try receiver.unprotectControl(p, into: o) }.value == control)
  }

  @Test(arguments: SRTPProfile.allCases) func streamsAndResendingsStandForThemselves(_ profile: SRTPProfile) throws {
    let (sender, receiver) = (try SRTPSender(profile, key(profile)), try SRTPReceiver(profile, key(profile)))
    func sealed(_ sequence: UInt16, _ ssrc: UInt32) throws -> [UInt8] {
      try #require(transformed(packet(sequence, ssrc: ssrc)) { p, o throws(PacketError) in try sender.protect(p, into: o) }.value)
    }
    let first = try sealed(65_535, 1)
    let second = try sealed(0, 1)
    // The same packet again, as it is when it was lost: the same bytes.
    #expect(try sealed(65_535, 1) == first)
    #expect(try sealed(65_535, 2) != first)
    for bytes in [second, first] { _ = bytes }
    #expect(transformed(first) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.value == packet(65_535, ssrc: 1))
    #expect(transformed(second) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.value == packet(0, ssrc: 1))
    // A great many streams under one key are bounded.
    for ssrc in UInt32(10)..<1200 {
      let bytes = try sealed(5, ssrc)
      #expect(transformed(bytes) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.value != nil)
    }
  }

  @Test(arguments: SRTPProfile.allCases) func aNumberSealsOnePacket(_ profile: SRTPProfile) throws {
    let sender = try SRTPSender(profile, key(profile))
    func sealed(_ packet: [UInt8]) -> Result<[UInt8], PacketError> {
      transformed(packet) { p, o throws(PacketError) in try sender.protect(p, into: o) }
    }
    let first = packet(65_534)
    for sequence in [65_534, 65_535, 0, 1] as [UInt16] { #expect(sealed(packet(sequence)).error == nil) }
    // As it was it may go again; with another extension, payload, length or marker it may not.
    #expect(sealed(first).error == nil)
    for (place, bits) in [(18, 1), (1, 0x80), (20, 1), (first.count - 1, 0xFF)] as [(Int, UInt8)] {
      var other = first
      other[place] ^= bits
      #expect(sealed(other).error == SRTPSender.reused, "\(place)")
    }
    #expect(sealed(packet(65_534, payload: 51)).error == SRTPSender.reused)
    #expect(sealed(packet(65_534, payload: 0)).error == SRTPSender.reused)
    // Nothing of what was refused is left to be sent by mistake.
    var other = first
    other[30] ^= 1
    var left = [UInt8](repeating: 0xAA, count: 100)
    let isRefused = other.withUnsafeBytes { packet in
      left.withUnsafeMutableBytes { output in (try? sender.protect(packet, into: output)) == nil }
    }
    #expect(isRefused)
    #expect(left[..<(other.count + profile.tagSize)].allSatisfy { $0 == 0 })
    // So long ago that nobody knows; and before the first number that there is.
    for sequence in 2...UInt16(SealedPackets.most + 10) { #expect(sealed(packet(sequence)).error == nil) }
    #expect(sealed(first).error == SRTPSender.reused)
    #expect(sealed(packet(5, ssrc: 9)).error == nil)
    #expect(sealed(packet(65_530, ssrc: 9)).error == SRTPSender.reused)
  }

  @Test func roomAndSizeAreLookedAt() throws {
    let profile = SRTPProfile.aesCounterSHA1
    let (sender, receiver) = (try SRTPSender(profile, key(profile)), try SRTPReceiver(profile, key(profile)))
    let plain = packet(1)
    #expect(
      transformed(plain, room: plain.count + 9) { p, o throws(PacketError) in try sender.protect(p, into: o) }.error?.description
        == "SRTP: no room for the tag")
    #expect(transformed([0x80], room: 100) { p, o throws(PacketError) in try sender.protect(p, into: o) }.error != nil)
    #expect(transformed([1, 2, 3], room: 100) { p, o throws(PacketError) in try sender.protectControl(p, into: o) }.error != nil)
    let sealed = try #require(transformed(plain) { p, o throws(PacketError) in try sender.protect(p, into: o) }.value)
    #expect(
      transformed(sealed, room: plain.count - 1) { p, o throws(PacketError) in try receiver.unprotect(p, into: o) }.error?.description
        == "SRTP: no room for the packet")
    // Readable control packets are not taken.
    var clear = try #require(transformed(control) { p, o throws(PacketError) in try sender.protectControl(p, into: o) }.value)
    clear[control.count] &= 0x7F
    #expect(
      transformed(clear) { p, o throws(PacketError) in try receiver.unprotectControl(p, into: o) }.error?.description
        == "SRTCP: not encrypted")
  }
}
