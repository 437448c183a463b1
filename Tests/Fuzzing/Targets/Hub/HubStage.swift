import CMediaSDK
import Glibc
import MediaCore
import MediaRTP
import MediaRuntime
import MediaSRTP
import MediaTLS

@testable import MediaNetwork
@testable import MediaTransport

/// What a hub's member or host is driven with, without threads and without a network: a loop on a virtual clock, which runs when the clock is
/// moved; a network thread that never runs; sockets that are closed, or not connected.
struct HubStage {
  static let certificate = try? TLSCertificate.make()
  /// Its clock stands still: it holds who is added, and drives nobody.
  private static let idle = try? Reactor(clock: VirtualClock())

  let clock = VirtualClock()
  let loop: EventLoop
  let thread: Reactor
  let pool = BufferPool(limit: 64)
  var now: Int64 { clock.now() }

  init() {
    guard let idle = HubStage.idle else { fatalError("no network thread") }
    (loop, thread) = (EventLoop("fuzz", clock: clock), idle)
  }

  static var address: SocketAddress {
    guard let address = SocketAddress("127.0.0.1", port: 5000) else { fatalError("no address") }
    return address
  }

  /// Everything that was posted is done.
  func run(for nanoseconds: Int64 = 0) { try? clock.advance(by: nanoseconds) }

  /// A connection over which nothing comes and goes.
  func line() throws -> HubLine {
    guard let certificate = HubStage.certificate else { fatalError("no certificate") }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    expect(descriptor >= 0, "no socket")
    return HubLine(StreamSocket(taking: descriptor), HubConnection(try TLSMachine(server: certificate), isLimited: true, now: now))
  }

  /// A frame that is what it says only on the outside.
  func frame(video isVideo: Bool, isKey: Bool = true) throws -> EncodedFrame {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS)
    attributes.flags = isVideo && isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    (attributes.timestamp_ns, attributes.duration_ns) = (now, isVideo ? 0 : 20_000_000)
    let picture: [UInt8] = [isKey ? 0x10 : 0x11, 0, 0, 0x9D, 1, 0x2A, 64, 0, 48, 0] + [UInt8](repeating: 1, count: 1500)
    let bytes = isVideo ? picture : [31 << 3, 1, 2, 3]
    guard let frame = try bytes.withUnsafeBytes({ try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) })
    else {
      throw MediaError(.noMemory, "no frame is free")
    }
    return frame
  }

  static func format(video isVideo: Bool) -> StreamFormat {
    isVideo
      ? .video(VideoFormat(.i420, width: 64, height: 48, frameRate: FrameRate(30)), kind: 1)
      : .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1)
  }

  static func codec(video isVideo: Bool) -> UInt32 { UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS) }
}

/// Whoever receives a stream: what comes is of its codec.
final class HubReceiver: EncodedSink {
  private let codec: UInt32

  init(_ stream: StreamDescription) { codec = stream.codec }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    expect(frame.native.pointee.codec == codec, "a frame of another codec than its stream's")
  }
}

/// The other end of the media of one member, which seals whatever it is given under its own numbers.
struct HubSealer {
  private let sender: SRTPSender
  private let base: UInt32

  init(_ terms: MediaParameters, isHub: Bool) throws {
    (sender, base) = (try SRTPSender(terms.profile, isHub ? terms.down : terms.up), terms.base)
  }

  /// nil: what no machine would send.
  func seal(_ packet: [UInt8]) -> [UInt8]? {
    guard (12...1400).contains(packet.count) else { return nil }
    var packet = packet
    let isControl = packet.withUnsafeBytes { RTPPacket.isRTCP($0) }
    for index in 0..<3 { packet[(isControl ? 4 : 8) + index] = UInt8(truncatingIfNeeded: base >> (24 - 8 * UInt32(index))) }
    var sealed = [UInt8](repeating: 0, count: packet.count + 64)
    let size = packet.withUnsafeBytes { packet in
      sealed.withUnsafeMutableBytes { isControl ? try? sender.protectControl(packet, into: $0) : try? sender.protect(packet, into: $0) }
    }
    return size.map { Array(sealed.prefix($0)) }
  }
}
