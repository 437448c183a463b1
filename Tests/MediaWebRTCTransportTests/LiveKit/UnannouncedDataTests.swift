import MediaTransport
import Testing

@testable import MediaWebRTCTransport

@Suite struct UnannouncedDataTests {
  private func said(_ events: [TransportEvent]) -> [String] {
    events.map { event in
      guard case .data(let userID, let message) = event else { return "\(event)" }
      return "\(userID) \(String(decoding: message.bytes, as: UTF8.self))"
    }
  }

  private func message(_ text: String) -> DataMessage { DataMessage(Array(text.utf8)) }

  @Test func waitsForItsSender() {
    var data = UnannouncedData()
    #expect(data.deadline == nil)
    #expect(said(data.take(message("1"), from: "a", now: 0)) == [])
    #expect(said(data.take(message("2"), from: "b", now: 1)) == [])
    #expect(said(data.take(message("3"), from: "a", now: 2)) == [])
    #expect(data.deadline == UnannouncedData.patience)
    #expect(said(data.announce("c")) == [])
    #expect(said(data.announce("a")) == ["a 1", "a 3"])
    #expect(data.deadline == UnannouncedData.patience + 1)
    #expect(said(data.announce("b")) == ["b 2"])
    #expect(said(data.announce("b")) == [] && data.deadline == nil)
  }

  @Test func isPassedOnWithoutAnAnnouncement() {
    var data = UnannouncedData()
    #expect(said(data.take(message("0"), from: "", now: 0)) == [" 0"])
    _ = data.take(message("1"), from: "a", now: 0)
    _ = data.take(message("2"), from: "b", now: 5)
    _ = data.take(message("3"), from: "a", now: 10)
    #expect(said(data.expire(now: UnannouncedData.patience - 1)) == [])
    // In order: what somebody sent after it does not wait for longer.
    #expect(said(data.expire(now: UnannouncedData.patience)) == ["a 1", "a 3"])
    #expect(data.deadline == UnannouncedData.patience + 5)
    #expect(said(data.take(message("4"), from: "a", now: UnannouncedData.patience)) == ["a 4"])
    // Who was announced and left is a stranger again.
    #expect(said(data.announce("a")) == [])
    #expect(said(data.take(message("5"), from: "a", now: UnannouncedData.patience)) == [])
    #expect(said(data.expire(now: .max)) == ["b 2", "a 5"])
  }

  @Test func isBounded() {
    var data = UnannouncedData()
    for number in 0..<UnannouncedData.capacity { #expect(said(data.take(message("\(number)"), from: "\(number)", now: 0)) == []) }
    #expect(said(data.take(message("more"), from: "x", now: 0)) == ["0 0"])
    #expect(data.expire(now: .max).count == UnannouncedData.capacity)
    // Others take the place of those who were known as hidden.
    #expect(said(data.take(message("a"), from: "a", now: 0)) == [])
    #expect(said(data.expire(now: .max)) == ["a a"])
    #expect(said(data.take(message("b"), from: "a", now: 0)) == ["a b"])
    #expect(said(data.take(message("c"), from: "1", now: 0)) == [])
    let large = DataMessage([UInt8](repeating: 7, count: UnannouncedData.mostBytes / 2))
    #expect(said(data.take(large, from: "y", now: 0)) == [])
    #expect(said(data.take(large, from: "y", now: 0)) == ["1 c"])
    #expect(data.take(large, from: "y", now: 0).count == 1)
  }
}
