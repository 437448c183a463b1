import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP

/// How the arrivals of a session of RTP are read, and who is told what follows of them.
package protocol IncomingStreamsReader {
  /// What the other end is called, when it joins.
  var name: String { get }
  /// nil for what nobody has agreed on.
  func medium(ofType type: UInt8, mid: String?) -> IncomingStreams.Medium?
  /// What members and streams do, in order.
  func post(_ event: TransportEvent)
  /// An event that is not of these streams.
  func follow(_ event: RTPSessionEvent)
}

/// The streams of the other end of a session without a room: what arrives by RTP, as a `Transport` hands it on. The other end is one member, who has
/// joined with the first stream that comes and leaves with the last. Arrivals come on one thread; the other functions may be called from any.
/// Nothing is locked while a sink or a closure is called.
package final class IncomingStreams: Sendable {
  /// Which of the transport's sessions of RTP, and which stream in it.
  package struct Source: Hashable, Sendable {
    package let leg: Int
    package let ssrc: SSRC
  }

  /// What a stream is of.
  package struct Medium: Sendable {
    package let isVideo: Bool
    /// What a description says of frames that come; nil: 30 a second.
    package var frameRate: FrameRate?

    package init(isVideo: Bool, frameRate: FrameRate? = nil) {
      (self.isVideo, self.frameRate) = (isVideo, frameRate)
    }
  }

  private struct Incoming {
    let medium: Medium
    /// In which section of the descriptions it comes.
    let mid: String?
    /// Which layer of the section it is.
    var rid: String?
    /// nil until it is known what its frames are like.
    var id: StreamID?
    var sink: (any EncodedSink)?
    var picture: FrameID = 0
    /// At what level somebody speaks in it.
    var speakingLevel: UInt32?
    /// Of video.
    let backlog = RTPBacklog()
  }

  private struct State {
    var incoming: [Source: Incoming] = [:]
    var sources: [StreamID: Source] = [:]
    /// The other end, while streams of it are here.
    var member: Member?
    /// Somebody takes these now, from what was kept of them on.
    var taken: [Source] = []
    var stats = TransportStats()
    var isClosed = false
  }

  private let state = Monitor(State())

  package init() {}

  /// What was received and lost; the rest is 0.
  package var stats: TransportStats { state.withLock { $0.stats } }

  /// Everything is forgotten, and nothing is handed on any more.
  package func close() {
    let former: State = state.withLock { state in
      defer {
        let stats = state.stats
        state = State()
        (state.stats, state.isClosed) = (stats, true)
      }
      return state
    }
    // What ends with it ends where nothing is locked.
    _ = former
  }

  // MARK: Who takes them

  /// A key frame is to be asked for: nothing was kept. `wake` has arrivals taken soon, though nothing may come.
  package func subscribe(to stream: StreamID, _ sink: any EncodedSink, wake: (_ leg: Int) -> Void) -> Bool {
    exchange(sink, of: stream)
    let leg: Int? = state.withLock { state in
      guard let source = state.sources[stream], state.incoming[source]?.backlog.isEmpty == false else { return nil }
      state.taken.append(source)
      return source.leg
    }
    guard let leg else { return true }
    wake(leg)
    return false
  }

  /// A frame that is being handed over may still arrive.
  package func unsubscribe(from stream: StreamID) { exchange(nil, of: stream) }

  private func exchange(_ sink: (any EncodedSink)?, of stream: StreamID) {
    let former: (any EncodedSink)? = state.withLock { state in
      guard let source = state.sources[stream] else { return nil }
      let former = state.incoming[source]?.sink
      state.incoming[source]?.sink = sink
      return former
    }
    // It may end here, where nothing is locked.
    _ = former
  }

  /// nil: there is no such stream.
  package func source(of stream: StreamID) -> Source? { state.withLock { $0.sources[stream] } }

  /// The mid of the section in which it comes; nil: it says none, or there is no such stream.
  package func section(of stream: StreamID) -> String? {
    state.withLock { state in state.sources[stream].flatMap { state.incoming[$0]?.mid } }
  }

  /// The name of the layer that it is of a medium (RFC 8852); nil: it says none, or there is no such stream.
  package func rid(of stream: StreamID) -> String? {
    state.withLock { state in state.sources[stream].flatMap { state.incoming[$0]?.rid } }
  }

  // MARK: What comes

  /// Takes what a leg's session brought.
  package func take(_ arrivals: [PeerArrival], of leg: Int, _ reader: some IncomingStreamsReader) {
    for arrival in arrivals {
      switch arrival {
      case .frame(let ssrc, let frame, _, let isAfterGap):
        hand(frame, Source(leg: leg, ssrc: ssrc), skipping: isAfterGap ? 1 : 0, reader)
      case .lost(let ssrc, let count):
        state.withLock { state in
          state.incoming[Source(leg: leg, ssrc: ssrc)]?.picture += FrameID(clamping: count)
          state.stats.packetsLost &+= UInt64(clamping: count)
        }
      case .dropped(let ssrc):
        let sink = state.withLock { state in
          let source = Source(leg: leg, ssrc: ssrc)
          state.incoming[source]?.picture += 1
          return state.incoming[source]?.sink
        }
        sink?.droppedOnArrival()
      case .event(let event): follow(event, leg, reader)
      }
    }
  }

  /// To those who took a stream since: on the thread of arrivals, so that they are given one thing after the other.
  package func handBacklogs(of leg: Int) {
    let taken: [(sink: any EncodedSink, earlier: [RTPBacklog.Kept])] = state.withLock { state in
      guard !state.taken.isEmpty else { return [] }
      let mine = state.taken.filter { $0.leg == leg }
      state.taken.removeAll { $0.leg == leg }
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

  private func hand(_ frame: EncodedFrame, _ source: Source, skipping lost: FrameID, _ reader: some IncomingStreamsReader) {
    defer { frame.release() }
    let (sink, picture, isNew, earlier): ((any EncodedSink)?, FrameID, Bool, [RTPBacklog.Kept]) = state.withLock { state in
      guard var incoming = state.incoming[source] else { return (nil, 0, false, []) }
      incoming.picture += lost + 1
      let isNew = incoming.id == nil && (!incoming.medium.isVideo || frame.native.pointee.width > 0)
      if isNew { incoming.id = StreamID.next() }
      state.incoming[source] = incoming
      if let id = incoming.id { state.sources[id] = source }
      state.stats.bytesReceived &+= UInt64(frame.bytes.count)
      state.stats.packetsReceived &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
      if incoming.sink == nil, incoming.medium.isVideo {
        incoming.backlog.keep(frame, incoming.picture)
      }
      return (incoming.sink, incoming.picture, isNew, incoming.sink == nil || incoming.backlog.isEmpty ? [] : incoming.backlog.take())
    }
    if isNew { announce(source, frame, reader) }
    guard let sink else { return }
    give(earlier, to: sink)
    sink.receive(frame, picture)
  }

  /// Now it is known what it is like.
  private func announce(_ source: Source, _ frame: EncodedFrame, _ reader: some IncomingStreamsReader) {
    let (attributes, name) = (frame.native.pointee, reader.name)
    let (stream, member, isFirst, level): (StreamDescription?, Member, Bool, UInt32?) = state.withLock { state in
      let member = state.member ?? Member(userID: name, displayName: name)
      let isFirst = state.member == nil
      state.member = member
      guard let incoming = state.incoming[source], let id = incoming.id else { return (nil, member, isFirst, nil) }
      let format: StreamFormat =
        incoming.medium.isVideo
        ? .video(
          VideoFormat(
            .i420, width: attributes.width, height: attributes.height, frameRate: incoming.medium.frameRate ?? FrameRate(30),
            color: ColorSpace(attributes)),
          kind: VideoKind.virtual.rawValue)
        : .audio(AudioFormat(.s16, sampleRate: 48_000, channels: attributes.channels), kind: UInt32(MSDK_AUDIO_MICROPHONE))
      let stream = StreamDescription(id: id, userID: member.userID, codec: attributes.codec, format: format)
      return (stream, member, isFirst, incoming.speakingLevel)
    }
    if isFirst { reader.post(.joined(member)) }
    guard let stream else { return }
    reader.post(.streamAdded(stream))
    if let level { reader.post(.speaking(stream.id, userID: member.userID, true, level: level)) }
  }

  private func follow(_ event: RTPSessionEvent, _ leg: Int, _ reader: some IncomingStreamsReader) {
    switch event {
    case .streamBegan(let ssrc, let type, let mid, let rid):
      guard let medium = reader.medium(ofType: type, mid: mid) else { return }
      state.withLock { state in
        guard !state.isClosed else { return }
        state.incoming[Source(leg: leg, ssrc: ssrc)] = Incoming(medium: medium, mid: mid, rid: rid)
      }
    case .streamNamed(let ssrc, let rid):
      state.withLock { $0.incoming[Source(leg: leg, ssrc: ssrc)]?.rid = rid }
      reader.follow(event)
    case .streamEnded(let ssrc):
      let (id, gone): (StreamID?, Member?) = state.withLock { state in
        guard let id = state.incoming.removeValue(forKey: Source(leg: leg, ssrc: ssrc))?.id else { return (nil, nil) }
        state.sources[id] = nil
        guard state.sources.isEmpty else { return (id, nil) }
        return (id, state.member.take())
      }
      if let id { reader.post(.streamRemoved(id)) }
      if let gone { reader.post(.left(userID: gone.userID)) }
    case .spoke(let ssrc, let level):
      let source = Source(leg: leg, ssrc: ssrc)
      let known: (id: StreamID, userID: String)? = state.withLock { state in
        state.incoming[source]?.speakingLevel = level.map { UInt32($0) }
        guard let id = state.incoming[source]?.id, let member = state.member else { return nil }
        return (id, member.userID)
      }
      if let known {
        reader.post(.speaking(known.id, userID: known.userID, level != nil, level: level.map { UInt32($0) } ?? AudioFrame.silentLevel))
      }
    case .keyFrameRequested, .target, .collision, .streamChanged: reader.follow(event)
    }
  }
}
