import CMediaSDK

/// Reading and writing the sized structs of the contract: no byte past the size that the other side states.
public enum ForeignStruct {
  /// A copy whose members past the sender's size are zero. `struct_size` is the first member of every such struct. Members that this
  /// version does not know are refused unless they are 0: what they ask for would not be done.
  public static func read<T>(_ pointer: UnsafePointer<T>, argument: @autoclosure () -> String, least: Int = 8) throws(MediaError) -> T {
    let value = try readTable(pointer, argument: argument(), least: least)
    let raw = UnsafeRawPointer(pointer)
    let size = Int(raw.loadUnaligned(as: UInt32.self))
    if size > MemoryLayout<T>.size,
      let byte = (MemoryLayout<T>.size..<size).first(where: { raw.load(fromByteOffset: $0, as: UInt8.self) != 0 })
    {
      throw MediaError(
        .unsupported,
        "\(argument()) has a member at byte \(byte) that this version does not know; accepted: 0 past its \(MemoryLayout<T>.size) bytes")
    }
    return value
  }

  /// The same of a plugin's table: members that this version does not know are functions that it never calls.
  public static func readTable<T>(_ pointer: UnsafePointer<T>, argument: @autoclosure () -> String, least: Int = 8) throws(MediaError) -> T
  {
    let raw = UnsafeRawPointer(pointer)
    let size = Int(raw.loadUnaligned(as: UInt32.self))
    try check(size, least: least, of: T.self, argument: argument())
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: whole(size, T.self)))
      return buffer[0]
    }
  }

  /// Fills the receiver's struct as far as it reaches. What lies past the members that this version knows becomes 0, and struct_size says
  /// how much was filled.
  public static func write<T>(_ value: T, to pointer: UnsafeMutablePointer<T>, argument: @autoclosure () -> String) throws(MediaError) {
    let raw = UnsafeMutableRawPointer(pointer)
    let size = Int(raw.loadUnaligned(as: UInt32.self))
    try check(size, least: 8, of: T.self, argument: argument())
    withUnsafeBytes(of: value) { bytes in
      let body = bytes[4..<whole(size, T.self)]
      UnsafeMutableRawBufferPointer(start: raw + 4, count: body.count).copyBytes(from: body)
    }
    guard size > MemoryLayout<T>.size else { return }
    UnsafeMutableRawBufferPointer(start: raw + MemoryLayout<T>.size, count: size - MemoryLayout<T>.size).initializeMemory(
      as: UInt8.self, repeating: 0)
    raw.storeBytes(of: UInt32(MemoryLayout<T>.size), as: UInt32.self)
  }

  /// A reserved member.
  public static func checkReserved(_ value: UInt32, _ argument: @autoclosure () -> String) throws(MediaError) {
    guard value == 0 else { throw MediaError(.unsupported, "\(argument()) is \(value); accepted: 0, as it is reserved") }
  }

  /// Whether it can be filled, before there is anything to fill it with.
  public static func check<T>(_ pointer: UnsafePointer<T>, argument: @autoclosure () -> String) throws(MediaError) {
    try check(Int(UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)), least: 8, of: T.self, argument: argument())
  }

  /// Bytes that both sides know, without a member of which there is only a part: the size of every real struct is a multiple of its alignment.
  private static func whole<T>(_ size: Int, _ type: T.Type) -> Int {
    min(size / MemoryLayout<T>.alignment * MemoryLayout<T>.alignment, MemoryLayout<T>.size)
  }

  private static func check<T>(_ size: Int, least: Int, of type: T.Type, argument: @autoclosure () -> String) throws(MediaError) {
    guard size >= least else {
      throw MediaError(.invalid, "\(argument()).struct_size is \(size); accepted: \(least) or more, here \(MemoryLayout<T>.size)")
    }
    guard size <= 65_536 else {
      throw MediaError(.invalid, "\(argument()).struct_size is \(size); accepted: \(least)..65536, here \(MemoryLayout<T>.size)")
    }
  }
}
