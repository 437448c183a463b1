import MediaCore
import MediaRTP
import MediaTLS

/// Messages over one connection of TLS, without a socket: bytes of the network and time in and out, messages in and out. A message is its length in
/// two bytes, its type, its body. Calls come one at a time; what fails stays failed, with words.
final class HubConnection {
  static let keepAlive: Int64 = 5_000_000_000
  static let silence: Int64 = 15_000_000_000
  /// Bytes that the other end has not taken.
  static let mostWaiting = 4 << 20
  /// Messages that may come at once, and in every second.
  private static let burst: Double = 1000
  private static let perSecond: Double = 200

  private let tls: TLSMachine
  private let isLimited: Bool
  private var inbox: [UInt8] = []
  private var taken = 0
  /// What is to be sent, and how much of it was.
  private var outbox: [UInt8] = []
  private var sent = 0
  private var allowance = HubConnection.burst
  private var counted: Int64
  private(set) var lastHeard: Int64
  private(set) var lastSaid: Int64
  private(set) var failure: MediaError?
  private var ending: MediaError?
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: HubWire.longest + 2, alignment: 16)

  /// `isLimited`: the other end may not say more than so much.
  init(_ tls: TLSMachine, isLimited: Bool, now: Int64) {
    (self.tls, self.isLimited) = (tls, isLimited)
    (lastHeard, lastSaid, counted) = (now, now, now)
    tls.takeOutput(&outbox)
  }

  deinit {
    scratch.deallocate()
  }

  var isOpen: Bool { tls.state == .open && failure == nil }

  func fail(_ error: MediaError) {
    failure = failure ?? error
  }

  /// Nothing more comes; what came before is heard first.
  func end(_ error: MediaError) {
    ending = ending ?? error
    if !hasMessage { fail(error) }
  }

  // MARK: In

  func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    guard failure == nil else { return }
    lastHeard = now
    if taken > 0 {
      inbox.removeFirst(taken)
      taken = 0
    }
    tls.receive(bytes) { inbox.append(contentsOf: $0) }
    tls.takeOutput(&outbox)
    switch tls.state {
    case .failed(let error): fail(error)
    case .closed: end(MediaError(.closed, "the other end closed the connection"))
    default: break
    }
    // Whoever drives it takes what has come before more comes.
    if inbox.count > HubWire.longest * 4 { fail(MediaError(.limit, "more came than a connection may hold: \(inbox.count) bytes")) }
  }

  private var nextSize: Int? {
    inbox.count - taken >= 2 ? Int(inbox[taken]) << 8 | Int(inbox[taken + 1]) : nil
  }

  private var hasMessage: Bool { nextSize.map { inbox.count - taken >= 2 + $0 } ?? false }

  /// The next message, type first; nil when none is whole.
  func next(now: Int64) -> [UInt8]? {
    guard failure == nil else { return nil }
    guard let size = nextSize, hasMessage else {
      if let ending { fail(ending) }
      return nil
    }
    guard size > 0 else {
      fail(MediaError(.corrupt, "the other end sent an empty message"))
      return nil
    }
    guard isWithinLimit(now) else {
      fail(MediaError(.limit, "more than \(Int(HubConnection.perSecond)) messages a second came"))
      return nil
    }
    defer { taken += 2 + size }
    return Array(inbox[taken + 2..<taken + 2 + size])
  }

  private func isWithinLimit(_ now: Int64) -> Bool {
    guard isLimited else { return true }
    allowance = min(HubConnection.burst, allowance + Double(max(0, now &- counted)) / 1e9 * HubConnection.perSecond)
    counted = now
    guard allowance >= 1 else { return false }
    allowance -= 1
    return true
  }

  // MARK: Out

  /// A message as it is kept: with its length before it. Cut by nothing: writers keep to their bounds.
  static func frame(_ write: (inout PacketWriter) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: HubWire.longest + 2) { memory, count in
      var writer = PacketWriter(UnsafeMutableRawBufferPointer(memory))
      writer.u16(0)
      write(&writer)
      writer.u16(UInt16(clamping: writer.count - 2), at: 0)
      count = writer.count
    }
  }

  func send(_ frame: [UInt8], now: Int64) {
    guard isOpen else { return }
    lastSaid = now
    _ = frame.withUnsafeBytes { tls.send($0) }
    tls.takeOutput(&outbox)
    if outbox.count - sent > HubConnection.mostWaiting {
      fail(MediaError(.limit, "the other end does not take what it is told: \(outbox.count - sent) bytes wait"))
    }
  }

  /// The last word, whatever failed, and that nothing more comes.
  func close(saying frame: [UInt8]? = nil) {
    if let frame { _ = frame.withUnsafeBytes { tls.send($0) } }
    tls.close()
    tls.takeOutput(&outbox)
  }

  var isWaiting: Bool { outbox.count > sent }

  /// Offers what is to be sent; `body` says how much of it went.
  func flush(_ body: (UnsafeRawBufferPointer) -> Int?) {
    guard isWaiting else { return }
    guard let count = outbox.withUnsafeBytes({ body(UnsafeRawBufferPointer(rebasing: $0.dropFirst(sent))) }) else {
      return fail(MediaError(.io, "the connection broke"))
    }
    sent += max(0, count)
    guard sent >= outbox.count else { return }
    outbox.removeAll(keepingCapacity: outbox.count < 65_536)
    sent = 0
  }

  // MARK: Time

  /// Whether it is time to say something only to be heard.
  func isSilent(now: Int64) -> Bool { now &- lastSaid >= HubConnection.keepAlive }

  /// When it has to be looked at again. Who may not say anything yet is waited for.
  func deadline(now: Int64) -> Int64 {
    guard failure == nil else { return .min }
    if now &- lastHeard >= HubConnection.silence {
      fail(MediaError(.timeout, "nothing was heard for \(HubConnection.silence / 1_000_000_000) s"))
      return .min
    }
    let keepAlive = lastSaid &+ HubConnection.keepAlive
    return min(lastHeard &+ HubConnection.silence, keepAlive > now ? keepAlive : .max)
  }
}
