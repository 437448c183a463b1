import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTLS

/// The connection to the hub: it is made, kept, and after a break made again within 30 s, with the ticket of before, so that the session keeps
/// its place and loses no message.
extension HubTransport {
  private static let attemptPause: Int64 = 500_000_000
  private static let attemptPatience: Int64 = 5_000_000_000
  private static let lookupPause: Int64 = 5_000_000
  private static let greeting: Int64 = 100_000_000
  private static let greetingPatience: Int64 = 15_000_000_000

  enum Outcome {
    case goesOn
    case breaks
    case ends(MediaError)
  }

  func step(_ guarded: inout Guarded, _ now: Int64, _ due: Int64) -> (Int64, Outcome) {
    if guarded.isOverfull {
      return (0, .ends(MediaError(.limit, "the hub does not read its messages: \(ReliableOutbox.most) bytes are queued")))
    }
    switch guarded.phase {
    case .idle, .out, .left: return (.max, .goesOn)
    case .connecting(let end):
      if let error = reach(&guarded, now, until: end) { return (0, .ends(error)) }
      if now >= end {
        return (0, .ends(MediaError(.timeout, "\(unreached(guarded)) within \(HubTransport.patience / 1_000_000_000) s")))
      }
      return (min(end, nextStep(guarded, now)), .goesOn)
    case .reconnecting(let end):
      // A refusal of today may be none tomorrow.
      if let error = reach(&guarded, now, until: end) {
        guarded.attemptFailure = error.text
        drop(&guarded, until: now &+ HubTransport.attemptPause)
      }
      if now >= end {
        let words = guarded.attemptFailure.map { ": \($0)" } ?? ""
        return (0, .ends(MediaError(.timeout, "the hub at \(url.host) was unreachable for 30 s\(words)")))
      }
      return (min(end, due, nextStep(guarded, now)), .goesOn)
    case .waiting, .here: return keep(&guarded, now, due)
    }
  }

  /// When the attempt goes on, unless something comes or there is room before.
  private func nextStep(_ guarded: borrowing Guarded, _ now: Int64) -> Int64 {
    guard guarded.line == nil, guarded.attempt == nil else {
      return min(guarded.attemptDue, guarded.line?.connection.deadline(now: now) ?? .max)
    }
    return guarded.addresses.isLookingUp ? now &+ HubTransport.lookupPause : max(now, guarded.attemptDue)
  }

  private func keep(_ guarded: inout Guarded, _ now: Int64, _ due: Int64) -> (Int64, Outcome) {
    guard let line = guarded.line else { return (.max, .goesOn) }
    if line.connection.isOpen, line.connection.isSilent(now: now) {
      line.connection.send(HubConnection.frame { HubRequest.received(guarded.log.tell()).write(to: &$0) }, now: now)
    }
    if now >= guarded.greetDue {
      guarded.media?.greet()
      guarded.greetDue = now &+ HubTransport.greeting
      if now >= guarded.greetEnd {
        return (0, .ends(MediaError(.timeout, "the hub at \(url.host) admitted the session, but no media packet arrives: is UDP blocked?")))
      }
    }
    var flushed = Int64.max
    repeat {
      if guarded.phase == .here { guarded.log.say(over: line.connection, now: now) }
      flushed = line.flush(now: now, in: thread, as: guarded.tag)
    } while guarded.phase == .here && guarded.log.canSayMore && line.connection.isOpen && !line.connection.isWaiting
    let next = min(flushed, due, guarded.greetDue)
    guard let failure = line.connection.failure else { return (next, .goesOn) }
    let isOwn = failure.status == .limit || failure.status == .corrupt
    guard guarded.phase == .here, !isOwn else { return (0, .ends(failure)) }
    guarded.phase = .reconnecting(now &+ HubTransport.absence)
    guarded.attemptFailure = failure.text
    // What its name stands for may have changed.
    guarded.addresses.reset()
    drop(&guarded, until: now)
    return (.min, .breaks)
  }

  private func unreached(_ guarded: borrowing Guarded) -> String {
    guarded.addresses.isLookingUp ? "the host name of the hub at \(url.host) was not resolved" : "the hub at \(url.host) did not answer"
  }

  /// The next attempt, or the one that is on its way, one step on; an error when it failed, and there is no other address to try.
  private func reach(_ guarded: inout Guarded, _ now: Int64, until end: Int64) -> MediaError? {
    guard let error = attempt(&guarded, now, until: end) else { return nil }
    // Who answers and is not the hub ends it: what a name stands for is not tried until somebody fits.
    let isUnreached = [.io, .timeout, .closed].contains(error.status)
    guard isUnreached, !guarded.hasSaidHello, guarded.addresses.remaining > 0 else { return error }
    drop(&guarded, until: now)
    return nil
  }

  private func attempt(_ guarded: inout Guarded, _ now: Int64, until end: Int64) -> MediaError? {
    do throws(MediaError) {
      if let line = guarded.line {
        if line.connection.isOpen, !guarded.hasSaidHello { sayHello(&guarded, line, now) }
        _ = line.flush(now: now, in: thread, as: guarded.tag)
        if let failure = line.connection.failure { return failure }
        if now >= guarded.attemptDue { return MediaError(.timeout, "the hub at \(guarded.addresses.words(url.host)) does not answer") }
      } else if let attempt = guarded.attempt {
        switch attempt.connecting {
        case .waiting:
          if now >= guarded.attemptDue { return MediaError(.timeout, "the hub at \(guarded.addresses.words(url.host)) does not answer") }
        case .failed(let words): return MediaError(.io, "cannot connect to the hub at \(guarded.addresses.words(url.host)): \(words)")
        case .done:
          guarded.attempt = nil
          guarded.line = HubLine(attempt, HubConnection(try TLSMachine(client: url.trust), isLimited: false, now: now))
          guarded.attemptDue = now &+ HubTransport.attemptPatience
          watch(&guarded)
        }
      } else if now >= guarded.attemptDue {
        // Media stays with the family with which it began.
        guard let address = try guarded.addresses.next(url.host, isIPv6: guarded.media?.remote?.isIPv6, network.names) else { return nil }
        guarded.attempt = try network.connect(to: address)
        watch(&guarded)
        let patience = guarded.ticket.isEmpty ? HubTransport.patience : HubTransport.attemptPatience
        // Those after it have their share of the time.
        let share = guarded.addresses.remaining > 0 ? (end &- now) / Int64(guarded.addresses.remaining + 1) : patience
        guarded.attemptDue = now &+ min(patience, share)
      }
      return nil
    } catch {
      return error
    }
  }

  private func sayHello(_ guarded: inout Guarded, _ line: HubLine, _ now: Int64) {
    let former = guarded.ticket.isEmpty ? nil : (ticket: guarded.ticket, received: guarded.log.tell())
    var member = member
    member.attributes = former == nil ? guarded.attributes : ParticipantAttributes()
    let hello = HubRequest.hello(.init(room: url.room, member: member, token: token, profile: url.profile, former: former))
    line.connection.send(HubConnection.frame { hello.write(to: &$0) }, now: now)
    guarded.hasSaidHello = true
    if guarded.ticket.isEmpty { guarded.phase = .waiting }
  }

  /// Without a connection, until the next attempt.
  private func drop(_ guarded: inout Guarded, until time: Int64) {
    // Before what it watches is closed, and others have the same descriptors.
    if let tag = guarded.tag.take() { thread.remove(tag) }
    (guarded.line, guarded.attempt, guarded.hasSaidHello, guarded.attemptDue) = (nil, nil, false, time)
    watch(&guarded)
  }

  /// Watches what is there now.
  private func watch(_ guarded: inout Guarded) {
    if let tag = guarded.tag { thread.remove(tag) }
    let attempt = guarded.attempt?.descriptor
    guarded.tag = try? thread.add(self, [attempt, guarded.line?.socket.descriptor, guarded.socket?.descriptor].compactMap { $0 })
    // A connection is there when it can be written to (connect(2)).
    if let tag = guarded.tag, let attempt { thread.setFull(true, attempt, of: tag) }
  }

  /// Who was let in opens his way for media.
  func enter(_ welcome: HubNotice.Welcome, _ now: Int64) throws(MediaError) {
    guard let address = guarded.withLock({ $0.addresses.current }) else { throw MediaError(.fail, "the hub has no address") }
    let socket = HubSocket(try network.bindDatagrams(to: address.unspecified(port: 0)))
    let media = try HubMedia(
      welcome.terms, isHub: false, over: socket, to: address.with(port: welcome.terms.port), bitrates: bitrates, clock: clock,
      tap: capture, seed: network.random())
    let isHere = guarded.withLock { guarded in
      guard guarded.phase == .waiting else { return false }
      (guarded.phase, guarded.ticket, guarded.permissions) = (.here, welcome.ticket, welcome.permissions)
      (guarded.socket, guarded.media) = (socket, media)
      (guarded.greetDue, guarded.greetEnd) = (now, now &+ HubTransport.greetingPatience)
      watch(&guarded)
      return true
    }
    guard isHere else { throw HubTransport.lie("a second welcome") }
    post(.connected(welcome.permissions))
  }

  func resume(_ received: UInt64, _ now: Int64) throws(MediaError) {
    let isGood = guarded.withLock { guarded in
      guard case .reconnecting = guarded.phase, guarded.hasSaidHello, guarded.line != nil, guarded.log.confirm(received, now: now) else {
        return false
      }
      guarded.phase = .here
      if let address = guarded.addresses.current { guarded.media?.move(to: address) }
      guarded.log.beginAgain(now: now)
      return true
    }
    guard isGood else { throw HubTransport.lie("a confirmation of messages that it cannot have received") }
    post(.reconnected)
  }
}
