import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// What a renderer of a whole call shows of it: a participant, or one more stream of his.
struct CallInput {
  enum Key: Hashable {
    case person(String)
    case stream(StreamID)
  }

  enum Source {
    case incoming(IncomingVideo)
    case outgoing(OutgoingVideo)

    var taps: FrameTaps {
      switch self {
      case .incoming(let stream): stream.taps
      case .outgoing(let stream): stream.previews.taps
      }
    }

    /// Whether pictures come here.
    var hasVideo: Bool {
      switch self {
      case .incoming(let stream): stream.state == .started && stream.showsPictures
      case .outgoing(let stream): stream.state == .started && !stream.options.isEncodedInput
      }
    }
  }

  let key: Key
  var input: RendererInput
  var source: Source?
}

/// The newest picture of an input, for one renderer.
final class InputTap: FrameTap {
  private struct State {
    var newest: VideoFrame?
    var isClosed = false
  }

  let number: UInt32
  let source: CallInput.Source
  private let worker: any Worker
  private let state = Monitor(State())

  init(_ number: UInt32, of source: CallInput.Source, for worker: any Worker) {
    self.number = number
    self.source = source
    self.worker = worker
  }

  func offer(_ frame: VideoFrame) {
    frame.retain()
    let displaced: VideoFrame? = state.withLock { state in
      guard !state.isClosed else { return frame }
      defer { state.newest = frame }
      return state.newest
    }
    displaced?.release()
    worker.poke()
  }

  /// With a reference for the caller.
  func take() -> VideoFrame? {
    state.withLock { state in
      defer { state.newest = nil }
      return state.newest
    }
  }

  /// Begins to listen, unless it was closed already.
  func open() {
    source.taps.add(self)
    if state.withLock({ $0.isClosed }) { source.taps.remove(self) }
  }

  func close() {
    let left: VideoFrame? = state.withLock { state in
      defer {
        state.isClosed = true
        state.newest = nil
      }
      return state.newest
    }
    source.taps.remove(self)
    left?.release()
  }
}
