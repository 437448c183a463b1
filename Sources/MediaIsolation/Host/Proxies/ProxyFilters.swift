import CMediaSDK
import IsolationProtocol
import MediaCore

/// What filters of video and of sound that live in another process have in common. While that is gone MSDK_E_PLUGIN_DIED says so, and what
/// comes passes as it is; when it was given up, the filter leaves its stream by MSDK_E_CLOSED.
extension IsolatedInstance {
  /// What a call of a filter came to, whatever became of the process.
  func passing(_ outcome: Outcome) -> msdk_result {
    if case .result(let result) = outcome { return min(result, 0) }
    return isGivenUp ? fail(.closed, "its process died too often and is not restarted") : msdk_result(MSDK_E_PLUGIN_DIED)
  }

  /// A [control] call on a frame's way, which is made again with the next frame when it came to nothing.
  func agree(_ op: Op, write: Write, read: Read = { _, _ in }, apply: (inout DesiredState) -> Void) -> msdk_result {
    let outcome = callNow(op) { $0.call(op, now: now(), deadline: plan.options.controlDeadline, write: write, read: read) }
    if case .result(let result) = outcome, result >= 0 { state.withLock { apply(&$0.wanted) } }
    return passing(outcome)
  }

  func flush(_ op: Op) -> msdk_result {
    let outcome = callNow(op) { $0.call(op, now: now(), deadline: plan.options.mediaDeadline) }
    // What is gone keeps nothing.
    guard case .result(let result) = outcome else { return msdk_result(MSDK_OK) }
    return result
  }
}
