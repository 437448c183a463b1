import MediaCore

/// What a shared screen shows now, kept after it was sent. Whoever comes later or asks for a key frame is shown it at once; what was left
/// out on its way is made good; and it goes out a few times more until it is sharp. Then nothing happens until something changes. Pure but
/// for the reference that it holds: times in, times out.
struct ScreenRepetition {
  struct Kept {
    /// With a reference, which whoever replaces the picture is handed back.
    let frame: VideoFrame
    let sequence: UInt64
    let timestamp: Int64
    let acceptedAt: Int64
  }

  enum Outcome {
    case shown(isSharp: Bool)
    /// Nobody looked.
    case unseen
    /// By the rate control or a full queue: there is room again soon.
    case leftOut
    /// The network did not take it, or the encoder failed.
    case refused
  }

  /// From one repetition to the next, in nanoseconds.
  static let spacing: Int64 = 250_000_000
  static let retry: Int64 = 1_000_000_000
  /// From one answer to those who ask to the next, however many ask.
  static let answerSpacing: Int64 = 100_000_000
  /// A page full of text is sharp after about ten at the bitrate that the SDK chooses, and one that is sent row by row after 80 at 150
  /// kbit/s.
  static let mostRepeats = 100

  private(set) var kept: Kept?
  private var repeatsLeft = 0
  private var due = Int64.max
  private var isAskedFor = false
  /// It was to be shown while nobody looked.
  private var isUnseen = false
  private var nextAnswer = Int64.min

  /// A new picture, or none; the former one's reference goes to the caller. One that is on its way answers those who asked.
  mutating func keep(_ new: Kept?, isOnItsWay: Bool = true) -> VideoFrame? {
    defer {
      kept = new
      repeatsLeft = ScreenRepetition.mostRepeats
      due = .max
      isUnseen = false
      if new == nil || isOnItsWay { isAskedFor = false }
    }
    return kept?.frame
  }

  mutating func ask() {
    guard kept != nil else { return }
    isAskedFor = true
    repeatsLeft = ScreenRepetition.mostRepeats
  }

  /// Somebody receives the stream, who asks for nothing where there is no room (`rtp:`). In a room they do, which is the sooner answer.
  mutating func receiversCame(_ now: Int64) {
    if isUnseen { due = min(due, now + ScreenRepetition.answerSpacing) }
    isUnseen = false
  }

  /// What became of the picture of that sequence; one that was replaced meanwhile is of no interest.
  mutating func settle(_ sequence: UInt64, _ outcome: Outcome, now: Int64, interval: Int64) {
    guard kept?.sequence == sequence else { return }
    isUnseen = false
    switch outcome {
    case .shown(let isSharp):
      let isDone = isSharp || repeatsLeft == 0
      repeatsLeft -= isDone ? 0 : 1
      due = isDone ? .max : now + max(ScreenRepetition.spacing, interval)
    case .unseen: (due, isUnseen) = (.max, true)
    case .leftOut: due = now + max(ScreenRepetition.spacing, interval)
    case .refused: due = now + max(ScreenRepetition.retry, interval)
    }
  }

  /// When `take` is worth calling.
  var time: Int64 { min(due, isAskedFor ? nextAnswer : .max) }

  /// The picture, if it is to go out again now.
  mutating func take(_ now: Int64) -> Kept? {
    guard time <= now else { return nil }
    if isAskedFor { nextAnswer = now + ScreenRepetition.answerSpacing }
    (due, isAskedFor, isUnseen) = (.max, false, false)
    return kept
  }

  /// Nothing is due: nobody is there to look. What was is for whoever comes.
  mutating func rest() {
    if time != .max { isUnseen = true }
    (due, isAskedFor) = (.max, false)
  }
}
