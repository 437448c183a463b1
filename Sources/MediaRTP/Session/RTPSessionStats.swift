import MediaCore

/// Snapshots, by the names of W3C's webrtc-stats. Cheap: numbers that are there already are copied.
extension RTPSession {
  /// Of a stream that comes in; nothing where there is none of that number.
  public func stats(receiving ssrc: SSRC) -> InboundStreamStats? {
    guard let stream = receivingStream(ssrc) else { return nil }
    let (counters, meter) = (stream.statistics.counters, stream.meter)
    var stats = InboundStreamStats()
    stats.ssrc = ssrc
    stats.packetsReceived = counters.packetsReceived &+ meter.again.packets
    stats.bytesReceived = counters.bytesReceived &+ meter.again.bytes
    stats.headerBytesReceived = counters.headerBytesReceived &+ meter.again.headerBytes
    (stats.retransmittedPacketsReceived, stats.retransmittedBytesReceived) = (meter.again.packets, meter.again.bytes)
    (stats.packetsRepaired, stats.packetsDiscarded) = (meter.packetsRepaired, meter.packetsDiscarded)
    stats.packetsLost = counters.packetsLost
    stats.jitter = Int64(counters.jitter * 1e9)
    (stats.nackCount, stats.pliCount) = (meter.nackCount, meter.pliCount)
    stats.lastPacketReceivedTimestamp = counters.lastPacketReceived
    stats.jitterBufferDelay = meter.bufferDelay
    stats.jitterBufferTargetDelay = meter.targetDelay
    stats.jitterBufferEmittedCount = meter.emitted
    switch stream.content {
    case .pictures(let buffer):
      (stats.framesReceived, stats.keyFramesReceived) = buffer.completed
      stats.framesDropped = buffer.completed.all &- buffer.handedOn &- UInt64(clamping: buffer.completePictures)
      (stats.framesAssembledFromMultiplePackets, stats.totalAssemblyTime) = (meter.framesAssembled, meter.assemblyTime)
      (stats.frameWidth, stats.frameHeight) = meter.size
      (stats.freezeCount, stats.totalFreezesDuration) = (meter.freezes.count, meter.freezes.total)
    case .sound:
      stats.isVideo = false
      stats.totalSamplesReceived = meter.emitted &+ meter.concealedSamples
      (stats.concealedSamples, stats.concealmentEvents) = (meter.concealedSamples, meter.concealmentEvents)
    }
    return stats
  }

  /// Of a stream that goes out.
  public func stats(sending stream: Int) -> OutboundStreamStats? {
    guard let stream = outgoing[stream] else { return nil }
    let (counters, meter) = (stream.reports.counters, stream.meter)
    var stats = OutboundStreamStats()
    (stats.ssrc, stats.isVideo) = (stream.settings.ssrc, stream.settings.encoding.isVideo)
    (stats.packetsSent, stats.bytesSent, stats.headerBytesSent) = (counters.packetsSent, counters.bytesSent, counters.headerBytesSent)
    (stats.retransmittedPacketsSent, stats.retransmittedBytesSent) = (counters.retransmittedPacketsSent, counters.retransmittedBytesSent)
    (stats.nackCount, stats.pliCount, stats.firCount) = (meter.nackCount, meter.pliCount, meter.firCount)
    (stats.framesSent, stats.keyFramesSent, stats.hugeFramesSent) = (meter.framesSent, meter.keyFramesSent, meter.hugeFramesSent)
    stats.totalPacketSendDelay = meter.totalPacketSendDelay
    stats.targetBitrate = meter.targetBitrate ?? target
    stats.remote = meter.remote
    return stats
  }

  /// Of all that passes between both ends.
  public var pathStats: TransportPathStats {
    var stats = path
    stats.availableOutgoingBitrate = estimator.estimate
    stats.currentRoundTripTime = roundTrip.latest ?? estimator.roundTrip
    (stats.totalRoundTripTime, stats.roundTripTimeMeasurements) = (roundTrip.total, roundTrip.measurements)
    (stats.queuedPackets, stats.queuedBytes, stats.queueDelay) = (pacer.count, pacer.bytes, pacer.expectedDelay)
    return stats
  }

  /// What `send` calls them, in the order in which they were added.
  public var sentStreams: [Int] { sending.map(\.handle) }

  /// Numbers of the streams that come in, in the order in which they began.
  public var receivedStreams: [SSRC] { receiving.map(\.ssrc) }

  /// What the latest streams that are over had counted, up to eight.
  public var endedStreams: [InboundStreamStats] { ended }

  /// What the encoder of a stream is told to make, in bits a second: only for the stats.
  public func setTargetBitrate(_ bitrate: Int, sending stream: Int) {
    outgoing[stream]?.meter.targetBitrate = max(0, bitrate)
  }
}
