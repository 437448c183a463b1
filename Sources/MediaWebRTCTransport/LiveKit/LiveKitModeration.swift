import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling

/// Requests of a session that moderates to the API of its server (`LiveKitServiceRequest`), one after the other, over a connection of their own.
/// Functions may be called from any thread.
final class LiveKitModeration: Sendable {
  private struct Pending {
    let request: HTTPRequest
    let failed: @Sendable (MediaError) -> Void
  }

  private struct State: @unchecked Sendable {
    /// nil: nothing was asked for yet.
    var requester: HTTPRequester?
    var waiting: [Pending] = []
    /// One of them waits for its answer.
    var isAsking = false
    var isClosed = false
  }

  /// Requests that wait for the answer to the one before.
  static let most = 256

  private let url: LiveKitURL
  private let thread: any DriverLoop
  private let network: any Network
  private let state = Monitor(State())

  init(_ url: LiveKitURL, thread: any DriverLoop, network: any Network) {
    (self.url, self.thread, self.network) = (url, thread, network)
  }

  /// `failed` is told, on the network thread, of each that the server did not do. Throws `.again` if too many wait.
  func ask(
    _ all: [LiveKitServiceRequest.Moderation], of userID: String, in room: String, token: String,
    failed: @escaping @Sendable (MediaError) -> Void
  ) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      guard state.waiting.count + all.count <= LiveKitModeration.most else {
        throw MediaError(.again, "LiveKit: \(LiveKitModeration.most) requests of a moderator wait for the server's answer")
      }
      for one in all {
        let request = LiveKitServiceRequest.make(one, of: userID, in: room, token: token, at: url.endpoint)
        state.waiting.append(Pending(request: request, failed: failed))
      }
    }
    proceed()
  }

  func close() {
    let requester: HTTPRequester? = state.withLock { state in
      (state.isClosed, state.waiting) = (true, [])
      return state.requester.take()
    }
    requester?.close()
  }

  private func proceed() {
    let next: Pending? = state.withLock { state in
      guard !state.isAsking, !state.isClosed, !state.waiting.isEmpty else { return nil }
      state.isAsking = true
      return state.waiting.removeFirst()
    }
    guard let next else { return }
    do throws(MediaError) {
      try connected()?.send(next.request, to: url.endpoint) { [self] answer in
        switch answer {
        case .success(let response): ended(next, LiveKitServiceRequest.failure(response))
        case .failure(let error): ended(next, error)
        }
      }
    } catch {
      ended(next, error)
    }
  }

  private func ended(_ one: Pending, _ error: MediaError?) {
    if let error { one.failed(error) }
    state.withLock { $0.isAsking = false }
    proceed()
  }

  /// nil: it is closed.
  private func connected() throws(MediaError) -> HTTPRequester? {
    let (requester, isNew): (HTTPRequester?, Bool) = state.withLock { state in
      guard !state.isClosed, state.requester == nil else { return (state.requester, false) }
      state.requester = HTTPRequester(network: network, thread: thread, fingerprint: url.fingerprint)
      return (state.requester, true)
    }
    if isNew { try requester?.start() }
    return requester
  }
}
