import MediaCore
import MediaRuntime

/// What other threads have for the drivers of a local ingest: its loop drives whoever reads it.
final class IngestMailbox: Sendable {
  struct Mail {
    var released: [(connection: UInt64, slot: UInt32)] = []
    var wantsKeyFrame = false
  }

  private struct State {
    var mail = Mail()
    /// Who is to be woken; nil before there is somebody, and after.
    var reader: (loop: any DriverLoop, tag: UInt64)?
  }

  private let state = Monitor(State())

  func open(_ loop: any DriverLoop, _ tag: UInt64) {
    state.withLock { $0.reader = (loop, tag) }
  }

  /// Frames may be there for longer.
  func close() {
    state.withLock { $0.reader = nil }
  }

  func released(_ slot: UInt32, of connection: UInt64) { post { $0.released.append((connection, slot)) } }
  func requestKeyFrame() { post { $0.wantsKeyFrame = true } }

  private func post(_ change: (inout Mail) -> Void) {
    let reader = state.withLock { state in
      if state.reader != nil { change(&state.mail) }
      return state.reader
    }
    if let reader { reader.loop.wake(reader.tag, at: .min) }
  }

  /// All that has come.
  func take() -> Mail {
    state.withLock { state in
      defer { state.mail = Mail() }
      return state.mail
    }
  }
}
