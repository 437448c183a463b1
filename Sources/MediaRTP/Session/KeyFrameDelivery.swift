/// The latest key frame of a stream on its way to the other end. Which of its packets have come there is known by transport-wide feedback, each
/// sending by the number that it left with.
struct KeyFrameDelivery: Sendable {
  private struct Packet {
    /// When it left last.
    var sent: Int64?
    var isThere = false
  }

  let numbers: ClosedRange<Int64>
  /// In bytes.
  private let size: Int
  private let made: Int64
  private let longestLeaving: Int64
  private var packets: [Packet]
  /// Which packet left under a transport-wide number.
  private var places: [UInt16: Int] = [:]
  private var waiting: Int
  private var missing: Int
  /// It will not be complete: a packet of it was given up, or can be sent again no more.
  private(set) var isLost = false
  /// Somebody asked for a key frame who may have missed the beginning of this one.
  private(set) var isAskedAgain = false
  private var lastSent: Int64 = 0
  /// When the newest packet of it that has come was sent.
  private var newestArrival = Int64.min
  /// Without feedback about it for so long, beyond two round trips, nothing is known of it any more: the receiver itself gives up after a second.
  private static let patience: Int64 = 1_000_000_000
  /// One that takes less time than this to send, in seconds, is made anew sooner than it is repaired.
  private static let worthRepairing = 0.5

  init(_ numbers: ClosedRange<Int64>, size: Int, longestLeaving: Int64, at now: Int64) {
    (self.numbers, self.size, self.longestLeaving, made) = (numbers, size, longestLeaving, now)
    packets = [Packet](repeating: Packet(), count: numbers.count)
    (waiting, missing) = (packets.count, packets.count)
  }

  /// Feedback can say something new of it.
  var isAwaited: Bool { missing > 0 && !places.isEmpty && !isLost }

  /// A packet of it left, for the first time or again; nil: under no number, or under the one that it had.
  mutating func sent(_ number: Int64, as transport: UInt16?, at now: Int64) {
    guard missing > 0, numbers.contains(number) else { return }
    let place = Int(number - numbers.lowerBound)
    if packets[place].sent == nil { waiting -= 1 }
    packets[place].sent = now
    lastSent = now
    if let transport { places[transport] = place }
  }

  /// What left under that number has come.
  mutating func arrived(_ transport: UInt16) {
    guard let place = places[transport], !packets[place].isThere else { return }
    packets[place].isThere = true
    newestArrival = max(newestArrival, packets[place].sent ?? .min)
    missing -= 1
    if missing == 0 { (packets, places) = ([], [:]) }
  }

  mutating func giveUp() { isLost = true }

  /// By one of many that it is forwarded to. Before a part of it has left, it serves them too.
  mutating func askAgain() {
    if waiting < packets.count { isAskedAgain = true }
  }

  mutating func answer() { isAskedAgain = false }

  func isMissing(_ number: Int64) -> Bool { missing > 0 && numbers.contains(number) && !packets[Int(number - numbers.lowerBound)].isThere }

  /// Packets that something of it overtook that left later: they are lost, or nearly so.
  var overtaken: [Int64] {
    guard missing > 0, newestArrival > .min else { return [] }
    return packets.indices.filter { !packets[$0].isThere && packets[$0].sent ?? .max < newestArrival }.map {
      numbers.lowerBound + Int64($0)
    }
  }

  /// Whether it waits to leave, is on the network path, or, where it is large for a path of `target` bits a second, is repaired. `isSure`: it is not
  /// there yet for certain, whoever asks; otherwise late feedback counts as a key frame that is under way, which only defers what will be asked
  /// again.
  func isUnderWay(at now: Int64, roundTrip: Int64, target: Int, isSure: Bool) -> Bool {
    guard !isLost, missing > 0 else { return false }
    if waiting > 0 { return now &- made < longestLeaving }
    let passed = now &- lastSent
    if passed < roundTrip / 4 * 3 { return true }
    guard Double(8 * size) > KeyFrameDelivery.worthRepairing * Double(target) else { return false }
    guard !places.isEmpty, passed < KeyFrameDelivery.patience &+ 2 &* roundTrip else { return false }
    return !isSure || !overtaken.isEmpty
  }
}
