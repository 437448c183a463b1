import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime

/// What the network thread calls: what comes, and what is due.
extension HubTransport: NetworkDriver {
  func drive(isReadable: Bool) -> Int64 {
    let now = clock.now()
    if isReadable { receive(now) }
    while let message = guarded.withLock({ $0.line?.connection.next(now: now) }) {
      if let error = act(on: message, now) {
        finish(error)
        return .max
      }
    }
    let due = hand(now)
    let (next, outcome): (Int64, Outcome) = guarded.withLock { guarded in step(&guarded, now, due) }
    switch outcome {
    case .goesOn: return next
    case .breaks:
      post(.reconnecting)
      return .min
    case .ends(let error):
      finish(error)
      return .max
    }
  }

  private func receive(_ now: Int64) {
    let socket = guarded.withLock { guarded in
      guarded.line?.receive(now: now)
      return guarded.socket
    }
    guard let socket else { return }
    let rows = rows.withLock { $0 }
    for _ in 0..<8 {
      // Whoever sends meanwhile does not wait for it.
      let count = socket.receive(rows)
      guarded.withLock { guarded in
        guard let media = guarded.media else { return }
        rows.forEach { if media.receive(UnsafeRawBufferPointer($0), from: $1, now: now) { guarded.greetDue = .max } }
      }
      if count < DatagramRows.capacity { return }
    }
  }

  func finish(_ error: MediaError) {
    let (tag, line, media): (UInt64?, HubLine?, HubMedia?) = guarded.withLock { guarded in
      guard guarded.phase != .left, guarded.phase != .out else { return (nil, nil, nil) }
      guarded.phase = .out
      defer { (guarded.attempt, guarded.socket) = (nil, nil) }
      guarded.addresses.reset()
      return (guarded.tag.take(), guarded.line.take(), guarded.media.take())
    }
    if let tag { thread.remove(tag) }
    _ = line
    media?.leave(now: clock.now())
    capture?.close()
    post(.disconnected(error))
  }

  // MARK: What the hub says

  /// An error when it is over.
  func act(on message: [UInt8], _ now: Int64) -> MediaError? {
    do {
      let notice = try message.withUnsafeBytes { bytes throws(PacketError) in try HubNotice(parsing: bytes) }
      if notice.isCounted {
        let isLie = guarded.withLock { guarded in
          guard guarded.isMember, guarded.phase == .here else { return true }
          guard guarded.log.receive(message.count) else { return false }
          guarded.line?.connection.send(HubConnection.frame { HubRequest.received(guarded.log.tell()).write(to: &$0) }, now: now)
          return false
        }
        if isLie { return HubTransport.lie("a message before its welcome") }
      }
      return try follow(notice, now)
    } catch let error as MediaError {
      return error
    } catch {
      return MediaError(.corrupt, "\(error)")
    }
  }

  static func lie(_ what: String) -> MediaError { MediaError(.corrupt, "the hub sent \(what)") }
}
