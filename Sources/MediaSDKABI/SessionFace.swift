import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK
import MediaTransport

// session.h

@c @implementation
public func msdk_session_create(
  _ engine: OpaquePointer!, _ options: UnsafePointer<msdk_session_options>!, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let out = try required(out, "out")
    let native = try ForeignStruct.read(required(options, "options"), argument: "options")
    var settings = SessionOptions(
      url: try ForeignText.read(native.url, limit: Int(MSDK_TEXT_MAX), argument: "options.url"),
      userID: try ForeignText.read(native.user_id, limit: Int(MSDK_NAME_MAX), argument: "options.user_id"),
      displayName: try ForeignText.readOptional(native.display_name, limit: Int(MSDK_NAME_MAX), argument: "options.display_name"))
    settings.accessToken = AccessToken(
      try ForeignText.readOptional(native.access_token, limit: AccessToken.longest, argument: "options.access_token") ?? "")
    settings.encrypts = try flag(native.encrypt_frames, "options.encrypt_frames")
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    settings.encryptsData = try flag(native.encrypt_data, "options.encrypt_data")
    if native.event_capacity != 0 { settings.eventCapacity = Int(native.event_capacity) }
    guard native.capture_flags & ~UInt32(MSDK_CAPTURE_PLAIN) == 0 else {
      throw MediaError(.unsupported, "options.capture_flags is \(native.capture_flags); accepted: 0, MSDK_CAPTURE_PLAIN")
    }
    if let path = try ForeignText.readOptional(native.capture_path, limit: Int(MSDK_TEXT_MAX), argument: "options.capture_path"),
      !path.isEmpty
    {
      settings.capture = (path, native.capture_flags & UInt32(MSDK_CAPTURE_PLAIN) != 0)
    }
    let session = try engine.makeSession(settings)
    try Handles.publish(session.handle.handle(of: session), to: out) { session.close() }
  }
}

@c @implementation
public func msdk_session_destroy(_ session: OpaquePointer!) {
  guard !Fork.isChild, let object = HandleTable.shared.remove(session, .session) else { return }
  unsafeDowncast(object, to: Session.self).close()
}

@c @implementation
public func msdk_session_connect(_ session: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).connect() }
}

@c @implementation
public func msdk_session_disconnect(_ session: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).disconnect() }
}

@c @implementation
public func msdk_session_get_state(_ session: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try required(out, "out").pointee = session.state.rawValue
  }
}

@c @implementation
public func msdk_session_set_access_token(_ session: OpaquePointer!, _ token: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.setAccessToken(AccessToken(ForeignText.readOptional(token, limit: AccessToken.longest, argument: "token") ?? ""))
  }
}

// MARK: Events

@c @implementation
public func msdk_session_next_event(
  _ session: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<msdk_event>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    // A struct that cannot be filled must not cost an event.
    try ForeignStruct.check(out, argument: "out")
    let event = try pulled(timeout) { deadline throws(MediaError) in try session.nextEvent(deadline: deadline) }
    try ForeignStruct.write(event.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_session_get_event_fd(_ session: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try required(out, "out").pointee = try session.eventDescriptor()
  }
}

@c @implementation
public func msdk_session_set_audio_level_interval(_ session: OpaquePointer!, _ interval_ms: UInt32) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).setAudioLevelInterval(milliseconds: interval_ms) }
}

@c @implementation
public func msdk_session_set_stats_interval(_ session: OpaquePointer!, _ interval_ms: UInt32) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).setStatsInterval(milliseconds: interval_ms) }
}

@c @implementation
public func msdk_session_set_event_callback(
  _ session: OpaquePointer!, _ callback: msdk_event_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    guard let callback else { return session.setEventCallback(nil) }
    let user = ForeignUser(pointer: user)
    session.setEventCallback { event in withUnsafePointer(to: event.foreign) { callback(user.pointer, $0) } }
  }
}

extension StampedEvent {
  fileprivate var foreign: msdk_event {
    var native = msdk_event()
    native.struct_size = UInt32(MemoryLayout<msdk_event>.size)
    native.timestamp_ns = timestamp
    native.flags = isAfterLoss ? UInt32(MSDK_EVENT_FLAG_LOST) : 0
    switch event {
    case .state(let state, let error):
      native.set(MSDK_EVENT_SESSION_STATE, state: state.rawValue, error: error)
    case .participantJoined(let member):
      native.set(MSDK_EVENT_PARTICIPANT_JOINED, userID: member.userID, text: member.displayName)
    case .participantLeft(let userID):
      native.set(MSDK_EVENT_PARTICIPANT_LEFT, userID: userID)
    case .outgoingVideoState(let stream, let state, let error):
      native.set(MSDK_EVENT_OUTGOING_VIDEO_STATE, state: state.rawValue, error: error)
      native.outgoing_video = stream.handle.name(of: stream)
      native.kind = stream.options.kind.rawValue
    case .frameSenderChanged(let stream, let sender):
      native.set(MSDK_EVENT_FRAME_SENDER_CHANGED)
      native.outgoing_video = stream.handle.name(of: stream)
      native.sender = sender.handle.name(of: sender)
      native.format = sender.format.foreign
      native.codec = stream.progress.codec
      native.kind = stream.options.kind.rawValue
    case .codecChanged(let stream, let codec):
      native.set(MSDK_EVENT_CODEC_CHANGED)
      native.set(stream)
      native.codec = codec
    case .incomingVideoAdded(let stream):
      native.set(MSDK_EVENT_INCOMING_VIDEO_ADDED, stream)
      native.format = stream.format.foreign
      native.codec = stream.description.codec
    case .incomingVideoState(let stream, let state, let error):
      native.set(MSDK_EVENT_INCOMING_VIDEO_STATE, userID: stream.userID, state: state.rawValue, error: error)
      native.incoming_video = stream.handle.name(of: stream)
      native.kind = stream.kind
    case .incomingVideoRemoved(let stream):
      native.set(MSDK_EVENT_INCOMING_VIDEO_REMOVED, stream)
    case .estimate(let bitrate):
      native.set(MSDK_EVENT_ESTIMATE)
      native.value = bitrate
    case .networkQuality(let direction, let grade, let estimate):
      native.set(MSDK_EVENT_NETWORK_QUALITY, state: grade.rawValue)
      native.direction = direction.rawValue
      native.value = direction == .outgoing ? estimate : 0
    case .plugin(let instance, let event):
      native.set(MSDK_EVENT_PLUGIN, text: event.text)
      native.status = event.status?.rawValue ?? msdk_result(MSDK_OK)
      native.instance = instance.isOfStream ? nil : instance.handle.name(of: instance)
      native.value = UInt64(event.event)
    case .keyFrameRequested(let stream):
      native.set(MSDK_EVENT_KEY_FRAME_REQUESTED)
      native.outgoing_video = stream.handle.name(of: stream)
    case .outgoingAudioState(let stream, let state, let error):
      native.set(MSDK_EVENT_OUTGOING_AUDIO_STATE, state: state.rawValue, error: error)
      native.outgoing_audio = stream.handle.name(of: stream)
      native.kind = stream.options.kind.rawValue
    case .incomingAudioAdded(let stream):
      native.set(MSDK_EVENT_INCOMING_AUDIO_ADDED, stream)
      native.audio_format = stream.format.foreign
      native.codec = stream.codec
      native.value = stream.isMutedAtFirst ? 1 : 0
    case .incomingAudioState(let stream, let state, let error):
      native.set(MSDK_EVENT_INCOMING_AUDIO_STATE, stream, state: state.rawValue, error: error)
    case .incomingAudioRemoved(let stream):
      native.set(MSDK_EVENT_INCOMING_AUDIO_REMOVED, stream)
    case .incomingAudioMuted(let stream, let isMuted):
      native.set(MSDK_EVENT_INCOMING_AUDIO_MUTED, stream)
      native.value = isMuted ? 1 : 0
    case .screenShareState(let userID, let isSharing, let stream):
      native.set(
        MSDK_EVENT_SCREEN_SHARE_STATE, userID: userID,
        state: UInt32(isSharing ? MSDK_SCREEN_SHARE_ENABLED : MSDK_SCREEN_SHARE_DISABLED))
      native.kind = VideoKind.screenShare.rawValue
      if let stream { native.incoming_video = stream.handle.name(of: stream) }
    case .activeSpeaker(let userID, let isSpeaking, let level):
      native.set(MSDK_EVENT_ACTIVE_SPEAKER, userID: userID, state: UInt32(isSpeaking ? MSDK_SPEAKER_ACTIVE : MSDK_SPEAKER_SILENT))
      native.value = UInt64(level)
    case .streamUnreachable(let stream, let userID, let error):
      native.set(MSDK_EVENT_STREAM_UNREACHABLE, userID: userID, error: error)
      native.set(stream)
    case .moderated(let userID, let moderation, let reason):
      native.set(MSDK_EVENT_MODERATED, userID: userID, text: reason)
      native.value = UInt64(moderation.rawValue)
    case .audioLevel(let stream, let userID, let level):
      switch stream {
      case .outgoing(let audio):
        native.set(MSDK_EVENT_AUDIO_LEVEL, userID: userID)
        native.set(.audio(audio))
      case .incoming(let audio): native.set(MSDK_EVENT_AUDIO_LEVEL, audio)
      }
      native.value = UInt64(level)
    case .statsDue: native.set(MSDK_EVENT_STATS)
    case .receivers(let stream, let count):
      native.set(MSDK_EVENT_RECEIVERS)
      native.set(stream)
      native.value = UInt64(count)
    case .wanted(let stream, let wanted):
      native.set(MSDK_EVENT_OUTGOING_VIDEO_WANTED)
      native.set(.video(stream))
      (native.format.width, native.format.height) = (wanted.width, wanted.height)
      (native.format.fps_num, native.format.fps_den) = (wanted.frameRate?.numerator ?? 0, wanted.frameRate?.denominator ?? 0)
    case .participantAttribute(let userID, let key):
      native.set(MSDK_EVENT_PARTICIPANT_ATTRIBUTE, userID: userID, text: key)
    case .accessExpiring(let remaining):
      native.set(MSDK_EVENT_ACCESS_EXPIRING)
      native.value = UInt64(clamping: remaining)
    case .accessRenewed(let permissions, let error):
      native.set(MSDK_EVENT_ACCESS_RENEWED, error: error)
      native.value = UInt64(permissions.foreign)
    case .signal(let event): native.set(event)
    case .channel(let channel, let event):
      native.set(event)
      native.value = channel.value
    case .dataAvailable: native.set(MSDK_EVENT_DATA_AVAILABLE)
    case .dataWritable: native.set(MSDK_EVENT_DATA_WRITABLE)
    case .callAvailable: native.set(MSDK_EVENT_RPC_AVAILABLE)
    case .dataStreamAvailable: native.set(MSDK_EVENT_DATA_STREAM_AVAILABLE)
    case .encryption(let stream, let state, let index):
      switch stream {
      case .outgoing(let stream):
        native.set(MSDK_EVENT_STREAM_ENCRYPTION)
        native.set(stream)
      case .incomingVideo(let stream): native.set(MSDK_EVENT_STREAM_ENCRYPTION, stream)
      case .incomingAudio(let stream): native.set(MSDK_EVENT_STREAM_ENCRYPTION, stream)
      }
      (native.state, native.value) = (state.rawValue, UInt64(index))
    case .dataEncryption(let userID, let state, let index):
      native.set(MSDK_EVENT_DATA_ENCRYPTION, userID: userID, state: state.rawValue)
      native.value = UInt64(index)
    case .ingest(let event):
      native.set(MSDK_EVENT_INGEST, state: event.state.rawValue, text: event.text)
      native.status = event.status?.rawValue ?? msdk_result(MSDK_OK)
      native.value = UInt64(event.reason.rawValue)
      native.kind = UInt32(MSDK_VIDEO_SCREEN_SHARE)
      native.outgoing_video = event.stream.flatMap { $0.handle.name(of: $0) }
      native.codec = event.stream?.progress.codec ?? 0
      if let format = event.stream?.options.formats.first { native.format = format.foreign }
    }
    return native
  }
}

extension msdk_event {
  fileprivate mutating func set(_ event: SignallingEvent) {
    switch event {
    case .negotiationNeeded: set(MSDK_EVENT_NEGOTIATION_NEEDED)
    case .localCandidate(let text, let mid, _): set(MSDK_EVENT_LOCAL_CANDIDATE, userID: mid, text: text)
    case .candidatesComplete: set(MSDK_EVENT_CANDIDATES_COMPLETE)
    case .restartWanted: set(MSDK_EVENT_RESTART_WANTED)
    case .serverFailed(let server, let code, let text):
      set(MSDK_EVENT_ICE_SERVER_FAILED, userID: server, text: text)
      value = UInt64(clamping: code ?? 0)
    }
  }

  fileprivate mutating func set(_ event: MessageChannelEvent) {
    switch event {
    case .opened(let options, let isIncoming):
      set(MSDK_EVENT_DATA_CHANNEL_OPENED, userID: options.protocol, text: options.label)
      direction = UInt32(isIncoming ? MSDK_DIRECTION_INCOMING : MSDK_DIRECTION_OUTGOING)
    case .readable: set(MSDK_EVENT_MESSAGE_AVAILABLE)
    case .bufferedAmountLow: set(MSDK_EVENT_DATA_CHANNEL_LOW)
    case .closed(let error): set(MSDK_EVENT_DATA_CHANNEL_CLOSED, error: error)
    }
  }

  fileprivate mutating func set(_ type: Int, userID: String = "", state: UInt32 = 0, error: MediaError? = nil, text: String = "") {
    self.type = UInt32(type)
    self.state = state
    status = error?.status.rawValue ?? msdk_result(MSDK_OK)
    withUnsafeMutableBytes(of: &user_id) { ForeignText.write(userID, to: $0) }
    withUnsafeMutableBytes(of: &self.text) { ForeignText.write(error?.text ?? text, to: $0) }
  }

  fileprivate mutating func set(_ type: Int, _ stream: IncomingVideo) {
    set(type, userID: stream.userID)
    incoming_video = stream.handle.name(of: stream)
    kind = stream.kind
  }

  fileprivate mutating func set(_ type: Int, _ stream: IncomingAudio, state: UInt32 = 0, error: MediaError? = nil) {
    set(type, userID: stream.userID, state: state, error: error)
    incoming_audio = stream.handle.name(of: stream)
    kind = stream.kind
  }

  fileprivate mutating func set(_ stream: OutgoingStream) {
    switch stream {
    case .video(let video):
      outgoing_video = video.handle.name(of: video)
      kind = video.options.kind.rawValue
    case .audio(let audio):
      outgoing_audio = audio.handle.name(of: audio)
      kind = audio.options.kind.rawValue
    }
  }
}

// MARK: Streams

@c @implementation
public func msdk_session_incoming_video_at(
  _ session: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try element(of: Handles.session(session).incomingVideos, index, "incoming video streams")
    try Handles.publish(stream.handle.handle(of: stream), to: required(out, "out")) {}
  }
}

@c @implementation
public func msdk_session_incoming_audio_at(
  _ session: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try element(of: Handles.session(session).incomingAudios, index, "incoming audio streams")
    try Handles.publish(stream.handle.handle(of: stream), to: required(out, "out")) {}
  }
}

@c @implementation
public func msdk_session_outgoing_video_at(
  _ session: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try element(of: Handles.session(session).outgoingVideos, index, "outgoing video streams")
    try Handles.publish(stream.handle.handle(of: stream), to: required(out, "out")) {}
  }
}

@c @implementation
public func msdk_session_outgoing_audio_at(
  _ session: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try element(of: Handles.session(session).outgoingAudios, index, "outgoing audio streams")
    try Handles.publish(stream.handle.handle(of: stream), to: required(out, "out")) {}
  }
}

// MARK: Video

@c @implementation
public func msdk_session_start_video(_ session: OpaquePointer!, _ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.start(Handles.outgoing(stream))
  }
}

@c @implementation
public func msdk_session_stop_video(_ session: OpaquePointer!, _ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.stop(Handles.outgoing(stream))
  }
}

// MARK: Sound

@c @implementation
public func msdk_session_start_audio(_ session: OpaquePointer!, _ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.start(Handles.outgoingAudio(stream))
  }
}

@c @implementation
public func msdk_session_stop_audio(_ session: OpaquePointer!, _ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.stop(Handles.outgoingAudio(stream))
  }
}

@c @implementation
public func msdk_session_get_mixed_audio(_ session: OpaquePointer!, _ out: UnsafeMutablePointer<OpaquePointer?>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    let mix = try session.mixedAudio()
    try Handles.publish(mix.handle.handle(of: mix), to: out) {}
  }
}

// MARK: Rendering

@c @implementation
public func msdk_session_attach_renderer(
  _ session: OpaquePointer!, _ renderer: OpaquePointer!, _ options: UnsafePointer<msdk_session_renderer_options>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let renderer = try Handles.instance(renderer, "renderer")
    guard let options else { return try session.attachRenderer(renderer) }
    let native = try ForeignStruct.read(options, argument: "options")
    try session.attachRenderer(renderer, includingLocal: flag(native.include_local, "options.include_local"))
  }
}

@c @implementation
public func msdk_session_detach_renderer(_ session: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.detachRenderer(Handles.instance(renderer, "renderer"))
  }
}

// MARK: Stats

@c @implementation
public func msdk_session_get_stats(_ session: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_session_stats>!) -> msdk_result {
  face { () throws(MediaError) in
    let stats = try Handles.session(session).stats
    var native = msdk_session_stats()
    native.state = stats.state.rawValue
    native.available_outgoing_bitrate = stats.availableOutgoingBitrate
    native.bytes_sent = stats.transport.bytesSent
    native.bytes_received = stats.transport.bytesReceived
    native.packets_sent = stats.transport.packetsSent
    native.packets_received = stats.transport.packetsReceived
    native.packets_lost = stats.transport.packetsLost
    native.events_queued = stats.eventsQueued
    native.events_dropped = stats.eventsDropped
    native.participants = UInt32(clamping: stats.participants)
    native.packets_foreign = stats.transport.packetsForeign
    native.packets_refused = stats.transport.packetsRefused
    native.packets_forged = stats.transport.packetsForged
    native.packets_replayed = stats.transport.packetsReplayed
    native.packets_unsent = stats.transport.packetsUnsent
    native.round_trip_time_ns = stats.transport.roundTripTime
    native.outgoing_quality = stats.outgoingQuality.rawValue
    native.incoming_quality = stats.incomingQuality.rawValue
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_session_get_stats_json(
  _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in try write(Handles.session(session).statsJSON, to: buffer, size, needed) }
}
