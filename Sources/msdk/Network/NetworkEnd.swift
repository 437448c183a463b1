import Glibc
import MediaCore
import MediaSDK
import MediaTransport

/// A session with another end over a network, as the command line has it.
struct NetworkEnd {
  let session: Session
  private let options: NetworkOptions
  private let signals: StopSignals

  private static let tick = 20
  private static let largestDescription = 65_536

  /// Told all it has to be told, and connected. `prepare` starts what is sent: a server of WHIP is reached with that, and not before.
  init(
    _ options: NetworkOptions, _ engine: Engine, _ signals: StopSignals, prepare: (Session) throws(MediaError) -> Void = { _ in }
  ) throws(MediaError) {
    (self.options, self.signals) = (options, signals)
    var settings = SessionOptions(url: options.url, userID: options.user ?? (options.isOfRoom ? NetworkEnd.ownName : "msdk"))
    settings.capture = options.pcap.map { ($0, options.pcapPlain) }
    session = try NetworkEnd.session(settings, token: options.token, keys: options.keys, in: engine)
    if let path = options.sdp, let type = options.sdpType, type != .answer {
      try session.setRemoteDescription(type.kind, NetworkEnd.read(path))
    }
    // It may hold keys.
    if let path = options.sdpOut { try FileWriter.write(session.localDescription(), to: path, isSecret: true) }
    if let path = options.sdp, options.sdpType == .answer { try takeAnswer(path) }
    try prepare(session)
    try NetworkEnd.connect(session, hasServer: options.hasServer, isServed: options.isServed, until: signals)
  }

  /// With the token and the keys of these files.
  static func session(_ options: SessionOptions, token: String?, keys: String?, in engine: Engine) throws(MediaError) -> Session {
    var options = options
    if let token { options.accessToken = try TokenFile.one(reading: token) }
    let session = try engine.makeSession(options)
    if let keys {
      let keys = try KeyFile(reading: keys)
      try session.setSRTPKeys(own: keys.own, theirs: keys.theirs)
    }
    return session
  }

  /// Returns when it is connected.
  static func connect(_ session: Session, hasServer: Bool, isServed: Bool, until signals: StopSignals) throws(MediaError) {
    try session.connect()
    // A room that is not served there says so by itself.
    do throws(MediaError) {
      // The session tries for up to 30 s, and then says why it could not.
      try Call.wait(session, hasServer ? 7 * Call.patience : Call.patience, for: "the connection", until: signals) { event in
        if case .state(.connected, _) = event { return () }
        return nil
      }
    } catch {
      guard isServed, [.io, .timeout, .notFound].contains(error.status) else { throw error }
      throw MediaError(
        error.status, NextStep.trying("msdk serve on that machine, which prints its urls, and msdk doctor there", after: error.text))
    }
  }

  static var ownName: String {
    let machine: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
      guard let text = name.baseAddress, gethostname(text, 255) == 0 else { return nil }
      text[255] = 0
      return String(cString: text)
    }
    return "\(machine ?? "msdk")-\(getpid())"
  }

  private static func read(_ path: String) throws(MediaError) -> String {
    String(decoding: try FileReader.bytes(of: path, most: largestDescription), as: UTF8.self)
  }

  /// Whoever writes it may not have begun, or not be done.
  private func takeAnswer(_ path: String) throws(MediaError) {
    var failure = MediaError(.timeout, "\(path): there was no answer")
    var patience = MediaTime.monotonic() + 2_000_000_000
    let isThere = try wait(for: "the answer") { () throws(MediaError) in
      do throws(MediaError) {
        try session.setRemoteDescription(.answer, NetworkEnd.read(path))
        return true
      } catch {
        failure = error
        if error.status == .notFound { patience = MediaTime.monotonic() + 2_000_000_000 }
        guard MediaTime.monotonic() < patience else { throw error }
        return false
      }
    }
    if !isThere { throw failure }
  }

  /// Until that holds, at most for --timeout; says whether it holds. When the user has had enough, this throws, or says so if `what` is nil.
  func wait(for what: String? = nil, _ isDone: () throws(MediaError) -> Bool) throws(MediaError) -> Bool {
    let deadline = MediaTime.monotonic() + Int64(options.timeout * 1e9)
    while try !isDone() {
      if MediaTime.monotonic() >= deadline { return try isDone() }
      guard signals.wait(milliseconds: NetworkEnd.tick) else { continue }
      if try isDone() { return true }
      guard let what else { return false }
      throw StopSignals.error(of: "waiting for \(what)")
    }
    return true
  }

  /// What has happened since it was last asked.
  func events() -> [SessionEvent] { session.waitingEvents }

  /// Why what came was not taken, in words; empty when nothing came at all.
  var refusals: String {
    let stats = session.stats.transport
    let counts = [
      (stats.packetsForged, "not authentic: with another key, or with none"), (stats.packetsForeign, "from another host"),
      (stats.packetsRefused, "of a payload type that was not negotiated")
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) packets were \($0.1)" }
    return words.isEmpty ? "" : "; \(words.joined(separator: ", "))"
  }

  /// Of the way, as the transport counts.
  func addFigures(to figures: inout Figures) {
    let stats = session.stats
    figures.add("packets sent", stats.transport.packetsSent)
    figures.add("packets received", stats.transport.packetsReceived)
    figures.add("packets lost", stats.transport.packetsLost)
    figures.add("packets foreign", stats.transport.packetsForeign)
    figures.add("packets refused", stats.transport.packetsRefused)
    figures.add("packets forged", stats.transport.packetsForged)
    figures.add("packets replayed", stats.transport.packetsReplayed)
    figures.add("packets unsent", stats.transport.packetsUnsent)
    figures.add("round trip", stats.transport.roundTripTime == 0 ? nil : Double(stats.transport.roundTripTime) / 1e6, digits: 1, "ms")
    let estimate = stats.availableOutgoingBitrate
    figures.add("estimate", estimate == 0 ? nil : Double(estimate) / 1000, digits: 0, "kbit/s")
  }
}
