import MediaCore
import MediaRuntime

/// When a member's connection breaks, and comes back over another one or does not.
extension HubPeer {
  /// Over another connection, having received so many messages.
  func comeBack(_ line: HubLine, received: UInt64) {
    let now = clock.now()
    let refusal: MediaError? = guarded.withLock { guarded in
      guard guarded.phase != .gone, guarded.phase != .waiting else { return MediaError(.closed, "the member has left") }
      guard guarded.log.confirm(received, now: now) else {
        return MediaError(.corrupt, "the member confirms \(received) messages, which is impossible")
      }
      if let tag = guarded.tag { table.thread.remove(tag) }
      (guarded.line, guarded.phase) = (line, .here)
      let count = guarded.log.tell()
      line.connection.send(HubConnection.frame { HubNotice.resumed(count).write(to: &$0) }, now: now)
      guarded.log.beginAgain(now: now)
      guarded.tag = try? table.thread.add(self, [line.socket.descriptor])
      return nil
    }
    if let refusal { return table.sayFarewell(over: line, refusal, now: now) }
    table.move(self, to: line.prefix)
    table.options.watch?(.returned(userID: hello.member.userID))
  }

  /// The connection broke. Who was not let in yet is gone with it, and so is who may not have heard that he was: he has no ticket.
  func lose(now: Int64) {
    let wasHere = guarded.withLock { guarded in
      guard guarded.phase == .here, guarded.isHeard else { return false }
      if let tag = guarded.tag { table.thread.remove(tag) }
      (guarded.line, guarded.phase) = (nil, .away(now &+ HubPeer.absence))
      guarded.tag = try? table.thread.add(self, [])
      return true
    }
    if wasHere { table.options.watch?(.away(userID: hello.member.userID)) } else { end(because: nil) }
  }

  /// He is out; nil: without a word.
  func end(because error: MediaError?) {
    let now = clock.now()
    let (line, tag, media, wasWaiting): (HubLine?, UInt64?, HubMedia?, Bool) = guarded.withLock { guarded in
      guard guarded.phase != .gone else { return (nil, nil, nil, false) }
      let wasWaiting = guarded.phase == .waiting
      guarded.phase = .gone
      // What was to be said before.
      if let line = guarded.line { guarded.log.say(over: line.connection, now: now) }
      return (guarded.line.take(), guarded.tag.take(), guarded.media.take(), wasWaiting)
    }
    if wasWaiting, let line, let error, error.status != .closed {
      table.options.watch?(.refused(userID: hello.member.userID, at: line.socket.remoteAddress, because: error))
    }
    // Who was let in has media.
    if media != nil { table.options.watch?(.left(userID: hello.member.userID, because: error?.status == .closed ? nil : error)) }
    table.remove(self)
    place.disconnect()
    if let tag { table.thread.remove(tag) }
    // Nobody has it now but this.
    media?.leave(now: now)
    if let line { table.sayFarewell(over: line, error, now: now) }
  }
}
