import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP

/// The figures of a way over a network, and of all its streams, of one moment.
package struct RTPStatsSnapshot {
  let remote: SocketAddress?
  let path: TransportPathStats
  let dropped: SecureRTPPeer.Dropped
  let inbound: [InboundStreamStats]
  let outbound: [OutboundStreamStats]

  /// Of the streams that come, these; or all, and those that have ended.
  package init(
    _ session: RTPSession, remote: SocketAddress? = nil, dropped: SecureRTPPeer.Dropped = .init(), receiving streams: [SSRC]? = nil
  ) {
    (self.remote, path, self.dropped) = (remote, session.pathStats, dropped)
    inbound =
      (streams ?? session.receivedStreams).compactMap { session.stats(receiving: $0) } + (streams == nil ? session.endedStreams : [])
    outbound = session.sentStreams.compactMap { session.stats(sending: $0) }
  }

  package func add(to stats: inout TransportStats) {
    stats.packetsForeign &+= dropped.foreign
    stats.packetsRefused &+= dropped.unknown &+ path.refusedPackets
    stats.packetsForged &+= dropped.forged
    stats.packetsReplayed &+= dropped.replayed
    stats.packetsUnsent &+= dropped.unsent &+ dropped.failed
    stats.roundTripTime = max(stats.roundTripTime, path.currentRoundTripTime ?? 0)
  }

  /// By the names and units of W3C's webrtc-stats: seconds.
  package func entries(of index: Int, cipher: SRTPProfile?, at time: Double) -> [JSON] {
    let transport = "transport-\(index)"
    func head(_ id: String, _ type: String) -> [(String, JSON)] { [("id", .text(id)), ("type", .text(type)), ("timestamp", .number(time))] }
    func seconds(_ nanoseconds: Int64) -> JSON { .number(Double(nanoseconds) / 1e9) }
    var own = head(transport, "transport")
    own += [
      ("remoteAddress", remote.map { .text("\($0)") } ?? .null), ("srtpCipher", cipher.map { .text($0.rawValue) } ?? .null),
      ("packetsSent", .whole(path.packetsSent)), ("packetsReceived", .whole(path.packetsReceived)), ("bytesSent", .whole(path.bytesSent)),
      ("bytesReceived", .whole(path.bytesReceived)), ("availableOutgoingBitrate", .whole(path.availableOutgoingBitrate)),
      ("currentRoundTripTime", path.currentRoundTripTime.map { seconds($0) } ?? .null),
      ("totalRoundTripTime", seconds(path.totalRoundTripTime)),
      ("roundTripTimeMeasurements", .whole(path.roundTripTimeMeasurements)), ("queuedPackets", .whole(path.queuedPackets)),
      ("queuedBytes", .whole(path.queuedBytes)), ("queueDelay", seconds(path.queueDelay)), ("expiredPackets", .whole(path.expiredPackets)),
      ("refusedSends", .whole(path.refusedSends)), ("packetsRefused", .whole(path.refusedPackets &+ dropped.unknown)),
      ("packetsForeign", .whole(dropped.foreign)), ("packetsForged", .whole(dropped.forged)), ("packetsReplayed", .whole(dropped.replayed)),
      ("packetsUnsent", .whole(dropped.unsent &+ dropped.failed)), ("packetsLooped", .whole(path.loopedPackets)),
      ("packetsConflicting", .whole(path.conflictingPackets))
    ]
    var entries: [JSON] = [.object(own)]
    for stream in inbound {
      var entry = head("inbound-\(index)-\(stream.ssrc.rawValue)", "inbound-rtp")
      entry += [
        ("transportId", .text(transport)), ("ssrc", .whole(stream.ssrc.rawValue)), ("kind", .text(stream.isVideo ? "video" : "audio")),
        ("packetsReceived", .whole(stream.packetsReceived)), ("bytesReceived", .whole(stream.bytesReceived)),
        ("headerBytesReceived", .whole(stream.headerBytesReceived)),
        ("retransmittedPacketsReceived", .whole(stream.retransmittedPacketsReceived)),
        ("retransmittedBytesReceived", .whole(stream.retransmittedBytesReceived)), ("packetsRepaired", .whole(stream.packetsRepaired)),
        ("packetsLost", .whole(stream.packetsLost)), ("packetsDiscarded", .whole(stream.packetsDiscarded)),
        ("jitter", seconds(stream.jitter)),
        ("nackCount", .whole(stream.nackCount)), ("pliCount", .whole(stream.pliCount)),
        ("jitterBufferDelay", seconds(stream.jitterBufferDelay)), ("jitterBufferTargetDelay", seconds(stream.jitterBufferTargetDelay)),
        ("jitterBufferEmittedCount", .whole(stream.jitterBufferEmittedCount))
      ]
      entry +=
        stream.isVideo
        ? [
          ("framesReceived", .whole(stream.framesReceived)), ("keyFramesReceived", .whole(stream.keyFramesReceived)),
          ("framesDropped", .whole(stream.framesDropped)),
          ("framesAssembledFromMultiplePackets", .whole(stream.framesAssembledFromMultiplePackets)),
          ("totalAssemblyTime", seconds(stream.totalAssemblyTime)), ("frameWidth", .whole(stream.frameWidth)),
          ("frameHeight", .whole(stream.frameHeight)), ("freezeCount", .whole(stream.freezeCount)),
          ("totalFreezesDuration", seconds(stream.totalFreezesDuration))
        ]
        : [
          ("totalSamplesReceived", .whole(stream.totalSamplesReceived)), ("concealedSamples", .whole(stream.concealedSamples)),
          ("concealmentEvents", .whole(stream.concealmentEvents))
        ]
      entries.append(.object(entry))
    }
    for stream in outbound {
      let id = "outbound-\(index)-\(stream.ssrc.rawValue)"
      var entry = head(id, "outbound-rtp")
      entry += [
        ("transportId", .text(transport)), ("ssrc", .whole(stream.ssrc.rawValue)), ("kind", .text(stream.isVideo ? "video" : "audio")),
        ("packetsSent", .whole(stream.packetsSent)),
        ("bytesSent", .whole(stream.bytesSent)), ("headerBytesSent", .whole(stream.headerBytesSent)),
        ("retransmittedPacketsSent", .whole(stream.retransmittedPacketsSent)),
        ("retransmittedBytesSent", .whole(stream.retransmittedBytesSent)),
        ("nackCount", .whole(stream.nackCount)), ("pliCount", .whole(stream.pliCount)), ("firCount", .whole(stream.firCount)),
        ("framesSent", .whole(stream.framesSent)), ("keyFramesSent", .whole(stream.keyFramesSent)),
        ("hugeFramesSent", .whole(stream.hugeFramesSent)),
        ("totalPacketSendDelay", seconds(stream.totalPacketSendDelay)), ("targetBitrate", .whole(stream.targetBitrate))
      ]
      entries.append(.object(entry))
      guard let far = stream.remote else { continue }
      var report = head("remote-\(id)", "remote-inbound-rtp")
      report += [
        ("localId", .text(id)), ("ssrc", .whole(stream.ssrc.rawValue)), ("packetsLost", .whole(far.packetsLost)),
        ("fractionLost", .number(far.fractionLost)),
        ("jitter", seconds(far.jitter)), ("roundTripTime", far.roundTripTime.map { seconds($0) } ?? .null),
        ("totalRoundTripTime", seconds(far.totalRoundTripTime)), ("roundTripTimeMeasurements", .whole(far.roundTripTimeMeasurements))
      ]
      entries.append(.object(report))
    }
    return entries
  }
}
