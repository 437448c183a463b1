/// What is known of a network in both directions at one moment: counts since the beginning, of all streams together.
public struct NetworkFigures: Sendable, Equatable {
  /// Packets of RTP, with retransmissions and padding.
  public var packetsSent: UInt64 = 0
  /// By the reports of the other end, of what it was to receive between the first report of each stream and the last: so many, and so many of
  /// them lost.
  public var packetsReported: UInt64 = 0
  /// Lost ones among `packetsReported`; below zero where duplicates outnumber them.
  public var reportedLost: Int64 = 0
  /// When the last of these came.
  public var lastReport: Int64?
  /// Packets of RTP in the streams that come in, without those of sources of retransmissions.
  public var packetsReceived: UInt64 = 0
  /// By RFC 3550, section 6.4.1: what was repaired by a source of retransmissions is lost here.
  public var packetsLost: Int64 = 0
  /// In nanoseconds; nil: not measured yet.
  public var roundTrip: Int64?
  /// Bits a second that can be sent, and that would be if there were no limit; 0: not known.
  public var estimate: UInt64 = 0
  /// What would be sent if there were no limit, in bits a second; 0: not known.
  public var wanted: UInt64 = 0

  /// Nothing was counted, and nothing is known.
  public init() {}

  /// Another way to the same other end.
  public mutating func add(_ other: NetworkFigures) {
    packetsSent &+= other.packetsSent
    packetsReported &+= other.packetsReported
    reportedLost &+= other.reportedLost
    packetsReceived &+= other.packetsReceived
    packetsLost &+= other.packetsLost
    if let report = other.lastReport { lastReport = max(lastReport ?? report, report) }
    if let time = other.roundTrip { roundTrip = max(roundTrip ?? time, time) }
  }
}

extension RTPSession {
  /// Of all streams that there are now. The estimate and what is wanted stay 0.
  public var networkFigures: NetworkFigures {
    var figures = NetworkFigures()
    for stream in sending {
      figures.packetsSent &+= stream.reports.counters.packetsSent
      guard let remote = stream.meter.remote else { continue }
      figures.packetsReported &+= stream.meter.reported.expected
      figures.reportedLost &+= stream.meter.reported.lost
      figures.lastReport = max(figures.lastReport ?? remote.timestamp, remote.timestamp)
    }
    for stream in receiving {
      figures.packetsReceived &+= stream.statistics.counters.packetsReceived
      figures.packetsLost &+= stream.statistics.counters.packetsLost
    }
    figures.roundTrip = roundTrip.latest ?? estimator.roundTrip
    return figures
  }
}
