import CMediaSDK
import MediaCore

/// What an instance is attached to: one thing for each of its media.
extension PluginInstance {
  /// Frames are accepted from the holder of the present one only, so that none comes after `detach`.
  public final class Attachment: Sendable {
    /// What it is attached to, as errors name it.
    public let what: String
    /// Of the instance; the other one may be attached elsewhere.
    public let medium: Medium
    /// Asks the holder to let go.
    let letGo: @Sendable () -> Void

    init(what: String, medium: Medium, letGo: @escaping @Sendable () -> Void) {
      self.what = what
      self.medium = medium
      self.letGo = letGo
    }
  }

  struct Holder {
    let attachment: Attachment
    let events: EventHandler?
  }

  /// Attaches one medium of the instance to one thing, which its text names; two at once are refused. `letGo` makes the holder detach it.
  public func attach(
    to what: String, medium: Medium = .video, events: EventHandler?, letGo: @escaping @Sendable () -> Void
  ) throws(MediaError) -> Attachment {
    try state.withLock { state throws(MediaError) in
      try check(state, isDetached: medium)
      let attachment = Attachment(what: what, medium: medium, letGo: letGo)
      state[medium] = Holder(attachment: attachment, events: events)
      return attachment
    }
  }

  /// Whether it may be attached now.
  public func checkDetached(_ medium: Medium) throws(MediaError) {
    try state.withLock { state throws(MediaError) in try check(state, isDetached: medium) }
  }

  private func check(_ state: State, isDetached medium: Medium) throws(MediaError) {
    guard !state.isDestroyed else { throw MediaError(.closed, "the instance of \(descriptor.id) is destroyed") }
    guard let attachment = state[medium]?.attachment else { return }
    throw MediaError(.state, "the instance of \(descriptor.id) is already attached to \(attachment.what); detach it first")
  }

  /// When it returns, nothing that was sent through the attachment is being rendered any more, unless the call came from there.
  public func detach(_ attachment: Attachment) {
    state.withLock { state in
      guard state[attachment.medium]?.attachment === attachment else { return }
      state[attachment.medium] = nil
    }
    _ = try? turn.take("detach") {}
  }

  var attachment: Attachment? { attachment(of: .video) }

  func attachment(of medium: Medium) -> Attachment? { state.withLock { $0[medium]?.attachment } }

  /// Whether a renderer may be given what came through an attachment.
  func checkSource(_ attachment: Attachment?, of medium: Medium) throws(MediaError) {
    try checkAlive()
    let (present, phase) = state.withLock { ($0[medium]?.attachment, medium == .video ? $0.renderer : $0.audioRenderer) }
    // A program that renders by itself is told that it may not now; what came through an attachment that is over ends.
    guard present === attachment else {
      throw MediaError(
        attachment == nil ? .state : .closed,
        "the instance of \(descriptor.id) is attached to \(present?.what ?? "nothing")\(attachment == nil ? "; detach it first" : "")")
    }
    guard phase > .created else { throw MediaError(.closed, "the instance of \(descriptor.id) was released") }
  }

  // MARK: Letting go

  /// Detaches it from whatever it is attached to, and takes it down to where it began. What fails does not keep the rest from being done.
  public func release() throws(MediaError) {
    var failure: MediaError?
    for medium in [Medium.video, .audio] {
      do throws(MediaError) {
        try release(medium)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// The same of one medium: the other one goes on.
  public func release(_ medium: Medium) throws(MediaError) {
    letGo(of: medium)
    var failure: MediaError?
    takeDown(medium) { failure = failure ?? $0 }
    if let failure { throw failure }
  }

  func letGo(of medium: Medium) {
    attachment(of: medium)?.letGo()
    // Only what makes pictures of pictures feeds others.
    if medium == .video { downstream.removeAll() }
  }

  /// Takes every level of a medium down, whatever fails on the way.
  func takeDown(_ medium: Medium, failed: (MediaError) -> Void) {
    let steps: [() throws(MediaError) -> Void] =
      switch medium {
      case .video: [stopProducer, releaseProducer, releaseRenderer, releaseFilter]
      case .audio: [stopAudioProducer, releaseAudioProducer, stopAudioRenderer, releaseAudioRenderer, releaseAudioFilter]
      }
    let close = { () throws(MediaError) in try self.closeCodec(of: medium) }
    for step in steps + [close] {
      do throws(MediaError) {
        try step()
      } catch {
        failed(error)
      }
    }
  }

  // MARK: Events

  /// Tells the program what concerns one medium, if somebody listens.
  public func report(_ event: UInt32, _ error: MediaError?, text: String, medium: Medium = .video) {
    tell(state.withLock { $0[medium]?.events }, event, error, text)
  }

  /// Tells it what the plugin said without naming a medium: once, even when the instance is attached for both.
  func reportFromPlugin(_ event: UInt32, _ error: MediaError?, text: String) {
    tell(state.withLock { $0.videoHolder?.events ?? $0.audioHolder?.events }, event, error, text)
  }

  private func tell(_ handler: EventHandler?, _ event: UInt32, _ error: MediaError?, _ text: String) {
    let text = secrets.redacted(error?.text ?? text)
    handler?(PluginEvent(instance: self, event: event, status: error?.status, text: text))
    events.push(event, error?.status, text)
  }
}

extension PluginInstance.State {
  subscript(medium: PluginInstance.Medium) -> PluginInstance.Holder? {
    get { medium == .video ? videoHolder : audioHolder }
    set {
      switch medium {
      case .video: videoHolder = newValue
      case .audio: audioHolder = newValue
      }
    }
  }
}
