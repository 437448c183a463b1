import MediaCore
import Testing

@testable import MediaTransport

@Suite struct NetworkScriptTests {
  private func status(_ steps: [NetworkScript.Step]) -> Status? {
    failure { _ = try NetworkScript(steps: steps, seed: 0, start: 0) }?.status
  }

  @Test func stepsFollowEachOther() throws {
    let steps = [
      NetworkScript.Step(at: 10, bandwidth: 1000), NetworkScript.Step(at: 20, bandwidth: 2000), NetworkScript.Step(at: 20, bandwidth: 3000)
    ]
    let script = try NetworkScript(steps: steps, seed: 0, start: 100)
    #expect(script.step(at: 109) == nil)
    #expect(script.step(at: 110)?.bandwidth == 1000)
    #expect(script.step(at: 119)?.bandwidth == 1000)
    #expect(script.step(at: 120)?.bandwidth == 3000)
    #expect(script.step(at: .max)?.bandwidth == 3000)
    #expect(script.nextChange(after: 0) == 110)
    #expect(script.nextChange(after: 110) == 120)
    #expect(script.nextChange(after: 120) == nil)
  }

  @Test func theFarthestStepDoesNotWrapAround() throws {
    let farthest: Int64 = 1_000_000_000_000_000_000
    let steps = [NetworkScript.Step(), NetworkScript.Step(at: farthest, isDisconnected: true)]
    let script = try NetworkScript(steps: steps, seed: 0, start: 1_000_000_000)
    #expect(script.step(at: farthest)?.isDisconnected == false)
    #expect(script.step(at: farthest + 1_000_000_000)?.isDisconnected == true)
    #expect(status([NetworkScript.Step(at: farthest + 1)]) == .invalid)
    #expect(status([NetworkScript.Step(at: .max)]) == .invalid)
  }

  @Test func whatCannotBeIsRefused() {
    #expect(status([NetworkScript.Step(at: -1)]) == .invalid)
    #expect(status([NetworkScript.Step(at: 5), NetworkScript.Step(at: 4)]) == .invalid)
    #expect(status([NetworkScript.Step(bandwidth: 999)]) == .range)
    #expect(status([NetworkScript.Step(bandwidth: 1)]) == .range)
    #expect(status([NetworkScript.Step(delay: -1)]) == .range)
    #expect(status([NetworkScript.Step(delay: 10_000_000_001)]) == .range)
    #expect(status([NetworkScript.Step(jitter: -1)]) == .range)
    #expect(status([NetworkScript.Step(jitter: 10_000_000_001)]) == .range)
    #expect(status([NetworkScript.Step(loss: 1_000_001)]) == .range)
    #expect(status([NetworkScript.Step(queue: -1)]) == .range)
  }

  @Test func theEdgesAreAccepted() {
    #expect(status([]) == nil)
    #expect(
      status([
        NetworkScript.Step(bandwidth: 1000, delay: 10_000_000_000, jitter: 10_000_000_000, loss: 1_000_000),
        NetworkScript.Step(bandwidth: .max)
      ]) == nil)
  }

  @Test func theTextNamesTheStep() {
    let error = failure { _ = try NetworkScript(steps: [NetworkScript.Step(), NetworkScript.Step(loss: 1_000_001)], seed: 0, start: 0) }
    #expect(error?.text.contains("steps[1].loss_ppm is 1000001") == true)
  }
}
