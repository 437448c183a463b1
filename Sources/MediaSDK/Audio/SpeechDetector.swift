import MediaCore

/// Whether somebody speaks, from the levels of his sound: loud for 60 ms in a row begins it, 800 ms without being loud end it. Pure.
struct SpeechDetector {
  /// RFC 6464: -dBov, the smaller the louder.
  private static let loud: UInt32 = 45
  private static let attack: Int64 = 60_000_000
  static let hold: Int64 = 800_000_000

  private var loudFor: Int64 = 0
  private var lastLoud = Int64.min
  private(set) var isSpeaking = false
  /// The loudest since it was last told.
  private(set) var level = AudioFrame.silentLevel

  /// When to look again though no sound comes; nil while nobody speaks.
  var nextCheck: Int64? { isSpeaking ? lastLoud + SpeechDetector.hold : nil }

  /// A buffer left. Says whether `isSpeaking` changed.
  mutating func hear(_ level: UInt32, duration: Int64, at now: Int64) -> Bool {
    if level <= SpeechDetector.loud {
      loudFor += duration
      lastLoud = now
      self.level = min(self.level, level)
    } else {
      loudFor = 0
    }
    return isSpeaking ? check(at: now) : begin()
  }

  private mutating func begin() -> Bool {
    guard loudFor >= SpeechDetector.attack else { return false }
    isSpeaking = true
    return true
  }

  /// Time has passed. Says whether `isSpeaking` changed.
  mutating func check(at now: Int64) -> Bool {
    guard isSpeaking, now - lastLoud >= SpeechDetector.hold else { return false }
    self = SpeechDetector()
    return true
  }
}
