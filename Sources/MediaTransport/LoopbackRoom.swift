import MediaCore
import Synchronization

/// All the rooms of this process, by name.
enum LoopbackRooms {
  private static let rooms = Monitor<[String: LoopbackRoom]>([:])

  /// Runs under the registry's lock, so that a room does not vanish between being found and being used.
  static func with<Result>(_ name: String, clock: any MediaClock, _ body: (LoopbackRoom) throws(MediaError) -> Result)
    throws(MediaError) -> Result
  {
    try rooms.withLock { rooms throws(MediaError) in
      let room = rooms[name] ?? LoopbackRoom(name: name, clock: clock)
      defer { rooms[name] = room.isForgotten ? nil : room }
      guard room.clock === clock || !(room.clock.isVirtual || clock.isVirtual) else {
        throw MediaError(.state, "room \"\(name.prefix(64))\" runs on the clock of another engine, and one of the two is virtual")
      }
      return try body(room)
    }
  }

  static func removeIfEmpty(_ name: String) {
    rooms.withLock { rooms in
      if let room = rooms[name], room.isForgotten { rooms[name] = nil }
    }
  }

  /// Empty rooms lose the scripts that they were given in that time.
  static func forgetScripts(of clock: any MediaClock) {
    rooms.withLock { rooms in
      rooms = rooms.filter { !($0.value.clock === clock && $0.value.isEmpty) }
    }
  }
}

/// One room: who is in it, what they publish, who receives it, and what its network does. Everything under one lock, in which nothing foreign
/// runs: events are posted to the members' own loops.
final class LoopbackRoom: Sendable {
  struct Receiver {
    let transport: LoopbackTransport
    let sink: any MediaSink
  }

  struct Published {
    var description: StreamDescription
    let publisher: LoopbackTransport
    var receivers: [Receiver] = []
    /// The level of whoever is speaking.
    var speakingLevel: UInt32?
  }

  struct State {
    /// In order of joining.
    var members: [LoopbackTransport] = []
    /// On their way in: connecting, or held up by a cut network.
    var waiting: [LoopbackTransport] = []
    var streams: [StreamID: Published] = [:]
    var scriptForAll: NetworkScript?
    var scripts: [String: NetworkScript] = [:]

    func script(for userID: String) -> NetworkScript? {
      scripts.isEmpty ? scriptForAll : scripts[userID] ?? scriptForAll
    }
  }

  private static let nextStream = Atomic<UInt64>(1)

  let name: String
  let clock: any MediaClock
  let state = Monitor(State())

  init(name: String, clock: any MediaClock) {
    self.name = name
    self.clock = clock
  }

  var isEmpty: Bool { state.withLock { $0.members.isEmpty && $0.waiting.isEmpty } }
  /// Nobody is in it and nothing is to be remembered.
  var isForgotten: Bool {
    state.withLock { $0.members.isEmpty && $0.waiting.isEmpty && $0.scriptForAll == nil && $0.scripts.isEmpty }
  }

  static func makeStreamID() -> StreamID {
    StreamID(value: nextStream.add(1, ordering: .relaxed).oldValue)
  }

  func setScript(_ script: NetworkScript?, userID: String?) {
    let members = state.withLock { state in
      if let userID {
        state.scripts[userID] = script
      } else {
        state.scriptForAll = script
      }
      return state.members + state.waiting
    }
    for member in members { member.followScript() }
  }

  // MARK: Coming and going

  func wait(_ newcomer: LoopbackTransport) {
    state.withLock { $0.waiting.append(newcomer) }
  }

  func join(_ newcomer: LoopbackTransport) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      state.waiting.removeAll { $0 === newcomer }
      guard !state.members.contains(where: { $0.member.userID == newcomer.member.userID }) else {
        throw MediaError(.exists, "user id \"\(newcomer.member.userID)\" is taken in room \"\(name.prefix(64))\"")
      }
      newcomer.post(.connected)
      for member in state.members {
        newcomer.post(.joined(member.member))
        member.post(.joined(newcomer.member))
      }
      for stream in state.streams.values.sorted(by: { $0.description.id.value < $1.description.id.value }) {
        newcomer.post(.streamAdded(stream.description))
        if let level = stream.speakingLevel {
          newcomer.post(.speaking(stream.description.id, userID: stream.description.userID, true, level: level))
        }
      }
      state.members.append(newcomer)
    }
  }

  func leave(_ leaver: LoopbackTransport) {
    state.withLock { state in
      state.waiting.removeAll { $0 === leaver }
      guard let index = state.members.firstIndex(where: { $0 === leaver }) else { return }
      state.members.remove(at: index)
      for id in state.streams.keys.sorted(by: { $0.value < $1.value }) {
        if state.streams[id]?.publisher === leaver {
          remove(id, from: &state)
        } else {
          removeReceiver(leaver, of: id, in: &state)
        }
      }
      for member in state.members { member.post(.left(userID: leaver.member.userID)) }
    }
    LoopbackRooms.removeIfEmpty(name)
  }

  // MARK: Streams

  func publish(_ description: StreamDescription, by publisher: LoopbackTransport) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      guard state.members.contains(where: { $0 === publisher }) else {
        throw MediaError(.state, "the session is not in its room")
      }
      state.streams[description.id] = Published(description: description, publisher: publisher)
      for member in state.members where member !== publisher { member.post(.streamAdded(description)) }
    }
  }

  func unpublish(_ id: StreamID) {
    state.withLock { state in remove(id, from: &state) }
  }

  func setMuted(_ id: StreamID, _ isMuted: Bool, by publisher: LoopbackTransport) {
    state.withLock { state in
      guard state.streams[id]?.publisher === publisher, state.streams[id]?.description.isMuted != isMuted else { return }
      state.streams[id]?.description.isMuted = isMuted
      for member in state.members where member !== publisher { member.post(.streamMuted(id, isMuted)) }
    }
  }

  func setSpeaking(_ id: StreamID, _ isSpeaking: Bool, level: UInt32, by publisher: LoopbackTransport) {
    state.withLock { state in
      guard let stream = state.streams[id], stream.publisher === publisher else { return }
      state.streams[id]?.speakingLevel = isSpeaking ? level : nil
      let userID = stream.description.userID
      for member in state.members where member !== publisher { member.post(.speaking(id, userID: userID, isSpeaking, level: level)) }
    }
  }

  func subscribe(_ receiver: Receiver, to id: StreamID) {
    state.withLock { state in
      guard var stream = state.streams[id], !stream.receivers.contains(where: { $0.transport === receiver.transport }) else { return }
      stream.receivers.append(receiver)
      state.streams[id] = stream
      stream.publisher.post(.receivers(id, stream.receivers.count))
      stream.publisher.post(.keyFrameRequested(id))
    }
  }

  func unsubscribe(_ receiver: LoopbackTransport, from id: StreamID) {
    state.withLock { state in removeReceiver(receiver, of: id, in: &state) }
  }

  func publisher(of id: StreamID) -> LoopbackTransport? {
    state.withLock { $0.streams[id]?.publisher }
  }

  private func remove(_ id: StreamID, from state: inout State) {
    guard let stream = state.streams.removeValue(forKey: id) else { return }
    for member in state.members where member !== stream.publisher { member.post(.streamRemoved(id)) }
  }

  private func removeReceiver(_ receiver: LoopbackTransport, of id: StreamID, in state: inout State) {
    guard var stream = state.streams[id], let index = stream.receivers.firstIndex(where: { $0.transport === receiver }) else { return }
    stream.receivers.remove(at: index)
    state.streams[id] = stream
    stream.publisher.post(.receivers(id, stream.receivers.count))
  }
}
