import CMediaSDK
import MediaCore
import MediaPlugins
import MediaTransport

/// The renderers of a session's whole call, and the streams that were started for them.
struct SessionRenderers {
  static let limit = 8

  var all: [CallRenderer] = []
  var started: [IncomingVideo] = []
  /// Those that were stopped when the last renderer left, to be started for the next one.
  var paused: [IncomingVideo] = []
  var isClosed = false
}

extension Session {
  /// Attaches a renderer of the whole call: every participant and every screen share is an input, with `includingLocal` this user's too.
  /// Streams that were never started are started for it. Throws `.unsupported` for a class that renders one stream, `.full` when there are
  /// 8 such renderers, `.state` if the instance is attached already, and `.closed` once the session is closed.
  public func attachRenderer(_ renderer: PluginInstance, includingLocal: Bool = false) throws(MediaError) {
    guard renderer.takesInputs else {
      throw MediaError(
        .unsupported, "class \(renderer.descriptor.id) renders one stream; accepted: a class with update_input (plugin.h)")
    }
    let attachment = try renderer.attach(to: "a session", events: { self.push(.plugin($0.instance, $0)) }) { [weak self, weak renderer] in
      if let self, let renderer { self.forget(renderer) }
    }
    let added = CallRenderer(renderer, attachment, includesLocal: includingLocal, of: self)
    do throws(MediaError) {
      try renderer.initialiseRenderer()
      try renderers.withLock { renderers throws(MediaError) in
        guard !renderers.isClosed else { throw MediaError(.closed, "the session is destroyed") }
        guard renderers.all.count < SessionRenderers.limit else {
          throw MediaError(.full, "the session already has \(SessionRenderers.limit) renderers, the maximum")
        }
        renderers.all.append(added)
      }
      // Destroyed meanwhile, it was asked to leave before it was here.
      try renderer.checkAlive()
    } catch {
      forget(added)
      added.close()
      throw error
    }
    added.refresh()
  }

  /// Removes the renderer's inputs. The last one that leaves stops the streams that were started for renderers. Throws `.notFound` if it is
  /// not attached to the session.
  public func detachRenderer(_ renderer: PluginInstance) throws(MediaError) {
    guard forget(renderer) else { throw MediaError(.notFound, "the renderer is not attached to the session") }
  }

  @discardableResult
  private func forget(_ renderer: PluginInstance) -> Bool {
    guard let found = renderers.withLock({ $0.all.first { $0.instance === renderer } }) else { return false }
    return forget(found)
  }

  /// Says whether it was here.
  @discardableResult
  func forget(_ renderer: CallRenderer) -> Bool {
    let (wasHere, unneeded): (Bool, [IncomingVideo]) = renderers.withLock { renderers in
      guard let index = renderers.all.firstIndex(where: { $0 === renderer }) else { return (false, []) }
      renderers.all.remove(at: index)
      guard renderers.all.isEmpty else { return (true, []) }
      let started = renderers.started
      renderers.started = []
      renderers.paused = renderers.isClosed ? [] : (renderers.paused + started).filter { $0.state != .notAvailable }
      return (true, started)
    }
    guard wasHere else { return false }
    renderer.close()
    for stream in unneeded { stream.stop() }
    return true
  }

  /// Detaches and releases all, so that what they write is complete.
  func closeRenderers() {
    let all = renderers.withLock { renderers in
      renderers.isClosed = true
      renderers.paused = []
      return renderers.all
    }
    for renderer in all where forget(renderer) {
      do throws(MediaError) {
        try renderer.instance.release(.video)
      } catch {
        engine.logger.log(MSDK_LOG_WARN.level32, .plugin, error.text)
      }
    }
  }

  /// Something happened; to whom it matters is looked at by them.
  func refreshRenderers() {
    for renderer in renderers.withLock({ $0.all }) { renderer.refresh() }
  }

  // MARK: What they show

  /// Starts what nobody has started yet, and gives it. What the program stopped stays so.
  func startVideoForRenderers() -> [IncomingVideo] {
    var fresh: [IncomingVideo] = []
    let paused = renderers.withLock { $0.paused }
    for stream in incomingVideos
    where stream.state == .available || stream.state == .stopped && paused.contains(where: { $0 === stream }) {
      do throws(MediaError) {
        try stream.start()
      } catch {
        // The program was quicker, or it is gone, or of a codec that is not known here.
        continue
      }
      let isWanted = renderers.withLock { renderers in
        guard !renderers.all.isEmpty else { return false }
        renderers.started.removeAll { $0.state == .notAvailable }
        renderers.started.append(stream)
        renderers.paused.removeAll { $0 === stream }
        return true
      }
      if isWanted { fresh.append(stream) } else { stream.stop() }
    }
    return fresh
  }

  /// Whether a stream runs for renderers only; it does not any more.
  func handOver(_ stream: IncomingVideo) -> Bool {
    renderers.withLock { renderers in
      renderers.paused.removeAll { $0 === stream }
      guard let index = renderers.started.firstIndex(where: { $0 === stream }) else { return false }
      renderers.started.remove(at: index)
      return true
    }
  }

  /// Everybody who is in the room now, oneself first and the others as they came, then the screens and other further streams.
  func callInputs(includingLocal: Bool) -> [CallInput] {
    let facts = guarded.withLock { guarded in
      CallFacts(
        members: guarded.isInRoom ? guarded.members : [], isInRoom: guarded.isInRoom,
        incoming: guarded.incoming.inKeyOrder, outgoing: guarded.outgoing.inKeyOrder, sound: guarded.sound)
    }
    guard facts.isInRoom else { return [] }
    var people: [CallInput] = []
    var further: [CallInput] = []
    func add(_ member: Member, _ streams: [(StreamID, UInt32, CallInput.Source)], isLocal: Bool, isMuted: Bool) {
      var person = CallInput(key: .person(member.userID), input: RendererInput(member, UInt32(MSDK_VIDEO_VIRTUAL), isLocal: isLocal))
      person.input.isSpeaking = facts.sound.speakingLevel(of: member.userID) != nil
      person.input.isMuted = isMuted
      for (id, kind, source) in streams {
        let hasVideo = source.hasVideo
        if kind == UInt32(MSDK_VIDEO_VIRTUAL), person.source == nil {
          person.source = source
          person.input.hasVideo = hasVideo
        } else if hasVideo {
          var input = RendererInput(member, kind, isLocal: isLocal)
          input.hasVideo = true
          further.append(CallInput(key: .stream(id), input: input, source: source))
        }
      }
      people.append(person)
    }
    if includingLocal {
      add(
        Member(userID: options.userID, displayName: options.displayName),
        facts.outgoing.map { ($0.key, $0.value.options.kind.rawValue, .outgoing($0.value)) }, isLocal: true,
        isMuted: SessionAudio.areAllMuted(facts.sound.outgoing.values.map { $0.isMuted }))
    }
    for member in facts.members {
      add(
        member, facts.incoming.filter { $0.value.userID == member.userID }.map { ($0.key, $0.value.kind, .incoming($0.value)) },
        isLocal: false, isMuted: facts.sound.isMuted(member.userID))
    }
    return people + further
  }
}

/// A session as it is at one moment. Streams are asked for their states later, outside its lock.
private struct CallFacts {
  let members: [Member]
  let isInRoom: Bool
  let incoming: [(key: StreamID, value: IncomingVideo)]
  let outgoing: [(key: StreamID, value: OutgoingVideo)]
  let sound: SessionAudio
}

extension RendererInput {
  fileprivate init(_ member: Member, _ kind: UInt32, isLocal: Bool) {
    self.init(kind: kind, userID: member.userID, displayName: member.displayName)
    self.isLocal = isLocal
  }
}
