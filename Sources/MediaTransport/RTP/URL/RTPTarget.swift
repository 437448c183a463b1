import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP

extension TransportFactory {
  /// RTP between two ends, by url or by descriptions, without a room and without a server.
  public static let rtp = TransportFactory(scheme: "rtp", form: "rtp://HOST:PORT", features: [.network, .descriptions]) {
    url, argument throws(MediaError) in try RTPTarget(url, argument: argument)
  }
}

/// What a session of the scheme `rtp:` knows of its other end before it connects: a URL with its keys, or descriptions. It keeps its sockets, so
/// that a session that connects again has the ports that were told.
public final class RTPTarget: TransportTarget {
  /// What a remote description is: MSDK_SDP_* of rtp.h.
  public enum DescriptionType: UInt32, Sendable {
    case offer = 1
    case answer = 2
    case announced = 3
  }

  struct State {
    var keys: RTPURL.Keys?
    /// By the address that they are bound to.
    var sockets: [RTPSockets] = []
    var configuration: RTPConfiguration?
    /// What the host's name was found to stand for when the sockets were bound.
    var resolved: SocketAddress?
    /// No port is bound any more.
    var isClosed = false
    /// This end as it offered itself, until it is answered.
    var offered: RTPDescription.Local?
    /// As it was told; asked for again it is the same.
    var local: String?
    /// Whether somebody connected with this configuration.
    var isUsed = false
    let protections = RTPProtections()
  }

  let url: String
  /// nil: all stands in the URL.
  let described: DescribedEnd?
  private let profile: SRTPProfile?
  /// nil: the URL has an address, or none.
  private let question: NameResolver.Question?
  let cname: String
  let network: any Network
  let state = Monitor(State())

  init(_ url: String, argument: String, network: any Network = SystemNetwork.shared) throws(MediaError) {
    (self.url, self.network) = (url, network)
    // RFC 7022, section 5: nobody is known by it.
    cname = (0..<3).map { _ in String(UInt32.random(in: 0...(.max)), radix: 36) }.joined()
    let parsed = try RTPURLParts.parse(url, argument)
    guard parsed.authority != nil else {
      described = try DescribedEnd(RTPURLParts(described: parsed), cname: cname)
      (profile, question) = (nil, nil)
      return
    }
    described = nil
    let parts = try RTPURLParts(parsed)
    (profile, question) = (parts.query["srtp"].flatMap { SRTPProfile(rawValue: String($0)) }, parts.question)
    // With keys of the right size, all that can be wrong is wrong now.
    let zeros = profile.map { [UInt8](repeating: 0, count: $0.keySize + $0.saltSize) }
    _ = try RTPURL.configuration(url, cname: cname, keys: zeros.map { ($0, $0) }, argument: argument)
  }

  /// Master key and salt of each direction, for a url with `srtp`; the next connection uses them. `.state` for any other url, and an
  /// error that names the argument for a key of the wrong size.
  public func setKeys(own: [UInt8], theirs: [UInt8]) throws(MediaError) {
    guard let profile else { throw MediaError(.state, "the session's url is not rtp:// with srtp, so it takes no keys") }
    for (name, key) in [("own", own), ("theirs", theirs)] {
      do throws(MediaError) {
        _ = try SRTPKey(key, profile)
      } catch {
        throw MediaError(error.status, "\(name): \(error.text)")
      }
    }
    state.withLock { state in
      state.keys = (own, theirs)
      (state.configuration, state.local) = (nil, nil)
    }
  }

  /// On the ports of earlier connections. `.state` while the keys or the peer's description are missing; else the error of binding a port.
  public func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    try makeTransport(on: try context.thread(), loop: context.loop, capture: context.capture)
  }

  func makeTransport(
    on thread: any DriverLoop, loop: EventLoop, names: (any NameSource)? = nil,
    capture: () throws(MediaError) -> PacketCapture? = { () throws(MediaError) in nil }
  ) throws(MediaError) -> RTPTransport {
    if let question {
      let (provisional, protections) = try state.withLock { state throws(MediaError) in (try read(state), state.protections) }
      let host = RTPNamedHost(question: question, names: names ?? network.names) { address throws(MediaError) in
        try self.settle(at: address)
      }
      return RTPTransport(
        provisional, named: host, protections: protections, capture: try capture(), thread: thread, network: network,
        loop: loop)
    }
    return try state.withLock { state throws(MediaError) in
      var configuration = try configure(&state)
      let capture = try capture()
      if state.isUsed { configuration.renewSources() }
      state.isUsed = true
      return RTPTransport(
        configuration, sockets: RTPTarget.sockets(of: configuration, in: state), protections: state.protections, capture: capture,
        thread: thread, network: network, loop: loop)
    }
  }

  /// Frees the ports. For whoever has disconnected, and will not connect again.
  public func close() {
    let sockets = state.withLock { state in
      defer { (state.sockets, state.isClosed) = ([], true) }
      return state.sockets
    }
    for pair in sockets { pair.close() }
  }

  /// This end's description: an offer, the answer to one, or by a URL what a receiver has to know.
  public func localDescription() throws(MediaError) -> String {
    try state.withLock { state throws(MediaError) in
      if let local = state.local { return local }
      if described != nil { return try offer(&state) }
      let configuration = try configure(&state)
      let host = configuration.legs.first?.remote.flatMap { network.localAddress(toward: $0) }?.host ?? "127.0.0.1"
      let text = try RTPDescription.text(of: configuration, from: host, id: RTPTarget.sessionID)
      state.local = text
      return text
    }
  }

  static var sessionID: UInt64 { UInt64.random(in: 1...(.max >> 1)) }

  /// Decides and binds what is not yet.
  private func configure(_ state: inout State) throws(MediaError) -> RTPConfiguration {
    if let configuration = state.configuration { return configuration }
    guard described == nil else {
      throw MediaError(
        .state,
        "the session's url is rtp: without an address, and there is no description of the peer; set it with msdk_session_set_remote_sdp")
    }
    if let question {
      throw MediaError(
        .state,
        "the session's url has the host name \"\(question.name)\", which is not resolved yet; accepted when the session is connected")
    }
    let configuration = try read(state)
    if state.sockets.isEmpty { state.sockets = try RTPTarget.bind(configuration, network) }
    state.configuration = configuration
    return configuration
  }

  private func read(_ state: State, at resolved: SocketAddress? = nil) throws(MediaError) -> RTPConfiguration {
    guard profile == nil || state.keys != nil else {
      throw MediaError(
        .state, "the session's url has srtp, but there are no keys; set them with msdk_session_set_srtp_keys before it connects")
    }
    return try RTPURL.configuration(url, cname: cname, keys: state.keys, argument: "options.url", at: resolved)
  }

  /// Decides and binds when the host's name is known to stand for that address. What is bound stays, if it can.
  private func settle(at address: SocketAddress) throws(MediaError) -> (RTPConfiguration, [RTPSockets]) {
    try state.withLock { state throws(MediaError) in
      guard !state.isClosed else { throw MediaError(.closed, "the session is destroyed") }
      var configuration = try read(state, at: address)
      let former = state.resolved
      if former != address { state.local = nil }
      let canStay = former == address || former.map { $0.isIPv6 == address.isIPv6 && !$0.isMulticast && !address.isMulticast } == true
      if !canStay || state.sockets.isEmpty {
        for pair in state.sockets { pair.close() }
        (state.sockets, state.resolved) = ([], nil)
        state.sockets = try RTPTarget.bind(configuration, network)
      }
      (state.configuration, state.resolved) = (configuration, address)
      if state.isUsed { configuration.renewSources() }
      state.isUsed = true
      return (configuration, state.sockets)
    }
  }

  static func bind(_ configuration: RTPConfiguration, _ network: any Network) throws(MediaError) -> [RTPSockets] {
    var sockets: [RTPSockets] = []
    for leg in configuration.legs { sockets.append(try RTPSockets(leg, on: network)) }
    return sockets
  }

  /// In the order of the legs; those that the other end refused are left out.
  private static func sockets(of configuration: RTPConfiguration, in state: State) -> [RTPSockets] {
    guard configuration.legs.count < state.sockets.count else { return state.sockets }
    return configuration.legs.compactMap { leg in state.sockets.first { $0.localAddress?.port == leg.local.port } }
  }
}

extension RTPConfiguration {
  /// Other sources than were described. A key may protect a packet's number once in a source's life (RFC 3711, section 9.1), and numbers begin anew
  /// with each connection; the other end would take them for packets of before.
  mutating func renewSources() {
    for leg in legs.indices {
      for medium in legs[leg].media.indices { (legs[leg].media[medium].ssrc, legs[leg].media[medium].retransmissionSSRC) = (nil, nil) }
    }
  }
}
