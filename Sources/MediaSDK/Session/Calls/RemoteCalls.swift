import MediaCore
import MediaTransport

/// What has come of remote procedure calls (rpc.h).
public struct RemoteCallMessage: Sendable, Equatable {
  /// What it is.
  public enum Content: Sendable, Equatable {
    /// Another participant's, to be responded to within so many nanoseconds of when it came.
    case request(method: String, timeout: Int64)
    /// What the method of the other one returned.
    case response
    /// Of a call that did not succeed.
    case failure(code: UInt32, text: String)
  }

  /// The number of the session's own call, or of the request, in one sequence.
  public let call: UInt64
  /// Of the other participant.
  public let userID: String
  /// What it is.
  public let content: Content
  /// In UTF-8.
  public let payload: [UInt8]
}

/// Why a call did not succeed, by the numbers of LiveKit's SDKs. Programs have numbers of their own.
enum RemoteCallFailure: UInt32 {
  case methodNotRegistered = 1400
  case requestTooLong = 1402
  case versionNotSupported = 1404
  case application = 1500
  case notAcknowledged = 1501
  case noResponse = 1502
  case participantLeft = 1503
}

/// Remote procedure calls that are under way, both ways, and what of them waits to be read. A plain value; time comes in.
struct RemoteCalls {
  /// Bytes.
  static let longestMethod = 64
  static let longestText = 255
  /// Of other programs.
  static let longestId = 128
  static let mostMethods = 256
  /// Of this session, until their results are read; of others, until they are responded to; and of one of them.
  static let mostCalls = 256
  static let mostRequests = 256
  static let mostRequestsOfOne = 64
  /// Nanoseconds for the other end to acknowledge, and milliseconds to respond.
  static let patience: Int64 = 7_000_000_000
  static let timeouts: ClosedRange<UInt32> = 1...3_600_000
  static let version: UInt32 = 1

  /// What is sent back to whose part was taken.
  struct Reply: Equatable {
    let part: RemoteCallPart
    var payload: [UInt8] = []
  }

  /// Another participant's, that has not been responded to.
  struct Request: Hashable {
    let userID: String
    let id: String
  }

  private struct Call {
    let number: UInt64
    let userID: String
    let due: Int64
    /// nil: the request has come.
    var acknowledgementDue: Int64?
  }

  private var methods: Set<String> = []
  private var calls: [String: Call] = [:]
  private var requests: [UInt64: (request: Request, due: Int64)] = [:]
  private var numbers: [Request: UInt64] = [:]
  private var waiting = BoundedQueue<RemoteCallMessage>(capacity: RemoteCalls.mostCalls + RemoteCalls.mostRequests, initially: 4)
  private var (waitingResults, waitingRequests) = (0, 0)
  /// The reader was notified that there is something, and has not found the end.
  private var isAnnounced = false
  private var lastNumber: UInt64 = 0
  /// When `expire` will be called, the soonest last.
  private var scheduled: [Int64] = []

  // MARK: Methods

  /// Throws `.exists`, and `.limit` for too many.
  mutating func register(_ method: String) throws(MediaError) {
    guard !methods.contains(method) else { throw MediaError(.exists, "the method \"\(method)\" is registered already") }
    guard methods.count < RemoteCalls.mostMethods else {
      throw MediaError(.limit, "the session has \(methods.count) methods; accepted: at most \(RemoteCalls.mostMethods)")
    }
    methods.insert(method)
  }

  /// Throws `.notFound`.
  mutating func unregister(_ method: String) throws(MediaError) {
    guard methods.remove(method) != nil else { throw MediaError(.notFound, "the method \"\(method)\" is not registered") }
  }

  // MARK: Calls of this session

  /// Its number. Throws `.again` when too many are under way or their results are unread.
  mutating func begin(_ id: String, to userID: String, timeout: Int64, now: Int64) throws(MediaError) -> UInt64 {
    guard calls.count + waitingResults < RemoteCalls.mostCalls else {
      throw MediaError(
        .again, "\(calls.count) calls wait for results, \(waitingResults) results are unread; accepted: \(RemoteCalls.mostCalls) together")
    }
    lastNumber += 1
    let due = now &+ timeout
    calls[id] = Call(number: lastNumber, userID: userID, due: due, acknowledgementDue: min(due, now &+ RemoteCalls.patience))
    return lastNumber
  }

  /// It could not be sent. False: it has a result already.
  mutating func cancel(_ id: String) -> Bool { calls.removeValue(forKey: id) != nil }

  /// In the order in which they were made.
  private var inOrder: [(id: String, call: Call)] {
    calls.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value) }
  }

  private mutating func finish(_ id: String, _ content: RemoteCallMessage.Content, _ payload: [UInt8] = []) {
    guard let call = calls.removeValue(forKey: id) else { return }
    waitingResults += 1
    _ = waiting.push(RemoteCallMessage(call: call.number, userID: call.userID, content: content, payload: payload))
  }

  private mutating func fail(_ id: String, _ failure: RemoteCallFailure, _ text: String) {
    finish(id, .failure(code: failure.rawValue, text: text))
  }

  // MARK: What comes

  /// What is to be sent back, and whether the reader is to be notified.
  mutating func take(_ part: RemoteCallPart, _ payload: [UInt8], from userID: String, now: Int64) -> (replies: [Reply], isNews: Bool) {
    switch part {
    case .acknowledgement(let id):
      if calls[id]?.userID == userID { calls[id]?.acknowledgementDue = nil }
      return ([], false)
    case .response(let id):
      if calls[id]?.userID == userID { finish(id, .response, payload) }
    case .failure(let id, let code, let text):
      if calls[id]?.userID == userID { finish(id, .failure(code: code, text: text), payload) }
    case .request(let id, let method, let timeout, let version):
      let request = Request(userID: userID, id: id)
      guard (1...RemoteCalls.longestId).contains(id.utf8.count), numbers[request] == nil else { return ([], false) }
      let received = Reply(part: .acknowledgement(id: id))
      if let (failure, text) = refusal(of: request, method, payload, version) {
        return ([received, Reply(part: .failure(id: id, code: failure.rawValue, text: text))], false)
      }
      let time = Int64(min(max(timeout, RemoteCalls.timeouts.lowerBound), RemoteCalls.timeouts.upperBound)) * 1_000_000
      lastNumber += 1
      (requests[lastNumber], numbers[request]) = ((request, now &+ time), lastNumber)
      waitingRequests += 1
      let content = RemoteCallMessage.Content.request(method: method, timeout: time)
      _ = waiting.push(RemoteCallMessage(call: lastNumber, userID: userID, content: content, payload: payload))
      return ([received], announce())
    }
    return ([], announce())
  }

  private func refusal(
    of request: Request, _ method: String, _ payload: [UInt8], _ version: UInt32
  ) -> (failure: RemoteCallFailure, text: String)? {
    guard version == RemoteCalls.version else { return (.versionNotSupported, "version \(version) of calls is not supported; accepted: 1") }
    guard methods.contains(method) else { return (.methodNotRegistered, "no method of that name is registered") }
    guard payload.count <= DataMessage.longest else {
      return (.requestTooLong, "the payload has \(payload.count) bytes; accepted: at most \(DataMessage.longest)")
    }
    guard String(validating: payload, as: UTF8.self) != nil else { return (.application, "the payload is not UTF-8") }
    let ofOne = numbers.keys.reduce(0) { $0 + ($1.userID == request.userID ? 1 : 0) }
    guard max(requests.count, waitingRequests) < RemoteCalls.mostRequests, ofOne < RemoteCalls.mostRequestsOfOne else {
      return (.application, "too many requests wait for a response")
    }
    return nil
  }

  // MARK: Requests of others

  /// Who waits for a response. Throws `.notFound` when nobody does, or not any longer.
  func request(_ number: UInt64) throws(MediaError) -> Request {
    guard let request = requests[number]?.request else {
      let reasons = "it has one, its time is over, or its caller has left"
      throw MediaError(.notFound, "call \(number) is not a request that waits for a response: \(reasons)")
    }
    return request
  }

  mutating func end(_ number: UInt64) {
    if let (request, _) = requests.removeValue(forKey: number) { numbers[request] = nil }
  }

  // MARK: Time and participants

  /// Whether the reader is to be notified.
  mutating func expire(now: Int64) -> Bool {
    for (id, call) in inOrder {
      if let due = call.acknowledgementDue, due <= now, due < call.due {
        fail(id, .notAcknowledged, "the other end did not acknowledge the call in 7 seconds")
      } else if call.due <= now {
        fail(id, .noResponse, "the other end did not respond in time")
      }
    }
    for (number, one) in requests where one.due <= now { end(number) }
    while let soonest = scheduled.last, soonest <= now { scheduled.removeLast() }
    return announce()
  }

  /// When `expire` is to be called next, if that is not known yet.
  mutating func schedule() -> Int64? {
    let next = min(
      calls.values.lazy.map { min($0.due, $0.acknowledgementDue ?? .max) }.min() ?? .max, requests.values.lazy.map(\.due).min() ?? .max)
    guard next < scheduled.last ?? .max else { return nil }
    scheduled.append(next)
    return next
  }

  /// A participant is not here any more. Whether the reader is to be notified.
  mutating func left(_ userID: String) -> Bool {
    for (id, call) in inOrder where call.userID == userID { fail(id, .participantLeft, "the participant has left the room") }
    for (number, one) in requests where one.request.userID == userID { end(number) }
    return announce()
  }

  /// The session has left the room. Whether the reader is to be notified.
  mutating func leave() -> Bool {
    for (id, _) in inOrder { fail(id, .participantLeft, "the session has left the room") }
    (requests, numbers) = ([:], [:])
    return announce()
  }

  // MARK: Reading

  private mutating func announce() -> Bool {
    guard !waiting.isEmpty, !isAnnounced else { return false }
    isAnnounced = true
    return true
  }

  /// The oldest, which is taken if its payload has no more bytes than that. nil: there is none; the next is announced.
  mutating func read(upTo most: Int) -> (message: RemoteCallMessage, isTaken: Bool)? {
    while let message = waiting.first {
      var isRequest = false
      if case .request = message.content { isRequest = true }
      // Whose time is over: nobody waits for a response.
      let isOver = isRequest && requests[message.call] == nil
      guard isOver || message.payload.count <= most else { return (message, false) }
      _ = waiting.pop()
      if isRequest { waitingRequests -= 1 } else { waitingResults -= 1 }
      if !isOver { return (message, true) }
    }
    isAnnounced = false
    return nil
  }
}
