import CMediaSDK
import MediaCore

/// Reading the tables of a plugin, all of which are of version 1.0 or larger. When a table has grown after that, `least` becomes its size in 1.0.
enum PluginTable {
  static func read<T>(_ pointer: UnsafePointer<T>?, _ argument: String) throws(MediaError) -> T {
    guard let pointer else { throw MediaError(.abi, "\(argument) is NULL") }
    do throws(MediaError) {
      return try ForeignStruct.readTable(pointer, argument: argument, least: MemoryLayout<T>.size)
    } catch {
      throw MediaError(.abi, error.text)
    }
  }

  /// The entries of an array, all of which have the size that the first one states.
  static func array<T>(_ base: UnsafePointer<T>?, count: UInt32, _ argument: String) throws(MediaError) -> [T] {
    guard count > 0 else { return [] }
    guard count <= mostEntries else { throw MediaError(.abi, "\(argument) has \(count) entries; accepted: up to \(mostEntries)") }
    guard let base else { throw MediaError(.abi, "\(argument) is NULL with \(count) entries") }
    let start = UnsafeRawPointer(base)
    let stride = Int(start.loadUnaligned(as: UInt32.self))
    var entries: [T] = []
    for index in 0..<Int(count) {
      let name = "\(argument)[\(index)]"
      let pointer = start + index * stride
      let size = Int(pointer.loadUnaligned(as: UInt32.self))
      guard size == stride, stride % 8 == 0 else {
        throw MediaError(.abi, "\(name).struct_size is \(size); accepted: that of the first, a multiple of 8")
      }
      entries.append(try read(pointer.assumingMemoryBound(to: T.self), name))
    }
    return entries
  }

  private static let mostEntries: UInt32 = 256

  /// Members that are not functions mean something: unlike a function that is never called, a bit that this version does not know is refused.
  static func check(_ flags: UInt32, known: UInt32 = 0, named names: String = "", _ argument: String) throws(MediaError) {
    guard flags & ~known == 0 else {
      throw MediaError(.abi, "\(argument).flags is \(flags); accepted: \(known == 0 ? "0" : "a mask of \(names), 0..\(known)")")
    }
  }

  static func check(reserved: UInt32, _ argument: String) throws(MediaError) {
    guard reserved == 0 else { throw MediaError(.abi, "\(argument).reserved0 is \(reserved); accepted: 0, as it is reserved") }
  }
}
