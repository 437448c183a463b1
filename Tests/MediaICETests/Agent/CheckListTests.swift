import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

@Suite struct CheckListTests {
  private let path = LocalPath(
    path: ICEPath(base: 0), address: address("192.0.2.1", 1), isTCP: false, priority: 100, reflexivePriority: 50)

  private func remote(_ number: Int, priority: UInt32 = 10) -> RemoteCandidate {
    RemoteCandidate(address: SocketAddress(v4: 0x0A00_0000 + UInt32(number), port: 9), isTCP: false, kind: .host, priority: priority)
  }

  private func makeList() -> CheckList { CheckList(ICECredentials(user: "user", password: "password")) }

  @Test func pairsAreMadeOfWhatFitsTogether() {
    let list = makeList()
    let v6 = RemoteCandidate(address: address("2001:db8::1", 9), isTCP: false, kind: .host, priority: 1)
    let tcp = RemoteCandidate(address: address("192.0.2.9", 9), isTCP: true, kind: .host, priority: 1)
    #expect(list.makePair(path, v6, isControlling: true) == nil && list.makePair(path, tcp, isControlling: true) == nil)
    let pair = list.makePair(path, remote(1), isControlling: true)
    #expect(pair != nil && list.makePair(path, remote(1), isControlling: true) === pair && list.pairs.count == 1)
    #expect(list.pair(path.path, remote(1).address) === pair)
  }

  @Test func theBestIsCheckedFirstAndWhatWasTriggeredBeforeIt() {
    let list = makeList()
    for number in 1...3 { _ = list.makePair(path, remote(number, priority: UInt32(number)), isControlling: true) }
    list.queue(list.pairs[0])
    list.queue(list.pairs[0])
    #expect(list.triggered.count == 1)
    for number in [1, 3, 2] {
      let next = list.takeNext(isControlling: true)
      #expect(next?.remote == remote(number).address)
      next?.state = .inProgress
    }
    #expect(!list.hasNext && list.takeNext(isControlling: true) == nil && list.undecided == 3)
  }

  @Test func theWorstPairGivesPlaceToABetterOne() {
    let list = makeList()
    for number in 1...300 { _ = list.makePair(path, remote(number, priority: UInt32(number)), isControlling: true) }
    #expect(list.pairs.count == CheckList.mostPairs)
    #expect(list.pair(path.path, remote(1).address) == nil && list.pair(path.path, remote(300).address) != nil)
    #expect(list.makePair(path, remote(999, priority: 1), isControlling: true) == nil)
    // What is being checked, or valid, gives place to nothing.
    for pair in list.pairs { pair.state = .succeeded }
    #expect(list.makePair(path, remote(1_000, priority: 9_999), isControlling: true) == nil && list.pairs.count == CheckList.mostPairs)
  }

  /// Learnt of a check, and signalled later.
  @Test func whatWasLearntGetsItsName() throws {
    let list = makeList()
    let learnt = try #require(list.learn(remote(1).address, isTCP: false, priority: 5))
    let pair = try #require(list.makePair(path, learnt, isControlling: true))
    #expect(learnt.kind == .peerReflexive && pair.remotePriority == 5)
    var relayed = remote(1, priority: 77)
    relayed.kind = .relayed
    #expect(list.add(signalled: relayed) && !list.add(signalled: relayed))
    #expect(pair.remotePriority == 77 && pair.isRelayed && list.remotes.count == 1 && list.remotes[0].kind == .relayed)
  }

  @Test func whatIsLearntIsBoundedAndWhatIsNeededStays() throws {
    let list = makeList()
    let first = try #require(list.learn(remote(0).address, isTCP: false, priority: 5))
    let pair = try #require(list.makePair(path, first, isControlling: true))
    pair.state = .succeeded
    for number in 1...500 {
      if let learnt = list.learn(remote(number).address, isTCP: false, priority: 5) { _ = list.makePair(path, learnt, isControlling: true) }
    }
    #expect(list.remotes.count == CheckList.mostReflexive && list.pairs.count == CheckList.mostReflexive)
    #expect(list.pair(path.path, first.address) === pair && list.remote(remote(500).address, isTCP: false) != nil)
    // When all are needed no other is taken.
    for pair in list.pairs { pair.state = .succeeded }
    #expect(list.learn(remote(600).address, isTCP: false, priority: 5) == nil)
  }

  @Test func aCheckFromElsewhereIsACopy() {
    let list = makeList()
    let id = TransactionID(high: 1, low: 1)
    #expect(!list.isReplay(id, path.path, remote(1).address) && !list.isReplay(id, path.path, remote(1).address))
    #expect(list.isReplay(id, path.path, remote(2).address))
    // Where the address is known somebody may have been faster with a copy.
    _ = list.add(signalled: remote(2))
    #expect(!list.isReplay(id, path.path, remote(2).address))
    for number in 2..<200 { _ = list.isReplay(TransactionID(high: 1, low: UInt64(number)), path.path, remote(1).address) }
    #expect(!list.isReplay(id, path.path, remote(3).address))
  }

  @Test func whatIsDroppedIsGoneEverywhere() throws {
    let list = makeList()
    let pair = try #require(list.makePair(path, remote(1), isControlling: true))
    (list.selected, list.nominated) = (pair, pair)
    list.queue(pair)
    pair.check = .init(
      id: TransactionID(high: 1, low: 1), schedule: .server(now: 0), bytes: [], isNominating: false, isControlling: true, began: 0, sent: 0)
    list.awaited[TransactionID(high: 1, low: 1)] = .check(pair)
    list.drop(pair)
    #expect(list.pairs.isEmpty && list.awaited.isEmpty && list.triggered.isEmpty && list.selected == nil && list.nominated == nil)
    #expect(list.pair(path.path, remote(1).address) == nil)
  }
}
