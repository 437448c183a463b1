import Testing

@testable import MediaServer

@Suite struct MuteEchoesTests {
  /// Muted and unmuted soon after: both confirmations come later.
  @Test func aConfirmationThatComesTooLateIsOutdated() {
    var echoes = MuteEchoes()
    echoes.ask("a", true, now: 0)
    echoes.ask("a", false, now: 10)
    let confirmed = [echoes.isOutdated("a", true, now: 20), echoes.isOutdated("a", false, now: 30)]
    #expect(confirmed == [true, false])
    // From then on it is the client's own.
    let own = [echoes.isOutdated("a", true, now: 40), echoes.isOutdated("a", false, now: 50)]
    #expect(own == [false, false])
  }

  @Test func inOrderNothingIs() {
    var echoes = MuteEchoes()
    for (number, isMuted) in [true, false, true].enumerated() {
      echoes.ask("a", isMuted, now: Int64(number))
      let isOutdated = echoes.isOutdated("a", isMuted, now: Int64(number))
      #expect(!isOutdated)
    }
  }

  /// Of a client that was muted already there is no confirmation.
  @Test func oneThatIsMissingDelaysNothing() {
    var echoes = MuteEchoes()
    echoes.ask("a", true, now: 0)
    echoes.ask("a", false, now: 1)
    let answer = [echoes.isOutdated("a", false, now: 2), echoes.isOutdated("a", true, now: 3)]
    #expect(answer == [false, false])
  }

  @Test func tracksAndTimesAreApart() {
    var echoes = MuteEchoes()
    echoes.ask("a", true, now: 0)
    echoes.ask("b", false, now: 1)
    let other = echoes.isOutdated("a", true, now: 2)
    #expect(!other)
    echoes.ask("a", true, now: 3)
    echoes.ask("a", false, now: MuteEchoes.patience)
    // The first was not confirmed in time: it is the client's own word.
    let late = echoes.isOutdated("a", true, now: MuteEchoes.patience + 4)
    #expect(!late)
  }

  @Test func requestsAreBounded() {
    var echoes = MuteEchoes()
    for number in 0...MuteEchoes.most { echoes.ask("\(number)", true, now: 0) }
    echoes.ask("0", false, now: 0)
    let isForgotten = echoes.isOutdated("0", true, now: 0)
    #expect(!isForgotten)
  }
}
