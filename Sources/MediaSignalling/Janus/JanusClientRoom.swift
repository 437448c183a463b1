import MediaCore

/// Who is in the room, and what a moderator may do.
extension JanusClient {
  /// The session may remove and mute others.
  public var moderates: Bool { secrets.moderates }
  /// The session itself is that participant.
  public func isOwn(_ id: JanusID) -> Bool { own == id }

  /// Takes somebody out of the room. Throws `.permission`, `.notFound`.
  public func remove(_ id: JanusID, now: Int64) throws(MediaError) {
    try moderate(id, [("request", .text("kick"))], now)
  }

  /// Mutes all audio of somebody at the server, or ends that. Throws `.permission`, `.notFound`.
  public func mute(_ id: JanusID, _ isMuted: Bool, now: Int64) throws(MediaError) {
    let streams = participants[id]?.streams.filter { !$0.isVideo } ?? []
    if streams.isEmpty { try checkModerates(id) }
    for stream in streams {
      try moderate(id, [("request", .text("moderate")), ("mid", .text(stream.mid)), ("mute", .bool(isMuted))], now)
    }
  }

  private func checkModerates(_ id: JanusID) throws(MediaError) {
    guard secrets.moderates else {
      throw MediaError(.permission, "the room's secret is required to moderate; pass the access token \"secret=…\"")
    }
    guard stage == .here, publisher != nil, participants[id] != nil else { throw MediaError(.notFound, "no participant has the id \(id)") }
  }

  private func moderate(_ id: JanusID, _ body: [(String, JSON)], _ now: Int64) throws(MediaError) {
    try checkModerates(id)
    guard let publisher else { return }
    tell(.moderate, to: publisher, body + [("room", room.json), ("id", id.json)] + secrets.ofModerator, now)
  }

  // MARK: What the plugin says

  func takeEvent(_ task: Task?, _ message: JanusMessage, _ now: Int64) {
    let data = message.data
    guard let what = data.member("videoroom")?.string, let role = role(of: message.sender) else { return }
    if let room = JanusID(data.member("room")), room != self.room { return }
    if role == .subscriber {
      takeLayer(data)
      if let jsep = message.jsep, jsep.type == "offer" { takeOffer(jsep.sdp, data) } else { subscribe(now) }
      return
    }
    switch what {
    case "joined":
      // A room with another type of ids would answer an error.
      guard task == .join, let id = JanusID(data.member("id")) else { return }
      (own, stage, privateID) = (id, .here, data.member("private_id"))
      events.append(.joined(id))
      for one in data.member("attendees")?.list ?? [] { meet(one) }
    case "talking", "stopped-talking": takeTalking(data, what == "talking")
    case "destroyed":
      return finish(SignallingFailure(MediaError(.notFound, "Janus: the room was destroyed"), isFinal: true), now)
    case "event": takeNews(data, now)
    default: break
    }
    for one in data.member("publishers")?.list ?? [] { meet(one) }
    if stage == .here, let jsep = message.jsep, jsep.type == "answer" {
      isPublishing = true
      events.append(.answer(jsep.sdp))
    }
  }

  private func takeNews(_ data: JSON, _ now: Int64) {
    if data.member("reason")?.string == "kicked", data.member("leaving") != nil {
      events.append(.removed)
      return finish(SignallingFailure(MediaError(.removed, "Janus: a moderator took the session out of the room"), isFinal: true), now)
    }
    if let joining = data.member("joining") { meet(joining) }
    for name in ["leaving", "kicked"] {
      guard let id = JanusID(data.member(name)), participants.removeValue(forKey: id) != nil else { continue }
      forget(id)
      events.append(.left(id))
    }
    if let id = JanusID(data.member("unpublished")), var one = participants[id], !one.streams.isEmpty {
      one.streams = []
      participants[id] = one
      forget(id)
      events.append(.participant(one))
    }
    if let moderation = data.member("moderation")?.string, let id = JanusID(data.member("id")), let mid = data.member("mid")?.string {
      events.append(.moderated(JanusSource(id, mid: mid), isMuted: moderation == "muted"))
    }
  }

  /// The server ends what is received of them by itself.
  private func forget(_ id: JanusID) {
    asked.removeAll { $0.feed == id }
    wanted.removeAll { $0.feed == id }
  }

  private func meet(_ json: JSON) {
    guard var one = JanusParticipant(json), one.id != own, stage == .here else { return }
    let known = participants[one.id]
    guard known != nil || participants.count < JanusClient.mostParticipants else { return }
    // Some messages have only what has changed.
    if let known {
      if json.member("display") == nil { one.name = known.name }
      if json.member("streams") == nil { one.streams = known.streams }
    }
    guard one != known else { return }
    participants[one.id] = one
    events.append(.participant(one))
  }

  private func takeTalking(_ data: JSON, _ isTalking: Bool) {
    guard let id = JanusID(data.member("id")) else { return }
    // Before 1.1 the stream is not named.
    guard let mid = data.member("mid")?.string ?? participants[id]?.streams.first(where: { !$0.isVideo })?.mid else { return }
    var level = 127.0
    switch data.member("audio-level-dBov-avg") {
    case .number(let value)?: level = value
    case .integer(let value)?: level = Double(value)
    default: break
    }
    events.append(.talking(JanusSource(id, mid: mid), isTalking, level: UInt32(max(0, min(127, level)))))
  }
}
