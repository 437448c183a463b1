import MediaCore
import Testing

@testable import MediaTLS

/// What becomes of datagrams that are damaged.
@Suite(.enabled(if: DTLSTimer.canBeDriven)) struct DTLSDamageTests {
  /// A handshake in which the n-th datagram of an end arrives changed, once.
  private func talk(damaging number: Int, of end: Int, _ change: @escaping ([UInt8]) -> [UInt8]) throws -> DTLSTalk {
    let talk = try DTLSTalk()
    var seen = 0
    talk.change = { from, datagram in
      guard from == end else { return [datagram] }
      seen += 1
      return seen == number + 1 ? [change(datagram)] : [datagram]
    }
    talk.run()
    return talk
  }

  /// Never does one end think that it is connected while it is not, or with other keys.
  private func check(_ talk: DTLSTalk, _ what: @autoclosure () -> String) -> Bool {
    let states = talk.ends.map(\.state)
    if talk.isOpen { return talk.client.srtp != nil && talk.client.srtp == talk.server.srtp }
    for end in 0..<2 where talk.ends[end].state == .open {
      // The other one has not failed, but was never heard again: not here.
      Issue.record("\(what()): \(states)")
    }
    // A server that has heard nothing that it knows waits on.
    let isOver = talk.error(of: 0) != nil && (talk.error(of: 1) != nil || talk.server.state == .handshaking)
    if !isOver { Issue.record("\(what()): \(states)") }
    return false
  }

  @Test(arguments: [0, 1]) func eachByteFlipped(of end: Int) throws {
    var random = SeededRandom(seed: 11)
    var (opened, failed) = (0, 0)
    let sizes = try DTLSTalk.sizes(of: end)
    for (number, size) in sizes.enumerated() {
      for place in 0..<size {
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        let talk = try talk(damaging: number, of: end) { bytes in
          var bytes = bytes
          if place < bytes.count { bytes[place] ^= bit }
          return bytes
        }
        if check(talk, "datagram \(number) of \(end), byte \(place), bit \(bit)") { opened += 1 } else { failed += 1 }
      }
    }
    // A change of what is signed is found; one of a header costs a repetition.
    #expect(opened > 50 && failed > 50, "\(opened) opened, \(failed) failed")
  }

  @Test(arguments: [0, 1]) func cutAtEachPlace(of end: Int) throws {
    for (number, size) in try DTLSTalk.sizes(of: end).enumerated() {
      for place in stride(from: 0, to: size, by: 7) {
        let talk = try talk(damaging: number, of: end) { Array($0.prefix(place)) }
        // What is cut is dropped, and sent again.
        #expect(check(talk, "datagram \(number) of \(end), cut at \(place)"))
      }
    }
  }

  @Test func whatIsSaidArrivesUnchangedOrNotAtAll() throws {
    let talk = try DTLSTalk()
    talk.run()
    try talk.say([UInt8](repeating: 7, count: 60), by: 0)
    let datagram = try #require(talk.client.takeDatagram())
    for place in datagram.indices {
      for bit in 0..<8 {
        var bytes = datagram
        bytes[place] ^= 1 << UInt8(bit)
        talk.give(bytes, to: 1)
      }
      talk.give(Array(datagram.prefix(place)), to: 1)
    }
    #expect(talk.heard[1].isEmpty && talk.server.state == .open)
    talk.give(datagram, to: 1)
    talk.give(datagram, to: 1)
    #expect(talk.heard[1] == [[UInt8](repeating: 7, count: 60)])
  }
}

extension DTLSTalk {
  /// Of the datagrams of an undisturbed handshake.
  static func sizes(of end: Int) throws -> [Int] {
    let talk = try DTLSTalk()
    talk.run()
    return talk.sent[end].map(\.bytes.count)
  }
}
