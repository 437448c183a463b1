import Glibc
import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTransport

/// Machines and the networks between them, in memory: datagrams, connections and names between emulated addresses, with delay, jitter, loss, rate
/// and queue. Under a virtual clock all of it happens on the thread that advances the clock, and the same seed gives the same run.
public final class EmulatedNetwork: Sendable {
  /// `at` has no meaning here.
  public typealias Conditions = NetworkScript.Step

  /// Of all that happens here; a `VirtualClock` for runs that can be repeated.
  public let clock: any MediaClock
  let state: Monitor<EmulatedState>
  private let worker = Monitor<(any Worker)?>(nil)

  /// Without machines. Links change nothing until conditions are set.
  public init(clock: any MediaClock, seed: UInt64 = 1) {
    self.clock = clock
    state = Monitor(EmulatedState(seed: seed))
    let worker = clock.makeWorker("emulation") { [weak self] in self?.run() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  deinit {
    worker.withLock { $0 }?.stop()
  }

  // MARK: Machines

  /// A machine with these addresses, of which the first of a family is the one that it sends from; ports of them mean nothing.
  public func addHost(_ addresses: [SocketAddress]) throws(MediaError) -> EmulatedHost {
    EmulatedHost(self, try state.withLock { state throws(MediaError) in try state.addHost(addresses) })
  }

  /// By digits, such as "10.0.0.1".
  public func addHost(_ addresses: String...) throws(MediaError) -> EmulatedHost {
    var parsed: [SocketAddress] = []
    for text in addresses {
      guard let address = SocketAddress(text, port: 0) else { throw MediaError(.invalid, "\"\(text)\" is not an address") }
      parsed.append(address)
    }
    return try addHost(parsed)
  }

  /// Of the path from one machine to another, beside those of each machine's own link.
  public func setConditions(_ conditions: Conditions, from source: EmulatedHost, to destination: EmulatedHost) {
    state.withLock { state in
      let pair = EmulatedState.Pair(source: source.id, destination: destination.id)
      if state.between[pair] == nil { state.between[pair] = EmulatedLink(seed: state.seed, "\(source.id)>\(destination.id)") }
      state.between[pair]?.conditions = conditions
    }
  }

  /// Answers for name servers from now on; nil: they are silent. Before that no name exists.
  public func setNames(_ answer: @escaping @Sendable (NameResolver.Question) -> NameResolver.Answer?) {
    state.withLock { $0.answersName = answer }
  }

  // MARK: Counters

  /// Datagrams that did not arrive: lost, too many for a queue, or sent to where nobody is.
  public var lostDatagrams: Int { state.withLock { $0.lostDatagrams } }
  /// Datagrams that came to a socket, whether or not they were received there.
  var deliveredDatagrams: Int { state.withLock { $0.deliveredDatagrams } }
  /// Calls of drivers that wanted to be called again and again without any time between: a machine's processor would never rest.
  public var busyCalls: Int { state.withLock { $0.busyCalls } }

  // MARK: What happens

  /// Changes something and has it go on.
  func change<Result>(_ body: (inout EmulatedState, _ now: Int64) throws(MediaError) -> Result) throws(MediaError) -> Result {
    let (result, isAsleep): (Result, Bool) = try state.withLock { state throws(MediaError) in
      let former = state.happenings.earliest ?? .max
      let result = try body(&state, clock.now())
      return (result, !state.isStepping && (state.happenings.earliest ?? .max) < former)
    }
    if isAsleep { worker.withLock { $0 }?.poke() }
    return result
  }

  /// The same for what cannot fail.
  func note<Result>(_ body: (inout EmulatedState, _ now: Int64) -> Result) -> Result {
    let (result, isAsleep): (Result, Bool) = state.withLock { state in
      let former = state.happenings.earliest ?? .max
      let result = body(&state, clock.now())
      return (result, !state.isStepping && (state.happenings.earliest ?? .max) < former)
    }
    if isAsleep { worker.withLock { $0 }?.poke() }
    return result
  }

  /// A step of the worker's: all that is due.
  private func run() -> Int64 {
    state.withLock { state in (state.isStepping, state.thread) = (true, pthread_self()) }
    while true {
      let now = clock.now()
      let outcome: EmulatedState.Outcome = state.withLock { state in
        let outcome = state.step(at: now)
        if case .rests = outcome { (state.isStepping, state.thread) = (false, nil) }
        return outcome
      }
      switch outcome {
      case .rests(let next): return next
      case .calls(let body): body()
      case .drives(let tag, let isReadable):
        guard let next = drive(tag, isReadable) else { continue }
        state.withLock { $0.finish(tag, next: next, at: clock.now()) }
        state.notify()
      }
    }
  }

  /// Whoever waits for its end is to find its sockets closed: no reference stays here.
  private func drive(_ tag: UInt64, _ isReadable: Bool) -> Int64? {
    state.withLock { $0.entries[tag]?.driver }?.drive(isReadable: isReadable)
  }

  /// Until none of those is being called, unless that is who calls this.
  func waitForEnd(of tags: Set<UInt64>) {
    let isInside = state.withLock { state in state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    guard !isInside, !ForeignCode.isRunning else { return }
    state.wait(until: .max) { state in state.running.map(tags.contains) == true ? nil : () }
  }
}
