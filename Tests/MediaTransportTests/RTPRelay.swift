import Glibc
import MediaCore
import MediaNetwork
import MediaRuntime

@testable import MediaTransport

/// A way between two ends in this process, that loses, delays and reorders by a seed, narrows, and lets a test change what passes.
final class RTPRelay: Sendable {
  struct Way: Sendable {
    var loss = 0.0
    var delay: Int64 = 0
    /// Of the packets so many are held back by 10 ms more.
    var reordering = 0.0
    /// In bits a second; 0: as wide as can be. The queue before it holds 300 ms.
    var bandwidth: Int64 = 0
  }

  private struct State {
    var way = Way()
    var random: SeededRandom
    var isStopped = false
    var passed = 0
    var lost = 0
  }

  private struct Datagram {
    let bytes: [UInt8]
    let isThere: Bool
  }

  typealias Filter = @Sendable (_ datagram: [UInt8], _ isToThere: Bool) -> [[UInt8]]

  /// Where `here` sends to, and where `there` does.
  let toThere: SocketAddress
  let toHere: SocketAddress
  private let state: Monitor<State>
  private let thread = Monitor<OSThread?>(nil)

  init(seed: UInt64, filter: @escaping Filter = { datagram, _ in [datagram] }) throws {
    guard let any = SocketAddress("127.0.0.1", port: 0) else { throw MediaError(.invalid, "no address") }
    let (near, far) = (try DatagramSocket(binding: any), try DatagramSocket(binding: any))
    guard let toThere = near.localAddress, let toHere = far.localAddress else { throw MediaError(.io, "no address") }
    (self.toThere, self.toHere) = (toThere, toHere)
    state = Monitor(State(random: SeededRandom(seed: seed)))
    let sockets = [near.descriptor, far.descriptor]
    let ends = Monitor<(here: SocketAddress?, there: SocketAddress?)>((nil, nil))
    places = ends
    // Closed when the thread is done.
    nonisolated(unsafe) let (one, other) = (near, far)
    let made = OSThread { [state] in
      RTPRelay.run(one, other, state, ends, filter)
      _ = sockets
    }
    thread.withLock { $0 = made }
  }

  private let places: Monitor<(here: SocketAddress?, there: SocketAddress?)>

  func join(here: SocketAddress?, there: SocketAddress?) {
    places.withLock { $0 = (here, there) }
  }

  func change(_ way: Way) { state.withLock { $0.way = way } }
  var passed: Int { state.withLock { $0.passed } }
  var lost: Int { state.withLock { $0.lost } }

  func stop() {
    state.withLock { $0.isStopped = true }
    thread.withLock { $0.take() }?.join()
  }

  private static func run(
    _ near: DatagramSocket, _ far: DatagramSocket, _ state: Monitor<State>,
    _ places: Monitor<(here: SocketAddress?, there: SocketAddress?)>,
    _ filter: Filter
  ) {
    var waiting = TimeHeap<Datagram>()
    let (incoming, outgoing) = (DatagramRows(), DatagramBatch())
    // When the narrow place is free again, each way.
    var free: [Int64] = [0, 0]
    while !state.withLock({ $0.isStopped }) {
      let now = MediaTime.monotonic()
      for (side, socket) in [near, far].enumerated() {
        while socket.receive(
          incoming,
          { bytes, _ in
            for datagram in filter(Array(bytes), side == 0) {
              let time: Int64? = state.withLock { state in
                let isLost = Double.random(in: 0..<1, using: &state.random) < state.way.loss
                let isLate = Double.random(in: 0..<1, using: &state.random) < state.way.reordering
                state.passed += 1
                var time = now
                if state.way.bandwidth > 0 {
                  let start = max(now, free[side])
                  guard !isLost, start - now < 300_000_000 else {
                    state.lost += 1
                    return nil
                  }
                  free[side] = start + Int64(datagram.count + 28) * 8_000_000_000 / state.way.bandwidth
                  time = free[side]
                } else if isLost {
                  state.lost += 1
                  return nil
                }
                return time + state.way.delay + (isLate ? 10_000_000 : 0)
              }
              if let time { _ = waiting.push(Datagram(bytes: datagram, isThere: side == 0), at: time) }
            }
          }) > 0
        {}
      }
      let (here, there) = places.withLock { $0 }
      while let datagram = waiting.pop(dueAt: now) {
        guard let address = datagram.isThere ? there : here,
          let slot = {
            outgoing.begin(); return outgoing.slot()
          }()
        else { continue }
        slot.copyBytes(from: datagram.bytes)
        _ = outgoing.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(datagram.bytes.count)), to: address)
        _ = (datagram.isThere ? far : near).send(outgoing)
      }
      usleep(300)
    }
  }
}

extension RTPWay {
  /// Two ends that speak to each other through a relay; one port each.
  func ends(_ room: RTPRoom, through relay: RTPRelay) throws -> (RTPEnd, RTPEnd) {
    var (here, there) = (try configuration("here", own: 1, theirs: 2), try configuration("there", own: 2, theirs: 1))
    let (mine, theirs) = (try RTPWay.bind(here), try RTPWay.bind(there))
    here.legs[0].remote = relay.toThere
    there.legs[0].remote = relay.toHere
    relay.join(here: mine[0].localAddress, there: theirs[0].localAddress)
    let ends = (RTPEnd(here, mine, room), RTPEnd(there, theirs, room))
    ends.0.transport.connect(ends.0)
    ends.1.transport.connect(ends.1)
    return ends
  }
}
