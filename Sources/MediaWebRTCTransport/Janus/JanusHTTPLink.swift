import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS

/// Janus's API over HTTP: requests by POST, one after the other, and events by long polls, over a connection of their own.
final class JanusHTTPLink: JanusLink {
  private struct State: Sendable {
    var handle: @Sendable (JanusLinkEvent) -> Void = { _ in }
    var target: String?
    var isPolling = false
    var isBusy = false
    /// The request that waits for its answer may be sent twice.
    var isRepeatable = true
    /// Until the request before has its answer.
    var waiting: [JanusRequest] = []
    var isClosed = false
    /// Since when polls fail.
    var failingSince: Int64?
  }

  /// Nanoseconds after which a poll that failed is repeated, and for which it may.
  static let pause: Int64 = 1_000_000_000
  static let patience: Int64 = 15_000_000_000
  /// The server answers a long poll after 30 s at the latest.
  static let longPoll: HTTPLimits = {
    var limits = HTTPLimits.client
    limits.headTime = 45_000_000_000
    return limits
  }()

  private let endpoint: HTTPURL
  private let loop: EventLoop
  private let requests: HTTPRequester
  private let polls: HTTPRequester
  private let state = Monitor(State())

  init(_ endpoint: HTTPURL, fingerprint: TLSFingerprint?, network: any Network, thread: any DriverLoop, loop: EventLoop) {
    (self.endpoint, self.loop) = (endpoint, loop)
    requests = HTTPRequester(network: network, thread: thread, fingerprint: fingerprint)
    polls = HTTPRequester(network: network, thread: thread, fingerprint: fingerprint, limits: JanusHTTPLink.longPoll)
  }

  func start(_ handle: @escaping @Sendable (JanusLinkEvent) -> Void) throws(MediaError) {
    state.withLock { $0.handle = handle }
    try requests.start()
    try polls.start()
  }

  var canSend: Bool { state.withLock { !$0.isBusy && !$0.isClosed } }

  func send(_ request: JanusRequest) {
    let isNow = state.withLock { state in
      defer { state.isBusy = true }
      if state.isBusy { state.waiting.append(request) }
      return !state.isBusy
    }
    if isNow { post(request) }
  }

  private func post(_ request: JanusRequest) {
    guard let url = url(request.path) else { return }
    state.withLock { $0.isRepeatable = request.isRepeatable }
    let fields: HTTPFields = ["Host": url.hostField, "Content-Type": "application/json"]
    requests.send(HTTPRequest("POST", url.target, fields, body: request.httpBody), to: url) { [self] answer in
      switch answer {
      case .success(let response) where response.status == 200: tell(.message(response.body))
      case .success(let response): return tell(.failed(failure(response)))
      case .failure(let error): return tell(.failed(SignallingFailure(error, isFinal: error.status == .untrusted)))
      }
      let next: JanusRequest? = state.withLock { state in
        state.isBusy = !state.waiting.isEmpty
        return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }
      if let next { post(next) } else { tell(.ready) }
    }
  }

  private func url(_ rest: String) -> HTTPURL? {
    try? HTTPURL(
      "\(endpoint.text.utf8.last == UInt8(ascii: "/") ? String(endpoint.text.dropLast()) : endpoint.text)\(rest)", argument: "url")
  }

  private func tell(_ event: JanusLinkEvent) {
    let handle = state.withLock { $0.isClosed ? nil : $0.handle }
    handle?(event)
  }

  private func failure(_ response: HTTPResponse) -> SignallingFailure {
    let (status, isFinal, advice): (Status, Bool, String)
    switch response.status {
    case 401, 403: (status, isFinal, advice) = (.permission, true, "something before the server refuses this client")
    case 404, 405: (status, isFinal, advice) = (.notFound, true, "there is no API of Janus; check the path, which usually is /janus")
    case 300..<400: (status, isFinal, advice) = (.unsupported, true, "redirects are not followed; use the URL that it leads to")
    case 400..<500: (status, isFinal, advice) = (.invalid, true, "is it a server of Janus?")
    default: (status, isFinal, advice) = (.io, false, "the server failed, or what is before it; try again later")
    }
    let text = "Janus: \(endpoint) answered \(response.status) \(response.reason.prefix(64)): \(advice)"
    return SignallingFailure(MediaError(status, text), status: response.status, isFinal: isFinal)
  }

  // MARK: Long polls

  func poll(_ target: String?) {
    state.withLock { $0.target = target }
    poll()
  }

  private func poll() {
    let target: String? = state.withLock { state in
      guard !state.isClosed, !state.isPolling, let target = state.target else { return nil }
      state.isPolling = true
      return target
    }
    guard let target, let url = url(target) else { return }
    polls.send(HTTPRequest("GET", url.target, ["Host": url.hostField, "Accept": "application/json"]), to: url) { [self] in take($0) }
  }

  private func take(_ answer: HTTPRequester.Answer) {
    let now = loop.clock.now()
    switch answer {
    case .success(let response) where response.status == 200:
      state.withLock { ($0.isPolling, $0.failingSince) = (false, nil) }
      tell(.message(response.body))
      // Whoever handles it may have ended the session.
      loop.post { [self] in poll() }
    case .success(let response): tell(.failed(failure(response)))
    case .failure(let error):
      let since = state.withLock { state in
        state.isPolling = false
        let since = state.failingSince ?? now
        state.failingSince = since
        return since
      }
      guard now &- since < JanusHTTPLink.patience, error.status != .untrusted else {
        return tell(.failed(SignallingFailure(error, isFinal: error.status == .untrusted)))
      }
      loop.schedule(at: now &+ JanusHTTPLink.pause) { [self] in poll() }
    }
  }

  func renew() {
    // As one that trickles the candidate of a new address, over the connection of the old one.
    requests.renewConnection(repeatable: state.withLock { $0.isRepeatable })
    polls.renewConnection()
  }

  func close() {
    state.withLock { ($0.isClosed, $0.target, $0.handle, $0.waiting) = (true, nil, { _ in }, []) }
    requests.close()
    polls.close()
  }
}
