import CUSRSCTP
import Glibc
import MediaCore

/// One association of SCTP (RFC 9260) of libusrsctp. Both ends begin it (RFC 8831, section 6.1). Everything but `init` and `enter` is
/// called in the body of `enter`.
final class SCTPAssociation {
  /// What the library reports.
  enum News: Equatable {
    /// Of a message; `isEnd`: its last bytes.
    case data(stream: UInt16, protocol: UInt32, isEnd: Bool)
    /// Streams that both ends have.
    case up(streams: Int)
    case restart
    case lost
    case shutdown
    /// nil: all streams. `isIncoming`: those of the other end; otherwise the ones that this end has asked for.
    case reset(streams: [UInt16]?, isIncoming: Bool)
    /// The rest of a message does not come.
    case cut
  }

  enum SendResult: Equatable { case taken, full, failed }

  static let settings = cusrsctp_settings(
    own_port: 5000, peer_port: 5000, streams: 1024, packet_size: 1160, send_buffer: 0, receive_buffer: 0, first_timeout: 500,
    least_timeout: 400, longest_timeout: 5000, heartbeat_interval: 10_000, acknowledgement_delay: 50, most_retransmissions: 10)

  private let context: OpaquePointer
  private let address: UInt32
  /// The library calls it as long as the context is there.
  private let host: SCTPHost
  private var socket: OpaquePointer?
  private var now: Int64

  /// Sends INIT. Throws `.fail`, `.noMemory`.
  init(_ settings: cusrsctp_settings, host: SCTPHost, now: Int64) throws(MediaError) {
    guard let context = cusrsctp_context_new(Unmanaged.passUnretained(host).toOpaque()) else {
      throw MediaError(.noMemory, "SCTP: no memory for an association")
    }
    let address = SCTPStack.shared.takeAddress()
    (self.context, self.address, self.host, self.now) = (context, address, host, now)
    var error: Int32 = 0
    socket = SCTPStack.shared.enter(context, now: now) {
      var settings = settings
      guard let socket = cusrsctp_open(address, &settings, &error) else { return nil }
      error = cusrsctp_connect(socket, address, settings.peer_port)
      guard error != 0 else { return socket }
      cusrsctp_close(socket)
      return nil
    }
    guard socket != nil else { throw MediaError(.fail, "SCTP: libusrsctp cannot make an association: errno \(error)") }
  }

  deinit {
    let isFree = SCTPStack.shared.enter(context, now: now) { [socket, context] in
      if let socket { cusrsctp_close(socket) }
      return cusrsctp_context_end(context) != 0
    }
    if isFree { SCTPStack.shared.giveBack(address) }
  }

  /// Under the lock of the stack.
  func enter<Result>(now: Int64, _ body: () -> Result) -> Result {
    self.now = max(self.now, now)
    return SCTPStack.shared.enter(context, now: self.now, body)
  }

  /// When `runTimers` wants to be called, in nanoseconds; .max: it does not.
  var nextTimer: Int64 { cusrsctp_next_timer(context) }

  func runTimers() { cusrsctp_run_timers(context) }

  func receive(_ packet: UnsafeRawBufferPointer) { cusrsctp_input(address, packet.baseAddress, packet.count) }

  /// With an ABORT where it is there.
  func close() {
    if let socket { cusrsctp_close(socket) }
    socket = nil
  }

  /// What is next; nil: nothing. Data are in the memory then, as many bytes as `count` says.
  func read(_ memory: UnsafeMutableRawBufferPointer, count: inout Int) -> News? {
    while let socket {
      let news = cusrsctp_read(socket, memory.baseAddress, memory.count)
      count = news.size
      switch Int(news.kind) {
      case CUSRSCTP_NOTHING: return nil
      case CUSRSCTP_DATA: return .data(stream: news.stream, protocol: news.protocol, isEnd: news.is_end != 0)
      case CUSRSCTP_UP: return .up(streams: Int(min(news.outgoing, news.incoming)))
      case CUSRSCTP_RESTART: return .restart
      case CUSRSCTP_LOST: return .lost
      case CUSRSCTP_SHUTDOWN: return .shutdown
      case CUSRSCTP_CUT: return .cut
      case CUSRSCTP_RESET:
        let streams = (0..<count / 2).map { memory.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self) }
        let isIncoming = Int(news.flags) & CUSRSCTP_RESET_INCOMING != 0
        // Denied or failed, an incoming one has not happened.
        if isIncoming, Int(news.flags) & (CUSRSCTP_RESET_DENIED | CUSRSCTP_RESET_FAILED) != 0 { continue }
        return .reset(streams: streams.isEmpty ? nil : streams, isIncoming: isIncoming)
      default: continue
      }
    }
    return nil
  }

  /// A whole message, of at least one byte. `lifetime`: in milliseconds.
  func send(
    _ bytes: [UInt8], stream: UInt16, protocol: UInt32, isOrdered: Bool, reliability: DataChannelReliability, lifetime: UInt32
  ) -> SendResult {
    guard let socket else { return .failed }
    let (policy, value): (Int, UInt32) =
      switch reliability {
      case .reliable: (CUSRSCTP_RELIABLE, 0)
      case .retransmissions(let most): (CUSRSCTP_RETRANSMISSIONS, UInt32(most))
      case .lifetime: (CUSRSCTP_LIFETIME, lifetime)
      }
    let error = bytes.withUnsafeBytes { raw in
      cusrsctp_send(socket, raw.baseAddress, raw.count, stream, `protocol`, isOrdered ? 0 : 1, Int32(policy), value)
    }
    switch error {
    case 0: return .taken
    case EAGAIN, ENOBUFS, ENOMEM: return .full
    default: return .failed
    }
  }

  /// Bytes that the library has taken and that the other end has not acknowledged.
  var unacknowledged: Int { socket.map { Int(cusrsctp_unacknowledged($0)) } ?? 0 }

  /// Whether it was asked for; false: the other end has no RFC 6525.
  func reset(_ stream: UInt16) -> Bool { socket.map { cusrsctp_reset($0, stream) == 0 } ?? false }
}
