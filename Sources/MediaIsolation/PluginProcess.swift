import CLinux
import CMediaSDK
import Glibc
import MediaCore

/// One life of an isolated plugin: its sockets, its memory, and how it ended. Calls come one at a time.
final class PluginProcess: @unchecked Sendable {
  struct End {
    var reason: String?
    var isNoticed = false
  }

  let plan: IsolationPlan
  let calls: PacketSocket
  let events: PacketSocket
  let control: PacketSocket
  let started: Spawn.Started
  private let watch: Int32
  let end = Monitor(End())
  private let isReaped = Monitor(false)

  // Of whoever calls.
  private var writer = WireWriter()
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)
  /// For what is written before the call is.
  var body = WireWriter()
  private var lastID: UInt32 = 0
  /// How long the socket waits, in milliseconds; 0 is for ever.
  private var patience: UInt32 = 0
  /// The words that came with the last error.
  private(set) var errorText = ""
  var lentPool: LentPool? { lent.withLock { $0 } }
  private let lent = Monitor<LentPool?>(nil)
  let granted = Monitor<GrantedPool?>(nil)
  private let former = Monitor<GrantedPool?>(nil)
  private let current = Monitor<(op: Op, isRunning: Bool)>((.create, false))

  /// Nothing of the plugin runs yet: that is for `create`.
  init(_ plan: IsolationPlan) throws(MediaError) {
    self.plan = plan
    let (calls, itsCalls) = try PacketSocket.pair()
    let (events, itsEvents) = try PacketSocket.pair()
    let (control, itsControl) = try PacketSocket.pair()
    (self.calls, self.events, self.control) = (calls, events, control)
    started = try Spawn.start(
      plan.program, ["--isolate", "\(Wire.version)"], descriptors: [itsCalls.descriptor, itsEvents.descriptor, itsControl.descriptor])
    watch = msdk_pidfd(started.process)
  }

  deinit {
    buffer.deallocate()
    close(started.output)
    if watch >= 0 { close(watch) }
  }

  /// Ends it; the first reason is the one that is told. Nothing waits.
  func end(_ reason: String?) {
    end.withLock { if $0.reason == nil { $0.reason = reason } }
    // The program around the plugin kills it then, and still says how it ended.
    shutdown(control.descriptor, Int32(SHUT_WR))
    calls.shutDown()
    events.shutDown()
  }

  /// Waits until nothing is left of it, once.
  func reap() {
    let isFirst = isReaped.withLock { isReaped in
      defer { isReaped = true }
      return !isReaped
    }
    if isFirst { Spawn.reap(started.process) }
  }

  /// When the program that should do so does not.
  func kill() {
    if watch >= 0 { _ = msdk_pidfd_kill(watch) }
  }

  var isEnding: Bool { end.withLock { $0.isNoticed || $0.reason != nil } }

  /// What it is doing, for people.
  var doing: String? { current.withLock { $0.isRunning ? "\($0.op)" : nil } }

  // MARK: Calling

  enum Answer {
    case result(msdk_result)
    case gone
  }

  /// Asks the plugin. `read` gets what the reply holds beyond the result.
  func call(
    _ op: Op, now: Int64, deadline: UInt32, descriptor: Int32 = -1, lending slot: UInt32? = nil,
    write: (inout WireWriter) -> Void = { _ in }, read: (inout WireReader, ReplyHeader) throws(MediaError) -> Void = { _, _ in }
  ) -> Answer {
    lastID &+= 1
    let pool = granted.withLock { $0 }
    writer.begin()
    writer.put(
      CallHeader(op: op.rawValue, id: lastID, now: now, generation: pool?.generation ?? 0, granted: pool?.takeFree() ?? 0))
    write(&writer)
    current.withLock { $0 = (op, true) }
    // Its death is told by whoever watches it.
    guard calls.send(writer, descriptor: descriptor) else { return .gone }
    if deadline != patience {
      calls.setPatience(deadline)
      patience = deadline
    }
    switch calls.receive(into: buffer, waits: true) {
    case .message(let bytes, let other):
      current.withLock { $0.isRunning = false }
      if other >= 0 { close(other) }
      do throws(MediaError) {
        return .result(try take(bytes, op, slot, read))
      } catch {
        end("its answer to \(op): \(error.text)")
        return .gone
      }
    case .bad:
      end("its answer to \(op) is no message of the protocol")
      return .gone
    case .nothing:
      end("it did not return from \(op) within \(deadline) ms")
      return .gone
    case .closed: return .gone
    }
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, _ op: Op, _ slot: UInt32?, _ read: (inout WireReader, ReplyHeader) throws(MediaError) -> Void
  ) throws(MediaError) -> msdk_result {
    var reader = WireReader(bytes)
    let header = try reader.get(ReplyHeader.self)
    guard header.id == lastID else { throw MediaError(.corrupt, "it has the number \(header.id); the call had \(lastID)") }
    if header.result < 0 {
      errorText = try reader.getText()
    } else {
      try read(&reader, header)
    }
    if let slot, header.keepsSlot == 0, let lentPool, !lentPool.giveBack(1 << slot) {
      throw MediaError(.corrupt, "slot \(slot) was given back twice")
    }
    return header.result
  }

  // MARK: Memory

  /// A slot for what the plugin is to read, in memory that it has; nil when it keeps all of them.
  func lend(_ capacity: Int, now: Int64) throws(MediaError) -> (LentPool, UInt32)? {
    if let pool = lentPool, pool.memory.slotSize >= capacity { return pool.take().map { (pool, $0) } }
    let slotSize = try CommonMemory.slotSize(for: capacity)
    let (memory, descriptor) = try CommonMemory.make(slotSize: slotSize, writable: true)
    defer { close(descriptor) }
    let pool = LentPool(memory, generation: (lentPool?.generation ?? 0) &+ 1)
    let answer = call(.downPool, now: now, deadline: plan.options.controlDeadline, descriptor: descriptor) { writer in
      writer.put(pool.generation)
      writer.put(UInt64(slotSize))
    }
    guard case .result(let result) = answer, result >= 0 else { throw MediaError(.again, "the plugin's process is gone") }
    lent.withLock { $0 = pool }
    return pool.take().map { (pool, $0) }
  }

  /// Memory for what the plugin makes, and its descriptor, the caller's to close.
  func makeGrantedPool(_ capacity: Int) throws(MediaError) -> (GrantedPool, Int32) {
    let generation = (granted.withLock { $0?.generation } ?? 0) &+ 1
    guard generation <= 64 else { throw MediaError(.noMemory, "its pictures changed their size for the 64th time") }
    let slotSize = try CommonMemory.slotSize(for: capacity)
    let (memory, descriptor) = try CommonMemory.make(slotSize: slotSize, writable: false)
    let pool = GrantedPool(memory, generation: generation, events: plan.pushes ? events : nil)
    granted.withLock { present in
      former.withLock { $0 = present }
      present = pool
    }
    return (pool, descriptor)
  }

  /// A frame in a slot that the plugin names. Of a pool that has just been replaced it may name one still.
  func frame(_ header: PictureHeader) throws(MediaError) -> VideoFrame {
    guard let pool = granted.withLock({ $0 }) else { throw MediaError(.corrupt, "it named a slot before there were any") }
    if header.generation != pool.generation, let former = former.withLock({ $0 }), former.generation == header.generation {
      return try former.frame(header)
    }
    return try pool.frame(header)
  }
}
