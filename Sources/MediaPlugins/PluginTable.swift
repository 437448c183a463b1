import CMediaSDK
import MediaCore

/// Reading the tables of a plugin, all of which are of version 1.0 or larger.
enum PluginTable {
  /// `least` is the size of version 1.0, of a table that has grown since.
  static func read<T>(
    _ pointer: UnsafePointer<T>?, _ argument: String, least: Int = MemoryLayout<T>.size
  ) throws(MediaError) -> T {
    guard let pointer else { throw MediaError(.abi, "\(argument) is NULL") }
    do throws(MediaError) {
      return try ForeignStruct.read(pointer, argument: argument, least: least)
    } catch {
      throw MediaError(.abi, error.text)
    }
  }

  static func checkArray<T>(
    count: UInt64, stride: UInt64, base: UnsafePointer<T>?, of type: T.Type, most: UInt64, _ argument: String,
    least: Int = MemoryLayout<T>.size
  ) throws(MediaError) {
    guard count > 0 else { return }
    guard count <= most else { throw MediaError(.abi, "\(argument) has \(count) entries; accepted: up to \(most)") }
    guard base != nil else { throw MediaError(.abi, "\(argument) is NULL with \(count) entries") }
    let size = UInt64(least)
    guard stride >= size, stride <= 65_536, stride % 8 == 0 else {
      throw MediaError(.abi, "\(argument) has the stride \(stride); accepted: multiples of 8, \(size)..65536")
    }
  }
}
