import MediaCore
import MediaRTP
import MediaRuntime
import MediaTransport

/// Looks at a session's network once a second, from its connecting to its leaving, or until there is no network any more and that is told. It keeps
/// the session no longer than that.
final class QualityWatch: Sendable {
  private struct State {
    var session: Session?
    var quality: NetworkQuality
  }

  private let state: Monitor<State>
  let transport: any Transport
  private let loop: EventLoop

  init(_ session: Session, _ transport: any Transport, since figures: NetworkFigures) {
    (self.transport, loop) = (transport, session.engine.loop)
    state = Monitor(State(session: session, quality: NetworkQuality(since: figures)))
  }

  var grades: (outgoing: NetworkQuality.Grade, incoming: NetworkQuality.Grade) {
    state.withLock { ($0.quality.outgoing, $0.quality.incoming) }
  }

  func begin() {
    loop.schedule(at: loop.clock.now() &+ NetworkQuality.interval) { self.look() }
  }

  func end() {
    let session = state.withLock { $0.session.take() }
    // It may end here, where nothing is locked.
    _ = session
  }

  private func look() {
    guard let session = state.withLock({ $0.session }) else { return }
    let network = transport.networkFigures
    var figures = network ?? NetworkFigures()
    (figures.estimate, figures.wanted) = session.demand
    let changes = state.withLock { $0.quality.sample(figures, now: loop.clock.now()) }
    for change in changes where state.withLock({ $0.session != nil }) {
      session.push(.networkQuality(change.direction, change.grade, estimate: figures.estimate))
    }
    if network == nil, grades == (.unknown, .unknown) { session.endQuality() } else { begin() }
  }
}

extension Session {
  /// What can be sent, and what would be if that had no limit: bits a second, 0 where it is not known.
  var demand: (estimate: UInt64, wanted: UInt64) {
    let (estimate, videos, audios) = guarded.withLock { ($0.estimate, Array($0.outgoing.values), Array($0.sound.outgoing.values)) }
    let wanted = videos.reduce(0 as UInt64) { $0 &+ $1.wantedBitrate } &+ audios.reduce(0 as UInt64) { $0 &+ $1.wantedBitrate }
    return (estimate, wanted)
  }

  /// Of a transport that leads to a network.
  func watchQuality(of transport: any Transport) {
    guard let figures = transport.networkFigures else { return }
    let watch = QualityWatch(self, transport, since: figures)
    let (isNew, former): (Bool, QualityWatch?) = guarded.withLock { guarded in
      guard guarded.transport === transport, guarded.quality?.transport !== transport else { return (false, nil) }
      defer { guarded.quality = watch }
      return (true, guarded.quality)
    }
    former?.end()
    if isNew { watch.begin() } else { watch.end() }
  }

  func endQuality() {
    guarded.withLock { $0.quality.take() }?.end()
  }
}

extension OutgoingVideo {
  /// For the best of its formats that is wanted; 0 without an encoder, as what is pushed in encoded is not known.
  fileprivate var wantedBitrate: UInt64 {
    return guarded.withLock { guarded in
      guard guarded.life.state == .started, guarded.encoding != nil else { return 0 }
      let wanted = guarded.negotiation.negotiator.wanted
      let formats = options.formats.isEmpty ? [guarded.senders.current?.format].compactMap { $0 } : wanted.allowed(of: options.formats)
      return formats.reduce(0) { max($0, guarded.negotiation.plan(for: $1, estimate: 0, hasBest: false).total) }
    }
  }
}

extension OutgoingAudio {
  fileprivate var wantedBitrate: UInt64 { guarded.withLock { $0.encoding != nil ? UInt64(clamping: $0.encoderSettings.bitrate) : 0 } }
}
