import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaSRTP

@testable import MediaTransport

/// Either end of the media between a hub and a member, at which anything arrives from any address: what the other end has sealed, whatever is
/// in it, and what nobody has. At the hub, an address that has not returned a challenge gets at most three times what came from there.
enum HubMediaPackets: FuzzTarget {
  static let name = "hub_media"

  /// Sees what leaves, before it is sealed.
  private final class Witness: PacketTap, @unchecked Sendable {
    let seesPlain = true
    let here: SocketAddress
    var remote: () -> SocketAddress? = { nil }
    private var came: [SocketAddress: Int] = [:]
    private var went: [SocketAddress: Int] = [:]
    var challenge: UInt64 = 0
    /// What sealing adds to a message.
    private let overhead: Int

    init(_ here: SocketAddress, overhead: Int) { (self.here, self.overhead) = (here, overhead) }

    func arrives(_ size: Int, from address: SocketAddress) { came[address, default: 0] += size }

    func saw(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, to destination: SocketAddress) {
      guard source == here else { return }
      if case .challenge(let value)? = HubPathMessage(parsing: datagram) { challenge = value }
      guard destination != remote() else { return }
      went[destination, default: 0] += datagram.count + overhead
      expect(
        went[destination, default: 0] <= 3 * came[destination, default: 0], "more than three times what came from an unconfirmed address")
    }
  }

  private static let base: UInt32 = 0x1234_5600

  /// Sends and takes nothing.
  private static let socket: HubSocket? = {
    guard let address = SocketAddress("127.0.0.1", port: 0), let socket = try? DatagramSocket(binding: address) else { return nil }
    let closed = HubSocket(socket)
    closed.close()
    return closed
  }()

  private static func address(_ number: UInt8) -> SocketAddress {
    guard let address = SocketAddress(number & 8 != 0 ? "127.0.0.2" : "127.0.0.1", port: 5000 + UInt16(number & 7)) else {
      fatalError("no address")
    }
    return address
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let socket, let here = socket.localAddress else { fatalError("no socket") }
    var input = Input(bytes)
    let options = input.byte()
    let (isHub, profile): (Bool, SRTPProfile) = (options & 1 == 0, options & 2 == 0 ? .aesGCM : .aesCounterSHA1)
    let key = [UInt8](repeating: 7, count: profile.keySize + profile.saltSize)
    let terms = try MediaParameters(port: 5000, base: base, profile: profile, up: key, down: key)
    let other = try HubSealer(terms, isHub: !isHub)
    let stage = HubStage()
    let clock = stage.clock
    let witness = Witness(here, overhead: profile.controlOverhead)
    let media = try HubMedia(
      terms, isHub: isHub, over: socket, to: isHub ? nil : address(0), bitrates: .init(), clock: clock, tap: witness, seed: 1)
    // A member's hub is where it was told.
    witness.remote = { [unowned media] in media.remote }
    var last: [UInt8] = []
    func arrive(_ datagram: [UInt8], from address: SocketAddress, counts: Bool) {
      if counts { witness.arrives(datagram.count, from: address) }
      datagram.withUnsafeBytes { _ = media.receive($0, from: address, now: clock.now()) }
    }
    for _ in 0..<48 where !input.isAtEnd {
      switch input.number(below: 8) {
      case 0: try? clock.advance(by: Int64(input.u16()) * 1_000_000)
      case 1, 2:
        let (from, piece) = (address(input.byte()), Array(input.piece()))
        guard let sealed = other.seal(piece) else { break }
        last = sealed
        arrive(sealed, from: from, counts: true)
      case 3: arrive(Array(input.piece()), from: address(input.byte()), counts: false)
      // Again, from there.
      case 4: arrive(last, from: address(input.byte()), counts: false)
      case 5:
        let (from, isRight) = (address(input.byte()), input.byte() & 1 == 0)
        let message = HubPathMessage.returned(isRight ? witness.challenge : UInt64(input.u32()))
        let packet = write { message.write(to: &$0, from: terms.ssrc(ofEnd: !isHub)) }
        if let sealed = other.seal(packet) { arrive(sealed, from: from, counts: true) }
      // The same packet under numbers that go on, as in a stream.
      case 6:
        let (count, step) = (input.number(below: 32), input.u16())
        var packet = Array(input.piece())
        for _ in 0..<count where packet.count > 12 {
          let sequence = (UInt16(packet[2]) << 8 | UInt16(packet[3])) &+ step
          (packet[2], packet[3]) = (UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence))
          try? clock.advance(by: 1_000_000)
          if let sealed = other.seal(packet) { arrive(sealed, from: address(0), counts: true) }
        }
      default:
        guard let slot = HubSlot(index: input.byte() % (2 * HubSlot.perKind)) else { break }
        guard let frame = try? stage.frame(video: slot.isVideo) else { break }
        try? media.send(frame, FrameID(input.byte()), on: slot, isVoice: false, now: clock.now())
        frame.release()
      }
      _ = media.poll(now: clock.now())
      var arrivals: [PeerArrival] = []
      media.takeArrivals(&arrivals)
      for arrival in arrivals {
        // Of whatever codec: who takes it holds it against what the stream at that place was said to be.
        guard case .frame(_, let frame, _, _) = arrival else { continue }
        expect(!frame.bytes.isEmpty, "a frame of nothing")
        frame.release()
      }
      _ = media.look
    }
    media.leave(now: clock.now())
  }

  private static func write(_ body: (inout PacketWriter) -> Void) -> [UInt8] {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
      var writer = PacketWriter(memory)
      body(&writer)
      return Array(writer.bytes)
    }
  }
}
