import MediaCore
import Testing

@testable import MediaICE

@Suite struct TURNChannelsTests {
  @Test func aChannelIsUsedWhenItIsBoundAndRenewedInTime() {
    var channels = TURNChannels()
    let peer = address("192.0.2.1", 5)
    #expect(channels.want(peer) && channels.want(peer) && channels.count == 1)
    let number = channels.next(now: 0)?.number ?? 0
    #expect(number == 0x4000 && channels.next(now: 0) == nil && channels.number(of: peer) == nil && channels.peer(of: number) == peer)
    channels.bound(number, now: 0)
    #expect(channels.number(of: peer) == number && channels.deadline == TURNChannels.refreshAfter)
    #expect(channels.next(now: TURNChannels.refreshAfter)?.number == number)
    #expect(TURNChannels.refreshAfter < 600 * second)
  }

  @Test func aRefusedOneWaitsAMinute() {
    var channels = TURNChannels()
    _ = channels.want(address("192.0.2.1", 5))
    _ = channels.next(now: 0)
    channels.failed(0x4000, isRefused: true, now: 0)
    #expect(channels.next(now: 59 * second) == nil && channels.next(now: 60 * second) != nil)
  }

  @Test func theyAreBoundedAndNumbersAreNotUsedAgain() {
    var channels = TURNChannels()
    for port in 1...100 { _ = channels.want(address("192.0.2.1", UInt16(port))) }
    #expect(channels.count == TURNChannels.most)
    channels.retain { _ in false }
    #expect(channels.count == 0 && channels.want(address("192.0.2.1", 1)))
    #expect(channels.next(now: 0)?.number == TURNChannels.first + UInt16(TURNChannels.most))
  }
}
