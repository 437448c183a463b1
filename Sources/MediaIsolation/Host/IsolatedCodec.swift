import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// What codecs that live in another process have in common.
extension IsolatedInstance {
  typealias CodecRead = (PluginProcess, inout WireReader) throws(MediaError) -> Void

  /// A call on the way of a picture or a packet. What cannot be coded, as the process is gone or goes, is lost: an error that says so.
  /// `capacity` is what is needed of a slot of shared memory, 0 for none; `waits` for what may wait for the process.
  func code(
    _ op: Op, capacity: Int = 0, waits: Bool = false,
    write: (PluginProcess, (InputPool, UInt32)?, inout WireWriter) throws(MediaError) -> Void, read: CodecRead
  ) -> msdk_result {
    var failure: MediaError?
    func run(_ process: PluginProcess) -> PluginProcess.Answer {
      do throws(MediaError) {
        let slot = capacity == 0 ? nil : try slot(of: process, capacity)
        // Written before the call is: a failure here is nobody's death.
        process.body.begin()
        do throws(MediaError) {
          try write(process, slot, &process.body)
        } catch {
          if let slot { _ = slot.0.giveBack(1 << slot.1) }
          throw error
        }
        return process.call(op, now: now(), deadline: plan.options.mediaDeadline, lending: slot?.1, write: { $0.append(process.body) }) {
          reader, _ throws(MediaError) in try read(process, &reader)
        }
      } catch {
        if process.isEnding { return .gone }
        // No room could be made, which no process refuses that is well.
        if error.status == .again {
          process.end("it did not accept the shared memory")
          return .gone
        }
        failure = error
        return .result(error.status.rawValue)
      }
    }
    switch waits ? call(op, waitsForLife: true, run) : callNow(op, run) {
    case .result(let result):
      if let failure { return fail(failure.status, failure.text) }
      return result
    case .died: return fail(.pluginDied, "its process died in \(op)")
    case .away:
      return fail(.pluginDied, isGivenUp ? "its process died too often and is not restarted" : "its process is gone and is being restarted")
    }
  }

  /// Tells an encoder of another rate, which is remembered before it is told, so that one that comes back meanwhile has it.
  func retune<Settings>(
    _ op: Op, _ place: WritableKeyPath<DesiredState, Settings?>, _ change: (inout Settings?) -> Void, write: Write
  ) -> msdk_result {
    let former = state.withLock { state in
      defer { change(&state.wanted[keyPath: place]) }
      return state.wanted[keyPath: place]
    }
    let result = tell(op, write: write)
    if result < 0 { state.withLock { $0.wanted[keyPath: place] = former } }
    return result
  }

  private func slot(of process: PluginProcess, _ capacity: Int) throws(MediaError) -> (InputPool, UInt32) {
    guard let found = try process.lend(capacity, now: now()) else {
      throw MediaError(.noMemory, "the plugin holds all of its \(Wire.slotCount) frames: it must release some (rule P4)")
    }
    return found
  }

  /// Encoded data, in the message, or in a slot when it is larger than that.
  func code(
    _ op: Op, _ bytes: UnsafeRawBufferPointer, _ attributes: msdk_encoded_frame, waits: Bool = false,
    check: (PluginProcess) throws(MediaError) -> Void = { _ in }, read: CodecRead
  ) -> msdk_result {
    var header = EncodedFrameHeader(attributes)
    header.size = UInt64(bytes.count)
    return code(op, capacity: bytes.count > Wire.longestBytes ? bytes.count : 0, waits: waits) { process, slot, writer throws(MediaError) in
      try check(process)
      if let (pool, number) = slot {
        (header.generation, header.slot) = (pool.generation, number)
        if let source = bytes.baseAddress { pool.memory.slot(number).copyMemory(from: source, byteCount: bytes.count) }
      }
      writer.put(header)
      if slot == nil { writer.put(bytes: bytes) }
    } read: { process, reader throws(MediaError) in
      try read(process, &reader)
    }
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
