import CLinux
import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins

/// The events' socket of the plugin's side: threads of the plugin say what they have to say, and wait for answers. One for the process.
final class PluginEvents: @unchecked Sendable {
  nonisolated(unsafe) static var shared: PluginEvents?

  struct Answer {
    var result: msdk_result = 0
    var generation: UInt32 = 0
    var number: UInt32 = 0
    var descriptor: Int32 = -1
  }

  private struct Waiter {
    var answer: Answer?
    let destination: UnsafeMutableRawBufferPointer?
  }

  private struct State {
    var nextID: UInt32 = 1
    var waiters: [UInt32: Waiter] = [:]
    var isResizing = false
    var errorText: String?
  }

  private let socket = PacketSocket(Wire.Descriptor.events)
  private let state = Monitor(State())
  let slots = PluginSlots()
  /// The library's clock when it asked last; nil when it is CLOCK_MONOTONIC.
  private let clock = Monitor<(isVirtual: Bool, now: Int64)>((false, 0))

  func note(now: Int64) { clock.withLock { $0.now = now } }
  func useVirtualClock() { clock.withLock { $0.isVirtual = true } }
  var now: Int64 { clock.withLock { $0.isVirtual ? $0.now : MediaTime.monotonic() } }

  func setErrorText(_ text: String?) { state.withLock { $0.errorText = text } }

  func takeErrorText() -> String? {
    state.withLock { state in
      defer { state.errorText = nil }
      return state.errorText
    }
  }

  /// After the limits are set, so that they hold for this thread too.
  func start() {
    _ = ThreadOfOurs.start("msdk-events", for: self) { [self] in listen() }
  }

  private func listen() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)
    while true {
      // The library is gone, or wants this process to be.
      guard case .message(let bytes, let descriptor) = socket.receive(into: buffer, waits: true) else { _exit(0) }
      var reader = WireReader(bytes)
      guard let header = try? reader.get(DowncallHeader.self) else { _exit(2) }
      if header.kind == Downcall.grant.rawValue {
        slots.grant(header.number, generation: header.generation)
        continue
      }
      let payload = try? reader.getBytes()
      state.withLock { state in
        guard let waiter = state.waiters[header.id] else { return }
        if let payload, let destination = waiter.destination, payload.count <= destination.count { destination.copyMemory(from: payload) }
        state.waiters[header.id]?.answer = Answer(
          result: header.result, generation: header.generation, number: header.number, descriptor: descriptor)
      }
      state.notify()
    }
  }

  /// Says something that nobody waits for.
  func say(_ kind: Upcall, _ write: (inout WireWriter) -> Void) {
    var writer = WireWriter()
    writer.put(UpcallHeader(kind: kind.rawValue, id: 0))
    write(&writer)
    socket.send(writer)
  }

  /// Says something and waits for the answer.
  func ask(_ kind: Upcall, into destination: UnsafeMutableRawBufferPointer? = nil, _ write: (inout WireWriter) -> Void) -> Answer {
    let id = state.withLock { state in
      let id = state.nextID
      state.nextID = id == .max ? 1 : id + 1
      state.waiters[id] = Waiter(destination: destination)
      return id
    }
    var writer = WireWriter()
    writer.put(UpcallHeader(kind: kind.rawValue, id: id))
    write(&writer)
    guard socket.send(writer) else { return Answer(result: msdk_result(MSDK_E_CLOSED)) }
    return state.wait(until: .max) { state in
      guard let answer = state.waiters[id]?.answer else { return nil }
      state.waiters[id] = nil
      return answer
    } ?? Answer(result: msdk_result(MSDK_E_CLOSED))
  }

  // MARK: Pictures

  /// A writable frame of common memory; nil when all are in use until the deadline.
  func makeFrame(_ format: VideoFormat, deadline: Int64) throws(MediaError) -> VideoFrame? {
    let layout = try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64)
    try makeRoom(PluginSlots.capacity(layout))
    return try slots.makeFrame(format, deadline: deadline)
  }

  /// One thread asks for larger slots, the others wait: no slot of the old ones is named meanwhile.
  private func makeRoom(_ capacity: Int) throws(MediaError) {
    if slots.slotSize >= capacity { return }
    _ = state.wait(until: .max) { state -> Bool? in
      guard !state.isResizing else { return nil }
      state.isResizing = true
      return true
    }
    defer {
      state.withLock { $0.isResizing = false }
      state.notify()
    }
    if slots.slotSize >= capacity { return }
    let answer = ask(.need) { $0.put(UInt64(capacity)) }
    guard answer.result >= 0, answer.descriptor >= 0 else {
      throw MediaError(Status(foreign: answer.result), "the host has no memory for frames of \(capacity) bytes")
    }
    defer { close(answer.descriptor) }
    slots.adopt(
      try CommonMemory.map(answer.descriptor, slotSize: Int(answer.number) << 10, writable: true), generation: answer.generation)
  }

  /// What the library is told of a picture: where it lies, or where it was copied to. The copy, if one was made, is the caller's to release.
  func deliverable(_ frame: VideoFrame) throws(MediaError) -> (PictureHeader, VideoFrame?) {
    _ = state.wait(until: .max) { $0.isResizing ? nil : true }
    if let header = slots.name(frame) { return (header, nil) }
    guard let copy = try makeFrame(frame.format, deadline: 0) else {
      throw MediaError(.again, "all \(Wire.slotCount) frames of the instance's pool are in use")
    }
    do throws(MediaError) {
      try copy.copyPixels(from: frame)
      guard let place = slots.name(copy) else { throw MediaError(.again, "all \(Wire.slotCount) frames of the instance's pool are in use") }
      var header = PluginSlots.header(of: frame)
      (header.generation, header.slot, header.offsets, header.strides) = (place.generation, place.slot, place.offsets, place.strides)
      return (header, copy)
    } catch {
      copy.release()
      throw error
    }
  }
}
