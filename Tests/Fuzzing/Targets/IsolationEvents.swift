import CMediaSDK
import MediaCore

@testable import IsolationProtocol
@testable import MediaIsolation

/// What a hostile plugin's process says of its own accord. Frames that it names have planes in its pool, and what it is granted it names
/// once.
enum IsolationEvents: FuzzTarget {
  static let name = "isolation_events"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let plugin = try HostilePlugin()
    let listener = PluginListener(plugin.process, plugin.instance)
    plugin.process.reentrant.begin(listener)
    defer { plugin.process.reentrant.end() }
    _ = plugin.process.awaited.begin("a command")
    for _ in 0..<32 where !input.isAtEnd {
      var writer = WireWriter()
      switch input.number(below: 4) {
      case 0:
        // As it comes.
        HostilePlugin.send(Array(input.piece()), on: plugin.events)
      case 1:
        writer.put(UpcallHeader(kind: Upcall.need.rawValue, id: 1))
        writer.put(UInt64(input.u32()) >> 6)
        HostilePlugin.send(writer.bytes, on: plugin.events)
      case 2:
        writer.put(UpcallHeader(kind: Upcall.consumeVideo.rawValue, id: UInt32(input.byte())))
        writer.put(changed(picture, &input))
        HostilePlugin.send(writer.bytes, on: plugin.events)
      default:
        writer.put(UpcallHeader(kind: UInt32(input.byte()) % 16, id: UInt32(input.byte()) % 4))
        let body = Array(input.piece())
        HostilePlugin.send(writer.bytes + body, on: plugin.events)
      }
      guard listener.receive() else { break }
      plugin.drain(plugin.events)
    }
    expect(plugin.process.granted.withLock { $0?.generation ?? 0 } <= 64, "pools without end")
  }

  /// A picture of 16x16, as a plugin that keeps to the rules names it.
  static let picture: VideoFrameHeader = {
    var header = VideoFrameHeader()
    (header.generation, header.slot) = (1, 0)
    header.format = VideoFormatHeader(VideoFormat(.nv12, width: 16, height: 16).foreign)
    header.offsets = (0, 256, 0)
    header.strides = (16, 16, 0, 0)
    return header
  }()

  /// With some bytes of the input's in place of its own.
  static func changed<T: BitwiseCopyable>(_ value: T, _ input: inout Input) -> T {
    var value = value
    withUnsafeMutableBytes(of: &value) { bytes in
      for _ in 0..<input.number(below: 6) { bytes[Int(input.byte()) % bytes.count] = input.byte() }
    }
    return value
  }
}
