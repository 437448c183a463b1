import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSDP
import Testing

@testable import MediaSignalling
@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

/// A server of Janus on an emulated machine, with one room, over HTTP and WebSocket: what its clients publish ends there, and what they
/// receive a test
/// sends. Its participants are a test's.
final class EmulatedJanus: @unchecked Sendable {
  final class Session: @unchecked Sendable {
    var handles: [Int] = []
    var queue: [String] = []
    /// Also those whose connections are dead, as the server does not know that.
    var polls: [EmulatedWebServer.Connection] = []
    var socket: EmulatedWebServer.Connection?
    var publisher: WebRTCEnd?
    var receiver: WebRTCEnd?
    /// By handle: the subscriber's streams.
    var subscribed: [(source: JanusSource, stream: StreamID)] = []
    var isJoined = false
  }

  let web: EmulatedWebServer
  private let house: WebRTCHouse
  private(set) var sessions: [Int: Session] = [:]
  private var next = 1
  /// Requests, as "create", "join", "publish", …
  private(set) var said: [String] = []
  private(set) var bodies: [JSON] = []
  private(set) var destroyed = 0
  private(set) var errors: [any Error] = []
  /// Of the room, in JSON.
  private(set) var people: [(id: Int, json: String)] = []
  /// An error of the room to a request of that name.
  var refuse: [String: Int] = [:]
  var last: Session? { sessions.max { $0.key < $1.key }?.value }

  init(_ house: WebRTCHouse, at address: String) throws {
    self.house = house
    web = try EmulatedWebServer(house.network, address)
    web.answer = { [unowned self] request, connection in
      switch WebSocketOffer.read(request) {
      case .offer(let offer): return .upgrade(offer, offer.subprotocols.first)
      case .refused(let response): return .response(response)
      case .other: break
      }
      let ids = request.path.split(separator: "/").compactMap { Int($0) }
      if request.method == "GET" { return poll(ids.first ?? 0, connection) }
      guard request.path.hasPrefix("/janus") else { return .response(HTTPResponse(404)) }
      return .response(HTTPResponse(200, ["Content-Type": "application/json"], body: Array(take(request.body, ids, nil).utf8)))
    }
    web.receiveText = { [unowned self] text, connection in
      web.send(text: take(Array(text.utf8), [], connection), on: connection)
      // Events follow answers.
      for session in sessions.values { flush(session) }
    }
  }

  // MARK: The room

  static func person(
    _ id: Int, _ name: String, hasVideo: Bool = true, isDisabled: Bool = false, audio more: String = "", isSimulcast: Bool = false
  ) -> String {
    let simulcast = isSimulcast ? #","simulcast":true"# : ""
    let video = #","description":"screen","mid":"1","type":"video","codec":"vp8"\#(simulcast)"#.dropFirst()
    let audio = #"{"mid":"0","type":"audio","codec":"opus"\#(more)}"#
    return
      #"{"id":\#(id),"display":"\#(name)","streams":[\#(audio)\#(hasVideo ? ",{\(video)\(isDisabled ? ",\"disabled\":true" : "")}" : "")]}"#
  }

  func add(
    _ id: Int, _ name: String, hasVideo: Bool = true, isDisabled: Bool = false, audio: String = "", isSimulcast: Bool = false
  ) {
    let json = EmulatedJanus.person(id, name, hasVideo: hasVideo, isDisabled: isDisabled, audio: audio, isSimulcast: isSimulcast)
    people.removeAll { $0.id == id }
    people.append((id, json))
    broadcast(#""videoroom":"event","room":1234,"publishers":[\#(json)]"#)
  }

  func remove(_ id: Int) {
    people.removeAll { $0.id == id }
    broadcast(#""videoroom":"event","room":1234,"leaving":\#(id)"#)
  }

  func broadcast(_ data: String) {
    for session in sessions.values where session.isJoined { push(event(data, session.handles[0], nil, nil), session) }
  }

  /// Of what the session receives.
  func tell(_ data: String, _ session: Session) { push(event(data, session.handles[1], nil, nil), session) }

  func push(_ text: String, _ session: Session) {
    session.queue.append(text)
    flush(session)
  }

  /// The server's process ends, and another begins.
  func restart() throws {
    for session in sessions.values { end(session) }
    sessions = [:]
    web.stop()
    try web.open()
  }

  /// A session is forgotten.
  func forget(_ session: Session) {
    end(session)
    sessions = sessions.filter { $0.value !== session }
  }

  private func end(_ session: Session) {
    session.publisher?.transport.disconnect()
    session.receiver?.transport.disconnect()
  }

  private func event(_ data: String, _ handle: Int, _ transaction: String?, _ jsep: (String, String)?) -> String {
    let answers = transaction.map { #","transaction":"\#($0)""# } ?? ""
    let description = jsep.map { ",\"jsep\":" + JSON.object([("type", .text($0.0)), ("sdp", .text($0.1))]).rendered() } ?? ""
    return
      #"{"janus":"event","sender":\#(handle)\#(answers)\#(description),"plugindata":{"plugin":"janus.plugin.videoroom","data":{\#(data)}}}"#
  }

  // MARK: Connections

  private func poll(_ id: Int, _ connection: EmulatedWebServer.Connection) -> EmulatedWebServer.Reply {
    guard let session = sessions[id] else {
      return .response(HTTPResponse(200, body: Array(#"{"janus":"error","error":{"code":458,"reason":"No such session"}}"#.utf8)))
    }
    session.polls.append(connection)
    house.loop.post { [self] in flush(session) }
    house.loop.schedule(at: house.clock.now() + 30 * second) { [self] in
      if session.polls.contains(where: { $0 === connection }), session.queue.isEmpty { push(#"{"janus":"keepalive"}"#, session) }
    }
    return .later
  }

  private func flush(_ session: Session) {
    guard !session.queue.isEmpty else { return }
    if let socket = session.socket {
      for text in session.queue { web.send(text: text, on: socket) }
      session.queue = []
    } else if let first = session.polls.first {
      // The oldest has the events; the others are answered with it, and have none.
      let others = session.polls.dropFirst()
      session.polls = []
      for other in others { web.respond(HTTPResponse(200, body: Array(#"{"janus":"keepalive"}"#.utf8)), on: other) }
      let body = "[\(session.queue.joined(separator: ","))]"
      session.queue = []
      web.respond(HTTPResponse(200, ["Content-Type": "application/json"], body: Array(body.utf8)), on: first)
    }
  }

  private func take(_ bytes: [UInt8], _ ids: [Int], _ socket: EmulatedWebServer.Connection?) -> String {
    guard let json = try? JSONReader.read(bytes, name: "request"), let verb = json.member("janus")?.string,
      let transaction = json.member("transaction")?.string
    else { return #"{"janus":"error","error":{"code":454,"reason":"JSON"}}"# }
    func answer(_ rest: String) -> String { #"{"janus":\#(rest),"transaction":"\#(transaction)"}"# }
    let id = ids.first ?? json.member("session_id")?.whole(Int.self) ?? 0
    if verb != "message" { said.append(verb) }
    if verb == "create" {
      next += 1
      sessions[next] = Session()
      sessions[next]?.socket = socket
      return answer(#""success","data":{"id":\#(next)}"#)
    }
    guard let session = sessions[id] else { return answer(#""error","error":{"code":458,"reason":"No such session"}"#) }
    let handle = ids.dropFirst().first ?? json.member("handle_id")?.whole(Int.self) ?? 0
    switch verb {
    case "attach":
      next += 1
      session.handles.append(next)
      return answer(#""success","data":{"id":\#(next)}"#)
    case "destroy":
      destroyed += 1
      forget(session)
      return answer(#""success""#)
    case "trickle": trickle(json, handle, session)
    case "message":
      house.loop.schedule(at: house.clock.now() + 5 * millisecond) { [self] in
        do { try message(json, handle, transaction, session) } catch { errors.append(error) }
      }
    default: break
    }
    return answer(#""ack""#)
  }

  private func trickle(_ json: JSON, _ handle: Int, _ session: Session) {
    guard let end = handle == session.handles.first ? session.publisher : session.receiver else { return }
    for one in json.member("candidates")?.list ?? [] {
      try? end.target.addRemote(candidate: one.member("candidate")?.string ?? "", mid: nil)
    }
  }

  // MARK: The plugin

  private func message(_ json: JSON, _ handle: Int, _ transaction: String, _ session: Session) throws {
    guard sessions.contains(where: { $0.value === session }), let body = json.member("body"),
      let request = body.member("request")?.string
    else { return }
    said.append(request)
    bodies.append(body)
    if let code = refuse[request] {
      return push(event(#""videoroom":"event","error_code":\#(code),"error":"refused""#, handle, transaction, nil), session)
    }
    let offer = json.member("jsep")?.member("sdp")?.string ?? ""
    if handle == session.handles.first {
      switch request {
      case "join":
        session.isJoined = true
        let list = people.map(\.json).joined(separator: ",")
        push(event(#""videoroom":"joined","room":1234,"id":77,"private_id":1,"publishers":[\#(list)]"#, handle, transaction, nil), session)
      case "configure" where offer.isEmpty: push(event(#""videoroom":"event","configured":"ok""#, handle, transaction, nil), session)
      case "publish", "configure":
        if session.publisher == nil {
          session.publisher = try house.end("webrtc:", on: web.host)
          session.publisher.map { ($0.negotiates, $0.restarts) = (false, false) }
        }
        guard let end = session.publisher else { return }
        _ = try end.target.setRemote(.offer, offer)
        _ = try end.target.describe()
        house.loop.schedule(at: house.clock.now() + 20 * millisecond) { [self] in
          guard let text = try? end.target.localDescription() else { return }
          push(event(#""videoroom":"event","configured":"ok""#, handle, transaction, ("answer", text)), session)
        }
      default: push(event(#""videoroom":"success""#, handle, transaction, nil), session)
      }
    } else {
      try receive(request, body, offer, handle, transaction, session)
    }
  }

  private func receive(_ request: String, _ body: JSON, _ answer: String, _ handle: Int, _ transaction: String, _ session: Session) throws {
    if session.receiver == nil {
      session.receiver = try house.end("webrtc:?receive=none", on: web.host)
      session.receiver.map { ($0.negotiates, $0.restarts) = (false, false) }
    }
    guard let end = session.receiver else { return }
    switch request {
    case "start":
      _ = try end.target.setRemote(.answer, answer)
      return push(event(#""videoroom":"event","started":"ok""#, handle, transaction, nil), session)
    case "configure" where body.member("streams") != nil:
      return push(event(#""videoroom":"event","configured":"ok""#, handle, transaction, nil), session)
    case "configure": try end.target.restartICE()
    default:
      for one in body.member("unsubscribe")?.list ?? [] {
        guard let source = source(one), let place = session.subscribed.firstIndex(where: { $0.source == source }) else { continue }
        end.transport.unpublish(session.subscribed.remove(at: place).stream)
      }
      for one in (body.member("streams") ?? body.member("subscribe"))?.list ?? [] {
        guard let source = source(one) else { continue }
        session.subscribed.append((source, try end.publish(source.mid == "1" ? .video : .audio)))
      }
    }
    _ = try end.target.describe()
    house.loop.schedule(at: house.clock.now() + 20 * millisecond) { [self] in
      guard let text = try? end.target.localDescription() else { return }
      let streams = session.subscribed.compactMap { one in
        end.transport.section(of: one.stream).map {
          #"{"mid":"\#($0)","active":true,"feed_id":\#(one.source.feed),"feed_mid":"\#(one.source.mid)"}"#
        }
      }
      let what = request == "configure" ? #""event","configured":"ok""# : request == "join" ? "\"attached\"" : "\"updated\""
      let list = request == "configure" ? "" : #","streams":[\#(streams.joined(separator: ","))]"#
      push(event(#""videoroom":\#(what)\#(list)"#, handle, transaction, ("offer", text)), session)
    }
  }

  private func source(_ json: JSON) -> JanusSource? {
    guard let feed = json.member("feed")?.whole(UInt64.self), let mid = json.member("mid")?.string else { return nil }
    return JanusSource(.number(feed), mid: mid)
  }
}

/// A session's program in a room of Janus.
final class JanusEnd: MediaEnd, @unchecked Sendable {
  let janus: RoomTransport
  let target: JanusTarget

  init(_ url: String, token: String = "", on host: EmulatedHost, _ house: WebRTCHouse) throws {
    let scheme = String(try #require(ParsedURL.split(url)).scheme)
    target = JanusTarget(url: try JanusURL(url, scheme: scheme, argument: "url"), network: host)
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: "me", displayName: "Anna"), token: AccessToken(token), loop: house.loop,
        thread: { () throws(MediaError) in host }))
    janus = try #require(made as? RoomTransport)
    super.init(host, house, janus)
    janus.connect(self)
  }

  var isHere: Bool { janus.state.withLock { $0.phase == .here } }
}
