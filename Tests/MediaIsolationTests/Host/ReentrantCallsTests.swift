import Glibc
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct ReentrantCallsTests {
  /// What the listener does first and last, which needs no process for that.
  private func hearing(_ inside: ReentrantCalls, _ body: () -> Void) {
    inside.begin(nil)
    body()
    inside.end()
  }

  @Test func onlyWhatThePluginWaitsForIsInside() {
    let inside = ReentrantCalls()
    inside.awaited(by: 1) { #expect(!inside.isAwaited) }
    hearing(inside) {
      #expect(!inside.isAwaited)
      inside.awaited(by: 1) {
        #expect(inside.isAwaited)
        inside.awaited(by: 0) { #expect(!inside.isAwaited) }
        #expect(inside.isAwaited)
      }
      #expect(!inside.isAwaited)
    }
  }

  @Test func eachCallHasALaneOfItsOwn() {
    let inside = ReentrantCalls()
    hearing(inside) {
      inside.awaited(by: 1) {
        #expect(inside.lane == nil)
        inside.call {
          let outer = inside.lane
          #expect(outer != nil)
          // What comes in the middle of it is a call like others, or one with another lane.
          inside.awaited(by: 0) { #expect(inside.lane == nil) }
          inside.awaited(by: 2) { inside.call { #expect(inside.lane != nil && inside.lane !== outer) } }
          #expect(inside.lane === outer)
        }
        #expect(inside.lane == nil)
      }
    }
  }

  @Test func callsDoNotGoDeeperThanThereIsRoom() {
    let inside = ReentrantCalls()
    func descend(_ level: Int) {
      guard inside.hasRoom else {
        #expect(level == ReentrantCalls.deepest)
        return
      }
      inside.awaited(by: 1) { inside.call { descend(level + 1) } }
    }
    hearing(inside) { descend(0) }
    #expect(inside.hasRoom)
  }

  @Test func answersOfOthersAreKept() {
    let (inside, lane) = (ReentrantCalls(), CallLane())
    inside.ask(1) {
      inside.ask(2) {
        #expect(failure { try inside.receive(1, answer: [7, 8]) } == nil)
        #expect(inside.answer(of: 2, into: lane) == nil)
      }
      #expect(inside.answer(of: 1, into: lane).map { [UInt8]($0) } == [7, 8])
    }
    #expect(inside.answer(of: 1, into: lane) == nil)
  }

  @Test func whatNobodyAskedIsRefused() {
    let inside = ReentrantCalls()
    #expect(failure { try inside.receive(1, answer: [1]) }?.status == .corrupt)
    inside.ask(1) {
      #expect(failure { try inside.receive(2, answer: [1]) }?.status == .corrupt)
      #expect(failure { try inside.receive(1, answer: [UInt8](repeating: 0, count: Wire.largest + 1)) }?.status == .corrupt)
      #expect(failure { try inside.receive(1, answer: [1]) } == nil)
      #expect(failure { try inside.receive(1, answer: [1]) }?.status == .corrupt)
    }
    #expect(failure { try inside.receive(1, answer: [1]) }?.status == .corrupt)
  }
}
