import MediaCore
import MediaRTP
import MediaRuntime
import MediaSignalling

/// Looks once a second at how well clients of LiveKit's protocol are connected, as long as there are some, and tells all of them what has changed, in
/// one message. On the server's event loop.
final class LiveKitQualityWatch: Sendable {
  private struct State {
    var isRunning = false
    /// By identity.
    var known: [String: LiveKitConnectionQuality] = [:]
    /// Members who have been told what was known when they came.
    var informed: Set<ObjectIdentifier> = []
  }

  private let registry: LiveKitRegistry
  private let loop: EventLoop
  private let state = Monitor(State())

  init(_ registry: LiveKitRegistry, loop: EventLoop) { (self.registry, self.loop) = (registry, loop) }

  /// By identity, as it was last.
  var known: [String: LiveKitConnectionQuality] { state.withLock { $0.known } }

  /// Somebody has come.
  func begin() {
    let isRunning = state.withLock { state in
      defer { state.isRunning = true }
      return state.isRunning
    }
    if !isRunning { rest() }
  }

  private func rest() {
    loop.schedule(at: loop.clock.now() &+ NetworkQuality.interval) { [weak self] in self?.look() }
  }

  private func look() {
    let (now, members) = (loop.clock.now(), registry.members)
    var found: [String: LiveKitConnectionQuality] = [:]
    for one in members { found[one.member.userID] = one.sampleQuality(now: now) }
    let (changed, newcomers): ([String: LiveKitConnectionQuality], Set<ObjectIdentifier>) = state.withLock { state in
      let (former, all) = (state, Set(members.map { ObjectIdentifier($0) }))
      state = State(isRunning: !members.isEmpty, known: found, informed: all)
      return (found.filter { former.known[$0.key] != $0.value }, all.subtracting(former.informed))
    }
    for one in members {
      let news = newcomers.contains(ObjectIdentifier(one)) ? found : changed
      if !news.isEmpty { one.change { $0.setQualities(news) } }
    }
    if !members.isEmpty { rest() }
  }
}
