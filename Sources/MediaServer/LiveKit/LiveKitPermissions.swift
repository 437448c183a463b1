import MediaSignalling
import MediaTransport

extension Permissions {
  /// Without what a token of an API key does not grant. It alone says who moderates.
  func within(_ grants: LiveKitGrants) -> Permissions {
    var rest = self
    let sources = grants.publishes ? (grants.sources.isEmpty ? LiveKitAccess.all : grants.sources) : []
    if !sources.contains("camera") { rest.remove(.publishVideo) }
    if !sources.contains("microphone") { rest.remove(.publishAudio) }
    if !sources.contains("screen_share") { rest.remove(.shareScreen) }
    if !grants.subscribes { rest.remove(.receive) }
    if !(grants.publishesData ?? grants.publishes) { rest.remove(.sendData) }
    if grants.isAdministrator { rest.insert(.moderate) } else { rest.remove(.moderate) }
    return rest
  }

  /// In the words of LiveKit's protocol. `describes`: they may say something of themselves.
  func access(describes: Bool) -> LiveKitAccess {
    let kinds: [Permissions] = [.publishVideo, .publishAudio, .shareScreen, .shareScreen]
    let sources = zip(LiveKitAccess.all, kinds).filter { contains($0.1) }.map(\.0)
    return LiveKitAccess(sources: sources, subscribes: contains(.receive), describes: describes, sendsData: contains(.sendData))
  }
}
