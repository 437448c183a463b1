import MediaTransport

/// Which layers of video a client is sent, of what its path takes: first each stream in its smallest layer, by its rank, screens before others and the
/// cheapest first, then the cheapest step up of those of the highest rank that have room for one, as long as there is any. Each layer has two steps
/// where some of its frames may be dropped: without those, and with them. What has no room for long is paused, but for one stream. Steps down are taken
/// at once where much is missing, and after a while where little is; for one up there has to be room for a while, as a single probe may promise too
/// much. A value; time comes in.
struct LayerAllocator {
  /// A stream of video.
  struct Lane: Equatable {
    let stream: StreamID
    /// Bits a second of each layer, the smallest first; 0: it does not come.
    let rates: [UInt64]
    /// The best layer that is of use to the client.
    let most: Int
    var isScreen = false
    /// How much it matters to the client: 1 the most, 255 the least.
    var rank = LayerAllocator.usualRank
    /// Of each layer what is left without its droppable frames; none: there are no such frames.
    var baseRates: [UInt64] = []
    /// So few frames are of use to the client that the droppable ones are not.
    var wantsBase = false
  }

  /// What a stream may be sent as: layer n whole is step 2n + 1, and without its droppable frames step 2n.
  private struct Steps {
    let stream: StreamID
    let isScreen: Bool
    let rank: UInt8
    /// Bits a second; 0: there is no such step.
    private(set) var rates: [UInt64] = []
    /// The best that is of use to the client, and of these the best that comes.
    let most: Int
    private(set) var best: Int?

    init(_ lane: Lane) {
      (stream, isScreen, rank) = (lane.stream, lane.isScreen, lane.rank)
      let isKnown = lane.rates.contains { $0 > 0 }
      for (layer, rate) in lane.rates.enumerated() {
        let base = layer < lane.baseRates.count ? lane.baseRates[layer] : 0
        rates.append(Double(base) <= Double(rate) * LayerAllocator.thinned ? base : 0)
        rates.append(isKnown ? rate : LayerAllocator.usual[layer])
      }
      let base = min(2 * lane.most, rates.count - 2)
      most = lane.wantsBase && rates[base] > 0 ? base : base + 1
      if isKnown { best = last }
    }

    private var last: Int? { rates.indices.last { $0 <= most && rates[$0] > 0 } }

    /// Bits a second of the best that is of use, and not less than is usual: what has just begun, or a screen that stands still, soon takes more.
    var demand: UInt64 {
      guard rates.count > 2 else { return max(rates[1], isScreen ? LayerAllocator.usual[1] : LayerAllocator.usual[2]) }
      return last.map { max(rates[$0], LayerAllocator.usual[$0 / 2]) } ?? 0
    }
  }

  /// Of a stream of which the client says nothing.
  static let usualRank: UInt8 = 128
  /// In place of a layer or a step: the stream is not sent.
  static let paused = -1
  /// Nanoseconds for which there has to be no room before a stream is paused.
  static let endurance: Int64 = 3_000_000_000
  /// Without its droppable frames a layer takes at most this part of the whole; else it is no step of its own.
  static let thinned = 0.9
  /// While there is room for that part of what is sent, smaller layers wait so many nanoseconds: with each queue on the path the estimate falls
  /// below what flows, and within that time it is found out whether the path carries it all the same.
  static let endured = 0.8
  static let tolerance: Int64 = 2_000_000_000
  /// Of what a step up costs, as much is to be free.
  static let headroom = 1.2
  /// Nanoseconds after a step down in which there is none up: the path has just proved to be slow. Twice as many after each step up that did not last
  /// so long, up to the most.
  static let patience: Int64 = 4_000_000_000
  static let mostPatience: Int64 = 32_000_000_000
  /// Of layers of which nothing is known yet.
  static let usual: [UInt64] = [150_000, 500_000, 1_700_000]

  /// All that is of use to the client.
  struct Demand {
    /// A second.
    var bits: UInt64 = 0
    /// Some of it has no room.
    var isShort = false
  }

  private(set) var demand = Demand()
  /// The step of each stream, or `paused`.
  private var given: [StreamID: Int] = [:]
  private var (lowered, raised): (Int64?, Int64?) = (nil, nil)
  private var patience = LayerAllocator.patience
  private var floor = EstimateFloor()
  /// Since when even the smallest layers have no room.
  private var overfull: Int64?
  /// Since when there is a little too little room for what is sent.
  private var scarce: Int64?

  /// Whether a stream is sent without its droppable frames.
  func isThinned(_ stream: StreamID) -> Bool { given[stream].map { $0 >= 0 && $0 % 2 == 0 } ?? false }

  /// The best layer that each stream may have, or `paused`. `estimate`: what the path takes, in bits a second; 0: it has no bound. `besides`: what
  /// audio takes of it.
  mutating func allocate(_ lanes: [Lane], besides: UInt64, estimate: UInt64, now: Int64) -> [StreamID: Int] {
    let lanes = lanes.map(Steps.init)
    var chosen = lanes.map { lane in lane.rates.firstIndex { $0 > 0 } ?? 0 }
    // Where nothing was known of the path before, nothing has proved to be slow.
    let isSlower = floor.value < .max && estimate < floor.value
    floor.note(estimate, at: now)
    demand.bits = lanes.reduce(besides) { $0 + $1.demand }
    guard estimate > 0 else { return keep(lanes, lanes.map(\.most), false, now) }
    let mayRise = lowered.map { now &- $0 >= patience } ?? true
    let unsteady = mayRise ? Int64(clamping: estimate) - Int64(clamping: floor.value) : nil
    var free = pause(lanes, &chosen, Int64(clamping: estimate) - Int64(clamping: besides), unsteady, now)
    while let (index, step, cost) = step(lanes, chosen, free, unsteady) {
      (chosen[index], free) = (step, free - cost)
    }
    if let present = endure(lanes, chosen, Int64(clamping: estimate) - Int64(clamping: besides), now) {
      return keep(lanes, present, false, now)
    }
    return keep(lanes, chosen, isSlower, now)
  }

  /// What is sent already, while it goes on although less would be chosen; nil: it does not.
  private mutating func endure(_ lanes: [Steps], _ chosen: [Int], _ room: Int64, _ now: Int64) -> [Int]? {
    let since = scarce
    scarce = nil
    var (present, cost): ([Int], Int64) = ([], 0)
    for lane in lanes {
      guard let step = given[lane.stream].map({ min($0, lane.most) }) else { return nil }
      present.append(step)
      guard step >= 0 else { continue }
      guard lane.rates[step] > 0 else { return nil }
      cost += Int64(clamping: lane.rates[step])
    }
    // To drop frames that no other needs does not wait, and who is paused had no room for long.
    let isSmaller = zip(chosen, present).contains { $0 >> 1 < $1 >> 1 }
    let isPaused = zip(chosen, present).contains { $0 == LayerAllocator.paused && $1 >= 0 }
    guard isSmaller, !isPaused, Double(cost) * LayerAllocator.endured <= Double(room) else { return nil }
    scarce = since ?? now
    return now &- (since ?? now) < LayerAllocator.tolerance ? present : nil
  }

  /// What is left when all have their smallest layers that have room for them.
  private mutating func pause(
    _ lanes: [Steps], _ chosen: inout [Int], _ room: Int64, _ unsteady: Int64?, _ now: Int64
  ) -> Int64 {
    func cost(_ index: Int) -> Int64 { Int64(clamping: lanes[index].rates[max(0, chosen[index])]) }
    let order = lanes.indices.sorted { one, other in
      guard lanes[one].rank == lanes[other].rank else { return lanes[one].rank < lanes[other].rank }
      guard lanes[one].isScreen == lanes[other].isScreen else { return lanes[one].isScreen }
      return cost(one) == cost(other) ? lanes[one].stream.value < lanes[other].stream.value : cost(one) < cost(other)
    }
    let isOver = order.reduce(0) { $0 + (given[lanes[$1].stream] == LayerAllocator.paused ? 0 : cost($1)) } > room
    overfull = isOver ? overfull ?? now : nil
    let mayPause = overfull.map { now &- $0 >= LayerAllocator.endurance } ?? false
    var free = room
    for (place, index) in order.enumerated() {
      let wasPaused = given[lanes[index].stream] == LayerAllocator.paused
      let hasRoom =
        wasPaused
        ? unsteady.map { Int64(Double(cost(index)) * LayerAllocator.headroom) + $0 <= free } ?? false : cost(index) <= free || !mayPause
      if hasRoom || place == 0 { free -= cost(index) } else { chosen[index] = LayerAllocator.paused }
    }
    return free
  }

  /// The cheapest that there is room for, of the streams that matter most. `unsteady`: what of that has not been there for long; nil: no stream may rise.
  private func step(
    _ lanes: [Steps], _ chosen: [Int], _ free: Int64, _ unsteady: Int64?
  ) -> (index: Int, step: Int, cost: Int64)? {
    var best: (index: Int, step: Int, cost: Int64)?
    for (index, lane) in lanes.enumerated() {
      guard chosen[index] != LayerAllocator.paused,
        let step = lane.rates.indices.first(where: { $0 > chosen[index] && lane.rates[$0] > 0 }), step <= lane.most
      else { continue }
      let cost = Int64(clamping: lane.rates[step]) - Int64(clamping: lane.rates[chosen[index]])
      let isRise = given[lane.stream].map { step > $0 } ?? false
      guard let needed = isRise ? unsteady.map({ Int64(Double(cost) * LayerAllocator.headroom) + $0 }) : cost, needed <= free else {
        continue
      }
      if best.map({ (lane.rank, cost) < (lanes[$0.index].rank, $0.cost) }) ?? true { best = (index, step, cost) }
    }
    return best
  }

  private mutating func keep(_ lanes: [Steps], _ chosen: [Int], _ isSlower: Bool, _ now: Int64) -> [StreamID: Int] {
    demand.isShort = zip(lanes, chosen).contains { lane, step in lane.best.map { step < $0 } ?? false }
    let result = Dictionary(uniqueKeysWithValues: zip(lanes.map(\.stream), chosen))
    let isLower = lanes.contains { lane in given[lane.stream].map { min($0, lane.most) > result[lane.stream] ?? 0 } ?? false }
    // Where streams take more, or another one has come, the path has not proved to be slow.
    if isLower, isSlower {
      let wasShort = raised.map { now &- $0 < LayerAllocator.patience } ?? false
      patience = wasShort ? min(2 * patience, LayerAllocator.mostPatience) : LayerAllocator.patience
      (lowered, raised) = (now, nil)
    } else if lanes.contains(where: { lane in given[lane.stream].map { $0 < result[lane.stream] ?? 0 } ?? false }) {
      raised = now
    }
    given = result
    return Dictionary(uniqueKeysWithValues: zip(lanes.map(\.stream), chosen.map { $0 >> 1 }))
  }
}

/// The least that a path took in the last one to two seconds. A value.
struct EstimateFloor {
  static let window: Int64 = 1_000_000_000

  private var (begin, current, former): (Int64?, UInt64, UInt64) = (nil, .max, .max)

  var value: UInt64 { min(current, former) }

  /// 0: it has no bound.
  mutating func note(_ estimate: UInt64, at now: Int64) {
    if let begin, now &- begin < EstimateFloor.window {
      current = min(current, estimate == 0 ? .max : estimate)
    } else {
      (former, current, begin) = (begin == nil ? .max : current, estimate == 0 ? .max : estimate, now)
    }
  }
}
