import MediaCore
import MediaPlugins

/// A renderer that shows the screen which a participant shares.
struct ScreenView {
  let stream: IncomingVideo
  let renderer: PluginInstance
  /// Receiving was begun for views.
  let wasStartedHere: Bool
}

extension Session {
  /// Shows the screen that a participant shares until the share ends, and starts to receive it if that is not started. Throws `.notFound`
  /// if no stream of theirs is a screen share, `.closed` if the share ends meanwhile, and the errors of `IncomingVideo.attachRenderer`.
  public func startScreenView(of userID: String, _ renderer: PluginInstance, through view: View) throws(MediaError) {
    let stream = guarded.withLock { $0.incoming.values.first { $0.userID == userID && $0.kind == VideoKind.screenShare.rawValue } }
    guard let stream else { throw MediaError(.notFound, "\"\(userID)\" shares no screen in this room") }
    // From a share that has ended meanwhile.
    for past in takeScreenViews(where: { $0.renderer === renderer && $0.stream.state == .notAvailable }) {
      try? past.stream.detachRenderer(renderer)
    }
    try stream.attachRenderer(renderer, through: view)
    guard !guarded.withLock({ $0.screenViews.contains { $0.stream === stream && $0.renderer === renderer } }) else { return }
    do throws(MediaError) {
      let isIdle = stream.state == .available || stream.state == .stopped
      if isIdle { try stream.start() }
      try guarded.withLock { guarded throws(MediaError) in
        // Whoever left meanwhile has let go of all views already.
        guard guarded.incoming.values.contains(where: { $0 === stream }) else {
          throw MediaError(.closed, "\"\(userID)\" no longer shares a screen")
        }
        let wasStartedHere = isIdle || guarded.screenViews.contains { $0.stream === stream && $0.wasStartedHere }
        guarded.screenViews.append(ScreenView(stream: stream, renderer: renderer, wasStartedHere: wasStartedHere))
      }
    } catch {
      try? stream.detachRenderer(renderer)
      throw error
    }
  }

  /// Detaches the renderer. A share that was started for views is stopped with its last view. Throws `.notFound` if the renderer does not
  /// show that user's screen.
  public func stopScreenView(of userID: String, _ renderer: PluginInstance) throws(MediaError) {
    let views = takeScreenViews { $0.renderer === renderer && $0.stream.userID == userID }
    guard !views.isEmpty else { throw MediaError(.notFound, "the renderer does not show the screen of \"\(userID)\"") }
    for view in views {
      // A renderer that failed was detached before.
      try? view.stream.detachRenderer(renderer)
      let isLast = !guarded.withLock { $0.screenViews.contains { $0.stream === view.stream } }
      if isLast && view.wasStartedHere { view.stream.stop() }
    }
  }

  /// The share has ended, and all of it was shown.
  @inline(never)
  func endScreenViews(of stream: IncomingVideo) {
    for view in takeScreenViews(where: { $0.stream === stream }) { try? stream.detachRenderer(view.renderer) }
  }

  private func takeScreenViews(where isMeant: (ScreenView) -> Bool) -> [ScreenView] {
    guarded.withLock { guarded in
      defer { guarded.screenViews.removeAll(where: isMeant) }
      return guarded.screenViews.filter(isMeant)
    }
  }
}
