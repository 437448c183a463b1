import MediaCore

/// Whether somebody speaks in a stream, by what its packets say of themselves (RFC 6464, section 3): from the first that says so on, until none
/// has for 300 ms, as packets are lost and late.
struct VoiceActivity {
  private static let hold: Int64 = 300_000_000
  /// In dB below full scale: what is quieter is no voice, whatever its sender calls it. libwebrtc sets the flag of all packets that are no comfort
  /// noise, those of digital silence included.
  private static let quietest: UInt8 = 70

  private var lastVoice: Int64?

  var isSpeaking: Bool { lastVoice != nil }
  /// When nobody speaks any more if nothing comes.
  var deadline: Int64 { lastVoice.map { $0 &+ VoiceActivity.hold } ?? .max }

  /// A packet came. Says whether with it somebody began.
  mutating func heard(_ level: HeaderExtensions.AudioLevel, at now: Int64) -> Bool {
    guard level.isVoice, level.level <= VoiceActivity.quietest else { return false }
    defer { lastVoice = now }
    return lastVoice == nil
  }

  /// Says whether somebody ended.
  mutating func hasEnded(at now: Int64) -> Bool {
    guard now >= deadline else { return false }
    lastVoice = nil
    return true
  }
}
