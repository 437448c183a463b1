import MediaCore

/// A member's access while they are in the room: its renewal and its end. What is not public runs on the member's loop.
extension LoopbackTransport {
  /// On the loop: a token whose answer is awaited is replaced. Without a verifier the room's permissions are granted at once.
  public func renew(_ token: AccessToken) {
    loop.post { self.askToRenew(token) }
  }

  /// Asks the room's verifier, if there is one. A newer token replaces one whose answer is awaited.
  private func askToRenew(_ token: AccessToken) {
    guard let room = room.withLock({ $0 }), isMember else { return }
    _ = forgetRequest()
    let access = room.access
    guard let verifier = access.verifier else { return renewed(.success(AccessGrant(access.permissions))) }
    let request = AccessRequest(room: room.name, member: member, token: token, permissions: access.permissions, isRenewal: true) {
      request, answer in
      self.loop.post { self.answeredRenewal(request, answer) }
    }
    state.withLock { $0.asked = (request, verifier) }
    verifier.verify(request)
    // It was replaced before it could be known that somebody asks it; or the member left, and looked for a request that was not there yet.
    if hasLeft { _ = forgetRequest() } else if room.access.verifier !== verifier { askAnew() }
  }

  /// The verifier that had the request was replaced.
  func renewAnew(_ token: AccessToken) {
    if state.withLock({ $0.asked == nil }) { askToRenew(token) }
  }

  private func answeredRenewal(_ request: AccessRequest, _ answer: AccessRequest.Answer) {
    if takeRequest(request) { renewed(answer) }
  }

  private func renewed(_ answer: AccessRequest.Answer) {
    switch answer {
    case .success(let grant):
      guard let room = room.withLock({ $0 }), room.change(grant.permissions, of: self) else { return }
      state.withLock { $0.lifetime.begin(grant.lifetime, now: loop.clock.now()) }
      followLifetime()
      post(.accessRenewed(nil))
    case .failure(let error): post(.accessRenewed(error))
    }
  }

  private var isMember: Bool {
    state.withLock { state in
      switch state.phase {
      case .connected, .cut: true
      case .idle, .connecting, .out, .left: false
      }
    }
  }

  /// On any thread: plans when it has to be looked at, which is on the loop.
  func followLifetime() {
    guard isMember else { return }
    let now = loop.clock.now()
    let (step, next) = state.withLock { state in
      let step = state.lifetime.step(now: now)
      return (step, state.lifetime.plan(now: now))
    }
    if let next {
      loop.schedule(at: next) {
        if self.state.withLock({ $0.lifetime.isDue(next) }) { self.followLifetime() }
      }
    }
    switch step {
    case .nothing: break
    case .expiring(let remaining): post(.accessExpiring(remaining))
    case .expired: room.withLock { $0 }?.expire(self)
    }
  }
}
