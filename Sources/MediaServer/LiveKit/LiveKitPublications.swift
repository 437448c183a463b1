import CMediaSDK
import MediaCore
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// Streams of the client.
extension LiveKitMedia {
  /// Of audio the room is told, and it is not passed on.
  func setMuted(_ sid: String, _ isMuted: Bool) {
    guard let one = state.withLock({ $0.forwardings[sid] }), !one.isVideo else { return }
    one.setMuted(isMuted)
    place.setMuted(one.stream, isMuted)
  }

  func requestKeyFrame(of stream: StreamID) {
    let now = table.clock.now()
    guard let one = state.withLock({ $0.forwardings.values.first { $0.stream == stream } }) else { return }
    for source in one.toBeAsked(now: now) { peer?.transport.requestKeyFrame(of: source) }
  }

  /// A session of this library publishes it, and says in which format: others know of it before its media comes.
  func announced(_ sid: String) {
    guard let owner, let track = owner.look({ $0.announced(sid) }), let format = LiveKitMedia.format(of: track) else { return }
    if let known = state.withLock({ $0.forwardings[sid] }) { return place.setFormat(known.stream, format) }
    let codec = ForwardedCodec(named: track.codec)?.fourcc ?? WebMember.codec(isVideo: track.isVideo)
    let error = publish(track, codec, format, layers: track.layers, owner)
    if let error { owner.change { $0.unpublish(sid, because: error) } }
  }

  private static func format(of track: LiveKitTrack) -> StreamFormat? {
    if let format = track.videoFormat { return .video(format, kind: kind(of: track)) }
    return track.audioFormat.map { .audio($0, kind: kind(of: track)) }
  }

  private static func kind(of track: LiveKitTrack) -> UInt32 {
    guard track.isVideo else { return track.isScreen ? UInt32(MSDK_AUDIO_SCREEN_SHARE) : UInt32(MSDK_AUDIO_MICROPHONE) }
    return track.isScreen ? VideoKind.screenShare.rawValue : VideoKind.virtual.rawValue
  }

  /// Hands it to the room, if it is not there yet. The error with which it is not permitted.
  func publish(
    _ track: LiveKitTrack, _ codec: UInt32, _ format: StreamFormat, layers: Int, _ owner: LiveKitMember
  ) -> MediaError? {
    guard let stream = LiveKitRegistry.stream(of: track.sid) else { return nil }
    guard grants.publishes, grants.sources.isEmpty || track.source.map({ grants.sources.contains($0) }) == true else {
      return MediaError(.permission, "the access token does not grant the client to publish \(track.source ?? "the track")")
    }
    guard state.withLock({ $0.forwardings[track.sid] == nil }) else { return nil }
    // Others ask for it as soon as the room has the stream.
    table.liveKit.setTrack(track, of: stream)
    do throws(MediaError) {
      try place.publish(
        stream, codec: codec, format: format, layers: StreamLayers(count: layers), isEncrypted: track.isEncrypted,
        carriesMetadata: track.carriesMetadata)
    } catch {
      table.liveKit.setTrack(nil, of: stream)
      return error
    }
    state.withLock { $0.forwardings[track.sid] = TrackForwarding(stream, isVideo: track.isVideo) }
    if !track.isVideo, track.isMuted || owner.isSilenced(track.sid) { place.setMuted(stream, true) }
    return nil
  }

  /// Media has come of a track that the client announced.
  func publish(_ source: StreamDescription, _ peer: ServedPeer, _ owner: LiveKitMember) {
    guard let mid = peer.section(of: source.id) else { return }
    let (announced, names): (LiveKitTrack?, [String]) = owner.look { signalling in
      guard let section = signalling.sections.first(where: { $0.mid == mid }) else { return (nil, []) }
      return (signalling.track(of: section), section.isVideo ? section.layers : [])
    }
    guard var track = announced, track.isVideo == source.isVideo, let stream = LiveKitRegistry.stream(of: track.sid) else { return }
    // Clients announce it for tracks in layers only.
    if let codec = ForwardedCodec(source.codec) { track.codec = codec.name }
    let format: StreamFormat =
      switch source.format {
      case .video(let format, _): .video(format, kind: LiveKitMedia.kind(of: track))
      case .audio(let format, _): .audio(format, kind: LiveKitMedia.kind(of: track))
      }
    // What is not permitted does not keep the rest from going on.
    guard publish(track, source.codec, format, layers: names.count, owner) == nil else { return }
    let layer = peer.rid(of: source.id).flatMap { names.firstIndex(of: $0) } ?? 0
    let outlet = place.outlet(of: stream, layer: layer)
    let one = PublisherForwarding(
      source.id, as: stream, isVideo: track.isVideo, layer: layer, isMuted: track.isMuted || owner.isSilenced(track.sid), to: outlet)
    state.withLock { state in
      state.forwardings[track.sid]?.add(one)
      state.offered.insert(track.sid)
    }
    peer.transport.subscribe(to: source.id, .encoded(track.carriesMetadata ? MetadataSink(one) : one))
  }
}
