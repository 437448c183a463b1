import MediaTransport

extension TransportStats {
  /// Of one connection after the other; the round trip is that of the last.
  static func + (one: TransportStats, other: TransportStats) -> TransportStats {
    var sum = other
    sum.bytesSent &+= one.bytesSent
    sum.bytesReceived &+= one.bytesReceived
    sum.packetsSent &+= one.packetsSent
    sum.packetsReceived &+= one.packetsReceived
    sum.packetsLost &+= one.packetsLost
    sum.packetsForeign &+= one.packetsForeign
    sum.packetsRefused &+= one.packetsRefused
    sum.packetsForged &+= one.packetsForged
    sum.packetsReplayed &+= one.packetsReplayed
    sum.packetsUnsent &+= one.packetsUnsent
    return sum
  }
}
