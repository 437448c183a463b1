import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

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
    /// What the thread that waits is to do first (`ReentrantCalls`).
    var call: [UInt8]?
    let destination: UnsafeMutableRawBufferPointer?
  }

  private struct State {
    var nextID: UInt32 = 1
    var waiters: [UInt32: Waiter] = [:]
    var isResizing = false
    var error: MediaError?
    /// The frame that the plugin's filter may change in place now, and how many references it has while the plugin asks.
    var filtering: (frame: UnsafeMutableRawPointer, references: UInt32)?
  }

  private let socket = PacketSocket(Wire.Descriptor.events)
  private let state = Monitor(State())
  let slots = OutputSlots()
  /// Once there is an instance.
  let concurrent = Monitor<ConcurrentCommands?>(nil)
  let copies = Monitor<PluginCalls.Copies?>(nil)
  /// The library's clock when it asked last; nil when it is CLOCK_MONOTONIC.
  private let clock = Monitor<(isVirtual: Bool, now: Int64)>((false, 0))

  func note(now: Int64) { clock.withLock { $0.now = now } }
  func useVirtualClock() { clock.withLock { $0.isVirtual = true } }
  var now: Int64 { clock.withLock { $0.isVirtual ? $0.now : MediaTime.monotonic() } }

  func setError(_ error: MediaError?) {
    if let text = ThreadErrorText.current { text.error = error } else { state.withLock { $0.error = error } }
  }

  /// The last error, once.
  func takeError() -> MediaError? {
    if let text = ThreadErrorText.current {
      defer { text.error = nil }
      return text.error
    }
    return state.withLock { state in
      defer { state.error = nil }
      return state.error
    }
  }

  /// After the limits are set, so that they hold for this thread too.
  func start() {
    _ = SystemThread.start("msdk-events") { [self] in listen() }
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
      if header.kind == Downcall.command.rawValue {
        guard (try? concurrent.withLock({ $0 })?.take(header.id, &reader, self)) != nil else { _exit(2) }
        continue
      }
      if header.kind == Downcall.call.rawValue {
        let call = reader.copyOfRest
        state.withLock { $0.waiters[header.id]?.call = call }
        state.notify()
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
  func say(_ kind: Upcall, id: UInt32 = 0, _ write: (inout WireWriter) -> Void) {
    var writer = WireWriter()
    writer.put(UpcallHeader(kind: kind.rawValue, id: id))
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
    var calls: PluginCalls?
    while true {
      let wakeup: Wakeup? = state.wait(until: .max) { state in
        if let call = state.waiters[id]?.call {
          state.waiters[id]?.call = nil
          return .call(call)
        }
        guard let answer = state.waiters[id]?.answer else { return nil }
        state.waiters[id] = nil
        return .answer(answer)
      }
      switch wakeup {
      case .answer(let answer): return answer
      case .call(let bytes):
        calls = calls ?? copies.withLock { $0 }?.make()
        calls?.answer(bytes, to: id)
      case nil: return Answer(result: msdk_result(MSDK_E_CLOSED))
      }
    }
  }

  private enum Wakeup {
    case answer(Answer)
    case call([UInt8])
  }

  // MARK: Filters

  /// Of a class that filters video there are more frames than slots: the rest is memory of this process, and copied when it is given.
  private(set) var reserve: BufferPool?
  private(set) var audioPool = BufferPool(limit: 16)

  /// Before any code of the class runs.
  func prepare(for descriptor: ClassDescriptor) {
    if descriptor.videoFilter != nil { reserve = BufferPool(limit: 96 - Int(Wire.slotCount) + 1) }
    if descriptor.audioFilter != nil { audioPool = BufferPool(limit: 2_048) }
  }

  /// Runs a filter, which may change the frame at `writable` (nil: none); the plugin's question comes with one reference more than there are now.
  func filtering<Result>(_ writable: UnsafeMutableRawPointer?, references: UInt32, _ body: () -> Result) -> Result {
    state.withLock { $0.filtering = writable.map { ($0, references &+ 1) } }
    defer { state.withLock { $0.filtering = nil } }
    return body()
  }

  func mayWrite(to frame: UnsafeMutableRawPointer, references: UInt32) -> Bool {
    state.withLock { $0.filtering.map { $0.frame == frame && references <= $0.references } ?? false }
  }

  /// A writable frame for the plugin; nil when all are in use until the deadline.
  func acquire(_ format: VideoFormat, deadline: Int64) throws(MediaError) -> VideoFrame? {
    guard let reserve else { return try makeFrame(format, deadline: deadline) }
    // One slot stays, for what is copied when it is given.
    if let frame = try makeFrame(format, deadline: 0, leaving: 1) { return frame }
    return try VideoFrame.make(format, from: reserve, deadline: deadline)
  }

  /// How many there are.
  var frameCount: Int { reserve == nil ? Int(Wire.slotCount) : 96 }

  // MARK: Frames

  /// A writable frame of shared memory; nil when all are in use until the deadline.
  func makeFrame(_ format: VideoFormat, deadline: Int64, leaving spare: Int = 0) throws(MediaError) -> VideoFrame? {
    let layout = try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64)
    try makeRoom(OutputSlots.capacity(layout))
    return try slots.makeFrame(format, deadline: deadline, leaving: spare)
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
      try SharedMemory.map(answer.descriptor, slotSize: Int(answer.number) << 10, writable: true), generation: answer.generation)
  }

  /// A slot with a copy of the bytes, as it is named to the library. Room grows by doubling, as it changes a few times only.
  func deliverable(_ bytes: UnsafeRawBufferPointer) throws(MediaError) -> (generation: UInt32, slot: UInt32) {
    var room = 256 << 10
    while room < bytes.count { room *= 2 }
    try makeRoom(room)
    guard let source = bytes.baseAddress, let slot = slots.take(deadline: 0) else {
      throw MediaError(.noMemory, "all \(Wire.slotCount) slots of the instance's pool are in use")
    }
    slot.memory.copyMemory(from: source, byteCount: bytes.count)
    slots.nameTaken(slot)
    return (slot.generation, slot.index)
  }

  /// Writes what an encoded frame is, with its data, or with the slot where it lies if it is longer than a message.
  func deliver(_ frame: EncodedFrame, in writer: inout WireWriter) throws(MediaError) {
    var header = EncodedFrameHeader(frame.native.pointee)
    let bytes = frame.bytes
    if bytes.count > Wire.longestBytes { (header.generation, header.slot) = try deliverable(bytes) }
    writer.put(header)
    if bytes.count <= Wire.longestBytes { writer.put(bytes: bytes) }
  }

  /// How a frame is named to the library: where it is, or where it was copied to. The copy, if one was made, is the caller's to release.
  func deliverable(_ frame: VideoFrame) throws(MediaError) -> (VideoFrameHeader, VideoFrame?) {
    guard let place = try room(for: frame) else {
      throw MediaError(.again, "all \(Wire.slotCount) frames of the instance's pool are in use")
    }
    return place
  }

  /// The same; nil when it would have to be copied and all slots are in use.
  func room(for frame: VideoFrame) throws(MediaError) -> (VideoFrameHeader, VideoFrame?)? {
    _ = state.wait(until: .max) { $0.isResizing ? nil : true }
    if let header = slots.name(frame) { return (header, nil) }
    guard let copy = try makeFrame(frame.format, deadline: 0) else { return nil }
    do throws(MediaError) {
      try copy.copyPixels(from: frame)
      guard let place = slots.name(copy) else {
        copy.release()
        return nil
      }
      var header = VideoFrameHeader(of: frame)
      (header.generation, header.slot, header.offsets, header.strides) = (place.generation, place.slot, place.offsets, place.strides)
      return (header, copy)
    } catch {
      copy.release()
      throw error
    }
  }
}
