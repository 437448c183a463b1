import CMediaSDK
import IsolationProtocol
import MediaCore

/// The forms that calls of proxies have: who waits for what, and what becomes of a call while the process is gone. Called by the core, on the threads
/// that plugin.h names for each function.
extension IsolatedInstance {
  typealias Write = (inout WireWriter) -> Void
  typealias Read = (inout WireReader, ReplyHeader) throws(MediaError) -> Void
  /// Of what comes in the memory of that process.
  typealias MediaRead = (PluginProcess, inout WireReader, ReplyHeader) throws(MediaError) -> Void
  typealias InputSlot = (pool: InputPool, number: UInt32)

  // MARK: Control

  /// A question: waits for the process, and is asked once more when the plugin died of it, as it does not every time.
  func ask(_ op: Op, write: Write = { _ in }, read: Read = { _, _ in }) -> msdk_result {
    ask(op) { $0.call(op, now: now(), deadline: plan.options.controlDeadline, write: write, read: read) }
  }

  func ask(_ op: Op, _ question: (PluginProcess) -> PluginProcess.Answer) -> msdk_result {
    var deaths = 0
    while true {
      switch call(op, waitsForLife: true, question) {
      case .result(let result): return result
      case .away: return fail(.pluginDied, "its process is gone and was not restarted within \(plan.options.controlDeadline) ms")
      case .died:
        deaths += 1
        if deaths > 1 { return fail(.pluginDied, "its process died in \(op), twice") }
      }
    }
  }

  /// A call that brings the instance up, as a question; a process that comes back gets it too.
  func change(_ op: Op, _ payload: [UInt8] = [], read: Read = { _, _ in }) -> msdk_result {
    let result = ask(op, write: { $0.append(payload) }, read: read)
    if result >= 0 { record(op, payload) }
    return result
  }

  /// The same in the middle of frames: it does not wait for the process, and is made again with the next frame when it came to nothing.
  func changeNow(_ op: Op, _ payload: [UInt8], read: Read = { _, _ in }) -> Outcome {
    let outcome = callNow { process in
      process.call(op, now: now(), deadline: plan.options.controlDeadline, write: { $0.append(payload) }, read: read)
    }
    if case .result(let result) = outcome, result >= 0 { record(op, payload) }
    return outcome
  }

  private func record(_ op: Op, _ payload: [UInt8]) {
    state.withLock { state in
      state.desired.undo(op)
      state.desired[op] = payload
    }
  }

  /// A call that takes it down: what is gone is down already.
  func takeDown(_ op: Op) -> msdk_result {
    state.withLock { $0.desired.undo(op) }
    switch call(op, { $0.call(op, now: now(), deadline: plan.options.controlDeadline) }) {
    case .result(let result): return result
    case .away, .died: return msdk_result(MSDK_OK)
    }
  }

  /// A notification in the middle of frames, where nothing is lost when the plugin does not get it now.
  func notify(_ op: Op, _ payload: [UInt8]) -> msdk_result {
    settle(call(op) { $0.call(op, now: now(), deadline: plan.options.mediaDeadline, write: { $0.append(payload) }) })
  }

  /// Another rate or bound of an encoder. It is recorded, as a part of `place`, before it is sent, so that a process that comes back meanwhile has it.
  func retune(_ op: Op, _ payload: [UInt8], in place: Op, _ change: (inout DesiredState) -> Void) -> msdk_result {
    let former = state.withLock { state in
      defer { change(&state.desired) }
      return state.desired[place]
    }
    let result = notify(op, payload)
    if result < 0 { state.withLock { $0.desired[place] = former } }
    return result
  }

  // MARK: Frames

  /// A call with a frame's data in the message, or for a frame. Like all of these it never waits for a process that is not there.
  func media(_ op: Op, write: Write = { _ in }, read: MediaRead = { _, _, _ in }) -> Outcome {
    callNow { process in
      process.call(op, now: now(), deadline: plan.options.mediaDeadline, write: write) { reader, header throws(MediaError) in
        try read(process, &reader, header)
      }
    }
  }

  /// A call with something in a slot of shared memory. `capacity` is what it needs there; 0 for no slot. `shortage` is the error when the plugin keeps
  /// all slots; a codec's is not MSDK_E_AGAIN, and its process is ended when it does not accept the memory. `waits` for what may wait for the process.
  func exchange(
    _ op: Op, capacity: Int, shortage: Status = .again, waits: Bool = false,
    write: (PluginProcess, InputSlot?, inout WireWriter) throws(MediaError) -> Void, read: MediaRead
  ) -> Outcome {
    var failure: MediaError?
    func run(_ process: PluginProcess) -> PluginProcess.Answer {
      do throws(MediaError) {
        let slot = capacity == 0 ? nil : try slot(of: process, capacity, shortage)
        // Written before the call is made: a failure here is not the process's.
        process.body.begin()
        do throws(MediaError) {
          try write(process, slot, &process.body)
        } catch {
          if let slot { _ = slot.pool.giveBack(1 << slot.number) }
          throw error
        }
        return process.call(
          op, now: now(), deadline: plan.options.mediaDeadline, lending: slot?.number, write: { $0.append(process.body) }
        ) { reader, header throws(MediaError) in try read(process, &reader, header) }
      } catch {
        if process.isEnding { return .gone }
        if shortage != .again, error.status == .again {
          process.end("it did not accept the shared memory")
          return .gone
        }
        failure = error
        return .result(error.status.rawValue)
      }
    }
    let outcome = waits ? call(op, waitsForLife: true, run) : callNow(run)
    if let failure, case .result = outcome { return .result(fail(failure.status, failure.text)) }
    return outcome
  }

  private func slot(of process: PluginProcess, _ capacity: Int, _ shortage: Status) throws(MediaError) -> InputSlot {
    if let slot = try process.lend(capacity, now: now()) { return slot }
    let count = process.inputPool?.memory.count ?? Wire.slotCount
    throw MediaError(shortage, "the plugin holds all of its \(count) frames: it must release some (rule P4)")
  }

  /// A call with a video frame. What is read gets the slot's pool and what was sent of the frame, whose pixels the plugin may have changed.
  func exchange(
    _ op: Op, _ frame: VideoFrame, shortage: Status = .again, write: (PluginProcess, inout WireWriter) -> Void = { _, _ in },
    read: (PluginProcess, InputPool, VideoFrameHeader, inout WireReader) throws(MediaError) -> Void = { _, _, _, _ in }
  ) -> Outcome {
    guard let capacity = try? InputPool.capacity(for: frame) else { return .result(msdk_result(MSDK_E_HANDLE)) }
    var sent: (pool: InputPool, header: VideoFrameHeader)?
    return exchange(op, capacity: capacity, shortage: shortage) { process, slot, writer throws(MediaError) in
      guard let slot else { return }
      let header = try slot.pool.put(frame, in: slot.number)
      sent = (slot.pool, header)
      writer.put(header)
      write(process, &writer)
    } read: { process, reader, _ throws(MediaError) in
      if let sent { try read(process, sent.pool, sent.header, &reader) }
    }
  }

  /// A call with encoded data, in the message, or in a slot if it is longer than that.
  func exchange(
    _ op: Op, _ bytes: UnsafeRawBufferPointer, _ attributes: msdk_encoded_frame, shortage: Status = .again, waits: Bool = false,
    check: (PluginProcess) throws(MediaError) -> Void = { _ in }, read: MediaRead
  ) -> Outcome {
    var header = EncodedFrameHeader(attributes)
    header.size = UInt64(bytes.count)
    let capacity = bytes.count > Wire.longestBytes ? bytes.count : 0
    return exchange(op, capacity: capacity, shortage: shortage, waits: waits) { process, slot, writer throws(MediaError) in
      try check(process)
      guard let slot else {
        writer.put(header)
        writer.put(bytes: bytes)
        return
      }
      (header.generation, header.slot) = (slot.pool.generation, slot.number)
      if let source = bytes.baseAddress { slot.pool.memory.slot(slot.number).copyMemory(from: source, byteCount: bytes.count) }
      writer.put(header)
    } read: { process, reader, reply throws(MediaError) in
      try read(process, &reader, reply)
    }
  }

  // MARK: What a call came to

  /// While the process is gone, a call is dropped with `quiet`; being given up ends a stream.
  func settle(_ outcome: Outcome, quiet: Int = MSDK_OK) -> msdk_result {
    if case .result(let result) = outcome { return result }
    return isGivenUp ? fail(.pluginDied, "its process died too often and is not restarted") : msdk_result(quiet)
  }

  /// Of a codec: what cannot be coded is lost, and is an error.
  func settleCodec(_ op: Op, _ outcome: Outcome) -> msdk_result {
    switch outcome {
    case .result(let result): return result
    case .died: return fail(.pluginDied, "its process died in \(op)")
    case .away:
      return fail(.pluginDied, isGivenUp ? "its process died too often and is not restarted" : "its process is gone and is being restarted")
    }
  }

  /// Of a filter: MSDK_E_PLUGIN_DIED lets the frame pass as it is, and MSDK_E_CLOSED takes the filter out of its stream.
  func settleFilter(_ outcome: Outcome) -> msdk_result {
    if case .result(let result) = outcome { return min(result, 0) }
    return isGivenUp ? fail(.closed, "its process died too often and is not restarted") : msdk_result(MSDK_E_PLUGIN_DIED)
  }

  /// What an encoder made, in a frame of ours; or why there is none, which is not its process's fault.
  func takeEncoded(
    _ process: PluginProcess, _ reader: inout WireReader, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>
  ) throws(MediaError) -> msdk_result {
    let header = try reader.get(EncodedFrameHeader.self)
    var result = msdk_result(MSDK_OK)
    func take(_ bytes: UnsafeRawBufferPointer) {
      var attributes = header.native
      attributes.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      attributes.size = UInt64(bytes.count)
      result = host.encoded_frame_create?(context, &attributes, out) ?? msdk_result(MSDK_E_UNSUPPORTED)
    }
    if header.slot == .max {
      take(try reader.getBytes())
    } else {
      try process.pool(header.generation).withBytes(header, take)
    }
    if result == msdk_result(MSDK_E_INVALID) { throw MediaError(.corrupt, "its encoded frame has \(header.size) bytes") }
    process.hasBegun = true
    return result
  }
}
