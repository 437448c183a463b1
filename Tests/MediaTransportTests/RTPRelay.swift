import MediaCore
import MediaNetwork
import MediaRuntime

@testable import MediaTransport

/// A network path between two ends of a room, that loses, delays and reorders by a seed, narrows, and lets a test change what passes.
final class RTPRelay: NetworkDriver {
  struct Way: Sendable {
    var loss = 0.0
    var delay: Int64 = 0
    /// Of the packets so many are held back by 10 ms more.
    var reordering = 0.0
    /// In bits a second; 0: as wide as can be. The queue before it holds 300 ms.
    var bandwidth: Int64 = 0
  }

  private struct State {
    let sides: [any DatagramPort]
    var way = Way()
    var random: SeededRandom
    var places: (here: SocketAddress?, there: SocketAddress?)
    var waiting = TimeHeap<Datagram>()
    /// When the narrow place is free again, each way.
    var free: [Int64] = [0, 0]
    var passed = 0
    var lost = 0
    let incoming = DatagramRows()
    let outgoing = DatagramBatch()
    var tag: UInt64?
  }

  private struct Datagram {
    let bytes: [UInt8]
    let isThere: Bool
  }

  typealias Filter = @Sendable (_ datagram: [UInt8], _ isToThere: Bool) -> [[UInt8]]

  /// Where `here` sends to, and where `there` does.
  let toThere: SocketAddress
  let toHere: SocketAddress
  private let room: RTPRoom
  private let filter: Filter
  private let state: Monitor<State>

  init(_ room: RTPRoom, seed: UInt64, filter: @escaping Filter = { datagram, _ in [datagram] }) throws {
    guard let any = SocketAddress("127.0.0.1", port: 0) else { throw MediaError(.invalid, "no address") }
    let (near, far) = (try room.network.bindDatagrams(to: any), try room.network.bindDatagrams(to: any))
    guard let toThere = near.localAddress, let toHere = far.localAddress else { throw MediaError(.io, "no address") }
    (self.room, self.filter, self.toThere, self.toHere) = (room, filter, toThere, toHere)
    let descriptors = [near.descriptor, far.descriptor]
    state = Monitor(State(sides: [near, far], random: SeededRandom(seed: seed), places: (nil, nil)))
    let tag = try room.thread.add(self, descriptors)
    state.withLock { $0.tag = tag }
  }

  func join(here: SocketAddress?, there: SocketAddress?) {
    state.withLock { $0.places = (here, there) }
  }

  func change(_ way: Way) { state.withLock { $0.way = way } }
  var passed: Int { state.withLock { $0.passed } }
  var lost: Int { state.withLock { $0.lost } }

  func stop() {
    if let tag = state.withLock({ $0.tag }) { room.thread.remove(tag) }
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = room.clock.now()
    return state.withLock { state in
      for side in state.sides.indices {
        var came: [[UInt8]] = []
        while state.sides[side].receive(state.incoming, { bytes, _ in came.append(Array(bytes)) }) > 0 {}
        for datagram in came.flatMap({ filter($0, side == 0) }) {
          guard let time = RTPRelay.time(of: datagram, side, &state, at: now) else { continue }
          _ = state.waiting.push(Datagram(bytes: datagram, isThere: side == 0), at: time)
        }
      }
      while let datagram = state.waiting.pop(dueAt: now) { RTPRelay.pass(datagram, state) }
      return state.waiting.earliest ?? .max
    }
  }

  /// When it is at the other side; nil: it is lost.
  private static func time(of datagram: [UInt8], _ side: Int, _ state: inout State, at now: Int64) -> Int64? {
    let isLost = Double.random(in: 0..<1, using: &state.random) < state.way.loss
    let isLate = Double.random(in: 0..<1, using: &state.random) < state.way.reordering
    state.passed += 1
    var time = now
    if state.way.bandwidth > 0 {
      let start = max(now, state.free[side])
      guard !isLost, start - now < 300_000_000 else {
        state.lost += 1
        return nil
      }
      state.free[side] = start + Int64(datagram.count + 28) * 8_000_000_000 / state.way.bandwidth
      time = state.free[side]
    } else if isLost {
      state.lost += 1
      return nil
    }
    return time + state.way.delay + (isLate ? 10_000_000 : 0)
  }

  private static func pass(_ datagram: Datagram, _ state: State) {
    state.outgoing.begin()
    guard let address = datagram.isThere ? state.places.there : state.places.here, let slot = state.outgoing.slot() else { return }
    slot.copyBytes(from: datagram.bytes)
    _ = state.outgoing.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(datagram.bytes.count)), to: address)
    _ = state.sides[datagram.isThere ? 1 : 0].send(state.outgoing)
  }
}

extension RTPWay {
  /// Two ends that speak to each other through a relay; one port each.
  func ends(_ room: RTPRoom, through relay: RTPRelay) throws -> (RTPEnd, RTPEnd) {
    var (here, there) = (try configuration("here", own: 1, theirs: 2), try configuration("there", own: 2, theirs: 1))
    let (mine, theirs) = (try RTPWay.bind(here, room), try RTPWay.bind(there, room))
    here.legs[0].remote = relay.toThere
    there.legs[0].remote = relay.toHere
    relay.join(here: mine[0].localAddress, there: theirs[0].localAddress)
    let ends = (RTPEnd(here, mine, room), RTPEnd(there, theirs, room))
    ends.0.transport.connect(ends.0)
    ends.1.transport.connect(ends.1)
    return ends
  }
}
