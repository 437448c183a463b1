import Glibc
import MediaCore
import MediaRuntime

/// Looks names of hosts up. That blocks for as long as name servers are silent, so it has threads of its own, a few in the process; each ends when
/// nothing is left to look up.
public final class NameResolver: NameSource {
  /// What is looked up.
  public struct Question: Sendable, Hashable {
    /// The name as it is looked up, in lower case.
    public let name: HostName
    /// Of the addresses in the answer; it plays no part in the look-up.
    public let port: UInt16
    /// For TCP, else for UDP.
    public let isStream: Bool
    /// nil: addresses of the families that this machine has.
    public let isIPv6: Bool?

    /// Checks nothing; the name was checked when it was made.
    public init(_ name: HostName, port: UInt16, isStream: Bool, isIPv6: Bool?) {
      (self.name, self.port, self.isStream, self.isIPv6) = (name, port, isStream, isIPv6)
    }
  }

  /// Addresses in the order in which they are to be tried. An error is `.notFound` for a name without such an address, else what failed.
  public typealias Answer = Result<[SocketAddress], MediaError>
  /// Blocks until it knows.
  public typealias Source = @Sendable (Question) -> Answer

  private struct State {
    var queue: [NameLookup] = []
    var threads = 0
  }

  /// The one of the process, of the system's resolver.
  static let shared = NameResolver()
  /// Threads of one resolver, unless another number is given.
  public static let mostThreads = 8
  private let most: Int
  private let source: Source
  private let state = Monitor(State())

  /// At most `most` threads look up at a time; further questions wait. `source` runs on them.
  public init(most: Int = mostThreads, source: @escaping Source = NameResolver.system) {
    (self.most, self.source) = (most, source)
  }

  /// Queues the question. Where no thread runs and none can be made, the answer is `.noMemory`, and `then` is called before this returns.
  public func look(up question: Question, then: @escaping @Sendable () -> Void) -> NameLookup {
    let lookup = NameLookup(question, then) { [self] in forget($0) }
    let hasThread = state.withLock { state in
      state.queue.append(lookup)
      // Nobody waits for its end: it may be blocked for longer than that.
      if state.threads < most, SystemThread.start("msdk-names", { [self] in run() }) { state.threads += 1 }
      return state.threads > 0
    }
    if !hasThread {
      forget(lookup)
      lookup.finish(.failure(MediaError(.noMemory, "no thread can be made to resolve the host name \"\(question.name)\"")))
    }
    return lookup
  }

  func forget(_ lookup: NameLookup) {
    state.withLock { state in state.queue.removeAll { $0 === lookup } }
  }

  // MARK: The threads

  private func run() {
    while let lookup = next() { lookup.finish(source(lookup.question)) }
  }

  private func next() -> NameLookup? {
    state.withLock { state in
      guard state.queue.isEmpty else { return state.queue.removeFirst() }
      state.threads -= 1
      return nil
    }
  }
}

/// A name that is being looked up, or was.
public final class NameLookup: Sendable {
  private struct State {
    var answer: NameResolver.Answer?
    /// nil: it was called, or nobody waits any more.
    var then: (@Sendable () -> Void)?
  }

  /// What `look` was called with.
  public let question: NameResolver.Question
  private let forget: @Sendable (NameLookup) -> Void
  private let state: Monitor<State>

  /// Of a source, which calls `finish`; `forget`: nobody waits for it any more.
  public init(
    _ question: NameResolver.Question, _ then: @escaping @Sendable () -> Void, forget: @escaping @Sendable (NameLookup) -> Void
  ) {
    (self.question, self.forget) = (question, forget)
    state = Monitor(State(then: then))
  }

  /// nil: not yet, or not any more.
  public var answer: NameResolver.Answer? { state.withLock { $0.answer } }

  /// Nobody waits for it any more: whatever is found is forgotten.
  public func cancel() {
    forget(self)
    let then = state.withLock { state in
      defer { state.answer = nil }
      return state.then.take()
    }
    // What it holds may end here, where nothing is locked.
    _ = then
  }

  /// Waited for long enough: this is the answer, unless there is another one already.
  public func fail(_ error: MediaError) {
    forget(self)
    finish(.failure(error))
  }

  /// The first answer counts.
  public func finish(_ answer: NameResolver.Answer) {
    let then: (@Sendable () -> Void)? = state.withLock { state in
      guard let then = state.then.take() else { return nil }
      state.answer = answer
      return then
    }
    then?()
  }
}
