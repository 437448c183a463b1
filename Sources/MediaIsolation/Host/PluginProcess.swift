import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

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
  private let channel: CallChannel
  /// Until the plugin's side has it.
  private var channelDescriptor: Int32
  let end = Monitor(End())
  private let isReaped = Monitor(false)

  // Of whoever calls.
  private let ordinary = CallLane()
  let reentrant = ReentrantCalls()
  private var lane: CallLane { reentrant.lane ?? ordinary }
  /// For what is written before the call is.
  var body = WireWriter()
  /// How long the socket waits, in milliseconds; 0 is for ever.
  private var receiveTimeout: UInt32 = 0
  /// Of an encoder, whether it made a frame yet; of a decoder, whether it was given one.
  var hasBegun = false
  /// Whether it is the instance's first, of which nothing was lost.
  let isFirst: Bool
  /// The text that came with the last error.
  var errorText: String { lane.errorText }
  var inputPool: InputPool? { inputMemory.withLock { $0 } }
  private let inputMemory = Monitor<InputPool?>(nil)
  let granted = Monitor<OutputPool?>(nil)
  /// Of thread-safe commands.
  let awaited = AwaitedAnswers()
  private let former = Monitor<OutputPool?>(nil)
  private let current = Monitor<(op: Op, name: String?, isRunning: Bool)>((.create, nil, false))

  /// Nothing of the plugin runs yet: that is for `create`.
  convenience init(_ plan: IsolationPlan, isFirst: Bool = false) throws(MediaError) {
    let channel = try CallChannel.make()
    do throws(MediaError) {
      let (calls, itsCalls) = try PacketSocket.pair()
      let (events, itsEvents) = try PacketSocket.pair()
      let (control, itsControl) = try PacketSocket.pair()
      let started = try Spawn.start(
        plan.program, ["--isolate", "\(Wire.version)", "\(plan.sandboxOptions.rawValue)"],
        descriptors: [itsCalls.descriptor, itsEvents.descriptor, itsControl.descriptor])
      self.init(plan, isFirst: isFirst, channel, calls: calls, events: events, control: control, started)
    } catch {
      close(channel.1)
      throw error
    }
  }

  /// One that runs already, at the other ends of those sockets.
  init(
    _ plan: IsolationPlan, isFirst: Bool, _ channel: (CallChannel, Int32), calls: PacketSocket, events: PacketSocket, control: PacketSocket,
    _ started: Spawn.Started
  ) {
    (self.plan, self.isFirst) = (plan, isFirst)
    (self.calls, self.events, self.control, self.started) = (calls, events, control, started)
    (self.channel, channelDescriptor) = channel
    watch = msdk_pidfd(started.process)
  }

  deinit {
    close(started.output)
    if channelDescriptor >= 0 { close(channelDescriptor) }
    if watch >= 0 { close(watch) }
  }

  /// Ends it; the first reason is the one that is reported. Nothing waits.
  func end(_ reason: String?) {
    end.withLock { if $0.reason == nil { $0.reason = reason } }
    // The program around the plugin kills it then, and still reports how it ended.
    shutdown(control.descriptor, Int32(SHUT_WR))
    abandon()
    events.shutDown()
  }

  /// Nothing more is answered: wakes who waits.
  func abandon() {
    calls.shutDown()
    channel.abandon()
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
  var doing: String? { current.withLock { $0.isRunning ? $0.name ?? "\($0.op)" : nil } ?? awaited.doing }

  // MARK: Calling

  enum Answer {
    case result(msdk_result)
    case gone
  }

  /// Asks the plugin. `read` gets what the reply holds beyond the result. `name` is for people, in place of the operation.
  func call(
    _ op: Op, named name: String? = nil, now: Int64, deadline: UInt32, descriptor: Int32 = -1, lending slot: UInt32? = nil,
    write: (inout WireWriter) -> Void = { _ in }, read: (inout WireReader, ReplyHeader) throws(MediaError) -> Void = { _, _ in }
  ) -> Answer {
    let lane = lane
    lane.lastID &+= 1
    let pool = granted.withLock { $0 }
    lane.writer.begin()
    lane.writer.put(
      CallHeader(op: op, id: lane.lastID, now: now, generation: pool?.generation ?? 0, granted: pool?.takeFree() ?? 0))
    write(&lane.writer)
    let around = current.withLock { current in
      defer { current = (op, name, true) }
      return current
    }
    let isReentrant = lane !== ordinary
    let received =
      if isReentrant {
        reentrant.exchange(lane, deadline)
      } else {
        channelDescriptor >= 0 ? begin(lane, deadline) : exchange(lane, descriptor, deadline)
      }
    switch received {
    case .message(let bytes, let other):
      current.withLock { if isReentrant { $0 = around } else { $0.isRunning = false } }
      if other >= 0 { close(other) }
      do throws(MediaError) {
        return .result(try take(bytes, lane, slot, read))
      } catch {
        end("its answer to \(name ?? "\(op)"): \(error.text)")
        return .gone
      }
    case .bad:
      end("its answer to \(op) is not a message of the protocol")
      return .gone
    case .nothing:
      end("it did not return from \(name ?? "\(op)") within \(deadline) ms")
      return .gone
    // Its death is reported by its supervisor.
    case .closed: return .gone
    }
  }

  /// By the socket, with the page for all calls after it.
  private func begin(_ lane: CallLane, _ deadline: UInt32) -> PacketSocket.Received {
    defer {
      if channelDescriptor >= 0 { close(channelDescriptor) }
      channelDescriptor = -1
    }
    guard calls.send(lane.writer, descriptor: channelDescriptor) else { return .closed }
    return receive(lane, deadline)
  }

  /// By the page, unless there is too much to say, or a descriptor to hand over.
  private func exchange(_ lane: CallLane, _ descriptor: Int32, _ deadline: UInt32) -> PacketSocket.Received {
    if descriptor < 0, lane.writer.bytes.count <= CallChannel.room {
      lane.writer.bytes.withUnsafeBytes { channel.ask($0) }
    } else {
      guard calls.send(lane.writer, descriptor: descriptor) else { return .closed }
      channel.ask(nil)
    }
    switch channel.receive(into: lane.buffer, deadline: deadline) {
    case .message(let count):
      return .message(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(lane.buffer).prefix(count)), descriptor: -1)
    case .elsewhere: return receive(lane, deadline)
    case .nothing: return .nothing
    case .closed: return .closed
    case .bad: return .bad
    }
  }

  private func receive(_ lane: CallLane, _ deadline: UInt32) -> PacketSocket.Received {
    if deadline != receiveTimeout {
      calls.setReceiveTimeout(deadline)
      receiveTimeout = deadline
    }
    return calls.receive(into: lane.buffer, waits: true)
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, _ lane: CallLane, _ slot: UInt32?, _ read: (inout WireReader, ReplyHeader) throws(MediaError) -> Void
  ) throws(MediaError) -> msdk_result {
    var reader = WireReader(bytes)
    let header = try reader.get(ReplyHeader.self)
    guard header.id == lane.lastID else { throw MediaError(.corrupt, "its number is \(header.id); the call's is \(lane.lastID)") }
    if header.result < 0 {
      lane.errorText = try reader.getText()
    } else {
      try read(&reader, header)
    }
    if let slot, header.keepsSlot == 0, let inputPool, !inputPool.giveBack(1 << slot) {
      throw MediaError(.corrupt, "slot \(slot) was returned twice")
    }
    return header.result
  }

  // MARK: Memory

  /// For slots that are being returned, in milliseconds.
  private static let slotTimeout: UInt32 = 20

  /// A slot for what the plugin is to read, in memory that it has; nil when it keeps all of them.
  func lend(_ capacity: Int, now: Int64) throws(MediaError) -> (InputPool, UInt32)? {
    if let pool = inputPool, pool.memory.slotSize >= capacity { return pool.take(timeout: PluginProcess.slotTimeout).map { (pool, $0) } }
    let slotSize = try SharedMemory.slotSize(for: capacity)
    let (memory, descriptor) = try SharedMemory.make(slotSize: slotSize, count: plan.inputSlots(of: slotSize), writable: true)
    defer { close(descriptor) }
    let pool = InputPool(memory, generation: (inputPool?.generation ?? 0) &+ 1)
    let answer = call(.inputPool, now: now, deadline: plan.options.controlDeadline, descriptor: descriptor) { writer in
      writer.put(pool.generation)
      writer.put(UInt64(slotSize))
      writer.put(memory.count)
    }
    guard case .result(let result) = answer, result >= 0 else { throw MediaError(.again, "the plugin's process is gone") }
    inputMemory.withLock { $0 = pool }
    return pool.take().map { (pool, $0) }
  }

  /// Memory for what the plugin makes, and its descriptor, the caller's to close.
  func makeOutputPool(_ capacity: Int) throws(MediaError) -> (OutputPool, Int32) {
    let generation = (granted.withLock { $0?.generation } ?? 0) &+ 1
    guard generation <= 64 else { throw MediaError(.noMemory, "its frames changed their size for the 64th time") }
    let slotSize = try SharedMemory.slotSize(for: capacity)
    let (memory, descriptor) = try SharedMemory.make(slotSize: slotSize, writable: false)
    let pool = OutputPool(memory, generation: generation, events: plan.pushes ? events : nil)
    granted.withLock { present in
      former.withLock { $0 = present }
      present = pool
    }
    return (pool, descriptor)
  }

  /// A frame in a slot that the plugin names.
  func frame(_ header: VideoFrameHeader) throws(MediaError) -> VideoFrame {
    try pool(header.generation).frame(header)
  }

  /// Of a pool that has just been replaced it may name a slot still.
  func pool(_ generation: UInt32) throws(MediaError) -> OutputPool {
    guard let pool = granted.withLock({ $0 }) else { throw MediaError(.corrupt, "it named a slot before there were any") }
    if generation != pool.generation, let former = former.withLock({ $0 }), former.generation == generation { return former }
    return pool
  }
}
