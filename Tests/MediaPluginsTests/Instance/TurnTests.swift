import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct TurnTests {
  private let turn = Turn()

  @Test func aTurnFromInsideIsRefused() throws {
    let inner = try turn.take("outer") { failure { try turn.take("inner") {} } }
    #expect(inner?.status == .thread)
    #expect(inner?.text.contains("inner") == true)
    #expect(try turn.take("again") { 1 } == 1)
  }

  @Test func whatIsThrownGivesTheTurnBack() {
    #expect(failure { try turn.take("x") { () throws(MediaError) in throw MediaError(.io, "x") } }?.status == .io)
    #expect(failure { try turn.take("y") {} } == nil)
  }

  @Test func turnsOfOtherThreadsWaitTheirTurn() {
    let inside = Monitor((now: 0, most: 0, all: 0))
    let threads = (0..<4).map { _ in
      OSThread { [turn] in
        for _ in 0..<100 {
          let error = failure {
            try turn.take("x") {
              inside.withLock { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
                inside.all += 1
              }
              sched()
              inside.withLock { $0.now -= 1 }
            }
          }
          #expect(error == nil)
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(inside.withLock { $0.most } == 1)
    #expect(inside.withLock { $0.all } == 400)
  }
}

@Suite struct TurnAfterwardsTests {
  @Test func isDoneWhenTheTurnIsOver() throws {
    let turn = Turn()
    let order = Monitor<[String]>([])
    #expect(!turn.afterwards {})
    try turn.take("outer") {
      let isLeft = turn.afterwards {
        order.withLock { $0.append("afterwards") }
        _ = try? turn.take("inside") { order.withLock { $0.append("a turn of its own") } }
      }
      #expect(isLeft)
      order.withLock { $0.append("body") }
    }
    #expect(order.withLock { $0 } == ["body", "afterwards", "a turn of its own"])
    try turn.take("again") {}
    #expect(order.withLock { $0.count } == 3)
  }
}
