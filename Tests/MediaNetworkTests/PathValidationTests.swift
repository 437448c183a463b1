import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct PathValidationTests {
  private let ms: Int64 = 1_000_000

  private func address(_ port: UInt16) throws -> SocketAddress { try #require(SocketAddress("192.0.2.1", port: port)) }

  private func asked(_ path: inout PathValidation, _ address: SocketAddress, now: Int64, _ challenge: UInt64) -> UInt64? {
    path.received(100, from: address, challengeSize: 40, now: now) { challenge }
  }

  /// Those that are sent for packets of one size, one each `step`.
  private func challenges(
    _ path: inout PathValidation, _ size: Int, from address: SocketAddress, count: Int, step: Int64, at now: Int64 = 0
  ) -> Int {
    (0..<count).filter { path.received(size, from: address, challengeSize: 40, now: now + Int64($0) * step) { 7 } != nil }.count
  }

  @Test func whoReturnsTheChallengeIsBelieved() throws {
    var path = PathValidation()
    let (here, there) = (try address(1), try address(2))
    #expect(asked(&path, here, now: 0, 5) == 5)
    #expect(path.confirmed == nil)
    let isWrong = path.returned(6, from: here)
    let isElsewhere = path.returned(5, from: there)
    #expect(!isWrong && !isElsewhere)
    let isReturned = path.returned(5, from: here)
    #expect(isReturned)
    #expect(path.confirmed == here)
    // Where all is well nothing is asked; a challenge counts once.
    #expect(asked(&path, here, now: 1, 5) == nil)
    #expect(asked(&path, there, now: 1, 9) == 9)
    let isOld = path.returned(5, from: there)
    #expect(!isOld && path.confirmed == here)
    let hasMoved = path.returned(9, from: there)
    #expect(hasMoved && path.confirmed == there)
  }

  @Test func nobodyIsSentMoreThanThriceWhatCame() throws {
    var path = PathValidation()
    // Of 10 bytes each, a challenge of 40 for two packets at most; and one in 50 ms.
    #expect(challenges(&path, 10, from: try address(1), count: 100, step: 60 * ms) == 75)
    #expect(challenges(&path, 1000, from: try address(2), count: 1000, step: ms, at: 100_000 * ms) == 20)
  }

  @Test func aFloodOfAddressesIsBounded() throws {
    var path = PathValidation()
    for port in UInt16(1)...1000 { _ = challenges(&path, 100, from: try address(port), count: 1, step: 1, at: Int64(port)) }
    // Who goes on sending is heard all the same.
    let honest = try address(2000)
    #expect(asked(&path, honest, now: 2000, 3) == 3)
    let isReturned = path.returned(3, from: honest)
    #expect(isReturned)
  }
}
