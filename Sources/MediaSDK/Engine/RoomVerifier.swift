import CMediaSDK
import MediaCore
import MediaRuntime
import MediaTransport

/// Puts those who want to enter a room before the program: before its function, one after the other on a worker of their own, or in a queue
/// that it pulls from.
public final class RoomVerifier: AccessVerifier {
  /// `.again` leaves the answer to `answer`.
  public typealias Function = @Sendable (AccessRequest) -> AccessRequest.Answer

  fileprivate struct State {
    var waiting: [AccessRequest] = []
    /// Whether any wait.
    let flag: ReadableFlag
    /// The program knows of these, and has not answered.
    var taken: [UInt64: AccessRequest] = [:]
    /// The program's function is running.
    var isAsking = false
    var isClosed = false
    var worker: (any Worker)?
  }

  private let function: Function?
  private let logger: Logger
  private let gate = CallbackGate()
  private let state = Monitor(State(flag: ReadableFlag()))

  /// Without a function requests are pulled.
  init(_ function: Function?, clock: any MediaClock, logger: Logger) {
    self.function = function
    self.logger = logger
    guard function != nil else { return }
    let worker = clock.makeWorker("msdk-verify") { [weak self] in self?.askProgram() ?? .max }
    state.withLock { $0.worker = worker }
  }

  var isPulled: Bool { function == nil }
  /// Whether the program's function has not returned yet, be it that it was the one that closed this.
  var isAsking: Bool { state.withLock { $0.isAsking } }

  // MARK: From the room

  /// From the room, on any thread: queues the request for the function or for the program that pulls.
  public func verify(_ request: AccessRequest) {
    let worker: (any Worker)? = state.withLock { state in
      guard !state.isClosed, request.isWanted else { return nil }
      state.waiting.append(request)
      state.flag.set(true)
      return state.worker
    }
    state.notify()
    worker?.poke()
  }

  /// From the room: nobody waits for the answer any more.
  public func cancel(_ request: AccessRequest) {
    state.withLock { state in
      state.waiting.removeAll { $0 === request }
      state.flag.set(!state.waiting.isEmpty || state.isClosed)
      state.taken[request.id] = nil
    }
  }

  /// From inside the program's function it does not wait for that; called again from outside it does.
  public func close() {
    let (worker, left): ((any Worker)?, State) = state.withLock { state in
      let left = state
      state = State(flag: left.flag, isAsking: left.isAsking, isClosed: true)
      state.flag.set(true)
      return (left.worker, left)
    }
    _ = left  // Released here, outside the lock: what they hold may end with them.
    state.notify()
    gate.close()
    worker?.stop()
  }

  // MARK: The program's function

  private func askProgram() -> Int64 {
    guard let function else { return .max }
    while let request = state.withLock({ $0.begin() }) {
      var answer: AccessRequest.Answer = .failure(MediaError(.again, ""))
      gate.run { answer = function(request) }
      state.withLock { $0.isAsking = false }
      if case .failure(let error) = answer, error.status == .again { continue }
      finish(request, answer)
    }
    return .max
  }

  // MARK: Pulled

  func next(deadline: Int64) throws(MediaError) -> AccessRequest {
    let found: Result<AccessRequest, MediaError>? = state.wait(until: deadline) { state in
      if state.isClosed { return .failure(MediaError(.closed, "the options of the room were set again")) }
      return state.take().map { .success($0) }
    }
    guard let found else { throw MediaError(.timeout, "no request to join arrived in time") }
    return try found.get()
  }

  func descriptor() throws(MediaError) -> Int32 {
    try state.withLock { state throws(MediaError) in try state.flag.get() }
  }

  /// Whether somebody waited for this.
  func answer(_ id: UInt64, _ result: (AccessRequest) -> AccessRequest.Answer) -> Bool {
    guard let request = state.withLock({ $0.taken[id] }) else { return false }
    return finish(request, result(request))
  }

  @discardableResult
  private func finish(_ request: AccessRequest, _ answer: AccessRequest.Answer) -> Bool {
    guard state.withLock({ $0.taken.removeValue(forKey: request.id) }) != nil else { return false }
    // A member may ask as often as they like.
    if case .failure(let error) = answer, !request.isRenewal { logger.log(MSDK_LOG_INFO.level32, .room, error.text) }
    request.answer(answer)
    return true
  }
}

extension RoomVerifier.State {
  fileprivate mutating func begin() -> AccessRequest? {
    let request = take()
    isAsking = request != nil
    return request
  }

  fileprivate mutating func take() -> AccessRequest? {
    guard !waiting.isEmpty else { return nil }
    let request = waiting.removeFirst()
    flag.set(!waiting.isEmpty)
    taken[request.id] = request
    return request
  }
}
