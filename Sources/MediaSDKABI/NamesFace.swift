import CMediaSDK

/// The names of constants, for logs.
private enum Names {
  /// From 1 on.
  static let events: [StaticString] = [
    "MSDK_EVENT_SESSION_STATE", "MSDK_EVENT_PARTICIPANT_JOINED", "MSDK_EVENT_PARTICIPANT_LEFT", "MSDK_EVENT_OUTGOING_VIDEO_STATE",
    "MSDK_EVENT_FRAME_SENDER_CHANGED", "MSDK_EVENT_INCOMING_VIDEO_ADDED", "MSDK_EVENT_INCOMING_VIDEO_STATE",
    "MSDK_EVENT_INCOMING_VIDEO_REMOVED", "MSDK_EVENT_ESTIMATE", "MSDK_EVENT_PLUGIN", "MSDK_EVENT_KEY_FRAME_REQUESTED",
    "MSDK_EVENT_OUTGOING_AUDIO_STATE", "MSDK_EVENT_INCOMING_AUDIO_ADDED", "MSDK_EVENT_INCOMING_AUDIO_STATE",
    "MSDK_EVENT_INCOMING_AUDIO_REMOVED", "MSDK_EVENT_INCOMING_AUDIO_MUTED", "MSDK_EVENT_ACTIVE_SPEAKER", "MSDK_EVENT_SCREEN_SHARE_STATE",
    "MSDK_EVENT_MODERATED", "MSDK_EVENT_INGEST", "MSDK_EVENT_CODEC_CHANGED", "MSDK_EVENT_NETWORK_QUALITY",
    "MSDK_EVENT_STREAM_UNREACHABLE", "MSDK_EVENT_AUDIO_LEVEL", "MSDK_EVENT_STATS", "MSDK_EVENT_RECEIVERS",
    "MSDK_EVENT_ACCESS_EXPIRING", "MSDK_EVENT_ACCESS_RENEWED", "MSDK_EVENT_PARTICIPANT_ATTRIBUTE", "MSDK_EVENT_OUTGOING_VIDEO_WANTED",
    "MSDK_EVENT_NEGOTIATION_NEEDED", "MSDK_EVENT_LOCAL_CANDIDATE", "MSDK_EVENT_CANDIDATES_COMPLETE", "MSDK_EVENT_RESTART_WANTED",
    "MSDK_EVENT_ICE_SERVER_FAILED", "MSDK_EVENT_DATA_CHANNEL_OPENED", "MSDK_EVENT_DATA_CHANNEL_CLOSED", "MSDK_EVENT_MESSAGE_AVAILABLE",
    "MSDK_EVENT_DATA_CHANNEL_LOW", "MSDK_EVENT_DATA_AVAILABLE", "MSDK_EVENT_DATA_WRITABLE",
    "MSDK_EVENT_STREAM_ENCRYPTION", "MSDK_EVENT_RPC_AVAILABLE", "MSDK_EVENT_DATA_STREAM_AVAILABLE",
    "MSDK_EVENT_DATA_ENCRYPTION"
  ]
  static let outcomes: [StaticString] = [
    "MSDK_OUTCOME_SENT", "MSDK_OUTCOME_ENCODED", "MSDK_OUTCOME_REPLACED", "MSDK_OUTCOME_DROPPED", "MSDK_OUTCOME_FAILED"
  ]
  /// From 0 on.
  static let drops: [StaticString] = [
    "MSDK_DROP_NONE", "MSDK_DROP_NO_RECEIVER", "MSDK_DROP_NOT_CONNECTED", "MSDK_DROP_ENCODER", "MSDK_DROP_STOPPED", "MSDK_DROP_PACED",
    "MSDK_DROP_QUEUE", "MSDK_DROP_NETWORK", "MSDK_DROP_MUTED", "MSDK_DROP_FLUSHED", "MSDK_DROP_FILTER",
    "MSDK_DROP_NO_KEY"
  ]
  /// Of each family the first value and the names from there on.
  static let states: [(first: Int, names: [StaticString])] = [
    (
      MSDK_SESSION_IDLE,
      [
        "MSDK_SESSION_IDLE", "MSDK_SESSION_CONNECTING", "MSDK_SESSION_CONNECTED",
        "MSDK_SESSION_RECONNECTING", "MSDK_SESSION_DISCONNECTING", "MSDK_SESSION_DISCONNECTED"
      ]
    ),
    (MSDK_OUTGOING_NONE, ["MSDK_OUTGOING_NONE", "MSDK_OUTGOING_STARTED", "MSDK_OUTGOING_STOPPED", "MSDK_OUTGOING_FAILED"]),
    (
      MSDK_INCOMING_AVAILABLE,
      [
        "MSDK_INCOMING_AVAILABLE", "MSDK_INCOMING_STARTED", "MSDK_INCOMING_STOPPING",
        "MSDK_INCOMING_STOPPED", "MSDK_INCOMING_NOT_AVAILABLE"
      ]
    ),
    (MSDK_SCREEN_SHARE_DISABLED, ["MSDK_SCREEN_SHARE_DISABLED", "MSDK_SCREEN_SHARE_ENABLED"]),
    (
      MSDK_INGEST_FEEDER_CONNECTED,
      [
        "MSDK_INGEST_FEEDER_CONNECTED", "MSDK_INGEST_FEEDER_DISCONNECTED",
        "MSDK_INGEST_FEEDER_REFUSED", "MSDK_INGEST_SHARING"
      ]
    ),
    (MSDK_QUALITY_UNKNOWN, ["MSDK_QUALITY_UNKNOWN", "MSDK_QUALITY_BAD", "MSDK_QUALITY_POOR", "MSDK_QUALITY_GOOD"]),
    (MSDK_SPEAKER_SILENT, ["MSDK_SPEAKER_SILENT", "MSDK_SPEAKER_ACTIVE"]),
    (MSDK_INSTANCE_CREATED, ["MSDK_INSTANCE_CREATED", "MSDK_INSTANCE_READY", "MSDK_INSTANCE_STARTED"]),
    (
      MSDK_ENCRYPTION_ACTIVE,
      ["MSDK_ENCRYPTION_ACTIVE", "MSDK_ENCRYPTION_NO_KEY", "MSDK_ENCRYPTION_WRONG_KEY", "MSDK_ENCRYPTION_NOT_ENCRYPTED"]
    )
  ]

  static func text(_ value: UInt32, in names: [StaticString], from first: Int, unknown: StaticString) -> UnsafePointer<CChar> {
    let index = Int(value) - first
    let name = names.indices.contains(index) ? names[index] : unknown
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

@c @implementation
public func msdk_event_type_string(_ type: UInt32) -> UnsafePointer<CChar>! {
  Names.text(type, in: Names.events, from: 1, unknown: "MSDK_EVENT_UNKNOWN")
}

@c @implementation
public func msdk_state_string(_ state: UInt32) -> UnsafePointer<CChar>! {
  let family = Names.states.first { ($0.first..<$0.first + $0.names.count).contains(Int(state)) }
  return Names.text(state, in: family?.names ?? [], from: family?.first ?? 0, unknown: "MSDK_STATE_UNKNOWN")
}

@c @implementation
public func msdk_outcome_string(_ outcome: UInt32) -> UnsafePointer<CChar>! {
  Names.text(outcome, in: Names.outcomes, from: 1, unknown: "MSDK_OUTCOME_UNKNOWN")
}

@c @implementation
public func msdk_drop_string(_ reason: UInt32) -> UnsafePointer<CChar>! {
  Names.text(reason, in: Names.drops, from: 0, unknown: "MSDK_DROP_UNKNOWN")
}
