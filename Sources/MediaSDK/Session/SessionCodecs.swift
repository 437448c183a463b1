import CMediaSDK
import MediaCore
import MediaEncryption
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Which codec a stream is sent with, by who the members of the room are and what they said that they decode.
extension Session {
  /// Of a stream with codecs the first that every member decodes; where there is none, the preferred one: whoever cannot decode it is sent it all
  /// the same, and may take it encoded. nil for raw frames, and for those that come encoded.
  func preferred(for stream: OutgoingVideo, on transport: any Transport) -> VideoCodecEntry? {
    if stream.options.choosesCodec, isRawForAll(on: transport) { return nil }
    let encoders = encryption.encrypts ? stream.encoders.filter { EncryptableCodecs.contains($0.fourcc) } : stream.encoders
    return common(encoders) ?? encoders.first ?? stream.encoders.first
  }

  private func common(_ encoders: [VideoCodecEntry]) -> VideoCodecEntry? {
    guarded.withLock { guarded in
      encoders.first { codec in guarded.members.allSatisfy { $0.decodes?.contains(codec.fourcc) ?? true } }
    }
  }

  /// Whether raw media reaches everybody.
  func isRawForAll(on transport: any Transport) -> Bool {
    transport.carriesRaw && !encryption.encrypts && guarded.withLock { $0.members.allSatisfy(\.takesRaw) }
  }

  /// What a stream that sends `current` is to go over to, since somebody came who does not decode that; nil: it stays.
  func successor(of current: UInt32, for stream: OutgoingVideo, on transport: any Transport) -> VideoCodecEntry? {
    guard current != FourCC.raw else { return preferred(for: stream, on: transport) }
    let isDecoded = guarded.withLock { guarded in guarded.members.allSatisfy { $0.decodes?.contains(current) ?? true } }
    return isDecoded ? nil : common(stream.encoders)
  }

  /// Somebody came.
  func fallBack() {
    let (video, audio) = guarded.withLock { (Array($0.outgoing.values), Array($0.sound.outgoing.values)) }
    for stream in video { fallBack(stream) }
    for stream in audio { fallBack(stream) }
  }

  func fallBack(_ stream: OutgoingVideo) {
    if stream.options.choosesCodec || stream.encoders.count > 1 { stream.fallBack() }
  }

  func fallBack(_ stream: OutgoingAudio) {
    if stream.options.choosesCodec { stream.fallBack() }
  }

  /// A member is not sent a stream of this session's: that is said, as otherwise they would seem to receive it. A stream whose codec the SDK
  /// chooses is about to go over to one that reaches them.
  func becameUnreachable(_ id: StreamID, _ userID: String, _ error: MediaError) {
    let (video, audio) = guarded.withLock { ($0.outgoing[id], $0.sound.outgoing[id]) }
    guard let stream = video.map({ OutgoingStream.video($0) }) ?? audio.map({ .audio($0) }), !stream.choosesCodec else { return }
    engine.logger.log(MSDK_LOG_WARN.level32, .session, "\(userID) cannot receive a stream: \(error.text)")
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

  func rename(_ stream: OutgoingAudio, from former: StreamID, to id: StreamID, taking bits: UInt64) {
    guarded.withLock { guarded in
      guard guarded.sound.outgoing[former] === stream else { return }
      guarded.sound.outgoing[former] = nil
      guarded.sound.outgoing[id] = stream
      guarded.shares.set(stream, bits: bits)
    }
  }
}

extension OutgoingStream {
  fileprivate var choosesCodec: Bool {
    switch self {
    case .video(let stream): stream.options.choosesCodec
    case .audio(let stream): stream.options.choosesCodec
    }
  }
}

extension OutgoingVideo {
  /// Withdraws the stream and publishes it anew with a codec that all members decode, if somebody does not decode its own. The sender stays, and
  /// so does what waits to be encoded. It does not go back when that member leaves: only a new start chooses anew.
  fileprivate func fallBack() {
    struct Former {
      let worker: (any Worker)?
      /// Its encoder ends where nothing is locked, or with the frame that it is at.
      let encoding: LayerEncoding?
      let session: Session
      let codec: UInt32
      let wish: BitrateAllocator.Wish
      /// By what receivers wanted.
      let wasLimited: Bool
    }
    let outcome: Result<Former?, MediaError> = guarded.withLock { guarded in
      guard guarded.life.state == .started, let publication = guarded.life.publication, let format = guarded.senders.current?.format else {
        return .success(nil)
      }
      let (session, transport) = (publication.session, publication.transport)
      guard let codec = session.successor(of: guarded.life.codec, for: self, on: transport) else { return .success(nil) }
      let id = transport.makeStreamID()
      session.rename(self, from: publication.id, to: id)
      transport.unpublish(publication.id)
      let (worker, encoding) = (guarded.life.worker, guarded.encoding)
      let formats = options.formats.isEmpty ? [format] : options.formats
      let layers = options.layers(of: formats, codec, over: session.factory.features)
      // Also of one that cannot be published: the stream is stopped by it.
      defer { guarded.life.publication = Publication(session, transport, id, codec: codec.fourcc, layers: layers.layers.count) }
      do throws(MediaError) {
        try session.encryption.check(codec.fourcc)
        try transport.publish(
          id, codec: codec.fourcc, format: options.announced(format, codec), layers: layers, carriesMetadata: options.carriesMetadata)
      } catch {
        return .failure(error)
      }
      // Nobody receives it as it is now.
      let wasWanted = guarded.negotiation.wanted
      guarded.negotiation.forgetReceivers(layers: layers)
      guarded.begin(self, codec)
      guarded.negotiation.negotiator.isEncoded = true
      guarded.life.receivers = 0
      guarded.wantsKeyFrame = true
      let wish = options.wish(guarded.negotiation.bitrate, formats, isEncoded: true, in: layers)
      return .success(
        Former(worker: worker, encoding: encoding, session: session, codec: codec.fourcc, wish: wish, wasLimited: wasWanted != .any))
    }
    switch outcome {
    case .failure(let error): fail(error)
    case .success(nil): break
    case .success(let former?):
      former.worker?.stop()
      engine.logger.log(MSDK_LOG_INFO.level32, .video, "a stream switched to codec \(FourCC.text(former.codec))")
      former.session.push(.codecChanged(.video(self), former.codec))
      if former.wasLimited { former.session.push(.wanted(self, .any)) }
      former.session.wishes(self, former.wish)
      if former.wasLimited { negotiate() }
      worker?.poke()
    }
  }
}

extension OutgoingVideo.Guarded {
  /// Encodes from now on with that codec.
  mutating func begin(_ stream: OutgoingVideo, _ encoder: VideoCodecEntry) {
    let encoding = LayerEncoding(encoder, stream.options, layers: negotiation.layers.layers.count) { stream.pass($0) }
    self.encoding = encoding
    life.codec = encoder.fourcc
    life.worker = stream.clock.makeWorker("msdk-encode") { stream.encodePending(by: encoding) }
  }
}

extension OutgoingAudio {
  /// Withdraws a stream that is sent raw, and publishes it anew encoded, if somebody is not in this process. What is queued stays.
  fileprivate func fallBack() {
    let (former, settings) = guarded.withLock { guarded in
      (guarded.life.state == .started && guarded.encoding == nil ? guarded.life.publication : nil, guarded.encoderSettings)
    }
    guard let former, !former.session.isRawForAll(on: former.transport) else { return }
    let (session, transport) = (former.session, former.transport)
    do throws(MediaError) {
      // An encoder's making is foreign code, and not for under the lock.
      let encoding = try AudioEncodingStage(options, settings, engine.codecs) { self.pass($0) }
      let wasSpeaking: Bool? = try guarded.withLock { guarded throws(MediaError) in
        guard guarded.life.publication?.id == former.id, guarded.encoding == nil else { return nil }
        let id = transport.makeStreamID()
        session.rename(self, from: former.id, to: id, taking: options.bits(guarded.encoderSettings.bitrate))
        transport.unpublish(former.id)
        defer { guarded.life.publication = Publication(session, transport, id, codec: options.encodedCodec) }
        try transport.publish(id, codec: options.encodedCodec, format: .audio(format, kind: options.kind.rawValue))
        if guarded.isMuted { transport.setMuted(id, true) }
        (guarded.encoding, guarded.life.codec) = (encoding, options.encodedCodec)
        guarded.life.receivers = 0
        defer { guarded.speech = SpeechDetector() }
        return guarded.speech.isSpeaking
      }
      guard let wasSpeaking else { return }
      if wasSpeaking { session.spoke(former.id, userID: session.options.userID, nil) }
      engine.logger.log(MSDK_LOG_INFO.level32, .audio, "a stream switched to codec \(FourCC.text(options.encodedCodec))")
      session.push(.codecChanged(.audio(self), options.encodedCodec))
      session.divideEstimate()
    } catch {
      engine.loop.post { self.stop(as: .failed, because: error) }
    }
  }
}
