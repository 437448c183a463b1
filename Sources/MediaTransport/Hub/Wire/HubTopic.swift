/// What a message is about, so that of those that were not said yet the newest can make others void: who is slow, or away for a moment, is told
/// how it is now, and not all that was. Numbers of one's own and of others' streams never meet in one topic.
enum HubTopic: Hashable, Sendable {
  case member(String)
  case moderation(String)
  case stream(UInt32)
  case format(UInt32)
  case muted(UInt32)
  case speaking(UInt32)
  case subscription(UInt32)
  case keyFrame(UInt32)
  case wanted(UInt32)
  case receivers(UInt32)
  case permissions(String)
  case expiring
  /// Of renewals, and of the tokens for them.
  case renewal
  /// Of one's own.
  case attribute(String)
}

/// What a message does to those about the same that were not said yet.
enum HubMeaning: Sendable {
  /// Nothing.
  case news
  /// The newest is all that counts.
  case state(HubTopic)
  case begins(HubTopic)
  /// Where the beginning was not said, neither is to be; and nothing else of it.
  case ends(HubTopic, with: [HubTopic] = [])
}

extension HubNotice {
  var meaning: HubMeaning {
    switch self {
    case .welcome, .received, .ended, .resumed: .news
    case .joined(let member): .begins(.member(member.userID))
    case .left(let userID): .ends(.member(userID), with: [.permissions(userID)])
    case .streamAdded(let stream): .begins(.stream(stream.number))
    case .streamRemoved(let number): .ends(.stream(number), with: [.muted(number), .speaking(number)])
    case .streamMuted(let number, _): .state(.muted(number))
    case .speaking(let number, _, _, _): .state(.speaking(number))
    case .moderated(let userID, let moderation, _): moderation == .removed ? .news : .state(.moderation(userID))
    case .keyFrameRequested(let number): .state(.keyFrame(number))
    case .receivers(let number, _): .state(.receivers(number))
    case .wanted(let number, _): .state(.wanted(number))
    case .permissionsChanged(let userID, _): .state(.permissions(userID))
    case .accessExpiring: .state(.expiring)
    case .accessRenewed: .state(.renewal)
    // Of whom much changes while much waits, all is said later (`HubPeerAttributes`).
    case .attribute, .attributes: .news
    }
  }
}

extension HubRequest {
  var meaning: HubMeaning {
    switch self {
    case .hello, .received, .leave: .news
    case .publish(let number, _, _, _): .begins(.stream(number))
    case .unpublish(let number): .ends(.stream(number), with: [.format(number), .muted(number), .speaking(number)])
    case .setFormat(let number, _): .state(.format(number))
    case .setMuted(let number, _): .state(.muted(number))
    case .setSpeaking(let number, _, _): .state(.speaking(number))
    case .subscribe(let number, _): .begins(.subscription(number))
    case .unsubscribe(let number): .ends(.subscription(number), with: [.keyFrame(number)])
    case .requestKeyFrame(let number): .state(.keyFrame(number))
    case .prefer(let number, _): .state(.wanted(number))
    case .remove: .news
    case .mute(let userID, _): .state(.moderation(userID))
    case .renew: .state(.renewal)
    // Removals stay, so that what is set never is one too many on its way.
    case .setAttribute(let key, let value): value == nil ? .news : .state(.attribute(key))
    }
  }
}
