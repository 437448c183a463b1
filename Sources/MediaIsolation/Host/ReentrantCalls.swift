import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import Synchronization

/// What a call is written into and read from. Calls come one at a time, but for those of `ReentrantCalls`.
final class CallLane {
  var writer = WireWriter()
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)
  var lastID: UInt32 = 0
  /// The text that came with the last error.
  var errorText = ""

  deinit {
    buffer.deallocate()
  }
}

/// Calls out of a delivery: the plugin waits for the program, and the program, in that, calls the plugin. As in one process the very thread makes
/// the call that delivers, so that the plugin knows itself, and waits neither for itself nor for another call in which it delivers. Such calls go by
/// the events' socket, besides all others.
final class ReentrantCalls: @unchecked Sendable {
  /// The listener's; 0 for none.
  private let thread = Atomic<UInt>(0)
  // Of that thread alone.
  private unowned(unsafe) var listener: PluginListener?
  private var waiter: UInt32 = 0
  private var lanes: [CallLane] = []
  private var depth = 0
  private var isCalling = false
  /// Threads of the plugin that were asked something, and their answers.
  private var asked: Set<UInt32> = []
  private var answers: [UInt32: [UInt8]] = [:]

  /// Deliveries inside calls inside deliveries: a plugin does not make the library's stack grow.
  static let deepest = 8

  /// For as long as the listener runs, on the thread that calls this.
  func begin(_ listener: PluginListener?) {
    self.listener = listener
    thread.store(UInt(pthread_self()), ordering: .relaxed)
  }

  func end() {
    thread.store(0, ordering: .relaxed)
    listener = nil
  }

  private var isHere: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Whether a thread of the plugin waits for what runs here.
  var isAwaited: Bool { isHere && waiter != 0 }

  var hasRoom: Bool { depth < ReentrantCalls.deepest }

  /// Of the call that is being made here now; nil when it is one like others.
  var lane: CallLane? { isHere && isCalling ? lanes[depth - 1] : nil }

  /// Runs what a thread of the plugin waits for under that number; 0 when nobody waits.
  func awaited<Result>(by number: UInt32, _ body: () -> Result) -> Result {
    let before = (waiter, isCalling)
    (waiter, isCalling) = (number, false)
    defer { (waiter, isCalling) = before }
    return body()
  }

  /// Runs what calls the plugin, with a lane of its own.
  func call<Result>(_ body: () -> Result) -> Result {
    if depth == lanes.count { lanes.append(CallLane()) }
    (depth, isCalling) = (depth + 1, true)
    defer { (depth, isCalling) = (depth - 1, false) }
    return body()
  }

  /// What the thread that waits answers.
  func exchange(_ lane: CallLane, _ deadline: UInt32) -> PacketSocket.Received {
    listener?.ask(waiter, lane, deadline) ?? .closed
  }

  // MARK: Answers

  /// A thread has one call at a time.
  func ask<Result>(_ waiter: UInt32, _ body: () -> Result) -> Result {
    asked.insert(waiter)
    defer {
      asked.remove(waiter)
      answers[waiter] = nil
    }
    return body()
  }

  func receive(_ waiter: UInt32, answer bytes: [UInt8]) throws(MediaError) {
    guard asked.contains(waiter), answers[waiter] == nil, bytes.count <= Wire.largest else {
      throw MediaError(.corrupt, "it answered a call from delivery \(waiter), in which no call was made")
    }
    answers[waiter] = bytes
  }

  /// Copied out, once it is there.
  func answer(of waiter: UInt32, into lane: CallLane) -> UnsafeRawBufferPointer? {
    guard let bytes = answers[waiter] else { return nil }
    lane.buffer.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(lane.buffer).prefix(bytes.count))
  }
}

extension PluginListener {
  /// Has the thread of the plugin that waits make a call. What the others say meanwhile is served, as it may be what that call waits for.
  func ask(_ waiter: UInt32, _ lane: CallLane, _ milliseconds: UInt32) -> PacketSocket.Received {
    var message = WireWriter()
    message.put(DowncallHeader(.call, id: waiter))
    message.append(lane.writer)
    guard process.events.send(message, waits: false) else { return .closed }
    let deadline = milliseconds == 0 ? Int64.max : Deadline.after(milliseconds: milliseconds)
    return process.reentrant.ask(waiter) {
      while true {
        if let bytes = process.reentrant.answer(of: waiter, into: lane) { return .message(bytes, descriptor: -1) }
        // Whatever else it says does not give it more time.
        guard MediaTime.monotonic() < deadline, process.events.wait(until: deadline) else { return .nothing }
        guard process.reentrant.awaited(by: 0, { receive() }) else { return .closed }
      }
    }
  }
}
