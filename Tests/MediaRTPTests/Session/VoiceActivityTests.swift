import Testing

@testable import MediaRTP

@Suite struct VoiceActivityTests {
  private let voice = HeaderExtensions.AudioLevel(level: 20, isVoice: true)
  private let noise = HeaderExtensions.AudioLevel(level: 20, isVoice: false)

  @Test func beginsWithTheFirstPacketOfVoice() {
    var activity = VoiceActivity()
    let noiseBegan = activity.heard(noise, at: 0)
    let began = activity.heard(voice, at: 20_000_000)
    let again = activity.heard(voice, at: 40_000_000)
    #expect(!noiseBegan && began && !again && activity.isSpeaking)
  }

  @Test(arguments: [(UInt8(0), true), (70, true), (71, false), (127, false)]) func silenceIsNoVoice(level: UInt8, isHeard: Bool) {
    var activity = VoiceActivity()
    let began = activity.heard(.init(level: level, isVoice: true), at: 0)
    #expect(began == isHeard && activity.isSpeaking == isHeard)
  }

  @Test func endsWhenNoneHasComeForThreeTenthsOfASecond() {
    var activity = VoiceActivity()
    #expect(activity.deadline == .max)
    _ = activity.heard(voice, at: 1_000_000_000)
    _ = activity.heard(noise, at: 1_200_000_000)
    #expect(activity.deadline == 1_300_000_000)
    let early = activity.hasEnded(at: 1_299_999_999)
    let ended = activity.hasEnded(at: 1_300_000_000)
    let twice = activity.hasEnded(at: 1_400_000_000)
    #expect(!early && ended && !twice && !activity.isSpeaking && activity.deadline == .max)
    let begins = activity.heard(voice, at: 2_000_000_000)
    #expect(begins)
  }

  /// Every second packet is lost, and a few are late.
  @Test func goesOnThroughLoss() {
    var activity = VoiceActivity()
    var (began, ended) = (0, 0)
    for step in 0..<100 where step % 2 == 0 && !(40..<50).contains(step) {
      let now = Int64(step) * 20_000_000
      if activity.hasEnded(at: now) { ended += 1 }
      if activity.heard(voice, at: now) { began += 1 }
    }
    #expect(began == 1 && ended == 0)
  }

  @Test func aSessionTellsWhoSpeaks() throws {
    let call = try TestCall(seed: 11)
    func talk(_ level: HeaderExtensions.AudioLevel?, packets: Int) throws {
      for _ in 0..<packets {
        let bytes: [UInt8] = [31 << 3, 1, 2, 3]
        let units = call.now / 20_000_000 * 960
        try bytes.withUnsafeBytes {
          try call.sender.send(sound: $0, units: units, marker: false, level: level, on: call.audio, now: call.now)
        }
        call.run(until: call.now + 20_000_000)
      }
    }
    var spoken: [RTPSessionEvent] { call.there.events.filter { if case .spoke = $0 { true } else { false } } }
    try talk(noise, packets: 20)
    #expect(spoken.isEmpty)
    try talk(voice, packets: 50)
    #expect(spoken == [.spoke(SSRC(200), level: 20)])
    try talk(noise, packets: 50)
    #expect(spoken == [.spoke(SSRC(200), level: 20), .spoke(SSRC(200), level: nil)])
    // Silence that is not sent ends it as well.
    try talk(voice, packets: 5)
    call.run(until: call.now + 1_000_000_000)
    #expect(spoken.count == 4 && spoken.last == .spoke(SSRC(200), level: nil))
  }
}
