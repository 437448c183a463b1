import MediaCore
import MediaTransport

/// Who speaks: looked at where the sound is made, told to the room.
extension OutgoingAudio {
  func listen(_ level: UInt32, _ duration: Int64, _ situation: Situation) {
    let now = clock.now()
    let isMicrophone = options.kind == .microphone
    let (change, check): (SpeechDetector?, Int64?) = guarded.withLock { guarded in
      guarded.counters.level = level
      guarded.loudest = min(guarded.loudest, level)
      guard isMicrophone, guarded.speech.hear(level, duration: duration, at: now) else { return (nil, nil) }
      return (guarded.speech, guarded.speech.nextCheck)
    }
    guard let change else { return }
    tell(change, situation.publication)
    if let check { engine.loop.schedule(at: check) { self.checkSpeech() } }
  }

  /// Looks whether speech has ended though no sound came to show it; for as long as somebody speaks.
  private func checkSpeech() {
    let now = clock.now()
    let (change, publication, check): (SpeechDetector?, Publication?, Int64?) = guarded.withLock { guarded in
      let hasEnded = guarded.speech.check(at: now)
      return (hasEnded ? guarded.speech : nil, guarded.life.publication, guarded.speech.nextCheck)
    }
    if let change { tell(change, publication) }
    if let check { engine.loop.schedule(at: max(check, now + 1_000_000)) { self.checkSpeech() } }
  }

  private func tell(_ speech: SpeechDetector, _ publication: Publication?) {
    guard let publication else { return }
    publication.transport.setSpeaking(publication.id, speech.isSpeaking, level: speech.level)
    publication.session.spoke(
      publication.id, userID: publication.session.options.userID, speech.isSpeaking ? speech.level : nil)
  }
}
