import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct ForeignStructTests {
  private static let whole = UInt32(MemoryLayout<msdk_video_format>.size)

  /// A format whose bytes are all set, which states `size`.
  private func filled(size: UInt32) -> msdk_video_format {
    var format = msdk_video_format()
    withUnsafeMutableBytes(of: &format) { bytes in
      for index in bytes.indices { bytes[index] = 0x11 }
    }
    format.struct_size = size
    return format
  }

  @Test func membersPastTheStatedSizeAreZero() throws {
    var format = filled(size: 16)
    let read = try ForeignStruct.read(&format, argument: "format")
    #expect(read.pixel_format == 0x1111_1111)
    #expect(read.width == 0x1111_1111)
    #expect(read.height == 0x1111_1111)
    #expect(read.fps_num == 0)
    #expect(read.content_hint == 0)
    #expect(read.struct_size == 16)
  }

  @Test(arguments: 9...15)
  func aPartOfAMemberIsNotRead(size: UInt32) throws {
    var format = filled(size: size)
    let read = try ForeignStruct.read(&format, argument: "format")
    #expect(read.pixel_format == 0x1111_1111)
    #expect(read.width == 0 || read.width == 0x1111_1111)
    #expect(read.height == 0)
  }

  @Test func aLargerStructIsAcceptedWhileWhatIsUnknownIsZero() throws {
    let size = Int(Self.whole) + 64
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0x22, count: size)
    memory.storeBytes(of: UInt32(size), as: UInt32.self)
    let format = UnsafePointer(memory.assumingMemoryBound(to: msdk_video_format.self))
    let error = failure { _ = try ForeignStruct.read(format, argument: "format") }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("format has a member at byte \(Self.whole)") == true)
    #expect(try ForeignStruct.readTable(format, argument: "table").expected_delay_ns == 0x2222_2222_2222_2222)
    (memory + Int(Self.whole)).initializeMemory(as: UInt8.self, repeating: 0, count: 64)
    #expect(try ForeignStruct.read(format, argument: "format").expected_delay_ns == 0x2222_2222_2222_2222)
    memory.storeBytes(of: 1, toByteOffset: size - 1, as: UInt8.self)
    #expect(failure { _ = try ForeignStruct.read(format, argument: "format") }?.text.contains("byte \(size - 1)") == true)
  }

  @Test func itNeedNotBeAligned() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(Self.whole) + 8, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0x33, count: Int(Self.whole) + 8)
    memory.storeBytes(of: Self.whole, toByteOffset: 1, as: UInt32.self)
    let odd = UnsafePointer((memory + 1).assumingMemoryBound(to: msdk_video_format.self))
    #expect(try ForeignStruct.read(odd, argument: "format").width == 0x3333_3333)
  }

  @Test(arguments: [0, 4, 7, 65_537, UInt32.max])
  func aSizeThatCannotBeIsRefusedInWords(size: UInt32) {
    var format = filled(size: size)
    let error = failure { _ = try ForeignStruct.read(&format, argument: "options.formats[1]") }
    #expect(error?.status == .invalid)
    #expect(error?.text.contains("options.formats[1].struct_size is \(size)") == true)
    #expect(failure { try ForeignStruct.write(msdk_video_format(), to: &format, argument: "out") }?.status == .invalid)
  }

  @Test func theLeastMayBeHigher() {
    var format = filled(size: Self.whole - 1)
    #expect(failure { _ = try ForeignStruct.read(&format, argument: "format", least: Int(Self.whole)) }?.status == .invalid)
  }

  @Test func writesNoByteTooMany() throws {
    var format = filled(size: 16)
    var value = msdk_video_format()
    value.struct_size = 99
    value.pixel_format = 5
    value.width = 6
    value.height = 7
    value.fps_num = 8
    try ForeignStruct.write(value, to: &format, argument: "out")
    #expect(format.struct_size == 16)
    #expect(format.pixel_format == 5)
    #expect(format.width == 6)
    #expect(format.height == 7)
    #expect(format.fps_num == 0x1111_1111)
    #expect(format.expected_delay_ns == 0x1111_1111_1111_1111)
  }

  @Test func ofALargerOneWhatIsUnknownBecomesZeroAndTheSizeSaysHowMuchWasFilled() throws {
    let whole = Int(Self.whole)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: whole + 16, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0x44, count: whole + 16)
    memory.storeBytes(of: UInt32(whole + 16), as: UInt32.self)
    try ForeignStruct.write(msdk_video_format(), to: memory.assumingMemoryBound(to: msdk_video_format.self), argument: "out")
    let bytes = UnsafeRawBufferPointer(start: memory, count: whole + 16)
    #expect(bytes[4...].allSatisfy { $0 == 0 })
    #expect(bytes.loadUnaligned(as: UInt32.self) == UInt32(whole))
  }
}
