import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct NameResolverTests {
  /// A source that keeps who asks until it may answer.
  private final class Gate: Sendable {
    struct State {
      var asked: [String] = []
      var isOpen = false
    }

    let state = Monitor(State())

    func answer(_ question: NameResolver.Question) -> NameResolver.Answer {
      state.withLock { $0.asked.append(question.name.description) }
      state.notify()
      _ = state.wait(until: .max) { $0.isOpen ? true : nil }
      return .success([])
    }

    func open() {
      state.withLock { $0.isOpen = true }
      state.notify()
    }

    func waitUntilAsked(_ count: Int) -> Bool {
      state.wait(until: Deadline.after(milliseconds: 20_000)) { $0.asked.count >= count ? true : nil } ?? false
    }
  }

  /// Of how many there was an answer.
  private let answers = Monitor(0)

  private func question(_ name: String, isIPv6: Bool? = nil) throws -> NameResolver.Question {
    .init(try #require(HostName(name)), port: 5004, isStream: true, isIPv6: isIPv6)
  }

  private func count() {
    answers.withLock { $0 += 1 }
    answers.notify()
  }

  private func isAnswered(_ count: Int) -> Bool {
    answers.wait(until: Deadline.after(milliseconds: 20_000)) { $0 >= count ? true : nil } ?? false
  }

  @Test func theAnswerIsTheSources() throws {
    let addresses = try ["192.0.2.1", "2001:db8::1"].map { try #require(SocketAddress($0, port: 5004)) }
    let resolver = NameResolver { $0.name.description == "good.example" ? .success(addresses) : .failure(MediaError(.io, "no")) }
    let (good, bad) = (
      resolver.look(up: try question("good.example")) { count() }, resolver.look(up: try question("bad.example")) { count() }
    )
    #expect(isAnswered(2))
    #expect(try good.answer?.get() == addresses)
    #expect(failure { _ = try bad.answer?.get() }?.status == .io)
  }

  @Test func soManyAreLookedUpAtOnceAndTheOthersWait() throws {
    let gate = Gate()
    let resolver = NameResolver(most: 2, source: gate.answer)
    let lookups = try (0..<5).map { number in resolver.look(up: try question("n\(number).example")) { count() } }
    #expect(gate.waitUntilAsked(2))
    #expect(gate.state.withLock { $0.asked.sorted() } == ["n0.example", "n1.example"])
    // Who waits, and is not waited for any more, is not looked up.
    lookups[3].cancel()
    gate.open()
    #expect(isAnswered(4))
    #expect(gate.state.withLock { $0.asked.sorted() } == ["n0.example", "n1.example", "n2.example", "n4.example"])
    #expect(lookups.map { $0.answer != nil } == [true, true, true, false, true])
  }

  @Test func aLateAnswerReachesNobody() throws {
    let gate = Gate()
    let resolver = NameResolver(most: 1, source: gate.answer)
    let (left, late) = (
      resolver.look(up: try question("left.example")) { count() }, resolver.look(up: try question("late.example")) { count() }
    )
    #expect(gate.waitUntilAsked(1))
    left.cancel()
    late.fail(MediaError(.timeout, "too late"))
    #expect(answers.withLock { $0 } == 1)
    let last = resolver.look(up: try question("last.example")) { count() }
    gate.open()
    #expect(isAnswered(2))
    #expect(left.answer == nil)
    #expect(failure { _ = try late.answer?.get() }?.status == .timeout)
    #expect(try last.answer?.get() == [])
  }
}

/// The error that the body throws; nil when it throws none, or one of another type.
private func failure(_ body: () throws -> Void) -> MediaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MediaError
  }
}
