/// Packets to be sent at a rate above the estimate, to see whether the link carries it.
public struct ProbeCluster: Sendable, Equatable {
  /// Above 0; goes with each of its packets to `onSent`.
  var id: Int32
  /// In bits a second.
  var rate: Int
  var packets: Int
  var bytes: Int

  static let duration = 0.015
  /// Five short packets would be over so soon that a few milliseconds of jitter pass for the link's rate: up to this duration a probe has as
  /// many bytes as five long ones.
  static let longest = 0.05
  static let fewest = 6000.0

  init(id: Int32, rate: Double) {
    self.id = id
    self.rate = Int(rate)
    packets = 5
    bytes = Int(max(rate * ProbeCluster.duration / 8, min(rate * ProbeCluster.longest / 8, ProbeCluster.fewest)))
  }
}

/// What the probes showed (as libwebrtc's, which the draft does not have): the lesser of the rates at which a probe left and arrived. Keeps the
/// last eight.
struct ProbeEstimator {
  static let capacity = 8
  /// Of a probe's packets and bytes that must have come.
  static let share = 0.6
  static let longest: Int64 = 1_000_000_000
  /// Arrived faster than it left by more than this: a queue was let go, nothing was measured.
  static let fastest = 2.0

  fileprivate struct Cluster {
    var goal: ProbeCluster
    var packets = 0
    var bytes = 0
    var firstSent = Int64.max
    var lastSent = Int64.min
    var lastSentSize = 0
    var firstArrival = Int64.max
    var lastArrival = Int64.min
    var firstArrivalSize = 0
  }

  private var clusters: [Cluster] = []

  mutating func expect(_ cluster: ProbeCluster) {
    if clusters.count == ProbeEstimator.capacity { clusters.removeFirst() }
    clusters.append(Cluster(goal: cluster))
  }

  mutating func add(_ result: PacketResult) -> Double? {
    guard result.probe > 0, let arrival = result.arrival, let at = clusters.firstIndex(where: { $0.goal.id == result.probe }) else {
      return nil
    }
    var cluster = clusters[at]
    cluster.packets += 1
    cluster.bytes += result.size
    cluster.firstSent = min(cluster.firstSent, result.sent)
    if result.sent >= cluster.lastSent { (cluster.lastSent, cluster.lastSentSize) = (result.sent, result.size) }
    if arrival < cluster.firstArrival { (cluster.firstArrival, cluster.firstArrivalSize) = (arrival, result.size) }
    cluster.lastArrival = max(cluster.lastArrival, arrival)
    clusters[at] = cluster
    return cluster.rate
  }

  mutating func reset() {
    clusters.removeAll(keepingCapacity: true)
  }
}

extension ProbeEstimator.Cluster {
  fileprivate var rate: Double? {
    guard Double(packets) >= ProbeEstimator.share * Double(goal.packets), Double(bytes) >= ProbeEstimator.share * Double(goal.bytes) else {
      return nil
    }
    let sentFor = lastSent &- firstSent
    let arrivedFor = lastArrival &- firstArrival
    guard sentFor > 0, sentFor <= ProbeEstimator.longest, arrivedFor > 0, arrivedFor <= ProbeEstimator.longest else { return nil }
    let sent = 8e9 * Double(bytes - lastSentSize) / Double(sentFor)
    let arrived = 8e9 * Double(bytes - firstArrivalSize) / Double(arrivedFor)
    guard arrived <= ProbeEstimator.fastest * sent else { return nil }
    // It filled the link: a little below what came through is what can be had.
    return arrived < 0.9 * sent ? 0.95 * arrived : min(sent, arrived)
  }
}
