import MediaCore
import MediaICE
import MediaRTP
import MediaSDP
import Testing

@testable import MediaICE
@testable import MediaWebRTC

/// A call of twelve hours in virtual time, at few packets: what wraps around does so, and what is held does not grow.
@Suite struct PeerEnduranceTests {
  /// What the headers of media say, which are not encrypted.
  private final class Headers {
    /// By source.
    private var sequences: [UInt32: UInt16] = [:]
    private var stamps: [UInt32: UInt32] = [:]
    private(set) var sequenceWraps: [UInt32: Int] = [:]
    private(set) var stampWraps: [UInt32: Int] = [:]
    private(set) var control = 0
    private(set) var checks = 0

    func look(_ bytes: [UInt8]) {
      guard bytes.count > 12, bytes[0] >= 128, bytes[0] < 192 else {
        if bytes[0] < 4 { checks += 1 }
        return
      }
      if bytes[1] >= 192, bytes[1] < 224 { return control += 1 }
      let (first, stamp, ssrc) = bytes.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(as: UInt32.self), bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self).bigEndian,
          bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self).bigEndian
        )
      }
      let sequence = UInt16(truncatingIfNeeded: first.bigEndian)
      if let last = sequences[ssrc], last > 0xC000, sequence < 0x4000 { sequenceWraps[ssrc, default: 0] += 1 }
      if let last = stamps[ssrc], last > 0xC000_0000, stamp < 0x4000_0000 { stampWraps[ssrc, default: 0] += 1 }
      // What is sent again is older.
      if let last = sequences[ssrc], Int16(bitPattern: sequence &- last) < 0 { return }
      (sequences[ssrc], stamps[ssrc]) = (sequence, stamp)
    }
  }

  /// A frame of 30 packets and a packet of audio each six seconds, of a hundred packets one is lost, and each hour ICE is restarted by either end.
  @Test func twelveHoursOfMedia() throws {
    let pair = try VirtualPair(seed: 2, data: nil)
    let network = pair.network
    let (audio, video) = (try pair.a.add(.audio), try pair.a.add(.video))
    network.run(for: 5 * second) { pair.isConnected }
    let headers = Headers()
    network.watch = { bytes, sender in if sender === pair.a { headers.look(bytes) } }
    network.loss = 10
    let handshake = pair.b.connection.dtls
    var first: (a: HeldThings, b: HeldThings)?
    var users: Set<String> = []
    for hour in 1...12 {
      for _ in 0..<600 {
        try pair.a.send(video, size: 33_000)
        try pair.a.send(audio)
        network.run(for: 6 * second)
      }
      users.insert(pair.a.connection.ice.local.user)
      let peer = hour % 2 == 0 ? pair.a : pair.b
      peer.connection.restartICE()
      peer.settle()
      network.run(for: 5 * second)
      #expect(pair.isConnected && pair.a.connection.stats.ice == .completed && pair.b.connection.stats.ice == .completed, "hour \(hour)")
      // A frame whose last packet is lost has nothing after it by which that would be noticed in time, and then a key frame is asked for.
      let (sent, came) = (pair.a.numbers["1"] ?? 0, pair.b.frames["1"] ?? [])
      #expect(came.count * 100 >= sent * 96 && came.last ?? 0 >= sent - 3, "hour \(hour): \(came.count) of \(sent)")
      #expect(came == came.sorted())
      let (said, heard) = (pair.a.numbers["0"] ?? 0, pair.b.frames["0"] ?? [])
      #expect(heard.count * 100 >= said * 97 && heard.last ?? 0 >= said - 3, "hour \(hour): \(heard.count) of \(said)")
      let held = (a: HeldThings(of: pair.a.connection), b: HeldThings(of: pair.b.connection))
      guard hour > 2, let before = first else {
        first = held
        continue
      }
      // Retransmissions of audio are rare here: the window of what they sealed may be there from the first on, hours later.
      let windows = "PeerConnection.peer.output.protection.some.sender.streams.value.tags"
      let begun = (held.a.collections[windows] ?? 0) - (before.a.collections[windows] ?? 0)
      #expect((0...1_536).contains(begun) && held.a.collections[windows] ?? 0 <= 4 * 1_536)
      #expect(held.a.count - begun <= before.a.count * 11 / 10 + 50, "hour \(hour): \(held.a.growth(since: before.a))")
      #expect(held.b.count <= before.b.count * 11 / 10 + 50, "hour \(hour): \(held.b.growth(since: before.b))")
    }
    #expect(users.count == 12 && pair.b.connection.dtls === handshake)
    #expect(pair.a.states == [.connecting, .connected] && pair.b.states == [.connecting, .connected])
    #expect(pair.a.errors.isEmpty && pair.b.errors.isEmpty && pair.b.ended.isEmpty)
    // 65,536 packets, three times; 2^32 units of 90 kHz are 13.25 h, and the seed has them begin so that they wrap.
    let ssrc = try #require(pair.a.connection.stream(video).flatMap { pair.a.connection.rtp.settings(ofStream: $0)?.ssrc.rawValue })
    #expect(headers.sequenceWraps[ssrc] ?? 0 >= 3 && headers.stampWraps[ssrc] == 1, "\(headers.sequenceWraps) \(headers.stampWraps)")
    #expect(headers.control > 12 * 3_600 / 10 && headers.checks > 12 * 3_600 / 6)
    let dropped = pair.b.connection.stats.dropped
    #expect(dropped.forged == 0 && dropped.failed == 0 && pair.a.connection.stats.dropped.forged == 0, "\(dropped)")
  }
}
