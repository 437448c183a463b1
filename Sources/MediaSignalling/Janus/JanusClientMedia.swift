import MediaCore

/// What is published and received.
extension JanusClient {
  // MARK: Publishing

  /// An offer of what is sent, also of more or less than before. `.answer` or `.publishFailed` follows, and only then the next. `texts`:
  /// what is said of
  /// the stream in a section.
  public func publish(offer: String, texts: [(mid: String, text: String)], now: Int64) {
    guard stage == .here, let publisher else { return }
    let body: [(String, JSON)] = [("request", .text(isPublishing ? "configure" : "publish")), JanusClient.descriptions(texts)]
    tell(.publish, to: publisher, body, jsep: ("offer", offer), now)
  }

  /// What is said of streams that are published from now on; others are notified.
  public func describe(_ texts: [(mid: String, text: String)], now: Int64) {
    guard stage == .here, isPublishing, let publisher, !texts.isEmpty else { return }
    tell(.describe, to: publisher, [("request", .text("configure")), JanusClient.descriptions(texts)], now)
  }

  private static func descriptions(_ texts: [(mid: String, text: String)]) -> (String, JSON) {
    ("descriptions", .array(texts.map { .object([("mid", .text($0.mid)), ("description", .text($0.text))]) }))
  }

  /// Of this end, found after the description was written; empty: none follows.
  public func add(candidate text: String, mid: String?, of role: Role, now: Int64) {
    guard stage == .here, candidates.count < JanusClient.mostWaitingCandidates else { return }
    candidates.append((role, text, mid))
  }

  // MARK: Receiving

  /// Which streams are received from now on; an `.offer` follows when that is a change. Those beyond 256, and those of nobody who is
  /// known, are not asked
  /// for.
  public func want(_ list: [JanusSource], now: Int64) {
    guard stage == .here else { return }
    wanted = Array(list.prefix(JanusClient.mostWanted))
    subscribe(now)
  }

  /// To `.offer`.
  public func answer(_ sdp: String, now: Int64) {
    guard stage == .here, isOffered, let subscriber else { return }
    isOffered = false
    tell(.start, to: subscriber, [("request", .text("start"))], jsep: ("answer", sdp), now)
    tellLayers(now)
    subscribe(now)
  }

  /// An `.offer` with another generation of ICE follows.
  public func restartReceiving(now: Int64) {
    guard stage == .here, isSubscribed else { return }
    wantsRestart = true
    subscribe(now)
  }

  /// Asks for the difference between what is wanted and what the server was asked for, unless it is still busy with the last.
  func subscribe(_ now: Int64) {
    guard stage == .here, !isOffered, subscribeAt == nil,
      !pending.values.contains(where: { [.subscribe, .restart, .attach(.subscriber)].contains($0.task) })
    else { return }
    let known = wanted.filter { source in participants[source.feed]?.streams.contains { $0.mid == source.mid } == true }
    let (more, less) = (known.filter { !asked.contains($0) }, asked.filter { !known.contains($0) })
    guard let subscriber else {
      if !known.isEmpty { ask(.attach(.subscriber), "attach", to: nil, [("plugin", .text("janus.plugin.videoroom"))], now) }
      return
    }
    if more.isEmpty, less.isEmpty {
      guard wantsRestart else { return }
      wantsRestart = false
      return tell(.restart, to: subscriber, [("request", .text("configure")), ("restart", .bool(true))], now)
    }
    asked = known
    if isSubscribed {
      var body: [(String, JSON)] = [("request", .text("update"))]
      if !more.isEmpty { body.append(("subscribe", .array(more.map(\.json)))) }
      if !less.isEmpty { body.append(("unsubscribe", .array(less.map(\.json)))) }
      tell(.subscribe, to: subscriber, body, now)
    } else {
      var body: [(String, JSON)] = [("request", .text("join")), ("ptype", .text("subscriber")), ("room", room.json)]
      if let privateID { body.append(("private_id", privateID)) }
      body.append(("streams", .array(more.map(\.json))))
      tell(.subscribe, to: subscriber, body + secrets.ofRoom, now)
    }
  }

  /// Somebody left in that moment, perhaps, which the server is about to say. All of the last request is asked for again.
  func subscribeFailed(_ failure: SignallingFailure, _ now: Int64) {
    subscribeFailures += 1
    guard !failure.isFinal, subscribeFailures < JanusClient.mostSubscribes else { return finish(failure, now) }
    let received = Set(sources.values)
    asked.removeAll { !received.contains($0) }
    subscribeAt = now &+ JanusClient.subscribePause
  }

  func takeOffer(_ sdp: String, _ data: JSON) {
    if case .array(let list)? = data.member("streams") {
      sources = [:]
      for one in list.prefix(JanusClient.mostWanted * 2) where one.member("active") == nil || one.member("active")?.isTrue == true {
        guard let mid = one.member("mid")?.string, let feed = JanusID(one.member("feed_id")), let theirs = one.member("feed_mid")?.string,
          mid.utf8.count <= 64, theirs.utf8.count <= 64
        else { continue }
        sources[mid] = JanusSource(feed, mid: theirs)
      }
    }
    forgetLayers()
    (isOffered, isSubscribed, subscribeFailures) = (true, true, 0)
    events.append(.offer(sdp, sources: sources))
  }

  func takeCandidate(_ message: JanusMessage) {
    guard let json = message.json.member("candidate"), let role = role(of: message.sender) else { return }
    if json.member("completed")?.isTrue == true { return events.append(.candidate(role, "", mid: nil)) }
    guard let text = json.member("candidate")?.string, text.utf8.count <= 1_024 else { return }
    let mid = json.member("sdpMid")?.string
    events.append(.candidate(role, text, mid: (mid?.utf8.count ?? 65) <= 64 ? mid : nil))
  }

  func role(of sender: UInt64?) -> Role? {
    guard let sender else { return nil }
    return sender == publisher ? .publisher : sender == subscriber ? .subscriber : nil
  }
}
