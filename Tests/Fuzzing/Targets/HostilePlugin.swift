import CLinux
import CMediaSDK
import Glibc
import MediaCore

@testable import IsolationProtocol
@testable import MediaIsolation
@testable import MediaPlugins

/// The library's side of an isolated plugin, whose process is this one: what it says is the input's.
final class HostilePlugin {
  let instance: IsolatedInstance
  let process: PluginProcess
  /// The plugin's ends.
  let calls: PacketSocket
  let events: PacketSocket
  private let control: PacketSocket
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)

  init() throws {
    let plan = IsolationPlan(
      program: "", path: "", classID: "fuzz", options: InstanceOptions(), isVirtualClock: false, pushes: true)
    let (calls, itsCalls) = try PacketSocket.pair()
    let (events, itsEvents) = try PacketSocket.pair()
    let (control, itsControl) = try PacketSocket.pair()
    // A process that is none: nothing is killed and nothing is waited for.
    let started = Spawn.Started(process: -1, output: open("/dev/null", O_RDONLY | O_CLOEXEC))
    process = PluginProcess(plan, isFirst: true, try CallChannel.make(), calls: calls, events: events, control: control, started)
    instance = IsolatedInstance(plan, host: HostilePlugin.host, context: nil)
    (self.calls, self.events, self.control) = (itsCalls, itsEvents, itsControl)
    instance.state.withLock { [process] in $0.link = .up(process) }
  }

  deinit {
    instance.state.withLock { $0.link = .closed }
    scratch.deallocate()
  }

  static func send(_ bytes: [UInt8], on socket: PacketSocket) {
    _ = bytes.withUnsafeBytes { msdk_send_packet(socket.descriptor, $0.baseAddress, $0.count, -1, Int32(MSG_DONTWAIT)) }
  }

  /// What the library said; gives its descriptor to the body, if it has one.
  func drain(_ socket: PacketSocket, _ body: (Int32) -> Void = { _ in }) {
    while case .message(_, let descriptor) = socket.receive(into: scratch, waits: false) {
      guard descriptor >= 0 else { continue }
      body(descriptor)
      close(descriptor)
    }
  }

  /// Of a program that looks at all that it is given.
  private nonisolated(unsafe) static let host: UnsafePointer<msdk_host> = {
    var host = HostTable.copy
    host.consume_video_frame = { _, pointer in HostilePlugin.consume(pointer) }
    host.audio_frame_acquire = { _, format, count, out in HostilePlugin.acquire(format, count, out) }
    host.encoded_frame_create = { _, attributes, out in HostilePlugin.create(attributes, out) }
    host.read_render_data = { _, destination, count in
      if let destination { memset(destination, 1, Int(count) * 8) }
      return Int32(count)
    }
    let table = UnsafeMutablePointer<msdk_host>.allocate(capacity: 1)
    table.initialize(to: host)
    return UnsafePointer(table)
  }()

  private static func consume(_ pointer: UnsafeMutablePointer<msdk_video_frame>?) -> msdk_result {
    guard let frame = try? VideoFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
    let native = frame.native.pointee
    for plane in [native.plane.0, native.plane.1, native.plane.2].prefix(frame.format.pixelFormat.planeCount) {
      expect(plane.data != nil && plane.size > 0, "a plane of nothing")
      if let data = plane.data { expect(data[0] | data[Int(plane.size) - 1] == 0, "memory that is none of the pool's") }
    }
    frame.release()
    frame.release()
    return msdk_result(MSDK_OK)
  }

  private static let pool = BufferPool(limit: 8)

  private static func acquire(
    _ format: UnsafePointer<msdk_audio_format>?, _ count: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>?
  ) -> msdk_result {
    guard let native = format?.pointee, let wanted = try? AudioFormat(checking: native, argument: "format"),
      let frame = try? AudioFrame.make(wanted, sampleCount: Int(count), from: pool, deadline: 0)
    else { return msdk_result(MSDK_E_INVALID) }
    out?.pointee = frame.native
    return msdk_result(MSDK_OK)
  }

  private static func create(
    _ attributes: UnsafePointer<msdk_encoded_frame>?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    guard let attributes = attributes?.pointee else { return msdk_result(MSDK_E_INVALID) }
    let bytes = UnsafeRawBufferPointer(start: attributes.data, count: Int(attributes.size))
    guard let frame = try? EncodedFrame.make(copying: bytes, attributes: attributes, from: pool, deadline: 0) else {
      return msdk_result(MSDK_E_INVALID)
    }
    out?.pointee = frame.native
    return msdk_result(MSDK_OK)
  }
}
