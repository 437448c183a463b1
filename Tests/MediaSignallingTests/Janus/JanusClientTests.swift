import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct JanusClientTests {
  private let bob = JanusSource(.number(8), mid: "1")

  // MARK: Joining

  @Test func aSessionJoinsARoom() throws {
    let script = try JanusScript("pin=p%201&token=t&apisecret=a")
    #expect(try #require(script.take()).line == #"{ "janus": "create", "transaction": "m1", "token": "t", "apisecret": "a" }"#)
    #expect(script.take() == nil && script.client.pollTarget == nil)
    script.answer(#""janus":"success","data":{"id":1}"#, retaking: false)
    #expect(script.client.pollTarget == "/1?maxev=10&token=t&apisecret=a")
    let attach = try #require(script.take())
    #expect(attach.member("plugin")?.string == "janus.plugin.videoroom" && attach.member("session_id")?.whole(Int.self) == 1)
    script.answer(#""janus":"success","data":{"id":2}"#, retaking: false)
    let join = try #require(script.take())
    #expect(join.body.line == #"{ "request": "join", "ptype": "publisher", "room": 1234, "display": "Anna", "pin": "p 1", "token": "t" }"#)
    #expect(join.member("handle_id")?.whole(Int.self) == 2)
    script.answer(#""janus":"ack""#, retaking: false)
    #expect(script.events().isEmpty)
    script.event(
      #""videoroom":"joined","room":1234,"id":77,"publishers":[\#(JanusScript.publisher(8))],"attendees":[{"id":9,"display":"Cleo"}]"#,
      answers: true)
    let found = script.events()
    #expect(found.count == 3 && found.first == .joined(.number(77)))
    guard case .participant(let cleo) = found[1], case .participant(let bob) = found[2] else { throw refused("\(found)") }
    #expect(cleo.name == "Cleo" && cleo.streams.isEmpty)
    #expect(
      bob.id == .number(8) && bob.name == "Bob" && bob.streams.map(\.mid) == ["0", "1"] && bob.streams.map(\.isVideo) == [false, true])
    #expect(bob.streams.map(\.codec) == ["opus", "vp8"])
  }

  private func refused(_ text: String) -> MediaError { MediaError(.fail, text) }

  /// A path over HTTP, where ids are not in the body.
  @Test func aRequestHasTwoForms() throws {
    let script = try JanusScript.joined()
    script.client.publish(offer: "o", texts: [], now: 0)
    let request = try #require(script.client.takeRequest())
    #expect(request.path == "/1/2" && !text(request.httpBody).contains("session_id") && request.text.contains("\"handle_id\": 2"))
  }

  @Test(arguments: [
    (426, Status.notFound, true), (433, .permission, true), (425, .state, false), (430, .unsupported, true), (499, .fail, false)
  ]) func whatTheRoomRefusesIsExplained(code: Int, status: Status, isFinal: Bool) throws {
    let script = try JanusScript()
    script.answer(#""janus":"success","data":{"id":1}"#)
    script.answer(#""janus":"success","data":{"id":2}"#)
    script.answer(#""janus":"ack""#)
    script.event(#""videoroom":"event","error_code":\#(code),"error":"No\u0007 such""#, answers: true)
    let failure = try #require(script.failure())
    #expect(failure.error.status == status && failure.isFinal == isFinal && failure.error.text.contains("(it says: No such)"))
    // The session at the server ends with it.
    #expect(script.takeAll().map(\.request) == ["destroy"] && script.client.isEnded)
  }

  @Test(arguments: [
    (403, Status.permission, true), (457, .notFound, true), (460, .unsupported, true), (458, .closed, false), (472, .again, false)
  ])
  func whatTheServerRefusesIsExplained(code: Int, status: Status, isFinal: Bool) throws {
    let script = try JanusScript()
    script.answer(#""janus":"error","error":{"code":\#(code),"reason":"why"}"#)
    let failure = try #require(script.failure())
    #expect(failure.error.status == status && failure.isFinal == isFinal && failure.error.text.contains("why"))
    #expect(script.client.isEnded && script.take() == nil)
  }

  @Test func secretsAreInTheAccessTokenOnly() throws {
    #expect(try JanusSecrets(accessToken: "token=a%3D&secret=b").moderates)
    #expect(!(try JanusSecrets(accessToken: "").moderates))
    for text in ["hunter2", "pin", "pin=", "pin=1&pin=2", "key=hunter2", "pin=%zz", "&", "pin=1&"] {
      let error = refusal { _ = try JanusSecrets(accessToken: text) }
      #expect(error?.status == .invalid && error?.text.contains("hunter2") == false && error?.text.contains("pin=…") == true, "\(text)")
    }
    #expect("\(try JanusSecrets(accessToken: "pin=hunter2"))" == "secrets")
  }

  // MARK: Time

  @Test func whatIsNotAnsweredFails() throws {
    let script = try JanusScript()
    #expect(script.client.poll(now: 0) == 15 * second)
    #expect(script.client.poll(now: 15 * second) == nil)
    let failure = try #require(script.failure())
    #expect(failure.error.status == .timeout && !failure.isFinal && failure.error.text.contains("request for a session"))
  }

  /// What is only acknowledged has as much time again.
  @Test func anEventIsAwaitedAfterItsAcknowledgement() throws {
    let script = try JanusScript()
    script.answer(#""janus":"success","data":{"id":1}"#)
    script.answer(#""janus":"success","data":{"id":2}"#)
    script.now = 10 * second
    script.answer(#""janus":"ack""#)
    #expect(script.client.poll(now: 16 * second) != nil && script.events().isEmpty)
    _ = script.client.poll(now: 25 * second)
    #expect(script.failure()?.error.text.contains("join") == true)
  }

  @Test func theSessionIsKeptAlive() throws {
    let script = try JanusScript.joined()
    #expect(script.client.poll(now: 1 * second) == 20 * second && script.take() == nil)
    #expect(script.client.poll(now: 20 * second) == 35 * second)
    #expect(script.take()?.request == "keepalive")
    script.answer(#""janus":"ack""#, retaking: false)
    #expect(script.client.poll(now: 21 * second) == 40 * second)
    #expect(script.events().count == 1)
  }

  /// A request whose event may be lost, and is awaited by nobody.
  @Test func aProbeMayBeLost() throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.client.probe(now: 0)
    #expect(try #require(script.take()).body.line == #"{ "request": "configure" }"#)
    script.answer(#""janus":"ack""#, retaking: false)
    #expect(script.client.poll(now: 19 * second) == 20 * second && script.events().isEmpty)
    script.event(#""videoroom":"event","error_code":499,"error":"x""#, answers: true)
    #expect(script.events().isEmpty)
  }

  // MARK: The others

  @Test func othersComeChangeAndLeave() throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.event(#""videoroom":"event","room":1234,"joining":{"id":8,"display":"Bob"}"#)
    script.event(#""videoroom":"event","room":1234,"publishers":[\#(JanusScript.publisher(8))]"#)
    script.event(#""videoroom":"event","room":1234,"publishers":[\#(JanusScript.publisher(8))]"#)
    script.event(#""videoroom":"event","room":1234,"publishers":[\#(JanusScript.publisher(8, video: #","disabled":true"#))]"#)
    script.event(#""videoroom":"event","room":99,"leaving":8"#)
    script.event(#""videoroom":"event","room":1234,"unpublished":8"#)
    script.event(#""videoroom":"event","room":1234,"unpublished":8"#)
    script.event(#""videoroom":"event","room":1234,"leaving":8"#)
    script.event(#""videoroom":"event","room":1234,"leaving":8"#)
    let streams: [Int] = script.events().map { if case .participant(let one) = $0 { one.streams.count } else { -1 } }
    #expect(streams == [0, 2, 1, 0, -1])
  }

  @Test func speakersAndModerationAreReported() throws {
    let script = try JanusScript.joined("secret=s", publishers: "[\(JanusScript.publisher(8))]")
    _ = (script.events(), script.takeAll())
    script.event(#""videoroom":"talking","room":1234,"id":8,"mid":"0","audio-level-dBov-avg":25.5"#)
    script.event(#""videoroom":"stopped-talking","room":1234,"id":8,"audio-level-dBov-avg":1e300"#)
    script.event(#""videoroom":"event","room":1234,"id":8,"mid":"0","moderation":"muted""#)
    script.event(#""videoroom":"event","room":1234,"id":77,"mid":"0","moderation":"unmuted""#)
    let sound = JanusSource(.number(8), mid: "0")
    #expect(
      script.events() == [
        .talking(sound, true, level: 25), .talking(sound, false, level: 127), .moderated(sound, isMuted: true),
        .moderated(JanusSource(.number(77), mid: "0"), isMuted: false)
      ])
    try script.client.mute(.number(8), true, now: 0)
    #expect(
      try #require(script.take()).body.line
        == #"{ "request": "moderate", "mid": "0", "mute": true, "room": 1234, "id": 8, "secret": "s" }"#)
    try script.client.remove(.number(8), now: 0)
    #expect(try #require(script.take()).body.line == #"{ "request": "kick", "room": 1234, "id": 8, "secret": "s" }"#)
    // That it is refused ends nothing.
    script.answer(#""janus":"success","plugindata":{"data":{"videoroom":"event","error_code":433,"error":"x"}}"#, retaking: false)
    #expect(script.events().isEmpty)
    #expect(refusal { try script.client.remove(.number(1), now: 0) }?.status == .notFound)
    #expect(refusal { try JanusScript.joined().client.mute(.number(8), true, now: 0) }?.status == .permission)
  }

  @Test func whoIsTakenOutOfTheRoomDoesNotComeBack() throws {
    let script = try JanusScript.joined()
    script.event(#""videoroom":"event","room":1234,"leaving":"ok","reason":"kicked""#)
    let found = script.events()
    guard case .failed(let failure)? = found.last else { throw refused("\(found)") }
    #expect(found.contains(.removed) && failure.error.status == .removed && failure.isFinal)
  }

  @Test(arguments: [
    #""janus":"timeout","session_id":1"#, #""janus":"hangup","session_id":1,"sender":2,"reason":"ICE failed""#,
    #""janus":"detached","session_id":1,"sender":2"#, #""janus":"error","error":{"code":458,"reason":"No such session"}"#
  ]) func aLostSessionMayBeReplaced(message: String) throws {
    let script = try JanusScript.joined()
    script.say(message)
    let failure = try #require(script.failure())
    #expect(failure.error.status == .closed && !failure.isFinal)
  }

  // MARK: Publishing

  @Test func anOfferIsPublishedAndChanged() throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.client.publish(offer: "one", texts: [("0", "screen")], now: 0)
    let first = try #require(script.take())
    #expect(first.body.line == #"{ "request": "publish", "descriptions": [ { "mid": "0", "description": "screen" } ] }"#)
    #expect(first.member("jsep")?.line == #"{ "type": "offer", "sdp": "one" }"#)
    script.event(#""videoroom":"event","configured":"ok""#, answers: true, jsep: "answer")
    #expect(script.events() == [.answer("v=0")])
    script.client.publish(offer: "two", texts: [], now: 0)
    #expect(script.take()?.request == "configure")
    script.event(#""videoroom":"event","error_code":437,"error":"x""#, answers: true)
    guard case .publishFailed(let error)? = script.client.takeEvent() else { throw refused("accepted") }
    #expect(error.status == .format)
  }

  @Test func candidatesGoTogetherWhenNothingElseDoes() throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.client.add(candidate: "candidate:1", mid: "0", of: .publisher, now: 0)
    script.client.add(candidate: "candidate:2", mid: "0", of: .publisher, now: 0)
    script.client.add(candidate: "", mid: nil, of: .publisher, now: 0)
    script.client.publish(offer: "one", texts: [], now: 0)
    let all = script.takeAll()
    #expect(all.map(\.request) == ["publish", "trickle", "trickle"])
    #expect(all[1].member("candidates")?.list.count == 2 && all[2].member("candidate")?.line == #"{ "completed": true }"#)
    script.say(#""janus":"trickle","session_id":1,"sender":2,"candidate":{"candidate":"candidate:3","sdpMid":"0"}"#)
    script.say(#""janus":"trickle","session_id":1,"sender":2,"candidate":{"completed":true}"#)
    script.say(#""janus":"trickle","session_id":1,"sender":9,"candidate":{"completed":true}"#)
    #expect(script.events() == [.candidate(.publisher, "candidate:3", mid: "0"), .candidate(.publisher, "", mid: nil)])
  }

  // MARK: Receiving

  private func receiving() throws -> JanusScript {
    let script = try JanusScript.joined(publishers: "[\(JanusScript.publisher(8)), \(JanusScript.publisher(9, "Cleo"))]")
    _ = script.events()
    script.client.want([bob, JanusSource(.number(5), mid: "1")], now: 0)
    script.answer(#""janus":"success","data":{"id":3}"#)
    script.answer(#""janus":"ack""#)
    let rest = #""room": 1234, "private_id": 5, "streams": [ { "feed": 8, "mid": "1" } ] }"#
    #expect(script.last.body.line == #"{ "request": "join", "ptype": "subscriber", "# + rest)
    return script
  }

  private func offer(_ script: JanusScript, _ what: String = "updated", answers: Bool = true, _ streams: String) {
    script.event(#""videoroom":"\#(what)","room":1234,"streams":[\#(streams)]"#, of: 3, answers: answers, jsep: "offer")
  }
  private let first = #"{"mid":"0","type":"video","feed_id":8,"feed_mid":"1","active":true}"#

  @Test func whatIsWantedIsAskedFor() throws {
    let script = try receiving()
    offer(script, "attached", first)
    #expect(script.events() == [.offer("v=0", sources: ["0": bob])])
    // While that is being answered nothing else is asked for.
    let cleo = JanusSource(.number(9), mid: "0")
    script.client.want([cleo], now: 0)
    #expect(script.take() == nil)
    script.client.answer("mine", now: 0)
    let all = script.takeAll()
    #expect(all.map(\.request) == ["start", "update"] && all[0].member("jsep")?.line == #"{ "type": "answer", "sdp": "mine" }"#)
    #expect(
      all[1].body.line
        == #"{ "request": "update", "subscribe": [ { "feed": 9, "mid": "0" } ], "unsubscribe": [ { "feed": 8, "mid": "1" } ] }"#)
    // The server puts it off, and offers later, by itself.
    script.event(#""videoroom":"updating","room":1234"#, of: 3, answers: true)
    #expect(script.take() == nil && script.events().isEmpty)
    offer(script, answers: false, #"{"mid":"0","active":false},{"mid":"1","feed_id":9,"feed_mid":"0","active":true}"#)
    #expect(script.events() == [.offer("v=0", sources: ["1": cleo])])
  }

  @Test func iceIsRestartedByTheServer() throws {
    let script = try receiving()
    offer(script, "attached", first)
    script.client.answer("mine", now: 0)
    _ = script.takeAll()
    script.event(#""videoroom":"event","started":"ok""#, of: 3, answers: true)
    _ = script.events()
    script.client.restartReceiving(now: 0)
    #expect(try #require(script.take()).body.line == #"{ "request": "configure", "restart": true }"#)
    script.event(#""videoroom":"event","configured":"ok""#, of: 3, answers: true, jsep: "offer")
    #expect(script.events() == [.offer("v=0", sources: ["0": bob])])
  }

  @Test func aLayerIsAskedForOnceItsStreamIsThere() throws {
    let layered = #"{"mid":"1","type":"video","codec":"vp8","simulcast":true}"#
    let bobs = #"{"id":8,"display":"Bob","streams":[\#(layered),{"mid":"2","type":"video"}]}"#
    let script = try JanusScript.joined(publishers: "[\(bobs)]")
    _ = script.events()
    let plain = JanusSource(.number(8), mid: "2")
    script.client.want([bob, plain], now: 0)
    script.client.choose(JanusLayer(substream: 0, temporal: 2), of: bob, now: 0)
    script.client.choose(JanusLayer(substream: 0, temporal: 0), of: plain, now: 0)
    script.answer(#""janus":"success","data":{"id":3}"#)
    script.answer(#""janus":"ack""#)
    offer(script, "attached", #"\#(first),{"mid":"4","feed_id":8,"feed_mid":"2","active":true}"#)
    _ = script.events()
    #expect(script.take() == nil)
    script.client.answer("mine", now: 0)
    let all = script.takeAll()
    #expect(all.map(\.request) == ["start", "configure"])
    let layers = #"{ "request": "configure", "streams": [ { "mid": "0", "substream": 0, "temporal": 2 } ] }"#
    #expect(try #require(all.last).body.line == layers)
    // The same again is no news, and what is refused ends nothing.
    script.event(#""videoroom":"event","error_code":430,"error":"x""#, of: 3, answers: true)
    script.client.choose(JanusLayer(substream: 0, temporal: 2), of: bob, now: 0)
    #expect(script.take() == nil && script.events().isEmpty)
    script.client.choose(.best, of: bob, now: 0)
    #expect(script.take()?.body.member("streams")?.line == #"[ { "mid": "0", "substream": 2, "temporal": 2 } ]"#)
    for what in [#""mid":"0","substream":2"#, #""mid":"0","substream":3"#, #""mid":"7","substream":1"#, #""mid":"0","temporal":1"#] {
      script.event(#""videoroom":"event","room":1234,\#(what)"#, of: 3)
    }
    #expect(script.events() == [.layer(bob, substream: 2)])
  }

  @Test func whatIsSaidOfAStreamChanges() throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.client.describe([("0", "microphone (muted)")], now: 0)
    #expect(script.take() == nil)
    script.client.publish(offer: "one", texts: [("0", "microphone")], now: 0)
    script.take()
    script.event(#""videoroom":"event","configured":"ok""#, answers: true, jsep: "answer")
    _ = script.events()
    script.client.describe([("0", "microphone (muted)")], now: 0)
    let descriptions = #""descriptions": [ { "mid": "0", "description": "microphone (muted)" } ] }"#
    #expect(try #require(script.take()).body.line == #"{ "request": "configure", "# + descriptions)
    script.event(#""videoroom":"event","configured":"ok""#, answers: true)
    #expect(script.events().isEmpty)
  }

  /// Somebody left in that moment: it is tried again without them.
  @Test func whatIsGoneIsAskedForNoMore() throws {
    let script = try receiving()
    script.event(#""videoroom":"event","error_code":428,"error":"No such feed""#, of: 3, answers: true)
    #expect(script.events().isEmpty && script.take() == nil && script.client.poll(now: 0) == second)
    script.event(#""videoroom":"event","room":1234,"leaving":8"#)
    _ = script.client.poll(now: second)
    #expect(script.take() == nil && script.events() == [.left(.number(8))])
    script.client.want([JanusSource(.number(9), mid: "0")], now: second)
    #expect(script.take()?.body.member("streams")?.line == #"[ { "feed": 9, "mid": "0" } ]"#)
  }

  // MARK: The end

  @Test func leavingEndsTheSession() throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.client.leave(now: 0)
    #expect(script.take()?.request == "destroy" && script.client.pollTarget == nil)
    script.answer(#""janus":"success","session_id":1"#, retaking: false)
    #expect(script.events() == [.ended] && script.client.isEnded && script.client.poll(now: 100) == nil)
  }

  /// Version 1.1.2 may crash when a connection of WebRTC ends while the server works on a description of it.
  @Test(arguments: ["answered", "refused", "not answered"]) func leavingWaitsForADescription(that: String) throws {
    let script = try JanusScript.joined()
    _ = script.events()
    script.client.publish(offer: "one", texts: [], now: 0)
    script.take()
    // Of what was not sent there is nothing to wait for.
    script.client.want([JanusSource(.number(8), mid: "1")], now: 0)
    script.client.leave(now: 0)
    #expect(script.take() == nil && !script.client.hangsUp && script.client.pollTarget != nil)
    script.answer(#""janus":"ack","session_id":1"#, retaking: false)
    #expect(script.take() == nil && !script.client.hangsUp)
    switch that {
    case "answered": script.event(#""videoroom":"event","configured":"ok""#, answers: true, jsep: "answer")
    case "refused": script.event(#""videoroom":"event","error_code":437,"error":"x""#, answers: true)
    default: #expect(script.client.poll(now: second - 1) == second)
    }
    if that == "not answered" { _ = script.client.poll(now: second) }
    #expect(script.take()?.request == "destroy" && script.client.hangsUp && script.client.pollTarget == nil)
    script.answer(#""janus":"success","session_id":1"#, retaking: false)
    #expect(script.events() == [.ended] && script.client.isEnded)
  }

  @Test func aSessionThatIsJustBeingMadeIsEnded() throws {
    let script = try JanusScript()
    script.take()
    script.client.leave(now: 0)
    #expect(!script.client.isEnded && script.take() == nil)
    script.answer(#""janus":"success","data":{"id":4}"#, retaking: false)
    let destroy = try #require(script.take())
    #expect(destroy.request == "destroy" && destroy.member("session_id")?.whole(Int.self) == 4)
    #expect(script.client.poll(now: 60 * second) == nil && script.events() == [.ended])
  }
}
