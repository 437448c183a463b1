import MediaCore

/// The client's side of one session at a server of Janus (version 1.0 or later) in one room of its plugin VideoRoom: requests out,
/// messages of the server
/// in, and what follows of them as events. Sources: the documentation of the server's API and of the plugin
/// (janus.conf.meetecho.com/docs). It owns no
/// connection: its driver sends each request (`takeRequest`), over HTTP one at a time, and hands in whatever the server sends
/// (`receive`), over HTTP
/// answers and long polls alike. There are two handles, one whose connection of WebRTC publishes, and one whose connection receives the
/// streams that
/// are wanted, of all participants. After `.failed` or `.ended` another session is another client (`ReconnectPolicy`). Calls come one at
/// a time.
public final class JanusClient {
  /// Whose connection of WebRTC.
  public enum Role: Sendable, Equatable {
    case publisher
    case subscriber
  }

  /// What happened.
  public enum Event: Sendable, Equatable {
    /// The session is in the room, as that participant. Others follow.
    case joined(JanusID)
    /// Somebody is in the room, or what is known of them has changed.
    case participant(JanusParticipant)
    /// They are not in the room any more.
    case left(JanusID)
    /// To the offer of `publish`.
    case answer(String)
    /// The offer was refused; what was published before goes on.
    case publishFailed(MediaError)
    /// To be answered by `answer`: which stream comes in which section.
    case offer(String, sources: [String: JanusSource])
    /// Of the server (RFC 8838); empty: none follows.
    case candidate(Role, String, mid: String?)
    /// Somebody began or ended to speak, at that level (RFC 6464); of the session itself, too.
    case talking(JanusSource, Bool, level: UInt32)
    /// From now on a stream is received in that size (`JanusLayer.substream`).
    case layer(JanusSource, substream: Int)
    /// A moderator muted a stream or ended that; of the session itself, too.
    case moderated(JanusSource, isMuted: Bool)
    /// A moderator took the session out of the room; `.failed` follows.
    case removed
    /// There is no session. If the server may still have one, a request that ends it is taken next.
    case failed(SignallingFailure)
    /// After `leave`.
    case ended
  }

  enum Stage {
    case new, creating, attaching, joining, here, leaving, ended
  }

  enum Task: Equatable {
    case create, attach(Role), join, publish, subscribe, start, restart, layer, describe, trickle, keepAlive, moderate, probe, destroy

    /// The server works on a description, and is done when it says what came of it.
    var negotiates: Bool { [.publish, .subscribe, .start, .restart].contains(self) }

    /// For errors.
    var words: String {
      switch self {
      case .create: "the request for a session"
      case .attach: "the request for the plugin VideoRoom"
      case .join: "the request to join the room"
      case .publish: "the request to publish"
      case .subscribe: "the request for streams"
      case .start: "the answer to an offer"
      case .restart: "the request to restart ICE"
      case .layer: "the request for a layer"
      case .describe: "a description of streams"
      case .trickle: "a candidate"
      case .keepAlive: "a keep-alive"
      case .moderate: "the request to moderate"
      case .probe: "a request without a purpose"
      case .destroy: "the end of the session"
      }
    }
  }

  struct Pending {
    let task: Task
    var deadline: Int64
  }

  /// Nanoseconds for an answer, and for the event that follows one that only acknowledges.
  static let patience: Int64 = 15_000_000_000
  /// Of one that leaves, for what the server makes of descriptions.
  public static let farewellPatience: Int64 = 1_000_000_000
  /// The server forgets a session of which it heard nothing for 60 s, unless it is configured otherwise.
  static let keepAlivePause: Int64 = 20_000_000_000
  /// Of a request for streams that failed, as a publisher left meanwhile.
  static let subscribePause: Int64 = 1_000_000_000
  static let mostSubscribes = 5
  /// In a room, those who are known here; of more nothing is reported.
  static let mostParticipants = 1_024
  static let mostWaitingCandidates = 128
  static let mostWanted = 256

  let room: JanusID
  private let name: String
  let secrets: JanusSecrets
  var stage = Stage.new
  var events: [Event] = []
  var queue: [JanusRequest] = []
  var pending: [String: Pending] = [:]
  private var number = 0
  private var heardOf = Int64.min
  /// The own participant; nil: not in the room yet.
  var own: JanusID?
  var privateID: JSON?
  var participants: [JanusID: JanusParticipant] = [:]

  /// At the server; nil: there is none.
  public private(set) var session: UInt64?
  var publisher: UInt64?
  var isPublishing = false
  var candidates: [(role: Role, text: String, mid: String?)] = []

  // What is received.
  var subscriber: UInt64?
  var isSubscribed = false
  var wanted: [JanusSource] = []
  /// What the server was asked for.
  var asked: [JanusSource] = []
  var sources: [String: JanusSource] = [:]
  /// That are received; and of those what the server knows.
  var layers: [JanusSource: JanusLayer] = [:]
  var told: [JanusSource: JanusLayer] = [:]
  /// An offer is being answered.
  var isOffered = false
  var wantsRestart = false
  var subscribeAt: Int64?
  var subscribeFailures = 0

  /// `name`: for people; at most 255 bytes of it are shown.
  public init(room: JanusID, name: String, secrets: JanusSecrets) {
    (self.room, self.secrets) = (room, secrets)
    self.name = JanusParticipant.shown(name)
  }

  // MARK: What the owner wants

  /// The first call.
  public func start(now: Int64) {
    guard stage == .new else { return }
    stage = .creating
    ask(.create, "create", to: nil, [], now)
  }

  /// Ends the session at the server, once that is done with the descriptions it works on, or after a second: 1.1.2 may
  /// crash when a connection of WebRTC ends meanwhile. `.ended` follows.
  public func leave(now: Int64) {
    guard stage != .leaving, stage != .ended else { return }
    let unsent = Set(queue.map(\.transaction))
    (queue, candidates, wanted, subscribeAt, wantsRestart) = ([], [], [], nil, false)
    pending = pending.filter { !unsent.contains($0.key) && ($0.value.task == .create || $0.value.task.negotiates) }
    pending = pending.mapValues { one in
      one.task.negotiates ? Pending(task: one.task, deadline: min(one.deadline, now &+ JanusClient.farewellPatience)) : one
    }
    guard session != nil || !pending.isEmpty else { return end(.ended) }
    stage = .leaving
    sayGoodbye(now)
  }

  private func sayGoodbye(_ now: Int64) {
    if pending.isEmpty { ask(.destroy, "destroy", to: nil, [], now) }
  }

  /// The connections of WebRTC are to be ended.
  public var hangsUp: Bool { stage == .ended || stage == .leaving && !pending.values.contains(where: \.task.negotiates) }

  /// A long poll was given up, over a connection that may be dead: the server hands it the next event all the same, so one follows that
  /// does not
  /// matter.
  public func probe(now: Int64) {
    guard stage == .here, let publisher else { return }
    tell(.probe, to: publisher, [("request", .text("configure"))], now)
  }

  // MARK: The driver

  /// The next request, once. What the server answers is handed to `receive`; `fail` says that it cannot be sent.
  public func takeRequest() -> JanusRequest? {
    if queue.isEmpty { trickle() }
    return queue.isEmpty ? nil : queue.removeFirst()
  }

  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }
  /// Nothing follows.
  public var isEnded: Bool { stage == .ended && queue.isEmpty }

  /// What a long poll of the session's events asks for, after the server's path; nil: there is no session.
  public var pollTarget: String? {
    guard let session, stage != .ended, stage != .leaving || pending.values.contains(where: \.task.negotiates) else { return nil }
    let fields = secrets.ofServer.compactMap { name, value in value.string.map { "&\(name)=\(HTTPText.escaped($0))" } }
    return "/\(session)?maxev=10\(fields.joined())"
  }

  /// Lets time pass. It is called again then; nil: not before something else happens.
  public func poll(now: Int64) -> Int64? {
    guard stage != .ended else { return nil }
    if let late = pending.values.first(where: { now >= $0.deadline }) {
      if stage == .leaving, late.task.negotiates {
        pending = pending.filter { !$0.value.task.negotiates }
        sayGoodbye(now)
        return poll(now: now)
      }
      guard late.task != .destroy, stage != .leaving else {
        end(.ended)
        return nil
      }
      let seconds = JanusClient.patience / 1_000_000_000
      finish(SignallingFailure(MediaError(.timeout, "Janus: \(late.task.words) was not answered within \(seconds) s"), isFinal: false), now)
      return poll(now: now)
    }
    if let time = subscribeAt, now >= time {
      subscribeAt = nil
      subscribe(now)
    }
    var keepsAliveAt: Int64?
    if session != nil, stage != .leaving {
      if now >= heardOf &+ JanusClient.keepAlivePause { ask(.keepAlive, "keepalive", to: nil, [], now) }
      keepsAliveAt = heardOf &+ JanusClient.keepAlivePause
    }
    return [pending.values.map(\.deadline).min(), subscribeAt, keepsAliveAt].compactMap { $0 }.min()
  }

  /// The server cannot be reached, or not any more.
  public func fail(_ failure: SignallingFailure, now: Int64) {
    guard stage != .ended else { return }
    // What would end the session goes the same way.
    session = nil
    if stage == .leaving { end(.ended) } else { finish(failure, now) }
  }

  /// What the server sent: one message, or a list.
  public func receive(_ bytes: [UInt8], now: Int64) {
    guard stage != .ended else { return }
    do throws(MediaError) {
      for message in try JanusMessage.read(bytes) where stage != .ended { take(message, now) }
    } catch {
      finish(SignallingFailure(error, isFinal: false), now)
    }
  }

  // MARK: Requests

  /// `members`: beside what each request has.
  func ask(_ task: Task, _ verb: String, to handle: UInt64?, _ members: [(String, JSON)], _ now: Int64) {
    number += 1
    let transaction = "m\(number)"
    // A candidate may be on its way over a connection that is lost with the path, which is noticed in about that time.
    let mayBeLost = task == .probe || task == .trickle
    pending[transaction] = Pending(task: task, deadline: mayBeLost ? .max : now &+ JanusClient.patience)
    heardOf = now
    queue.append(
      JanusRequest(verb: verb, transaction: transaction, session: session, handle: handle, members: secrets.ofServer + members))
  }

  /// To the plugin.
  func tell(_ task: Task, to handle: UInt64, _ body: [(String, JSON)], jsep: (type: String, sdp: String)? = nil, _ now: Int64) {
    var members: [(String, JSON)] = [("body", .object(body))]
    if let jsep { members.append(("jsep", .object([("type", .text(jsep.type)), ("sdp", .text(jsep.sdp))]))) }
    ask(task, "message", to: handle, members, now)
  }

  private func join(_ now: Int64) {
    guard let publisher else { return }
    stage = .joining
    let named: [(String, JSON)] = name.isEmpty ? [] : [("display", .text(name))]
    tell(
      .join, to: publisher, [("request", .text("join")), ("ptype", .text("publisher")), ("room", room.json)] + named + secrets.ofRoom, now)
  }

  /// All that wait, one request for each handle, when nothing else is to be sent.
  private func trickle() {
    guard stage == .here, let role = candidates.first?.role, let handle = role == .publisher ? publisher : subscriber else { return }
    let mine = candidates.filter { $0.role == role }
    candidates.removeAll { $0.role == role }
    let found = mine.filter { !$0.text.isEmpty }.map { one in
      JSON.object([("candidate", .text(one.text)), ("sdpMLineIndex", .whole(0))] + (one.mid.map { [("sdpMid", .text($0))] } ?? []))
    }
    if !found.isEmpty { ask(.trickle, "trickle", to: handle, [("candidates", .array(found))], heardOf) }
    if found.count < mine.count { ask(.trickle, "trickle", to: handle, [("candidate", .object([("completed", .bool(true))]))], heardOf) }
  }

  // MARK: Messages

  private func take(_ message: JanusMessage, _ now: Int64) {
    if let session, let theirs = message.session, theirs != session { return }
    let known = message.transaction.flatMap { pending[$0] }
    if message.kind == "ack" {
      if let transaction = message.transaction { acknowledge(transaction, now) }
      return
    }
    if let transaction = message.transaction { pending[transaction] = nil }
    guard stage != .leaving else { return takeFarewell(known?.task, message, now) }
    if let failure = message.failure(doing: known?.task.words ?? "a request") { return failed(known?.task, failure, now) }
    switch message.kind {
    case "success": succeeded(known?.task, message, now)
    case "event": takeEvent(known?.task, message, now)
    case "trickle": takeCandidate(message)
    case "timeout": lose("the session timed out at the server", now)
    case "hangup":
      let reason = JanusParticipant.shown(message.json.member("reason")?.string, longest: 80)
      lose("the server ended a connection of WebRTC\(reason.isEmpty ? "" : " (\(reason))")", now)
    case "detached" where message.sender == publisher: lose("the server ended the session in the room", now)
    default: return
    }
  }

  /// What is done later is announced so.
  private func acknowledge(_ transaction: String, _ now: Int64) {
    switch pending[transaction]?.task {
    case .trickle?, .keepAlive?: pending[transaction] = nil
    case .probe?, nil: return
    case _ where stage == .leaving: return
    default: pending[transaction]?.deadline = now &+ JanusClient.patience
    }
  }

  private func takeFarewell(_ task: Task?, _ message: JanusMessage, _ now: Int64) {
    switch task {
    // It was being made while the owner left.
    case .create?:
      session = message.json.member("data")?.member("id")?.whole(UInt64.self)
      if session == nil { end(.ended) } else { sayGoodbye(now) }
    case .destroy?: end(.ended)
    case let task? where task.negotiates: sayGoodbye(now)
    default: return
    }
  }

  private func succeeded(_ task: Task?, _ message: JanusMessage, _ now: Int64) {
    let id = message.json.member("data")?.member("id")?.whole(UInt64.self)
    switch task {
    case .create?:
      guard let id else { return lose("the server made a session without an id", now) }
      (session, stage) = (id, .attaching)
      ask(.attach(.publisher), "attach", to: nil, [("plugin", .text("janus.plugin.videoroom"))], now)
    case .attach(let role)?:
      guard let id else { return lose("the server made a handle without an id", now) }
      if role == .publisher {
        publisher = id
        join(now)
      } else {
        subscriber = id
        subscribe(now)
      }
    default: return
    }
  }

  private func failed(_ task: Task?, _ failure: SignallingFailure, _ now: Int64) {
    switch task {
    case .publish?: events.append(.publishFailed(failure.error))
    case .subscribe?: subscribeFailed(failure, now)
    // The server learns addresses from checks, and moderation is the owner's wish, not the session's need.
    case .trickle?, .moderate?, .probe?, .layer?, .describe?: return
    default: finish(failure, now)
    }
  }

  func lose(_ what: String, _ now: Int64) {
    finish(SignallingFailure(MediaError(.closed, "Janus: \(what)"), isFinal: false), now)
  }

  // MARK: The end

  /// There is no session; what the server may have of one is ended.
  func finish(_ failure: SignallingFailure, _ now: Int64) {
    guard stage != .ended else { return }
    let isThere = session != nil
    if isThere {
      (queue, pending) = ([], [:])
      ask(.destroy, "destroy", to: nil, [], now)
    }
    let farewell = isThere ? queue : []
    end(stage == .leaving ? .ended : .failed(failure))
    queue = farewell
  }

  private func end(_ event: Event) {
    (stage, session, publisher, subscriber) = (.ended, nil, nil, nil)
    (pending, queue, candidates, wanted, participants) = ([:], [], [], [], [:])
    events.append(event)
  }
}
