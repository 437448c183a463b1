import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP

/// What comes, on the network thread.
extension RTPTransport {
  func take(_ arrivals: inout [PeerArrival], isAnswered: Bool, _ leg: BundleTransport) {
    handBacklogs(leg)
    if isAnswered {
      // Who speaks first is who is spoken to.
      for stream in state.withLock({ state in state.publications.filter { $0.value.leg === leg }.map(\.key) }) {
        post(.receivers(stream, 1))
      }
    }
    for arrival in arrivals {
      switch arrival {
      case .frame(let ssrc, let frame, _, let isAfterGap):
        hand(frame, Source(leg: leg.index, ssrc: ssrc), skipping: isAfterGap ? 1 : 0, leg)
      case .lost(let ssrc, let count):
        state.withLock { state in
          state.incoming[Source(leg: leg.index, ssrc: ssrc)]?.picture += FrameID(clamping: count)
          state.stats.packetsLost &+= UInt64(clamping: count)
        }
      case .dropped(let ssrc):
        let sink = state.withLock { state in
          let source = Source(leg: leg.index, ssrc: ssrc)
          state.incoming[source]?.picture += 1
          return state.incoming[source]?.sink
        }
        sink?.droppedOnArrival()
      case .event(let event): follow(event, leg)
      }
    }
  }

  private func hand(_ frame: EncodedFrame, _ source: Source, skipping lost: FrameID, _ leg: BundleTransport) {
    defer { frame.release() }
    let (sink, picture, isNew, earlier): ((any EncodedSink)?, FrameID, Bool, [RTPBacklog.Kept]) = state.withLock { state in
      guard var incoming = state.incoming[source] else { return (nil, 0, false, []) }
      incoming.picture += lost + 1
      let isNew = incoming.id == nil && (incoming.medium.kind == .audio || frame.native.pointee.width > 0)
      if isNew { incoming.id = StreamID.next() }
      state.incoming[source] = incoming
      if let id = incoming.id { state.sources[id] = source }
      state.stats.bytesReceived &+= UInt64(frame.bytes.count)
      state.stats.packetsReceived &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
      if incoming.sink == nil, incoming.medium.kind == .video {
        incoming.backlog.keep(frame, incoming.picture)
      }
      return (incoming.sink, incoming.picture, isNew, incoming.sink == nil || incoming.backlog.isEmpty ? [] : incoming.backlog.take())
    }
    if isNew { announce(source, frame, leg) }
    guard let sink else { return }
    give(earlier, to: sink)
    sink.receive(frame, picture)
  }

  /// To those who took a stream since: here, so that they are given one thing after the other.
  private func handBacklogs(_ leg: BundleTransport) {
    let taken: [(sink: any EncodedSink, earlier: [RTPBacklog.Kept])] = state.withLock { state in
      guard !state.taken.isEmpty else { return [] }
      let mine = state.taken.filter { $0.leg == leg.index }
      state.taken.removeAll { $0.leg == leg.index }
      return mine.compactMap { source in
        guard let incoming = state.incoming[source], let sink = incoming.sink else { return nil }
        return (sink, incoming.backlog.take())
      }
    }
    for (sink, earlier) in taken { give(earlier, to: sink) }
  }

  private func give(_ earlier: [RTPBacklog.Kept], to sink: any EncodedSink) {
    for one in earlier {
      sink.receive(one.frame, one.id)
      one.frame.release()
    }
  }

  /// Now it is known what it is like.
  private func announce(_ source: Source, _ frame: EncodedFrame, _ leg: BundleTransport) {
    let attributes = frame.native.pointee
    let (stream, member, isFirst, level): (StreamDescription?, Member, Bool, UInt32?) = state.withLock { state in
      let name = leg.remote.map { "\($0)" } ?? "rtp"
      let member = state.member ?? Member(userID: name, displayName: name)
      let isFirst = state.member == nil
      state.member = member
      guard let incoming = state.incoming[source], let id = incoming.id else { return (nil, member, isFirst, nil) }
      let format: StreamFormat =
        switch incoming.medium.kind {
        case .video:
          .video(
            VideoFormat(
              .i420, width: attributes.width, height: attributes.height, frameRate: incoming.medium.frameRate ?? FrameRate(30),
              color: ColorSpace(attributes)),
            kind: VideoKind.virtual.rawValue)
        case .audio: .audio(AudioFormat(.s16, sampleRate: 48_000, channels: attributes.channels), kind: UInt32(MSDK_AUDIO_MICROPHONE))
        }
      let stream = StreamDescription(id: id, userID: member.userID, codec: attributes.codec, format: format)
      return (stream, member, isFirst, incoming.speakingLevel)
    }
    if isFirst { post(.joined(member)) }
    guard let stream else { return }
    post(.streamAdded(stream))
    if let level { post(.speaking(stream.id, userID: member.userID, true, level: level)) }
  }

  private func follow(_ event: RTPSessionEvent, _ leg: BundleTransport) {
    switch event {
    case .streamBegan(let ssrc, let type, let mid, _):
      let medium =
        leg.plan.media.first { $0.direction.receives && $0.mid != nil && $0.mid == mid && $0.receiving[type] != nil }
        ?? leg.plan.media.first { $0.direction.receives && $0.receiving[type] != nil }
      guard let medium else { return }
      state.withLock { state in
        guard !state.legs.isEmpty else { return }
        state.incoming[Source(leg: leg.index, ssrc: ssrc)] = Incoming(medium: medium)
      }
    case .streamEnded(let ssrc):
      let (id, gone): (StreamID?, Member?) = state.withLock { state in
        guard let id = state.incoming.removeValue(forKey: Source(leg: leg.index, ssrc: ssrc))?.id else { return (nil, nil) }
        state.sources[id] = nil
        guard state.sources.isEmpty else { return (id, nil) }
        return (id, state.member.take())
      }
      if let id { post(.streamRemoved(id)) }
      if let gone { post(.left(userID: gone.userID)) }
    case .spoke(let ssrc, let level):
      let source = Source(leg: leg.index, ssrc: ssrc)
      let known: (id: StreamID, userID: String)? = state.withLock { state in
        state.incoming[source]?.speakingLevel = level.map { UInt32($0) }
        guard let id = state.incoming[source]?.id, let member = state.member else { return nil }
        return (id, member.userID)
      }
      if let known {
        post(.speaking(known.id, userID: known.userID, level != nil, level: level.map { UInt32($0) } ?? AudioFrame.silentLevel))
      }
    case .keyFrameRequested(let ssrc):
      let stream = state.withLock { state in state.publications.first { $0.value.leg === leg && $0.value.ssrc == ssrc }?.key }
      if let stream { post(.keyFrameRequested(stream)) }
    case .target(let rate):
      // Sound on a way of its own says nothing of how much the pictures may have.
      guard leg.plan.sendsVideo || !configuration.legs.contains(where: \.sendsVideo) else { return }
      // Without reports of arrivals nothing is known until something was lost.
      let isNews = state.withLock { state in
        let wasLimited = state.isLimited
        state.isLimited = leg.plan.hasTransportFeedback || rate < state.configuration.bitrates.maximum
        return state.isLimited || wasLimited
      }
      if isNews { post(.estimate(UInt64(clamping: rate))) }
    case .collision, .streamNamed, .streamChanged: break
    }
  }
}

extension RTPConfiguration.Leg {
  fileprivate var sendsVideo: Bool { media.contains { $0.kind == .video && $0.direction.sends } }
}
