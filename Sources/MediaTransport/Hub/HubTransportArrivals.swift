import MediaCore
import MediaRTP

/// What comes from the hub, on the network thread: news and media.
extension HubTransport {
  /// An error when it is over.
  func follow(_ notice: HubNotice, _ now: Int64) throws(MediaError) -> MediaError? {
    switch notice {
    case .welcome(let welcome): try enter(welcome, now)
    case .resumed(let received): try resume(received, now)
    case .received(let count):
      guard guarded.withLock({ $0.log.confirm(count, now: now) }) else { throw HubTransport.lie("word of messages that it cannot have received") }
    case .ended(let error): return error
    case .joined(let member):
      let isNew = guarded.withLock { guarded in
        guarded.room.members.count < HubMembership.mostMembers && guarded.room.members.insert(member.userID).inserted
      }
      guard isNew else { throw HubTransport.lie("a member who is there already") }
      post(.joined(member))
    case .left(let userID):
      guard guarded.withLock({ $0.room.members.remove(userID) }) != nil else { throw HubTransport.lie("the leaving of nobody") }
      post(.left(userID: userID))
    case .streamAdded(let stream):
      guard let description = guarded.withLock({ $0.room.add(stream) }) else { throw HubTransport.lie("a stream that cannot be") }
      post(.streamAdded(description))
    case .streamRemoved(let number):
      guard let id = guarded.withLock({ $0.room.remove(number, now: now) }) else { throw HubTransport.lie("the end of no stream") }
      post(.streamRemoved(id))
    case .streamMuted(let number, let isMuted): try withOther(number) { .streamMuted($0, isMuted) }
    case .speaking(let number, let userID, let isSpeaking, let level):
      try withOther(number) { .speaking($0, userID: userID, isSpeaking, level: level) }
    case .moderated(let userID, let moderation, let reason): post(.moderated(by: userID, moderation, reason: reason))
    // Of streams of this end that may have ended meanwhile.
    case .keyFrameRequested(let number):
      if let id = guarded.withLock({ $0.room.own(number) }) { post(.keyFrameRequested(id)) }
    case .receivers(let number, let count):
      if let id = guarded.withLock({ $0.room.setReceivers(number, count) }) { post(.receivers(id, count)) }
    }
    return nil
  }

  private func withOther(_ number: UInt32, _ event: (StreamID) -> TransportEvent) throws(MediaError) {
    guard let id = guarded.withLock({ $0.room.other(number) }) else { throw HubTransport.lie("word of no stream") }
    post(event(id))
  }

  /// Hands media on where nothing is locked; when it is due again.
  func hand(_ now: Int64) -> Int64 {
    var units: [(sink: any MediaSink, picture: PictureID, frame: EncodedFrame)] = []
    var events: [TransportEvent] = []
    let due: Int64 = guarded.withLock { guarded in
      guard let media = guarded.media else { return .max }
      let due = media.poll(now: now)
      media.take { arrival in
        switch arrival {
        case .unit(let slot, let frame, let lost):
          guarded.stats.packetsLost &+= UInt64(clamping: lost)
          guard let place = guarded.room.arrived(slot, frame.native.pointee.codec, lost: lost) else { return frame.release() }
          guarded.stats.bytesReceived &+= UInt64(frame.bytes.count)
          guarded.stats.packetsReceived &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
          units.append((place.sink, place.picture, frame))
        case .keyFrameRequested(let slot):
          if let id = guarded.room.own(at: slot) { events.append(.keyFrameRequested(id)) }
        case .target(let rate): events.append(.estimate(UInt64(clamping: rate)))
        }
      }
      return due
    }
    for event in events { post(event) }
    for unit in units {
      unit.sink.receive(.encoded(unit.frame), unit.picture)
      unit.frame.release()
    }
    return due
  }
}
