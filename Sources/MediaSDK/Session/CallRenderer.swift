import CMediaSDK
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Hands a whole call to one renderer of several streams, on a worker of its own: what a slow one does not take in time is left out.
/// Changes of the call are not handed on one by one; the worker looks at the call as it is now and tells what has become different.
final class CallRenderer: Sendable {
  private struct Known {
    let number: UInt32
    var input: RendererInput
    var tap: InputTap?
  }

  private struct State {
    var worker: (any Worker)?
    /// Something may have changed since the worker looked.
    var isOutdated = true
    var isClosed = false
    var known: [CallInput.Key: Known] = [:]
    /// Of all that is known, as it is wanted for each picture.
    var taps: [InputTap] = []
  }

  let instance: PluginInstance
  private let attachment: PluginInstance.Attachment
  private let includesLocal: Bool
  private let session: Session
  private let state = Monitor(State())

  init(_ instance: PluginInstance, _ attachment: PluginInstance.Attachment, includesLocal: Bool, of session: Session) {
    self.instance = instance
    self.attachment = attachment
    self.includesLocal = includesLocal
    self.session = session
    let worker = session.engine.clock.makeWorker("msdk-grid") { self.step() }
    state.withLock { $0.worker = worker }
  }

  /// The call may have changed.
  func refresh() {
    let worker: (any Worker)? = state.withLock { state in
      state.isOutdated = true
      return state.worker
    }
    worker?.poke()
  }

  /// Afterwards nothing is rendered any more, unless the call came from inside foreign code, and the renderer's inputs are removed.
  func close() {
    let (worker, taps): ((any Worker)?, [InputTap]) = state.withLock { state in
      defer {
        state.isClosed = true
        state.worker = nil
        state.known = [:]
        state.taps = []
      }
      return (state.worker, state.taps)
    }
    for tap in taps { tap.close() }
    worker?.stop()
    instance.detach(attachment)
    instance.removeInputs(of: attachment)
  }

  // MARK: On the worker

  private func step() -> Int64 {
    let isOutdated = state.withLock { state in
      defer { state.isOutdated = false }
      return state.isOutdated
    }
    do throws(MediaError) {
      if isOutdated { try follow() }
      for tap in state.withLock({ $0.taps }) {
        guard let frame = tap.take() else { continue }
        defer { frame.release() }
        try tolerating { () throws(MediaError) in try instance.render(frame, of: tap.number, from: attachment) }
      }
    } catch {
      instance.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "")
      session.forget(self)
    }
    return .max
  }

  /// Busy this time, or detached meanwhile, is nobody's fault.
  private func tolerating(_ body: () throws(MediaError) -> Void) throws(MediaError) {
    do throws(MediaError) {
      try body()
    } catch {
      guard error.status == .again || error.status == .closed else { throw error }
    }
  }

  private func follow() throws(MediaError) {
    let fresh = session.startVideoForRenderers()
    let wanted = session.callInputs(includingLocal: includesLocal)
    let gone = state.withLock { state in
      let keys = Set(wanted.map(\.key))
      let gone = state.known.filter { !keys.contains($0.key) }
      for key in gone.keys { state.known[key] = nil }
      return gone.values.sorted { $0.number < $1.number }
    }
    for known in gone {
      known.tap?.close()
      try tolerating { () throws(MediaError) in try instance.removeInput(known.number, from: attachment) }
    }
    for input in wanted { try tolerating { () throws(MediaError) in try tell(input, fresh) } }
    state.withLock { state in state.taps = state.known.values.compactMap(\.tap).sorted { $0.number < $1.number } }
  }

  private func tell(_ wanted: CallInput, _ fresh: [IncomingVideo]) throws(MediaError) {
    let (known, worker): (Known?, (any Worker)?) = state.withLock { ($0.known[wanted.key], $0.worker) }
    guard let worker else { throw MediaError(.closed, "the renderer was detached") }
    let source = wanted.input.hasVideo ? wanted.source : nil
    let number =
      if let known, known.input == wanted.input {
        known.number
      } else {
        try instance.update(known?.number, wanted.input, from: attachment)
      }
    if let tap = known?.tap, source?.taps === tap.source.taps, tap.number == number {
      return state.withLock { $0.known[wanted.key]?.input = wanted.input }
    }
    known?.tap?.close()
    let tap = source.map { InputTap(number, of: $0, for: worker) }
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.known[wanted.key] = Known(number: number, input: wanted.input, tap: tap)
      // In the list at once, so that whoever closes this closes the tap.
      if let tap { state.taps.append(tap) }
      return true
    }
    guard isOpen, let tap else { return }
    tap.open()
    // One that runs already may not send anything soon, if its picture stands still.
    if case .incoming(let stream) = tap.source, !fresh.contains(where: { $0 === stream }) { stream.requestKeyFrame() }
  }
}
