import MediaCore

/// What is agreed on anew while the session runs.
extension RTPSession {
  static let mostMedia = 1024

  /// The ids that are agreed on now.
  public var extensions: ExtensionMap { settings.extensions }

  /// How the session is now, to be changed and applied again.
  public var configuration: RTPSessionConfiguration {
    var now = RTPSessionConfiguration()
    now.media = routing.media
    for place in now.media.indices { now.media[place].sending = [] }
    for stream in sending {
      if now.media.isEmpty { now.media.append(RTPMedium()) }
      let place = stream.settings.mid.flatMap { mid in now.media.firstIndex { $0.mid == mid } } ?? 0
      now.media[place].sending.append(stream.settings)
    }
    (now.extensions, now.hasTransportFeedback, now.hasReducedSize) = (
      settings.extensions, settings.hasTransportFeedback, settings.hasReducedSize
    )
    (now.packetSize, now.bitrates, now.mostStreams) = (settings.packetSize, settings.bitrates, settings.mostStreams)
    return now
  }

  /// Changes media, payload types, extensions and bounds of the session as it runs, all or (where it throws) nothing. Streams that stay keep their
  /// numbers, what may be sent again and what waits to leave; the estimate, the pacer and round trips stay. Of streams that are no longer sent goodbye
  /// is said with the next poll, and their SSRC is not to be used again: its numbers would begin anew. Streams of media that take nothing any more are
  /// over.
  public func apply(_ configuration: RTPSessionConfiguration, now: Int64, _ delegate: some RTPSessionDelegate) throws(PacketError) {
    try check(configuration)
    settings.extensions = configuration.extensions
    (settings.hasTransportFeedback, settings.hasReducedSize) = (configuration.hasTransportFeedback, configuration.hasReducedSize)
    (settings.packetSize, settings.mostStreams) = (configuration.packetSize, configuration.mostStreams)
    if settings.bitrates != configuration.bitrates {
      settings.bitrates = configuration.bitrates
      estimator.setLimits(configuration.bitrates, now: now)
    }
    estimator.setTransportFeedback(configuration.hasTransportFeedback)
    send(configuration.media)
    receive(configuration.media, now, delegate)
  }

  private func check(_ configuration: RTPSessionConfiguration) throws(PacketError) {
    guard configuration.media.count <= RTPSession.mostMedia else { throw PacketError("RTP: more than 1024 media") }
    guard (1...SendingStreams.capacity).contains(configuration.mostStreams) else {
      throw PacketError("RTP: a bound of streams that is not 1 to 4096")
    }
    guard settings.extensions.allows(configuration.extensions) else {
      throw PacketError("RTP: an id of a header extension with another meaning than before, or with two")
    }
    var (names, sources, streams) = (Set<String>(), Set<SSRC>(), 0)
    for medium in configuration.media {
      if let mid = medium.mid {
        guard (1...255).contains(mid.utf8.count), names.insert(mid).inserted else {
          throw PacketError("RTP: media without or with the same name")
        }
      }
      streams += medium.sending.count
      for stream in medium.sending {
        try checkSource(stream.ssrc, &sources)
        if let again = stream.retransmission { try checkSource(again.ssrc, &sources) }
        guard stream.encoding.format != nil else { throw PacketError("RTP: retransmissions and redundancy are of another stream") }
        guard let former = outgoing.of(stream.ssrc)?.settings.encoding else { continue }
        guard former.isVideo == stream.encoding.isVideo, former.clockRate == stream.encoding.clockRate else {
          throw PacketError("RTP: a stream that goes on with another clock")
        }
      }
    }
    guard streams <= configuration.mostStreams else { throw PacketError("RTP: more streams than their bound") }
  }

  private func checkSource(_ ssrc: SSRC, _ sources: inout Set<SSRC>) throws(PacketError) {
    guard sources.insert(ssrc).inserted, receivingStream(ssrc) == nil else { throw PacketError("RTP: the SSRC is in use") }
  }

  // MARK: What is sent

  private func send(_ media: [RTPMedium]) {
    let wanted = Set(media.flatMap { $0.sending.map(\.ssrc) })
    for stream in sending where !wanted.contains(stream.settings.ssrc) { remove(stream) }
    for medium in media {
      for var stream in medium.sending {
        stream.mid = stream.mid ?? medium.mid
        if let known = outgoing.of(stream.ssrc) { alter(known, to: stream) } else { add(stream) }
      }
    }
  }

  private func alter(_ stream: SendingStream, to settings: OutgoingRTP) {
    let former = stream.settings
    if let again = former.retransmission?.ssrc, again != settings.retransmission?.ssrc { disown(again) }
    outgoing.alter(stream) { stream.alter(to: settings, self.settings) }
    own(settings)
    if former.isActive, !settings.isActive { endStream(stream.handle) }
  }

  /// Ends a stream for good: goodbye is said with the next poll, and nothing of it is kept.
  public func removeStream(_ stream: Int) {
    if let stream = outgoing[stream] { remove(stream) }
  }

  private func remove(_ stream: SendingStream) {
    let settings = stream.settings
    if stream.reports.hasSent { leaving.append(settings.ssrc) }
    pacer.remove { $0.stream == stream.handle }
    outgoing.remove(stream)
    disown(settings.ssrc)
    if let again = settings.retransmission { disown(again.ssrc) }
    collided.remove(settings.ssrc)
    if sending.isEmpty { own(ownSSRC) }
  }

  // MARK: What comes

  private func receive(_ media: [RTPMedium], _ now: Int64, _ delegate: some RTPSessionDelegate) {
    let former = routing
    routing = MediumRouting(media)
    for stream in receiving {
      if let place = routing.place(of: stream.medium, in: former), !routing.media[place].receiving.isEmpty {
        stream.medium = place
      } else {
        end(stream.ssrc, now, delegate)
      }
    }
  }
}
