import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS

/// What comes over a `WebSocketLink`, on whatever thread it happens, where nothing is locked.
enum WebSocketLinkEvent: Sendable {
  case message([UInt8])
  /// There is no connection, or not any longer. Nothing follows.
  case failed(SignallingFailure)
}

/// A message to a server.
enum WebSocketLinkMessage: Sendable {
  case text(String)
  case binary([UInt8])
}

/// One connection of WebSocket to a server, for its signalling: it is there until it breaks. Functions may be called from any thread.
final class WebSocketLink: NetworkDriver {
  /// With what the server is asked.
  struct Settings: Sendable {
    /// For errors: "Janus".
    let name: String
    let endpoint: HTTPURL
    /// What is asked for; nil: the endpoint's own path and query.
    var target: String?
    /// One that the server has to choose; nil: none.
    var subprotocol: String?
    var fields: HTTPFields = [:]
    var fingerprint: TLSFingerprint?
    /// Bytes of a message.
    var longest: Int
    /// Nanoseconds until the server has answered the handshake.
    var patience: Int64 = 10_000_000_000
    /// What an answer means that is not the handshake's.
    let refusal: @Sendable (HTTPResponse) -> SignallingFailure
  }

  private enum Phase {
    case resolving(NameLookup, end: Int64)
    case connecting(TCPLink)
    case shaking(TCPLink, HTTPClientConnection, WebSocketHandshake)
    case open(TCPLink, WebSocketMachine)
    case closed
  }

  private struct State: @unchecked Sendable {
    var handle: @Sendable (WebSocketLinkEvent) -> Void = { _ in }
    var phase = Phase.closed
    /// Still to be tried.
    var addresses: [SocketAddress] = []
    /// Until it is open.
    var waiting: [WebSocketLinkMessage] = []
    var events: [WebSocketLinkEvent] = []
    var starting: TCPLink?
    var retired: [TCPLink] = []
  }

  private let settings: Settings
  private let network: any Network
  private let thread: any DriverLoop
  private let state = Monitor(State())
  private let tag = Monitor<UInt64?>(nil)

  init(_ settings: Settings, network: any Network, thread: any DriverLoop) {
    (self.settings, self.network, self.thread) = (settings, network, thread)
  }

  private var endpoint: HTTPURL { settings.endpoint }

  /// Throws `.closed` and `.io`: the network thread does not take it.
  func start(_ handle: @escaping @Sendable (WebSocketLinkEvent) -> Void) throws(MediaError) {
    state.withLock { $0.handle = handle }
    let added = try thread.add(self, [])
    tag.withLock { $0 = added }
    change { state, now in
      do throws(MediaError) {
        if let way = try TCPLink.Place(through: network, to: endpoint) { return open(&state, way, TCPLink.patience) }
      } catch {
        return fail(&state, MediaError(error.status, "\(endpoint): \(error.text)"))
      }
      if let address = SocketAddress(endpoint.host, port: endpoint.port) {
        state.addresses = [address]
        connect(&state)
      } else if let name = HostName(endpoint.host) {
        let question = NameResolver.Question(name, port: endpoint.port, isStream: true, isIPv6: nil)
        let lookup = network.names.look(up: question) { [self] in wake() }
        state.phase = .resolving(lookup, end: now &+ HTTPRequester.lookupPatience)
      } else {
        fail(&state, MediaError(.invalid, "\(endpoint) has no host that can be one; accepted: an address, or \(HostName.accepted)"))
      }
    }
  }

  /// When it is open.
  func send(_ message: WebSocketLinkMessage) {
    change { state, _ in
      guard case .open(_, let machine) = state.phase else {
        if case .closed = state.phase { return }
        return state.waiting.append(message)
      }
      write(message, machine, &state)
    }
  }

  func close() {
    change { state, now in
      if case .open(_, let machine) = state.phase {
        machine.close(now: now)
        flush(&state)
      }
      drop(&state)
      (state.phase, state.handle, state.events) = (.closed, { _ in }, [])
    }
    if let tag = tag.withLock({ $0.take() }) { thread.remove(tag) }
  }

  private func wake() {
    if let tag = tag.withLock({ $0 }) { thread.wake(tag, at: .min) }
  }

  // MARK: Under the lock

  private func change(_ body: (inout State, _ now: Int64) -> Void) {
    let (handle, events, starting, retired): (@Sendable (WebSocketLinkEvent) -> Void, [WebSocketLinkEvent], TCPLink?, [TCPLink]) =
      state.withLock { state in
        body(&state, thread.clock.now())
        defer { (state.events, state.retired) = ([], []) }
        return (state.handle, state.events, state.starting.take(), state.retired)
      }
    for link in retired { link.close() }
    if let starting {
      do throws(MediaError) {
        try starting.start()
      } catch {
        change { state, _ in fail(&state, error) }
      }
    }
    for event in events { handle(event) }
    wake()
  }

  /// To the next address.
  private func connect(_ state: inout State) {
    guard !state.addresses.isEmpty else { return fail(&state, MediaError(.notFound, "\(endpoint): its name has no address")) }
    let address = state.addresses.removeFirst()
    open(&state, .address(address), state.addresses.isEmpty ? TCPLink.patience : HTTPRequester.attempt)
  }

  private func open(_ state: inout State, _ place: TCPLink.Place, _ patience: Int64) {
    let trust: TLSTrust? = endpoint.isSecure ? settings.fingerprint.map { .fingerprint($0) } ?? .system(host: endpoint.host) : nil
    do throws(MediaError) {
      let link = try TCPLink(to: place, trust, host: endpoint.host, on: network, thread, patience: patience) { [self] in
        follow($0, by: place, $1)
      }
      (state.phase, state.starting) = (.connecting(link), link)
    } catch {
      fail(&state, MediaError(error.status, "\(endpoint) \(place): \(error.text)"))
    }
  }

  private func drop(_ state: inout State) {
    switch state.phase {
    case .resolving(let lookup, _): lookup.cancel()
    case .connecting(let link), .shaking(let link, _, _), .open(let link, _): state.retired.append(link)
    case .closed: break
    }
  }

  private func fail(_ state: inout State, _ error: MediaError, isFinal: Bool? = nil) {
    if case .connecting(let link) = state.phase, !state.addresses.isEmpty, error.status != .untrusted {
      state.retired.append(link)
      return connect(&state)
    }
    fail(&state, SignallingFailure(error, isFinal: isFinal ?? [.untrusted, .unsupported].contains(error.status)))
  }

  private func fail(_ state: inout State, _ failure: SignallingFailure) {
    drop(&state)
    state.phase = .closed
    state.events.append(.failed(failure))
  }

  private func follow(_ link: TCPLink, by place: TCPLink.Place, _ event: TCPLink.Event) {
    change { state, now in
      switch (state.phase, event) {
      case (.connecting(let mine), .opened) where mine === link: shake(&state, link, now)
      case (.connecting(let mine), .failed(let error)) where mine === link:
        fail(&state, MediaError(error.status, "cannot connect to \(endpoint) \(place): \(error.text)"))
      case (.shaking(let mine, let http, _), .bytes(let bytes)) where mine === link:
        http.receive(bytes, now: now)
        take(&state, now)
      case (.open(let mine, let machine), .bytes(let bytes)) where mine === link:
        machine.receive(bytes, now: now)
        flush(&state)
        take(&state, now)
      case (.shaking(let mine, _, _), .ended), (.shaking(let mine, _, _), .failed), (.open(let mine, _), .ended),
        (.open(let mine, _), .failed):
        if mine === link { fail(&state, ended) }
      default: return
      }
    }
  }

  private func shake(_ state: inout State, _ link: TCPLink, _ now: Int64) {
    var random = NetworkRandom(network: network)
    let handshake = WebSocketHandshake(
      host: endpoint.hostField, target: settings.target ?? endpoint.target, subprotocols: settings.subprotocol.map { [$0] } ?? [],
      fields: settings.fields, random: &random)
    var limits = HTTPLimits.client
    limits.headTime = settings.patience
    let http = HTTPClientConnection(limits: limits)
    do throws(MediaError) {
      try http.send(handshake.request, now: now)
    } catch {
      return fail(&state, error)
    }
    var bytes: [UInt8] = []
    http.takeOutput(&bytes)
    _ = bytes.withUnsafeBytes { link.send($0) }
    state.phase = .shaking(link, http, handshake)
  }

  /// What came of bytes, or of time.
  private func take(_ state: inout State, _ now: Int64) {
    if case .shaking(let link, let http, let handshake) = state.phase {
      guard let event = http.takeEvent() else { return }
      switch event {
      case .upgraded(let response, let rest): open(&state, link, handshake, response, rest, now)
      case .response(let response): open(&state, link, handshake, response, [], now)
      case .failed(let error, _): fail(&state, MediaError(error.status, "\(endpoint): \(error.text)"))
      case .closed: fail(&state, ended)
      }
    }
    while case .open(_, let machine) = state.phase, let event = machine.takeEvent() {
      switch event {
      case .text(let text): state.events.append(.message(Array(text.utf8)))
      case .binary(let bytes): state.events.append(.message(bytes))
      case .closed(let close):
        fail(&state, close.error ?? MediaError(.closed, "\(ended.text) (\(close.code))"), isFinal: false)
      }
    }
  }

  private var ended: MediaError { MediaError(.closed, "\(settings.name): \(endpoint) closed the connection") }

  private func open(
    _ state: inout State, _ link: TCPLink, _ handshake: WebSocketHandshake, _ response: HTTPResponse, _ rest: [UInt8], _ now: Int64
  ) {
    do throws(MediaError) {
      guard try handshake.accept(response) == settings.subprotocol else { return fail(&state, settings.refusal(response)) }
    } catch {
      return fail(&state, settings.refusal(response))
    }
    var limits = WebSocketLimits()
    limits.message = settings.longest
    let machine = WebSocketMachine(.client, limits: limits, random: NetworkRandom(network: network), now: now)
    state.phase = .open(link, machine)
    for message in state.waiting { write(message, machine, &state) }
    state.waiting = []
    rest.withUnsafeBytes { machine.receive($0, now: now) }
    flush(&state)
  }

  private func write(_ message: WebSocketLinkMessage, _ machine: WebSocketMachine, _ state: inout State) {
    do throws(MediaError) {
      switch message {
      case .text(let text): try machine.send(text: text)
      case .binary(let bytes): try machine.send(binary: bytes)
      }
    } catch {
      return fail(&state, error)
    }
    flush(&state)
  }

  private func flush(_ state: inout State) {
    guard case .open(let link, let machine) = state.phase else { return }
    var bytes: [UInt8] = []
    machine.takeOutput(&bytes)
    // That it is broken is found by waiting. Without room the message is lost, and its answer would be waited for.
    guard !bytes.isEmpty, !bytes.withUnsafeBytes({ link.send($0) }), link.isOpen else { return }
    fail(&state, MediaError(.io, "\(settings.name): \(endpoint) takes no more: over \(TCPLink.mostWaiting) bytes would wait to be sent"))
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    let (next, isNews): (Int64, Bool) = state.withLock { state in
      let now = thread.clock.now()
      switch state.phase {
      case .resolving(let lookup, let end): return (end, lookup.answer != nil || now >= end)
      case .shaking(_, let http, _):
        let next = http.poll(now: now)
        return (next ?? .max, next == nil)
      case .open(_, let machine):
        let next = machine.poll(now: now)
        flush(&state)
        return (next ?? .max, machine.isClosed || !state.events.isEmpty)
      case .connecting, .closed: return (.max, false)
      }
    }
    guard isNews else { return next }
    change { state, now in
      guard case .resolving(let lookup, let end) = state.phase else { return take(&state, now) }
      switch lookup.answer {
      case .success(let addresses):
        state.addresses = Array(addresses.prefix(HTTPRequester.mostAddresses))
        connect(&state)
      case .failure(let error): fail(&state, MediaError(error.status, "\(endpoint): \(error.text)"))
      case nil where now >= end: fail(&state, MediaError(.timeout, "\(endpoint): its name was not resolved within 5 s"))
      case nil: return
      }
    }
    return .min
  }
}
