import MediaCore

/// Has a job done by a loop at the soonest of the times that were asked for, however often it is asked: each time that passes may lead to another one,
/// and jobs of a loop are not taken back.
public final class LoopAlarm: Sendable {
  private let loop: EventLoop
  /// nil: it is not set.
  private let due = Monitor<Int64?>(nil)

  /// Not set.
  public init(_ loop: EventLoop) { self.loop = loop }

  /// For that time, unless it is set for that one or a sooner one. It is not set any more when the job begins. Any thread.
  @inline(never)
  public func set(at time: Int64, _ job: @escaping EventLoop.Job) {
    let isSoonest = due.withLock { due in
      guard due.map({ time < $0 }) ?? true else { return false }
      due = time
      return true
    }
    guard isSoonest else { return }
    loop.schedule(at: time) { [weak self] in
      self?.due.withLock { due in if due == time { due = nil } }
      job()
    }
  }
}
