import MediaCore

/// Messages that count, in both directions of one membership, over as many connections as it takes. They wait until they are said, and are kept
/// until the other end has received them, so that nothing is lost with a connection. So many may be said and not be received yet. Where many wait
/// behind them the newer make the older void (`HubTopic`): what others do, however often, takes no more memory than what they have done.
struct ReliableOutbox {
  /// Bytes of memory, of all that is kept.
  static let most = 2 << 20
  /// What a message takes beside its bytes: the array's head, its place here, that of its topic.
  static let messageCost = 160
  /// Messages, and their bytes, that were said and not received yet.
  static let window = 512
  static let windowBytes = 256 << 10
  /// So many may wait before the newer make the older void: who is away for a moment learns of all that happened.
  static let mostWaiting = 256
  /// While others wait behind them, some have to be received in this time.
  static let timeout: Int64 = 15_000_000_000
  /// After so many a word of it is due.
  private static let courtesy: UInt64 = 64
  private static let courtesyBytes = 64 << 10
  /// No more is handed to a connection than so many bytes before it has taken some.
  private static let mostAhead = 65_536

  private struct Waiting {
    /// Void: nothing is to be said.
    var frame: [UInt8]?
    let topic: HubTopic?
  }

  private var said: [[UInt8]] = []
  private var saidBytes = 0
  private var waiting: [Waiting] = []
  /// Of `waiting`: those before are gone. `first` is the number of the one that is next, by which `places` finds it.
  private var head = 0
  private var first = 0
  private var places: [HubTopic: [Int]] = [:]
  private var voids = 0
  /// As it is bounded.
  private(set) var bytes = 0
  private var progress: Int64 = 0
  /// Messages of this end that the other has received.
  private var confirmed: UInt64 = 0
  /// Of the other end.
  private(set) var received: UInt64 = 0
  private var told: UInt64 = 0
  /// Bytes that were received since.
  private var untold = 0

  /// Said or to be said.
  var count: Int { said.count + waiting.count - head - voids }

  /// Whether what can be said later had better be.
  var isBusy: Bool { waiting.count - head - voids >= ReliableOutbox.mostWaiting / 2 || bytes >= ReliableOutbox.windowBytes / 2 }

  // MARK: What is to be said

  /// False when nothing more can be kept.
  mutating func keep(_ frame: [UInt8], _ meaning: HubMeaning = .news) -> Bool {
    var topic: HubTopic?
    let isMuch = waiting.count - head - voids >= ReliableOutbox.mostWaiting
    switch meaning {
    case .news: break
    case .begins(let beginning): topic = beginning
    case .state(let state):
      topic = state
      while isMuch, forget(state) {}
    case .ends(let beginning, let others):
      guard isMuch else { break }
      for other in others { while forget(other) {} }
      // Of what began before an end that waits, too, the beginning stays.
      if forget(beginning) { return true }
    }
    guard bytes + ReliableOutbox.cost(of: frame) <= ReliableOutbox.most else { return false }
    bytes += ReliableOutbox.cost(of: frame)
    if let topic { places[topic, default: []].append(first + waiting.count - head) }
    waiting.append(Waiting(frame: frame, topic: topic))
    return true
  }

  private static func cost(of frame: [UInt8]) -> Int { frame.count + messageCost }

  /// The newest that waits to be said of it; false: nothing does.
  private mutating func forget(_ topic: HubTopic) -> Bool {
    guard let place = places[topic]?.popLast() else { return false }
    if places[topic]?.isEmpty == true { places[topic] = nil }
    guard let frame = waiting[head + place - first].frame else { return false }
    bytes -= ReliableOutbox.cost(of: frame)
    waiting[head + place - first].frame = nil
    voids += 1
    if voids > 64, voids > (waiting.count - head) / 2 { rearrange(behind: []) }
    return true
  }

  /// Without those that are void, and with others before them.
  private mutating func rearrange(behind others: [[UInt8]]) {
    waiting = others.map { Waiting(frame: $0, topic: nil) } + waiting[head...].filter { $0.frame != nil }
    (head, first, voids, places) = (0, 0, 0, [:])
    for (index, one) in waiting.enumerated() {
      if let topic = one.topic { places[topic, default: []].append(index) }
    }
  }

  /// The next to be said; nil when there is none, or too many were not received yet.
  mutating func next(now: Int64) -> [UInt8]? {
    guard !isWindowFull else { return nil }
    while head < waiting.count {
      let one = waiting[head]
      (waiting[head].frame, head, first) = (nil, head + 1, first + 1)
      if head == waiting.count { (waiting, head) = ([], 0) }
      if head > 256, head > waiting.count / 2 {
        waiting.removeFirst(head)
        head = 0
      }
      guard let frame = one.frame else {
        voids -= 1
        continue
      }
      if let topic = one.topic, places[topic]?.count ?? 0 > 1 {
        places[topic]?.removeFirst()
      } else if let topic = one.topic {
        places[topic] = nil
      }
      if waiting.isEmpty { places = [:] }
      if said.isEmpty { progress = now }
      said.append(frame)
      saidBytes += frame.count
      return frame
    }
    return nil
  }

  private var isWindowFull: Bool { said.count >= ReliableOutbox.window || saidBytes >= ReliableOutbox.windowBytes }

  /// Says what may be said, as far as the connection takes it.
  mutating func say(over connection: HubConnection, now: Int64) {
    while connection.isOpen, connection.waiting < ReliableOutbox.mostAhead, let frame = next(now: now) { connection.send(frame, now: now) }
  }

  /// Whether more could be said at once.
  var canSayMore: Bool { count > said.count && !isWindowFull }

  // MARK: What was received

  /// The other end says how many it has received; false when that cannot be.
  mutating func confirm(_ count: UInt64, now: Int64) -> Bool {
    guard count >= confirmed, count - confirmed <= UInt64(said.count) else { return false }
    let gone = Int(count - confirmed)
    for frame in said.prefix(gone) {
      bytes -= ReliableOutbox.cost(of: frame)
      saidBytes -= frame.count
    }
    if gone == said.count { said = [] } else { said.removeFirst(gone) }
    if gone > 0 { progress = now }
    confirmed = count
    return true
  }

  /// Over another connection, of which it is known what came over the last one: the rest is to be said again.
  mutating func beginAgain(now: Int64) {
    rearrange(behind: said)
    (said, saidBytes, progress) = ([], 0, now)
  }

  /// When the other end has had all the time to receive something; it is not waited for any longer then.
  var deadline: Int64 { isWindowFull && count > said.count ? progress &+ ReliableOutbox.timeout : .max }

  /// One more came; whether it is time to say so.
  mutating func receive(_ size: Int = 0) -> Bool {
    received += 1
    untold += size
    return received - told >= ReliableOutbox.courtesy || untold >= ReliableOutbox.courtesyBytes
  }

  mutating func tell() -> UInt64 {
    (told, untold) = (received, 0)
    return received
  }
}
