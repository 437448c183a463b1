import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Renderers on one's own stream, fed with the newest frame by a worker of their own, so that a slow one holds up nobody.
final class Previews: Sendable {
  private struct State {
    var newest: VideoFrame?
    var worker: (any Worker)?
    var isClosed = false
  }

  let list = RendererList()
  let taps = FrameTaps()
  private let clock: any MediaClock
  private let state = Monitor(State())

  init(clock: any MediaClock) {
    self.clock = clock
  }

  var isWatched: Bool { !list.isEmpty || !taps.isEmpty }

  func offer(_ frame: VideoFrame) {
    taps.offer(frame)
    guard !list.isEmpty else { return }
    frame.retain()
    let (former, worker): (VideoFrame?, (any Worker)?) = state.withLock { state in
      guard !state.isClosed else { return (frame, nil) }
      defer { state.newest = frame }
      if state.worker == nil { state.worker = clock.makeWorker("msdk-preview") { [weak self] in self?.render() ?? .max } }
      return (state.newest, state.worker)
    }
    former?.release()
    worker?.poke()
  }

  private func render() -> Int64 {
    let frame = state.withLock { state in
      defer { state.newest = nil }
      return state.newest
    }
    guard let frame else { return .max }
    list.render(frame)
    frame.release()
    return .max
  }

  func close() {
    let (frame, worker) = state.withLock { state in
      defer {
        state.isClosed = true
        state.newest = nil
        state.worker = nil
      }
      return (state.newest, state.worker)
    }
    worker?.stop()
    frame?.release()
    list.removeAll()
    taps.removeAll()
  }
}
