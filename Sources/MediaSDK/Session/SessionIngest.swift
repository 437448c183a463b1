import MediaCore
import MediaIngest
import MediaTransport

/// A session's door, if it has one.
struct SessionIngest {
  var share: IngestShare?
  var isEnded = false
}

extension Session {
  /// Opens the door for a feeder, after closing the one that there was; nil only closes.
  public func setIngest(_ options: IngestOptions?) throws(MediaError) {
    if let options {
      guard !engine.clock.isVirtual else {
        throw MediaError(.unsupported, "the engine has a virtual clock; accepted: MSDK_CLOCK_SYSTEM, the only clock of other processes")
      }
      // Before anything is closed.
      _ = try options.rules(engine.codecs)
    }
    closeIngest()
    guard let options else { return }
    let share = try IngestShare(self, options)
    let refused: MediaError? = ingest.withLock { ingest in
      guard !ingest.isEnded else { return MediaError(.closed, "the session is destroyed") }
      guard ingest.share == nil else { return MediaError(.state, "another thread has opened a local ingest of the session meanwhile") }
      ingest.share = share
      return nil
    }
    guard let refused else { return }
    share.close()
    throw refused
  }

  /// The port on 127.0.0.1 where the session listens for a feeder; 0: only a socket. Throws `.state` if it does not listen.
  public var ingestPort: UInt32 {
    get throws(MediaError) {
      guard let share = ingest.withLock({ $0.share }) else { throw MediaError(.state, "the session has no local ingest") }
      return share.port
    }
  }

  /// `forGood`: the session ends.
  func closeIngest(forGood: Bool = false) {
    let former = ingest.withLock { ingest in
      defer { ingest.share = nil }
      if forGood { ingest.isEnded = true }
      return ingest.share
    }
    former?.close()
  }

  func keyFrameRequestedOfFeeder(_ stream: OutgoingVideo) {
    guard stream.options.isFed else { return }
    ingest.withLock { $0.share }?.requestKeyFrame(of: stream)
  }

  /// The way to the room, while the session is in one.
  var joinedTransport: (any Transport)? {
    guarded.withLock { $0.state == .connected || $0.state == .reconnecting ? $0.transport : nil }
  }
}
