import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

@c @implementation
public func msdk_outgoing_video_get_network_stats(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_outbound_stats>!)
  -> msdk_result
{
  face { () throws(MediaError) in
    let look = try Handles.outgoing(stream).networkLook()
    try ForeignStruct.write(look.foreign, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_outgoing_audio_get_network_stats(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_outbound_stats>!)
  -> msdk_result
{
  face { () throws(MediaError) in
    let look = try Handles.outgoingAudio(stream).networkLook()
    try ForeignStruct.write(look.foreign, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_incoming_video_get_network_stats(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_inbound_stats>!) -> msdk_result
{
  face { () throws(MediaError) in
    let look = try Handles.incoming(stream).networkLook()
    try ForeignStruct.write(look.foreign, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_incoming_audio_get_network_stats(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_inbound_stats>!) -> msdk_result
{
  face { () throws(MediaError) in
    let look = try Handles.incomingAudio(stream).networkLook()
    try ForeignStruct.write(look.foreign, to: required(out, "out"), argument: "out")
  }
}

extension OutboundSnapshot {
  fileprivate var foreign: msdk_outbound_stats {
    var native = msdk_outbound_stats()
    native.ssrc = stream.ssrc.rawValue
    (native.packets_sent, native.bytes_sent, native.header_bytes_sent) = (stream.packetsSent, stream.bytesSent, stream.headerBytesSent)
    (native.retransmitted_packets_sent, native.retransmitted_bytes_sent) = (stream.retransmittedPacketsSent, stream.retransmittedBytesSent)
    (native.nack_count, native.pli_count, native.fir_count) = (stream.nackCount, stream.pliCount, stream.firCount)
    (native.frames_sent, native.key_frames_sent, native.huge_frames_sent) = (stream.framesSent, stream.keyFramesSent, stream.hugeFramesSent)
    native.total_packet_send_delay_ns = stream.totalPacketSendDelay
    native.target_bitrate = UInt64(clamping: stream.targetBitrate)
    if let remote = stream.remote {
      native.reported_at_ns = remote.timestamp
      (native.packets_lost, native.fraction_lost, native.jitter_ns) = (remote.packetsLost, remote.fractionLost, remote.jitter)
      native.round_trip_time_ns = remote.roundTripTime ?? 0
      native.total_round_trip_time_ns = remote.totalRoundTripTime
      native.round_trip_time_measurements = UInt64(clamping: remote.roundTripTimeMeasurements)
    }
    native.available_outgoing_bitrate = UInt64(clamping: path.availableOutgoingBitrate)
    (native.queued_packets, native.queued_bytes) = (UInt64(clamping: path.queuedPackets), UInt64(clamping: path.queuedBytes))
    native.queue_delay_ns = path.queueDelay
    native.expired_packets = path.expiredPackets
    return native
  }
}

extension InboundSnapshot {
  fileprivate var foreign: msdk_inbound_stats {
    var native = msdk_inbound_stats()
    native.ssrc = stream.ssrc.rawValue
    (native.packets_received, native.bytes_received) = (stream.packetsReceived, stream.bytesReceived)
    native.header_bytes_received = stream.headerBytesReceived
    native.retransmitted_packets_received = stream.retransmittedPacketsReceived
    native.retransmitted_bytes_received = stream.retransmittedBytesReceived
    (native.packets_repaired, native.packets_discarded) = (stream.packetsRepaired, stream.packetsDiscarded)
    (native.packets_lost, native.jitter_ns) = (stream.packetsLost, stream.jitter)
    native.last_packet_received_ns = stream.lastPacketReceivedTimestamp ?? 0
    (native.nack_count, native.pli_count) = (stream.nackCount, stream.pliCount)
    (native.frames_received, native.key_frames_received) = (stream.framesReceived, stream.keyFramesReceived)
    native.frames_dropped = stream.framesDropped
    native.frames_assembled_from_multiple_packets = stream.framesAssembledFromMultiplePackets
    native.total_assembly_time_ns = stream.totalAssemblyTime
    (native.frame_width, native.frame_height) = (UInt32(stream.frameWidth), UInt32(stream.frameHeight))
    (native.freeze_count, native.total_freezes_duration_ns) = (stream.freezeCount, stream.totalFreezesDuration)
    native.jitter_buffer_delay_ns = stream.jitterBufferDelay
    native.jitter_buffer_target_delay_ns = stream.jitterBufferTargetDelay
    native.jitter_buffer_emitted_count = stream.jitterBufferEmittedCount
    native.total_samples_received = stream.totalSamplesReceived
    (native.concealed_samples, native.concealment_events) = (stream.concealedSamples, stream.concealmentEvents)
    native.round_trip_time_ns = path.currentRoundTripTime ?? 0
    return native
  }
}
