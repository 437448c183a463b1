import MediaCore
import Testing

@testable import MediaRTP

@Suite struct VP8PayloadTests {
  private func descriptors() -> [VP8Descriptor] {
    var all: [VP8Descriptor] = []
    for number in [nil, .short(0), .short(127), .long(0), .long(0x7FFF)] as [FrameNumber?] {
      for layer in [nil, .init(temporalID: 3, isSync: true, baseIndex: nil), .init(temporalID: 1, isSync: false, baseIndex: 255)]
        as [VP8Descriptor.Layer?]
      {
        for key in [nil, 0, 31] as [UInt8?] {
          var descriptor = VP8Descriptor()
          (descriptor.pictureID, descriptor.layer, descriptor.keyIndex) = (number, layer, key)
          (descriptor.isNonReference, descriptor.isStart, descriptor.partition) = (key == 0, layer == nil, UInt8(all.count % 8))
          all.append(descriptor)
        }
      }
    }
    return all
  }

  private func parse(_ bytes: [UInt8]) throws -> (VP8Descriptor, left: Int) {
    try reading(bytes) { bytes in
      var reader = PacketReader(bytes)
      return (try VP8Descriptor(parsing: &reader), reader.count)
    }
  }

  @Test func descriptorsComeBackInEveryForm() throws {
    for descriptor in descriptors() {
      let payload = written { descriptor.write(to: &$0) }
      #expect(payload.count == descriptor.size && payload.count <= VP8Descriptor.largestSize)
      let read = try parse(payload + [0x55])
      #expect(read.0 == descriptor && read.left == 1)
    }
  }

  @Test func theBitsAreThoseOfTheStandard() throws {
    // RFC 7741, figure 2 and the examples of section 4.6.
    #expect(
      try parse(bytes("10")).0
        == {
          var it = VP8Descriptor(); it.isStart = true; return it
        }())
    let read = try parse(bytes("90 80 91 23")).0
    #expect(read.pictureID == .long(0x1123) && read.isStart && read.layer == nil)
    let layered = try parse(bytes("b1 f0 11 2a e7")).0
    #expect(layered.isNonReference && layered.isStart && layered.partition == 1)
    #expect(layered.pictureID == .short(0x11))
    #expect(layered.layer == .init(temporalID: 3, isSync: true, baseIndex: 0x2A))
    #expect(layered.keyIndex == 7)
    // KEYIDX without TID, TL0PICIDX without TID.
    #expect(try parse(bytes("80 10 1f")).0.keyIndex == 31)
    #expect(try parse(bytes("80 40 05")).0.layer == nil)
  }

  @Test func whatEndsEarlyIsRefused() {
    for hex in ["", "80", "8080", "808081", "804f", "8020", "80f00102"] { #expect((try? parse(bytes(hex))) == nil) }
  }

  @Test func numbersOfPicturesWrapInTheirWidth() {
    #expect(FrameNumber.short(1).distance(from: .short(126)) == 3)
    #expect(FrameNumber.short(126).distance(from: .short(1)) == -3)
    #expect(FrameNumber.long(0).distance(from: .long(0x7FFF)) == 1)
    #expect(FrameNumber.long(0x7FFF).distance(from: .long(0)) == -1)
    #expect(FrameNumber.long(0).distance(from: .short(0)) == nil)
  }

  @Test func spoiltPayloadsDoNoHarm() {
    for descriptor in descriptors().suffix(3) {
      spoilt(written { descriptor.write(to: &$0) }, seed: 2) { copy in
        guard let read = try? parse(copy) else { return }
        let again = written { read.0.write(to: &$0) }
        #expect((try? parse(again))?.0 == read.0)
      }
    }
  }
}
