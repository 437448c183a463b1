import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A session's mix, and who speaks in it.
@Suite struct SessionAudioTests {
  /// Somebody's steady sound.
  private struct Voice {
    let stream: OutgoingAudio
    var value: Float
  }

  private func voice(_ call: Call, _ session: Session, _ value: Float, _ options: OutgoingAudioOptions = Make.sound()) throws -> Voice {
    Voice(stream: try call.startSound(options, by: session), value: value)
  }

  /// Everybody's buffers for so long.
  private func play(_ call: Call, _ voices: [Voice], milliseconds: Int) throws {
    for _ in 0..<milliseconds / 20 {
      for voice in voices { try voice.stream.sendLevel(voice.value) }
      try call.advance(20 * millisecond)
    }
  }

  /// The mix of a session, started; as it sounds now.
  private func mix(_ session: Session) throws -> IncomingAudio {
    let mix = try session.mixedAudio()
    try mix.start(Make.hearing { $0.queueMilliseconds = 60_000 })
    return mix
  }

  private func level(_ mix: IncomingAudio) -> Float? { mix.heard().last?.samples.last }

  private func isNear(_ value: Float?, _ wanted: Float) -> Bool { abs((value ?? .infinity) - wanted) < 0.001 }

  @Test func theMixIsOneAndIsDriven() throws {
    let call = try Call().connect()
    let mix = try call.bert.mixedAudio()
    #expect(try call.bert.mixedAudio() === mix)
    #expect(mix.isMix && mix.userID == "" && mix.codec == FourCC.raw && mix.state == .available)
    #expect(failure { try mix.start(Make.hearing { $0.output = .encoded }) }?.status == .unsupported)
    try mix.start()
    #expect(failure { try mix.start() }?.status == .state)
    try call.advance(100 * millisecond)
    let heard = mix.heard()
    #expect(heard.count == 6)
    #expect(heard.allSatisfy { $0.format.isSameSound(as: AudioFormat(.f32, sampleRate: 48_000, channels: 2)) && $0.count == 960 })
    #expect(heard.allSatisfy { $0.level == 127 })
    mix.stop()
    #expect(mix.state == .stopped)
    try call.advance(second)
    #expect(failure { _ = try mix.read(deadline: 0) }?.status == .closed)
    try mix.start()
    try call.advance(100 * millisecond)
    #expect(mix.heard().count == 6)
  }

  @Test(arguments: SampleFormat.allCases)
  func theMixComesAsWanted(sampleFormat: SampleFormat) throws {
    let call = try Call("\(#function) \(sampleFormat)").connect()
    let voice = try voice(call, call.anna, 0.25)
    let mix = try call.bert.mixedAudio()
    try mix.start(
      Make.hearing {
        ($0.sampleFormat, $0.sampleRate, $0.channels, $0.bufferMilliseconds) = (sampleFormat, 16_000, 1, 50)
        $0.queueMilliseconds = 60_000
      })
    try play(call, [voice], milliseconds: 1000)
    let heard = mix.heard()
    #expect((20...21).contains(heard.count))
    #expect(heard.allSatisfy { $0.format.isSameSound(as: AudioFormat(sampleFormat, sampleRate: 16_000, channels: 1)) })
    #expect(heard.allSatisfy { $0.count == 800 })
    #expect(heard.suffix(5).allSatisfy { $0.samples.allSatisfy { abs($0 - 0.25) < 0.001 } })
    #expect(heard.last?.level == 12)
  }

  @Test func everybodyHearsTheOthers() throws {
    let call = try Call().connect()
    let carl = try call.join("carl")
    let mixes = try [call.anna, call.bert, carl].map(mix)
    var voices = [try voice(call, call.anna, 0.1), try voice(call, call.bert, 0.2)]
    voices.append(try voice(call, carl, 0.3, Make.sound { ($0.sampleRate, $0.channels, $0.sampleFormat) = (44_100, 2, .f32) }))
    try play(call, voices, milliseconds: 1000)
    #expect(isNear(level(mixes[0]), 0.5))
    #expect(isNear(level(mixes[1]), 0.4))
    #expect(isNear(level(mixes[2]), 0.3))
    #expect(mixes.map(\.stats.sources) == [2, 2, 2])
    #expect(mixes.allSatisfy { $0.stats.underruns == 0 && $0.stats.late == 0 })
    // Nobody had to start a stream for that.
    #expect(call.bert.incomingAudios.allSatisfy { $0.state == .available })
  }

  @Test func peopleComeAndGo() throws {
    let call = try Call().connect()
    let mix = try mix(call.bert)
    var voices = [try voice(call, call.anna, 0.1)]
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.1))
    let carl = try call.join("carl")
    voices.append(try voice(call, carl, 0.2))
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.3))
    // A second stream of his.
    voices.append(try voice(call, carl, 0.3, Make.sound { $0.kind = .screenShare }))
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.6))
    try call.anna.stop(voices[0].stream)
    voices.removeFirst()
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.5))
    carl.disconnect()
    try call.advance(500 * millisecond)
    let heard = mix.heard()
    #expect(heard.last?.samples.allSatisfy { $0 == 0 } == true)
    #expect(mix.stats.sources == 0)
    // Without a hole, whoever came and went.
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($1.timestamp - $0.timestamp - 20 * millisecond) <= millisecond })
    try carl.connect()
    try call.advance()
    voices = [try voice(call, carl, 0.2)]
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.2))
  }

  @Test func theMixAndTheStreamItselfAreBothHeard() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.sound()
    let mix = try mix(call.bert)
    let voices = [Voice(stream: outgoing, value: 0.25)]
    try play(call, voices, milliseconds: 500)
    #expect(incoming.heard().count == 25)
    #expect(isNear(level(mix), 0.25))
    #expect(outgoing.stats.receivers == 1)
    incoming.stop()
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.25))
    try incoming.start()
    mix.stop()
    try play(call, voices, milliseconds: 100)
    #expect(incoming.heard().count == 5)
    incoming.stop()
    try call.advance()
    #expect(outgoing.stats.receivers == 0)
  }

  @Test func gainIsOfAParticipantOrOfTheMix() throws {
    let call = try Call().connect()
    let mix = try mix(call.bert)
    let carl = try call.join("carl")
    let voices = [try voice(call, call.anna, 0.1), try voice(call, carl, 0.2)]
    try #require(call.bert.incomingAudios.first { $0.userID == "carl" }).setGain(2)
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.5))
    try mix.setGain(0.5)
    try play(call, voices, milliseconds: 100)
    #expect(isNear(level(mix), 0.25))
  }

  @Test func encodedSoundIsMixedToo() throws {
    let call = try Call().connect()
    let mix = try mix(call.bert)
    var tone = ToneSender(try call.startSound(Make.opus()), amplitude: 0.3)
    for _ in 0..<50 {
      try tone.send()
      try call.advance(20 * millisecond)
    }
    let heard = mix.heard().suffix(20)
    #expect((0.25...0.35).contains(heard.flatMap(\.left).map(abs).max() ?? 0))
    #expect(heard.last?.level ?? 127 < 20)
    #expect(mix.stats.underruns == 0)
    #expect((10 * millisecond...100 * millisecond).contains(mix.stats.kept + 20 * millisecond))
  }

  @Test func aMutedStreamIsSilentAndToldSo() throws {
    let call = try Call().connect()
    let mix = try mix(call.bert)
    let voices = [try voice(call, call.anna, 0.25)]
    try play(call, voices, milliseconds: 500)
    voices[0].stream.setMuted(true)
    try play(call, voices, milliseconds: 1000)
    #expect(mix.heard().last?.samples.allSatisfy { $0 == 0 } == true)
    #expect(call.events(call.bert).contains("anna muted"))
    // A pause is no underrun.
    #expect(mix.stats.underruns == 0)
    voices[0].stream.setMuted(false)
    try play(call, voices, milliseconds: 500)
    #expect(isNear(level(mix), 0.25))
    #expect(call.events(call.bert).contains("anna unmuted"))
  }

  @Test(arguments: ["stop", "session", "engine"])
  func theMixesCallbackMayEndIt(_ ending: String) throws {
    let call = try Call("\(#function) \(ending)").connect()
    let voices = [try voice(call, call.anna, 0.25)]
    let mix = try call.bert.mixedAudio()
    let calls = Journal<Int>()
    let (bert, engine) = (call.bert, call.engine)
    mix.setFrameCallback { [weak mix] _ in
      calls.add(1)
      guard calls.entries.count == 5 else { return }
      switch ending {
      case "stop": mix?.stop()
      case "session": bert.close()
      default: engine.close()
      }
    }
    try mix.start()
    _ = failure { try play(call, voices, milliseconds: 500) }
    #expect(calls.entries.count == 5)
    _ = mix.heard()
    #expect(voices[0].stream.buffersHeld == 0)
  }

  // MARK: Speakers

  @Test func whoSpeaksIsToldToEverybodyAndHimself() throws {
    let call = try Call().connect()
    let voices = [try voice(call, call.anna, 0.25)]
    _ = (call.events(call.anna), call.events(call.bert))
    try play(call, voices, milliseconds: 200)
    #expect(call.events(call.bert) == ["anna speaks at 12"])
    #expect(call.events(call.anna) == ["anna speaks at 12"])
    #expect(call.bert.participants.map(\.speakingLevel) == [nil, 12])
    #expect(call.anna.participants.map(\.speakingLevel) == [12, nil])
    // Who comes later is told.
    let carl = try call.join("carl")
    #expect(call.events(carl).contains("anna speaks at 12"))
    _ = (call.events(call.anna), call.events(call.bert))
    // Nothing comes any more: the clock ends it.
    try call.advance(2 * second)
    #expect(call.events(call.bert) == ["anna is silent at 127"])
    #expect(call.events(call.anna) == ["anna is silent at 127"])
    #expect(call.bert.participants.allSatisfy { $0.speakingLevel == nil })
  }

  @Test func silenceMutingAndSharedSoundAreNoSpeech() throws {
    let call = try Call().connect()
    var voices = [try voice(call, call.anna, 0.001), try voice(call, call.anna, 0.5, Make.sound { $0.kind = .screenShare })]
    voices.append(try voice(call, call.bert, 0.5))
    voices[2].stream.setMuted(true)
    try play(call, voices, milliseconds: 1000)
    let told = (call.events(call.anna) + call.events(call.bert)).filter { $0.contains("speaks") }
    #expect(told == [])
  }

  @Test(arguments: ["mute", "stop", "disconnect"])
  func speechEndsWithItsStream(_ ending: String) throws {
    let call = try Call("\(#function) \(ending)").connect()
    let voices = [try voice(call, call.anna, 0.25)]
    try play(call, voices, milliseconds: 200)
    #expect(call.events(call.bert).last == "anna speaks at 12")
    switch ending {
    case "mute":
      voices[0].stream.setMuted(true)
      try play(call, voices, milliseconds: 1000)
    case "stop": try call.anna.stop(voices[0].stream)
    default: call.anna.disconnect()
    }
    try call.advance()
    #expect(call.events(call.bert).contains("anna is silent at 127"))
    #expect(call.bert.participants.allSatisfy { $0.speakingLevel == nil })
    #expect(call.anna.participants.allSatisfy { $0.speakingLevel == nil })
  }

  @Test func ofSeveralStreamsOneIsEnough() throws {
    let call = try Call().connect()
    let voices = [try voice(call, call.anna, 0.25), try voice(call, call.anna, 0.5)]
    _ = call.events(call.bert)
    try play(call, voices, milliseconds: 200)
    #expect(call.events(call.bert).count { $0.hasPrefix("anna speaks") } == 1)
    #expect(call.bert.participants[1].speakingLevel == 6)
    try call.anna.stop(voices[1].stream)
    try play(call, [voices[0]], milliseconds: 200)
    #expect(!call.events(call.bert).contains("anna is silent at 127"))
    #expect(call.bert.participants[1].speakingLevel == 12)
  }

  // MARK: The end

  @Test(arguments: ["engine", "sessions", "disconnect", "timeout"])
  func nothingIsLeft(_ ending: String) throws {
    var alive: [String: () -> Bool] = [:]
    func watch(_ name: String, _ object: AnyObject) { alive[name] = { [weak object] in object != nil } }
    try autoreleased {
      let call = try Call("\(#function) \(ending)").connect()
      try call.script(NetworkScript.Step(delay: 30 * millisecond))
      let (raw, rawIn) = try call.sound()
      let (opus, opusIn) = try call.sound(Make.opus(), Make.hearing { $0.bufferMilliseconds = 50 })
      try call.advance(200 * millisecond)
      let attached = try call.engine.makeOutgoingAudio(Make.sound())
      let idle = try call.engine.makeSession(SessionOptions(url: call.room, userID: "dora"))
      try idle.start(attached)
      let mixes = try [call.anna, call.bert].map(mix)
      rawIn.setFrameCallback { _ in }
      try opus.setEncodedCallback { _ in }
      watch("engine", call.engine)
      for (name, object) in [("raw", raw), ("opus", opus), ("attached", attached)] { watch(name, object) }
      for (name, object) in [("anna", call.anna), ("bert", call.bert), ("idle", idle)] { watch(name, object) }
      for (name, object) in [("rawIn", rawIn), ("opusIn", opusIn), ("mix 0", mixes[0]), ("mix 1", mixes[1])] { watch(name, object) }
      watch("pool", raw.pool)
      for _ in 0..<30 {
        try raw.sendLevel()
        try opus.sendLevel()
        try call.advance(20 * millisecond)
      }
      // Some of it under way, some unread, some waiting.
      for _ in 0..<5 { try raw.sendLevel() }
      switch ending {
      case "sessions":
        call.anna.close()
        call.bert.close()
      case "disconnect":
        call.anna.disconnect()
        try call.advance(second)
        call.bert.disconnect()
      case "timeout":
        try call.script(NetworkScript.Step(isDisconnected: true))
        try call.advance(40 * second)
      default: break
      }
      call.engine.close()
      let stats = call.engine.stats
      #expect(stats.sessions + stats.outgoingAudios + stats.incomingAudios == 0)
      #expect(raw.buffersHeld == 0)
    }
    // A frame keeps its pool: when the pool is gone, so are they.
    #expect(alive.filter { $0.value() }.keys.sorted() == [])
  }

  /// What is made inside is not held by this function's frame.
  @inline(never)
  private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

  @Test func withdrawnStreamsAreForgottenInTheEnd() throws {
    let call = try Call().connect()
    weak var first: IncomingAudio?
    for index in 0..<70 {
      let outgoing = try call.startSound()
      if index == 0 { first = call.bert.incomingAudios.first }
      outgoing.close()
      try call.advance()
      _ = (call.events(call.anna), call.events(call.bert))
    }
    #expect(first == nil)
    #expect(call.engine.stats.incomingAudios == 64)
  }
}
