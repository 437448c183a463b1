import CMediaSDK
import MediaCore
import MediaPlugins
import MediaTransport

/// Which codec a stream is sent with, by what the members of the room said that they decode.
extension Session {
  /// The first that every member decodes; where there is none, the preferred one: whoever cannot decode it is sent it all the same, and may
  /// take it encoded. nil for a stream that encodes nothing.
  func preferred(of encoders: [VideoCodecEntry]) -> VideoCodecEntry? {
    common(encoders) ?? encoders.first
  }

  private func common(_ encoders: [VideoCodecEntry]) -> VideoCodecEntry? {
    guarded.withLock { guarded in
      encoders.first { codec in guarded.members.allSatisfy { $0.decodes?.contains(codec.fourcc) ?? true } }
    }
  }

  /// What a stream that sends `current` is to go over to, since somebody came who does not decode that; nil: it stays.
  func successor(of current: UInt32, among encoders: [VideoCodecEntry]) -> VideoCodecEntry? {
    let isDecoded = guarded.withLock { guarded in guarded.members.allSatisfy { $0.decodes?.contains(current) ?? true } }
    return isDecoded ? nil : common(encoders)
  }

  /// Somebody came.
  func fallBack() {
    for stream in guarded.withLock({ Array($0.outgoing.values) }) where stream.encoders.count > 1 { stream.fallBack() }
  }

  /// A member is not sent a stream of this session's: that is said, as otherwise they would seem to receive it.
  func becameUnreachable(_ id: StreamID, _ userID: String, _ error: MediaError) {
    let (video, audio) = guarded.withLock { ($0.outgoing[id], $0.sound.outgoing[id]) }
    guard let stream = video.map({ OutgoingStream.video($0) }) ?? audio.map({ .audio($0) }) else { return }
    engine.logger.log(MSDK_LOG_WARN.level32, "\(userID) cannot receive a stream: \(error.text)")
    push(.streamUnreachable(stream, userID: userID, error))
  }

  /// Knows a stream by another id from now on.
  func rename(_ stream: OutgoingVideo, from former: StreamID, to id: StreamID) {
    guarded.withLock { guarded in
      guard guarded.outgoing[former] === stream else { return }
      guarded.outgoing[former] = nil
      guarded.outgoing[id] = stream
    }
  }
}

extension OutgoingVideo {
  /// Withdraws the stream and publishes it anew with a codec that all members decode, if somebody does not decode its own. The sender stays, and
  /// so does what waits to be encoded. It does not go back when that member leaves: only a new start chooses anew.
  func fallBack() {
    struct Former {
      let worker: (any Worker)?
      /// Its encoder ends where nothing is locked, or with the frame that it is at.
      let encoding: EncodingStage?
    }
    let outcome: Result<Former?, MediaError> = guarded.withLock { guarded in
      guard guarded.state == .started, let publication = guarded.publication, let format = guarded.sender?.format,
        let codec = publication.session.successor(of: guarded.codec, among: encoders)
      else { return .success(nil) }
      let transport = publication.transport
      let id = transport.makeStreamID()
      publication.session.rename(self, from: publication.id, to: id)
      transport.unpublish(publication.id)
      let former = Former(worker: guarded.worker, encoding: guarded.encoding)
      guarded.publication = Publication(session: publication.session, transport: transport, id: id)
      do throws(MediaError) {
        try transport.publish(id, codec: codec.fourcc, format: .video(format, kind: options.kind.rawValue))
      } catch {
        return .failure(error)
      }
      guarded.begin(self, codec)
      guarded.receivers = 0
      guarded.wantsKeyFrame = true
      return .success(former)
    }
    switch outcome {
    case .failure(let error): fail(error)
    case .success(nil): break
    case .success(let former?):
      former.worker?.stop()
      let (codec, session) = guarded.withLock { ($0.codec, $0.publication?.session) }
      engine.logger.log(MSDK_LOG_INFO.level32, "a stream went over to codec 0x\(String(codec, radix: 16))")
      session?.push(.codecChanged(self, codec))
      guarded.withLock { $0.worker }?.poke()
    }
  }
}

extension OutgoingVideo.Guarded {
  /// Encodes from now on with that codec.
  mutating func begin(_ stream: OutgoingVideo, _ encoder: VideoCodecEntry) {
    let encoding = EncodingStage(encoder, stream.options) { stream.pass($0) }
    self.encoding = encoding
    codec = encoder.fourcc
    worker = stream.clock.makeWorker("msdk-encode") { stream.encodePending(by: encoding) }
  }
}
