import MediaRTP
import MediaSignalling

/// How well a client is connected, by what passes on its connections (network.h has the rules). A value, to be sampled once a second.
struct ClientQuality {
  private var meters: [NetworkQuality] = []

  /// `figures`: of each connection, in the same order each time. `isLost`: the path to the client. nil: not known yet.
  mutating func sample(_ figures: [NetworkFigures], isLost: Bool, now: Int64) -> LiveKitConnectionQuality? {
    while meters.count < figures.count { meters.append(NetworkQuality()) }
    for (place, one) in figures.enumerated() { _ = meters[place].sample(one, now: now) }
    guard !isLost else { return .lost }
    let grades = meters.flatMap { [$0.outgoing, $0.incoming] }.filter { $0 != .unknown }
    return switch grades.min() {
    case .good?: .excellent
    case .poor?: .good
    case .bad?: .poor
    case .unknown?, nil: nil
    }
  }
}
