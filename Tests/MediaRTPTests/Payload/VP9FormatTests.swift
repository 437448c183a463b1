import MediaCore
import Testing

@testable import MediaRTP

@Suite struct VP9FormatTests {
  private let assembler = VP9Format().makeAssembler()

  private func parse(_ hex: String) throws -> (VP9Descriptor, left: Int) {
    try reading(bytes(hex)) { bytes in
      var reader = PacketReader(bytes)
      return (try VP9Descriptor(parsing: &reader), reader.count)
    }
  }

  /// By the figures of RFC 9628, section 4.2.
  @Test func descriptorsAreReadAndWritten() throws {
    let (plain, _) = try parse("8c 8123")
    #expect(plain.pictureID == .long(0x123) && plain.isStart && plain.isEnd && !plain.isPredicted && plain.layer == nil)
    let (layered, _) = try parse("e8 05 5309")
    #expect(layered.pictureID == .short(5) && layered.isPredicted)
    #expect(
      layered.layer == VP9Descriptor.Layer(temporalID: 2, spatialID: 1, isSwitch: true, isInterLayer: true, baseIndex: 9))
    let (flexible, left) = try parse("f0 05 40 03 04 77")
    #expect(flexible.isFlexible && flexible.references == (1, 2, 0) && flexible.layer?.baseIndex == nil && left == 1)
    // Two spatial layers with their sizes, and a group of two pictures, one of which has a reference.
    let (structured, rest) = try parse("8a 05 38 0140 00f0 0280 01e0 02 00 04 01 77")
    #expect(structured.size?.width == 640 && structured.size?.height == 480 && rest == 1)
    for hex in ["8c 8123", "e8 05 5309", "f0 05 40 03 04", "d0 05 02", "08", "01"] {
      let (descriptor, left) = try parse(hex)
      #expect(left == 0 && written { descriptor.write(to: &$0) } == bytes(hex), "\(hex)")
    }
    // Ends early, a picture predicted from itself, four references.
    for hex in ["", "80", "80 81", "a0 01", "a0 01 00", "d0 01 00", "d0 01 03 03 03 02", "8a 05 38 0140", "8a 05 08 02 00 04"] {
      #expect(throws: PacketError.self, "\(hex)") { try parse(hex) }
    }
  }

  /// Of libvpx.
  @Test func framesSayWhatTheyAre() throws {
    func header(_ hex: String) throws -> VP9FrameHeader { try reading(bytes(hex)) { try VP9FrameHeader(parsing: $0) } }
    let key = try header(TestFrame.vp9Key)
    #expect(key.isKeyFrame && key.width == 322 && key.height == 182 && !key.isDroppable)
    let delta = try header(TestFrame.vp9Delta)
    #expect(!delta.isKeyFrame && delta.width == 0 && !delta.isDroppable)
    // The same, but for the frames that it changes.
    #expect(try !header("8600 4092").isDroppable && header("8600 0092").isDroppable)
    for hex in ["", "42", "8249834300", "82498342"] { #expect(throws: PacketError.self, "\(hex)") { try header(hex) } }
  }

  /// Two spatial layers of one picture are one frame, which begins with the lower one.
  @Test func layersOfAPictureGoTogether() throws {
    let lower = try reading(bytes("ac 05 00 09" + TestFrame.vp9Key)) { try assembler.look(at: $0) }
    let upper = try reading(bytes("ac 05 03 09 86004092")) { try assembler.look(at: $0) }
    #expect(lower.start == .certain && lower.isKeyFrame && lower.layer == .init(temporalID: 0, isSync: false, baseIndex: 9))
    #expect(upper.start == .none && !upper.isKeyFrame)
    assembler.begin(nil)
    for hex in ["ac 05 00 09" + TestFrame.vp9Key, "ac 05 03 09 86004092"] { try reading(bytes(hex)) { try assembler.add($0) } }
    let frame = try #require(assembler.end())
    #expect(frame.isKeyFrame && frame.size == bytes(TestFrame.vp9Key).count + 4)
  }
}
