/// What a participant of LiveKit may do.
public struct LiveKitAccess: Sendable, Equatable {
  /// Of what kind: "camera", "microphone", "screen_share", "screen_share_audio".
  public let sources: [String]
  /// Tracks of others.
  public let subscribes: Bool
  /// What is said of it: attributes.
  public let describes: Bool
  /// Data, beside tracks.
  public let sendsData: Bool
  /// MSDK_MAY_*, of a server of this library; nil: it is not known.
  public var mask: UInt32?

  /// Of those sources, none or all of them included.
  public init(sources: [String], subscribes: Bool, describes: Bool, sendsData: Bool) {
    (self.sources, self.subscribes, self.describes, self.sendsData) = (sources, subscribes, describes, sendsData)
  }

  /// What tracks may be of.
  public static let all = ["camera", "microphone", "screen_share", "screen_share_audio"]

  init(_ permission: LiveKitPermission?, mask: UInt32? = nil) {
    self.mask = mask
    let all = LiveKitAccess.all
    (subscribes, describes) = (permission?.canSubscribe ?? true, permission?.canUpdateMetadata ?? false)
    sendsData = permission?.canPublishData ?? true
    guard permission?.canPublish ?? true else {
      sources = []
      return
    }
    let named: [String] = (permission?.sources ?? []).compactMap { source in
      switch source {
      case .camera: all[0]
      case .microphone: all[1]
      case .screenShare: all[2]
      case .screenShareAudio: all[3]
      case .unknown: nil
      }
    }
    sources = named.isEmpty ? all : named
  }

  var permission: LiveKitPermission {
    var permission = LiveKitPermission()
    (permission.canSubscribe, permission.canPublish) = (subscribes, !sources.isEmpty)
    (permission.canPublishData, permission.canUpdateMetadata) = (sendsData, describes)
    let kinds: [LiveKitSource] = [.camera, .microphone, .screenShare, .screenShareAudio]
    // None stands for all.
    if sources.count < LiveKitAccess.all.count {
      permission.sources = zip(LiveKitAccess.all, kinds).filter { sources.contains($0.0) }.map(\.1)
    }
    return permission
  }
}
