/// How long to wait between reports (RFC 3550, section 6.3.1 and appendix A.7).
struct ReportInterval: Sendable, Equatable {
  /// Who takes part, oneself included.
  struct Group: Sendable, Equatable {
    var members: Int
    var senders: Int
    var isSender: Bool

    init(members: Int, senders: Int, isSender: Bool) {
      (self.members, self.senders, self.isSender) = (members, senders, isSender)
    }
  }

  /// Of all members' control packets together, in bits a second: a twentieth of the session's, usually.
  var bandwidth: Int
  /// Of a control packet, with its UDP and IP headers, in bytes.
  var averageSize: Double
  var minimum: Int64

  /// Senders share a quarter of the bandwidth, as long as they are no more than that of the members.
  private static let senderShare = 0.25
  /// Makes up for the reconsideration, which lets fewer packets through: e - 3/2.
  private static let compensation = 2.71828 - 1.5
  /// Whatever the numbers say.
  private static let longest = 3600.0

  init(bandwidth: Int, averageSize: Double, minimum: Int64) {
    (self.bandwidth, self.averageSize, self.minimum) = (bandwidth, averageSize, minimum)
  }

  /// Without randomness, in nanoseconds.
  func calculated(_ group: Group) -> Int64 {
    var (share, count) = (Double(max(1, bandwidth)) / 8, Double(max(1, group.members)))
    let senders = Double(max(0, group.senders))
    if senders <= count * ReportInterval.senderShare {
      if group.isSender {
        share *= ReportInterval.senderShare
        count = max(1, senders)
      } else {
        share *= 1 - ReportInterval.senderShare
        count -= senders
      }
    }
    let seconds = averageSize * count / share
    return max(minimum, Int64((seconds.isFinite ? min(max(0, seconds), ReportInterval.longest) : ReportInterval.longest) * 1e9))
  }

  /// Half to one and a half of it, so that members do not speak at once.
  func randomised(_ group: Group, using random: inout some RandomNumberGenerator) -> Int64 {
    let calculated = min(Double(calculated(group)), ReportInterval.longest * 1e9)
    return Int64(calculated * Double.random(in: 0.5..<1.5, using: &random) / ReportInterval.compensation)
  }
}
