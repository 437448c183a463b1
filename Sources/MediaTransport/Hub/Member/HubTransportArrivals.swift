import MediaCore
import MediaNetwork
import MediaRTP

/// What comes from the hub, on the network thread: news and media.
extension HubTransport {
  /// An error when it is over.
  func follow(_ notice: HubNotice, _ now: Int64) throws(MediaError) -> MediaError? {
    switch notice {
    case .welcome(let welcome): try enter(welcome, now)
    case .resumed(let received): try resume(received, now)
    case .received(let count):
      guard guarded.withLock({ $0.log.confirm(count, now: now) }) else {
        throw HubTransport.lie("a confirmation of messages that it cannot have received")
      }
    case .ended(let error): return error
    case .joined(let member):
      let isNew = guarded.withLock { guarded in
        guard guarded.room.members.count < HubRoster.mostMembers, guarded.room.members[member.userID] == nil else { return false }
        guarded.room.members[member.userID] = member.attributes
        return true
      }
      guard isNew else { throw HubTransport.lie("a member who is already present") }
      post(.joined(member))
    case .left(let userID):
      guard guarded.withLock({ $0.room.members.removeValue(forKey: userID) }) != nil else {
        throw HubTransport.lie("the departure of an unknown member")
      }
      post(.left(userID: userID))
    case .streamAdded(let stream):
      guard let description = guarded.withLock({ $0.room.add(stream) }) else { throw HubTransport.lie("an invalid stream") }
      post(.streamAdded(description))
    case .streamRemoved(let number):
      guarded.withLock { guarded in
        if let slot = guarded.room.slot(of: number) { guarded.media?.handOnRest(of: slot, now: now) }
      }
      _ = hand(now)
      guard let id = guarded.withLock({ $0.room.remove(number, now: now) }) else { throw HubTransport.lie("the end of an unknown stream") }
      post(.streamRemoved(id))
    case .streamMuted(let number, let isMuted): try withOther(number) { .streamMuted($0, isMuted) }
    case .speaking(let number, let userID, let isSpeaking, let level):
      try withOther(number) { .speaking($0, userID: userID, isSpeaking, level: level) }
    case .moderated(let userID, let moderation, let reason): post(.moderated(by: userID, moderation, reason: reason))
    // Of streams of this end that may have ended meanwhile.
    case .keyFrameRequested(let number):
      let id: StreamID? = guarded.withLock { guarded in
        guard let id = guarded.room.own(number) else { return nil }
        // One that is on its way to the hub for certain is the answer.
        if let slot = guarded.room.own[id]?.slot, guarded.media?.isKeyFrameUnderWay(on: slot, isSure: true, at: now) == true { return nil }
        return id
      }
      if let id { post(.keyFrameRequested(id)) }
    case .receivers(let number, let count):
      if let id = guarded.withLock({ $0.room.setReceivers(number, count) }) { post(.receivers(id, count)) }
    case .wanted(let number, let preference):
      if let id = guarded.withLock({ $0.room.own(number) }) { post(.wanted(id, preference)) }
    // Of a member who has left again before it was known that they joined nothing is known.
    case .attribute(let userID, let key, let value):
      guard let former = guarded.withLock({ $0.room.members[userID] }) else { break }
      var attributes = former
      guard let isNew = try? attributes.set(key, value) else { throw HubTransport.lie("more attributes than a member can have") }
      if isNew { change(attributes, of: userID, from: former) }
    case .attributes(let userID, let attributes):
      if let former = guarded.withLock({ $0.room.members[userID] }) { change(attributes, of: userID, from: former) }
    case .permissionsChanged(let userID, let permissions):
      if userID == member.userID { guarded.withLock { $0.permissions = permissions } }
      post(.permissionsChanged(userID: userID, permissions))
    case .accessExpiring(let remaining): post(.accessExpiring(remaining))
    case .accessRenewed(let error): post(.accessRenewed(error))
    }
    return nil
  }

  private func change(_ attributes: ParticipantAttributes, of userID: String, from former: ParticipantAttributes) {
    guarded.withLock { $0.room.members[userID] = attributes }
    for (key, value) in former.changes(to: attributes) { post(.attributeChanged(userID: userID, key: key, value: value, revision: 0)) }
  }

  private func withOther(_ number: UInt32, _ event: (StreamID) -> TransportEvent) throws(MediaError) {
    guard let id = guarded.withLock({ $0.room.other(number) }) else { throw HubTransport.lie("a message about an unknown stream") }
    post(event(id))
  }

  /// Hands media on where nothing is locked; when it is due again.
  func hand(_ now: Int64) -> Int64 {
    var units: [(sink: any EncodedSink, picture: FrameID, frame: EncodedFrame)] = []
    var events: [TransportEvent] = []
    let due: Int64 = guarded.withLock { guarded in
      guard let media = guarded.media else { return .max }
      let due = media.poll(now: now)
      var list = guarded.taken
      guarded.taken = []
      media.takeArrivals(&list)
      for arrival in list {
        switch arrival {
        case .frame(let ssrc, let frame, _, let isAfterGap):
          if isAfterGap { guarded.stats.packetsLost &+= 1 }
          guard let slot = media.slot(receiving: ssrc),
            let place = guarded.room.arrived(slot, frame.native.pointee.codec, isAfterGap: isAfterGap)
          else {
            frame.release()
            continue
          }
          guarded.stats.bytesReceived &+= UInt64(frame.bytes.count)
          guarded.stats.packetsReceived &+= UInt64(NetworkLink.packets(bytes: frame.bytes.count))
          units.append((place.sink, place.picture, frame))
        case .lost(let ssrc, let count): guarded.miss(count, media.slot(receiving: ssrc))
        case .dropped(let ssrc): guarded.miss(1, media.slot(receiving: ssrc))
        case .event(.keyFrameRequested(let ssrc)):
          if let id = media.slot(sending: ssrc).flatMap({ guarded.room.own(at: $0) }) { events.append(.keyFrameRequested(id)) }
        case .event(.target(let rate)): events.append(.estimate(UInt64(clamping: rate)))
        case .event: break
        }
      }
      list.removeAll(keepingCapacity: true)
      guarded.taken = list
      return due
    }
    for event in events { post(event) }
    for unit in units {
      unit.sink.receive(unit.frame, unit.picture)
      unit.frame.release()
    }
    return due
  }
}

extension HubTransport.Guarded {
  /// So many frames of the stream at that place did not come, or found no memory.
  fileprivate mutating func miss(_ count: Int, _ slot: HubSlot?) {
    guard let slot else { return }
    stats.packetsLost &+= UInt64(clamping: count)
    room.missed(count, at: slot)
  }
}
