import MediaCore

extension ICEAgent {
  /// Begins another generation (RFC 8445, section 9): other credentials, candidates offered anew, everything checked again. The role stays.
  /// Data go on over the route of before, with its consent, until a pair of the new generation is valid. `setRemote` follows, with what the
  /// other end's new description says.
  ///
  /// `credentials`: those that a description has announced; nil: random ones.
  public func restart(_ credentials: ICECredentials? = nil, now: Int64) {
    guard !isClosed else { return }
    if current.selected != nil {
      former = current
      formerEnd = .max
      for pair in current.pairs { current.stop(pair) }
      current.triggered.removeAll()
      let kept = current.selected
      current.drop { $0 !== kept && !$0.isProven }
    }
    if current.remote != nil || replaced == nil { replaced = current }
    current = CheckList(credentials ?? random.credentials())
    withdrawCandidates()
    if former == nil, state == .failed || state == .checking { state = .new }
    gatherAgain(now: now)
  }

  /// The description that announced the restart was taken back (RFC 9429, section 4.1.10.2), so the generation of before goes on. Without a restart
  /// since the last `setRemote` it has no effect.
  public func cancelRestart(now: Int64) {
    guard !isClosed, current.remote == nil, let before = replaced else { return }
    if former === before { (former, formerEnd) = (nil, .max) }
    (current, replaced) = (before, nil)
    // What was not proven was dropped.
    guard !settings.isLite else { return }
    for path in paths {
      for remote in current.remotes { _ = current.makePair(path, remote, isControlling: isControlling) }
    }
  }
}
