import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS

/// Sends requests of HTTP, one after the other, each to the server of its URL, over TCP or TLS: resolves the name, connects, through a proxy if the
/// environment names one, and keeps the connection for the next request to the same server. Redirects are its owner's. Functions may be called from
/// any thread, one request at a time; nothing is locked while an answer is handed over.
final class HTTPRequester: NetworkDriver {
  typealias Answer = Result<HTTPResponse, MediaError>

  private struct Connection {
    let url: HTTPURL
    let link: TCPLink
    let http: HTTPClientConnection
    var requests = 0
    /// Without a request it is closed then.
    var idleEnd = Int64.max
  }

  private struct Pending {
    let url: HTTPURL
    let request: HTTPRequest
    let then: @Sendable (Answer) -> Void
    var lookup: NameLookup?
    var lookupEnd = Int64.max
    /// Still to be tried.
    var addresses: [SocketAddress] = []
    /// It went over a connection that the server had closed meanwhile.
    var isRepeated = false
  }

  private struct State: @unchecked Sendable {
    var connection: Connection?
    var pending: Pending?
    var isClosed = false
  }

  /// What is done when nothing is locked.
  private struct Chores {
    var starting: TCPLink?
    var retired: [TCPLink] = []
    var answer: (then: @Sendable (Answer) -> Void, Answer)?
  }

  /// Of the addresses of a name.
  static let mostAddresses = 4
  /// Nanoseconds for a connection where another address can be tried; the last one has those of `TCPLink`.
  static let attempt: Int64 = 3_000_000_000
  /// A name server that is silent for so long has failed.
  static let lookupPatience: Int64 = 5_000_000_000
  /// Networks forget connections that are idle for longer, and do not say so.
  static let idleTime: Int64 = 45_000_000_000

  private let network: any Network
  private let thread: any DriverLoop
  /// nil: an authority that the system trusts has signed for the server's name or address.
  private let fingerprint: TLSFingerprint?
  private let limits: HTTPLimits
  private let state = Monitor(State())
  private let tag = Monitor<UInt64?>(nil)

  /// `fingerprint`: of the one server that is meant.
  init(network: any Network, thread: any DriverLoop, fingerprint: TLSFingerprint?, limits: HTTPLimits = .client) {
    (self.network, self.thread, self.fingerprint, self.limits) = (network, thread, fingerprint, limits)
  }

  /// `.closed`, `.io`: the network thread does not take it.
  func start() throws(MediaError) {
    let added = try thread.add(self, [])
    tag.withLock { $0 = added }
    // It may have been closed meanwhile.
    if state.withLock({ $0.isClosed }) { close() }
  }

  /// A request that waits has no answer any more.
  func close() {
    let connection: Connection? = state.withLock { state in
      state.isClosed = true
      state.pending.take()?.lookup?.cancel()
      return state.connection.take()
    }
    connection?.link.close()
    if let tag = tag.withLock({ $0.take() }) { thread.remove(tag) }
  }

  /// When the one before has its answer. An error is of the connection: `.untrusted` for a server that is not the one, `.notFound` and others for its
  /// name, `.timeout`, `.io`, `.closed`; `.corrupt` and `.limit` for what is no response, or too large. What can be written at once is, before this
  /// returns.
  func send(_ request: HTTPRequest, to url: HTTPURL, then: @escaping @Sendable (Answer) -> Void) {
    change { state, chores, now in
      guard !state.isClosed, state.pending == nil else { return }
      state.pending = Pending(url: url, request: request, then: then)
      begin(&state, &chores, now)
    }
  }

  /// The network is another one, or may be: the connection of before is not used any more, and a request that waits for its answer goes over another
  /// one, unless it makes a session: with POST, if that is not `repeatable`.
  func renewConnection(repeatable: Bool = false) {
    change { state, chores, now in
      guard repeatable || state.pending?.request.method != "POST" else { return }
      drop(&state, &chores)
      if state.pending?.lookup == nil { begin(&state, &chores, now) }
    }
  }

  /// Whether a request waits for its answer.
  var isBusy: Bool { state.withLock { $0.pending != nil } }

  // MARK: Under the lock

  private func change(_ body: (inout State, inout Chores, _ now: Int64) -> Void) {
    var chores = Chores()
    state.withLock { state in body(&state, &chores, thread.clock.now()) }
    finish(chores)
  }

  /// By itself, as each change would have it compiled once more.
  private func finish(_ chores: Chores) {
    for link in chores.retired { link.close() }
    if let link = chores.starting {
      do throws(MediaError) {
        try link.start()
      } catch {
        // The network thread has stopped.
        change { state, chores, now in fail(&state, &chores, error, now) }
      }
    }
    if let (then, answer) = chores.answer { then(answer) }
    if let tag = tag.withLock({ $0 }) { thread.wake(tag, at: .min) }
  }

  /// Over the connection that is there, or another one.
  private func begin(_ state: inout State, _ chores: inout Chores, _ now: Int64) {
    guard let pending = state.pending else { return }
    if let connection = state.connection, connection.url.hasOrigin(of: pending.url), connection.http.canSend {
      return write(&state, &chores, now)
    }
    drop(&state, &chores)
    do throws(MediaError) {
      if let way = try TCPLink.Place(through: network, to: pending.url) { return open(&state, &chores, way, TCPLink.patience, now) }
    } catch {
      return finish(&state, &chores, .failure(MediaError(error.status, "\(pending.url): \(error.text)")))
    }
    if let address = SocketAddress(pending.url.host, port: pending.url.port) {
      state.pending?.addresses = [address]
      return connect(&state, &chores, now)
    }
    guard let name = HostName(pending.url.host) else {
      let accepted = "an address, or \(HostName.accepted)"
      return finish(&state, &chores, .failure(MediaError(.invalid, "\(pending.url) has no host that can be one; accepted: \(accepted)")))
    }
    let question = NameResolver.Question(name, port: pending.url.port, isStream: true, isIPv6: nil)
    state.pending?.lookup = network.names.look(up: question) { [self] in
      if let tag = tag.withLock({ $0 }) { thread.wake(tag, at: .min) }
    }
    state.pending?.lookupEnd = now &+ HTTPRequester.lookupPatience
  }

  private func followLookup(_ state: inout State, _ chores: inout Chores, _ now: Int64) {
    guard let pending = state.pending, let lookup = pending.lookup else { return }
    switch lookup.answer {
    case .success(let addresses):
      state.pending?.lookup = nil
      state.pending?.addresses = Array(addresses.prefix(HTTPRequester.mostAddresses))
      connect(&state, &chores, now)
    case .failure(let error):
      finish(&state, &chores, .failure(MediaError(error.status, "\(pending.url): \(error.text)")))
    case nil where now >= pending.lookupEnd:
      lookup.cancel()
      let seconds = HTTPRequester.lookupPatience / 1_000_000_000
      finish(&state, &chores, .failure(MediaError(.timeout, "\(pending.url): its name was not resolved within \(seconds) s")))
    case nil: return
    }
  }

  /// To the next address.
  private func connect(_ state: inout State, _ chores: inout Chores, _ now: Int64) {
    guard let pending = state.pending else { return }
    guard let address = pending.addresses.first else {
      return finish(&state, &chores, .failure(MediaError(.notFound, "\(pending.url): its name has no address")))
    }
    state.pending?.addresses.removeFirst()
    open(&state, &chores, .address(address), pending.addresses.count > 1 ? HTTPRequester.attempt : TCPLink.patience, now)
  }

  private func open(_ state: inout State, _ chores: inout Chores, _ place: TCPLink.Place, _ patience: Int64, _ now: Int64) {
    guard let pending = state.pending else { return }
    let trust: TLSTrust? = pending.url.isSecure ? fingerprint.map { .fingerprint($0) } ?? .system(host: pending.url.host) : nil
    do throws(MediaError) {
      let link = try TCPLink(to: place, trust, host: pending.url.host, on: network, thread, patience: patience) { [self] in
        follow($0, by: place, $1)
      }
      state.connection = Connection(url: pending.url, link: link, http: HTTPClientConnection(limits: limits))
      chores.starting = link
    } catch {
      fail(&state, &chores, MediaError(error.status, "\(pending.url) \(place): \(error.text)"), now)
    }
  }

  /// There is no connection, or no answer came over it.
  private func fail(_ state: inout State, _ chores: inout Chores, _ error: MediaError, _ now: Int64) {
    drop(&state, &chores)
    // Who answers and is not the one ends it: what a name stands for is not tried until somebody fits.
    guard let pending = state.pending, !pending.addresses.isEmpty, error.status != .untrusted else {
      return finish(&state, &chores, .failure(error))
    }
    connect(&state, &chores, now)
  }

  private func write(_ state: inout State, _ chores: inout Chores, _ now: Int64) {
    guard let pending = state.pending, let connection = state.connection else { return }
    state.connection?.requests += 1
    state.connection?.idleEnd = .max
    do throws(MediaError) {
      try connection.http.send(pending.request, now: now)
    } catch {
      return finish(&state, &chores, .failure(error))
    }
    var bytes: [UInt8] = []
    connection.http.takeOutput(&bytes)
    // That it is broken is found by waiting. Without room the request is lost, and its answer would be waited for.
    guard !bytes.withUnsafeBytes({ connection.link.send($0) }), connection.link.isOpen else { return }
    drop(&state, &chores)
    let text = "\(connection.url) takes no more: over \(TCPLink.mostWaiting) bytes would wait to be sent"
    finish(&state, &chores, .failure(MediaError(.io, text)))
  }

  private func take(_ state: inout State, _ chores: inout Chores, _ now: Int64) {
    while let connection = state.connection, let event = connection.http.takeEvent() {
      switch event {
      case .response(let response):
        state.connection?.idleEnd = now &+ HTTPRequester.idleTime
        finish(&state, &chores, .success(response))
      case .upgraded(let response, _):
        drop(&state, &chores)
        finish(&state, &chores, .failure(MediaError(.corrupt, "\(connection.url) answered \(response.status), which was not asked for")))
      case .failed(let error, let isUnanswered):
        drop(&state, &chores)
        // The server may have closed it before it knew of this request (RFC 9112, section 9.3.1); what makes a session is not sent twice.
        if let pending = state.pending, isUnanswered, connection.requests > 1, !pending.isRepeated, pending.request.method != "POST" {
          state.pending?.isRepeated = true
          begin(&state, &chores, now)
        } else {
          finish(&state, &chores, .failure(MediaError(error.status, "\(connection.url): \(error.text)")))
        }
      case .closed: drop(&state, &chores)
      }
    }
  }

  private func drop(_ state: inout State, _ chores: inout Chores) {
    if let link = state.connection.take()?.link { chores.retired.append(link) }
  }

  private func finish(_ state: inout State, _ chores: inout Chores, _ answer: Answer) {
    guard let pending = state.pending.take() else { return }
    pending.lookup?.cancel()
    chores.answer = (pending.then, answer)
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    var isNews = false
    let next: Int64 = state.withLock { state in
      let now = thread.clock.now()
      let poll = state.connection.flatMap { $0.http.poll(now: now) } ?? .max
      let isLate = state.connection.map { $0.http.isClosed || now >= $0.idleEnd } ?? false
      let isKnown = state.pending?.lookup.map { $0.answer != nil || now >= (state.pending?.lookupEnd ?? .max) } ?? false
      isNews = isLate || isKnown
      return min(poll, state.connection?.idleEnd ?? .max, state.pending?.lookup == nil ? .max : state.pending?.lookupEnd ?? .max)
    }
    guard isNews else { return next }
    change { state, chores, now in
      followLookup(&state, &chores, now)
      take(&state, &chores, now)
      if let connection = state.connection, now >= connection.idleEnd { drop(&state, &chores) }
    }
    return .min
  }

  private func follow(_ link: TCPLink, by place: TCPLink.Place, _ event: TCPLink.Event) {
    change { state, chores, now in
      guard let connection = state.connection, connection.link === link else { return }
      switch event {
      case .opened: write(&state, &chores, now)
      case .bytes(let bytes): connection.http.receive(bytes, now: now)
      case .ended(let isClean): connection.http.receiveEnd(isClean: isClean)
      case .failed(let error) where connection.requests == 0:
        return fail(&state, &chores, MediaError(error.status, "\(connection.url) \(place): \(error.text)"), now)
      case .failed: connection.http.receiveEnd(isClean: false)
      }
      take(&state, &chores, now)
    }
  }
}
