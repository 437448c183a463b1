import MediaCore
import MediaRuntime
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
        throw MediaError(.unsupported, "room \"\(name.prefix(64))\" uses the clock of another engine, and one of the two is virtual")
      }
      return try body(room)
    }
  }

  /// nil: nobody is in it.
  static func find(_ name: String) -> LoopbackRoom? { rooms.withLock { $0[name] } }

  static func removeIfEmpty(_ name: String) {
    rooms.withLock { rooms in
      if let room = rooms[name], room.isForgotten { rooms[name] = nil }
    }
  }

  /// The engine of that clock goes: what it set is forgotten once a room is empty. Returns its verifiers and who waits for them.
  static func forgetSettings(of clock: any MediaClock) -> [(any AccessVerifier, [LoopbackTransport])] {
    rooms.withLock { rooms in
      let verifiers = rooms.values.compactMap { $0.disown(clock) }
      rooms = rooms.filter { !$0.value.isForgotten }
      return verifiers
    }
  }
}

/// One room: who is in it, what they publish, who receives it, and what its network does. Everything under one lock, in which nothing foreign
/// runs: events are posted to the members' own loops.
final class LoopbackRoom: Sendable {
  /// An object, so that who sends to it counts one reference.
  final class Receiver: Sendable {
    let transport: LoopbackTransport
    let sink: StreamSink
    /// nil: of a stream in one layer.
    let layers: ReceiverLayers?

    init(transport: LoopbackTransport, sink: StreamSink, layers: ReceiverLayers?) {
      (self.transport, self.sink, self.layers) = (transport, sink, layers)
    }
  }

  struct Published {
    var description: StreamDescription
    let publisher: LoopbackTransport
    /// nil: in one layer.
    let layers: LayerFigures?
    var receivers: [Receiver] = []
    /// For those who send: as `receivers` and the script of the publisher are.
    let route: Snapshot<LoopbackRoute>
    /// The level of whoever is speaking.
    var speakingLevel: UInt32?
    /// By member, whether they receive it or not; who is not in it prefers nothing.
    var preferences: [ObjectIdentifier: VideoPreference] = [:]
    var hold = PreferenceHold()
    /// When `hold` is looked at next.
    var holdDue = Int64.max
    var demand = LayerDemand(layers: 1)
    /// When `demand` is looked at next.
    var demandDue = Int64.max

    func preference(of member: LoopbackTransport) -> VideoPreference { preferences[ObjectIdentifier(member)] ?? .any }

    /// What of it the publisher is to know.
    func wish(of member: LoopbackTransport) -> VideoPreference { preference(of: member).ofSender }

    /// nil without receivers.
    var wanted: VideoPreference? {
      guard let first = receivers.first else { return nil }
      return receivers.dropFirst().reduce(wish(of: first.transport)) { $0.union(wish(of: $1.transport)) }
    }
  }

  struct State {
    /// In order of joining.
    var members: [LoopbackTransport] = []
    /// On their way in: connecting, or held up by a cut network.
    var waiting: [LoopbackTransport] = []
    var streams: [StreamID: Published] = [:]
    var permissions: [ObjectIdentifier: Permissions] = [:]
    var scriptForAll: NetworkScript?
    var scripts: [String: NetworkScript] = [:]
    var access = RoomAccess()
    /// The clocks of the engines that set these and are there.
    var scriptOwner: (any MediaClock)?
    var accessOwner: (any MediaClock)?

    var isScripted: Bool { scriptForAll != nil || !scripts.isEmpty }

    func script(for userID: String) -> NetworkScript? {
      scripts.isEmpty ? scriptForAll : scripts[userID] ?? scriptForAll
    }
  }

  let name: String
  let clock: any MediaClock
  let state = Monitor(State())

  init(name: String, clock: any MediaClock) {
    self.name = name
    self.clock = clock
  }

  /// Nobody is in it and nothing is to be remembered.
  var isForgotten: Bool {
    state.withLock { $0.members.isEmpty && $0.waiting.isEmpty && $0.scriptOwner == nil && $0.accessOwner == nil }
  }

  /// Returns those who are to follow it, outside the registry's lock: who enters then may be found to have left, and take the room away.
  func setScript(_ script: NetworkScript?, userID: String?, owner: any MediaClock) -> [LoopbackTransport] {
    state.withLock { state in
      if let userID {
        state.scripts[userID] = script
      } else {
        state.scriptForAll = script
      }
      state.scriptOwner = state.isScripted ? owner : nil
      for id in state.streams.keys { followRoute(id, in: state) }
      return state.members + state.waiting
    }
  }

  var isScripted: Bool { state.withLock { $0.isScripted } }

  // MARK: Access

  var access: RoomAccess { state.withLock { $0.access } }

  /// nil: open to everybody. Returns the former verifier, and those who may wait for its answer.
  func setAccess(_ access: RoomAccess?, owner: any MediaClock) -> ((any AccessVerifier)?, [LoopbackTransport]) {
    state.withLock { state in
      let former = state.access.verifier
      state.access = access ?? RoomAccess()
      state.accessOwner = access == nil ? nil : owner
      return (former, state.waiting + state.members)
    }
  }

  func disown(_ clock: any MediaClock) -> (any AccessVerifier, [LoopbackTransport])? {
    state.withLock { state in
      if state.scriptOwner === clock { state.scriptOwner = nil }
      guard state.accessOwner === clock else { return nil }
      state.accessOwner = nil
      guard let verifier = state.access.verifier else { return nil }
      state.access.verifier = DepartedVerifier()
      return (verifier, state.waiting + state.members)
    }
  }

  // MARK: Coming and going

  func wait(_ newcomer: LoopbackTransport) {
    state.withLock { $0.waiting.append(newcomer) }
  }

  func join(_ newcomer: LoopbackTransport, _ permissions: Permissions) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      state.waiting.removeAll { $0 === newcomer }
      try makeRoom(for: newcomer.member.userID, in: &state)
      var member = newcomer.member
      member.permissions = permissions
      member.attributes = newcomer.attributes.withLock { $0 }
      newcomer.post(.connected(permissions))
      for other in state.members {
        var known = other.member
        known.permissions = state.permissions[ObjectIdentifier(other)] ?? []
        known.attributes = other.attributes.withLock { $0 }
        newcomer.post(.joined(known))
        other.post(.joined(member))
      }
      for (_, stream) in state.streams.inKeyOrder {
        newcomer.post(.streamAdded(stream.description))
        if let level = stream.speakingLevel {
          newcomer.post(.speaking(stream.description.id, userID: stream.description.userID, true, level: level))
        }
      }
      state.members.append(newcomer)
      state.permissions[ObjectIdentifier(newcomer)] = permissions
    }
  }

  private func makeRoom(for userID: String, in state: inout State) throws(MediaError) {
    if let former = state.members.first(where: { $0.member.userID == userID }) {
      guard state.access.replacesDuplicates else {
        throw MediaError(.exists, "user id \"\(userID)\" is already in use in room \"\(name.prefix(64))\"")
      }
      let reason = MediaError(.removed, "replaced: user id \"\(userID)\" entered room \"\(name.prefix(64))\" again with another session")
      return putOut(former, because: reason, from: &state)
    }
    guard state.members.count < state.access.capacity else {
      let (taken, most) = (state.members.count, state.access.capacity)
      throw MediaError(.full, "room \"\(name.prefix(64))\" is full: it has \(taken) of at most \(most) members")
    }
  }

  func leave(_ leaver: LoopbackTransport) {
    state.withLock { state in
      state.waiting.removeAll { $0 === leaver }
      take(leaver, from: &state)
    }
    LoopbackRooms.removeIfEmpty(name)
  }

  private func take(_ leaver: LoopbackTransport, from state: inout State) {
    guard let index = state.members.firstIndex(where: { $0 === leaver }) else { return }
    state.members.remove(at: index)
    state.permissions[ObjectIdentifier(leaver)] = nil
    for id in state.streams.keys.sorted() {
      if state.streams[id]?.publisher === leaver {
        remove(id, from: &state)
      } else {
        removeReceiver(leaver, of: id, in: &state)
        state.streams[id]?.preferences[ObjectIdentifier(leaver)] = nil
      }
    }
    for member in state.members { member.post(.left(userID: leaver.member.userID)) }
  }

  private func putOut(_ member: LoopbackTransport, because reason: MediaError, from state: inout State) {
    take(member, from: &state)
    member.putOut(because: reason)
  }

  // MARK: Renewal

  /// What they may not any more ends: streams of theirs are withdrawn, those of others are not received. False: they are not a member.
  func change(_ permissions: Permissions, of member: LoopbackTransport) -> Bool {
    state.withLock { state in
      guard let former = state.permissions[ObjectIdentifier(member)] else { return false }
      guard former != permissions else { return true }
      state.permissions[ObjectIdentifier(member)] = permissions
      for (id, stream) in state.streams.inKeyOrder {
        if stream.publisher === member {
          if !permissions.isSuperset(of: stream.description.format.needed) { remove(id, from: &state) }
        } else if !permissions.contains(.receive) {
          removeReceiver(member, of: id, in: &state)
        }
      }
      for other in state.members { other.post(.permissionsChanged(userID: member.member.userID, permissions)) }
      return true
    }
  }

  func expire(_ member: LoopbackTransport) {
    state.withLock { state in
      guard state.permissions[ObjectIdentifier(member)] != nil else { return }
      let (user, room) = (member.member.userID.prefix(64), name.prefix(64))
      let reason = MediaError(.permission, "the access of \"\(user)\" to room \"\(room)\" expired, and was not renewed in time")
      putOut(member, because: reason, from: &state)
    }
  }

  // MARK: Moderation

  /// Who moderates.
  enum Moderator {
    /// Who needs the permission.
    case member(LoopbackTransport)
    /// Who has it anyway; known to the room by that name, or (empty) not at all.
    case administrator(String)

    var userID: String {
      switch self {
      case .member(let transport): transport.member.userID
      case .administrator(let name): name
      }
    }
  }

  func remove(_ userID: String, reason: String, by moderator: Moderator) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      let target = try target(userID, of: moderator, in: state)
      let who = moderator.userID.isEmpty ? "an administrator" : "\"\(moderator.userID.prefix(64))\""
      let words = "removed from room \"\(name.prefix(64))\" by \(who)"
      target.post(.moderated(by: moderator.userID, .removed, reason: reason))
      putOut(target, because: MediaError(.removed, reason.isEmpty ? words : "\(words): \(reason)"), from: &state)
    }
  }

  func mute(_ userID: String, _ isMuted: Bool, by moderator: Moderator) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      let target = try target(userID, of: moderator, in: state)
      target.post(.moderated(by: moderator.userID, isMuted ? .muted : .unmuted, reason: ""))
    }
  }

  private func target(_ userID: String, of moderator: Moderator, in state: State) throws(MediaError) -> LoopbackTransport {
    if case .member(let moderator) = moderator {
      try require(.moderate, of: moderator, to: "moderate", in: state)
      guard userID != moderator.member.userID else {
        throw MediaError(.invalid, "user_id is \"\(userID)\", which is the session's own; accepted: another member of the room")
      }
    }
    guard let target = state.members.first(where: { $0.member.userID == userID }) else {
      throw MediaError(.notFound, "user_id is \"\(userID)\"; no member of room \"\(name.prefix(64))\" has it")
    }
    return target
  }

  private func require(_ needed: Permissions, of member: LoopbackTransport, to what: String, in state: State) throws(MediaError) {
    guard let permissions = state.permissions[ObjectIdentifier(member)] else {
      throw MediaError(.state, "the session is not in its room")
    }
    guard permissions.isSuperset(of: needed) else {
      throw MediaError(.permission, "room \"\(name.prefix(64))\" does not permit \"\(member.member.userID.prefix(64))\" to \(what)")
    }
  }

  // MARK: Data

  /// `pass` is called with those whom it is for, under the room's lock: what they learn of the room before and after stays in order.
  func send(
    _ message: DataMessage, by sender: LoopbackTransport, except places: Set<ObjectIdentifier>,
    _ pass: (_ receivers: [LoopbackTransport], NetworkScript?) throws(MediaError) -> Void
  ) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      try require(.sendData, of: sender, to: "send data", in: state)
      let receivers = state.members.filter { one in
        one !== sender && message.isFor(one.member.userID) && !places.contains(ObjectIdentifier(one))
      }
      try pass(receivers, state.script(for: sender.member.userID))
    }
  }

  // MARK: Streams

  func publish(_ description: StreamDescription, _ layers: StreamLayers, by publisher: LoopbackTransport) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      try require(description.format.needed, of: publisher, to: description.format.publishing, in: state)
      let route = LoopbackRoute(to: [], under: state.script(for: publisher.member.userID))
      let count = layers.layers.count
      let figures = count > 1 ? LayerFigures(count: count) : nil
      var stream = Published(description: description, publisher: publisher, layers: figures, route: Snapshot(route))
      stream.demand = LayerDemand(layers: count)
      state.streams[description.id] = stream
      for member in state.members where member !== publisher { member.post(.streamAdded(description)) }
    }
  }

  func unpublish(_ id: StreamID, by publisher: LoopbackTransport) {
    state.withLock { state in
      if state.streams[id]?.publisher === publisher { remove(id, from: &state) }
    }
  }

  func setFormat(_ id: StreamID, _ format: StreamFormat, by publisher: LoopbackTransport) {
    state.withLock { state in
      if state.streams[id]?.publisher === publisher { state.streams[id]?.description.format = format }
    }
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

  func subscribe(_ receiver: LoopbackTransport, _ sink: StreamSink, to id: StreamID) {
    state.withLock { state in
      guard state.permissions[ObjectIdentifier(receiver)]?.contains(.receive) == true, var stream = state.streams[id],
        !stream.receivers.contains(where: { $0.transport === receiver })
      else { return }
      let layers = stream.layers.map { _ in ReceiverLayers(preferring: stream.preference(of: receiver)) }
      stream.receivers.append(Receiver(transport: receiver, sink: sink, layers: layers))
      state.streams[id] = stream
      followRoute(id, in: state)
      followDemand(id, in: &state)
      stream.publisher.post(.receivers(id, stream.receivers.count))
      stream.publisher.post(.keyFrameRequested(id))
      note(stream.wish(of: receiver), insteadOf: nil, of: id, in: &state)
    }
  }

  func unsubscribe(_ receiver: LoopbackTransport, from id: StreamID) {
    state.withLock { state in removeReceiver(receiver, of: id, in: &state) }
  }

  func prefer(_ preference: VideoPreference, of id: StreamID, by receiver: LoopbackTransport) {
    state.withLock { state in
      let key = ObjectIdentifier(receiver)
      guard state.permissions[key] != nil, let stream = state.streams[id], case .video = stream.description.format else { return }
      let former = stream.preference(of: receiver)
      guard former != preference else { return }
      state.streams[id]?.preferences[key] = preference == .any ? nil : preference
      guard let place = stream.receivers.first(where: { $0.transport === receiver }) else { return }
      place.layers?.prefer(preference)
      followDemand(id, in: &state)
      // A priority alone is nothing to the publisher.
      if former.ofSender != preference.ofSender { note(preference.ofSender, insteadOf: former.ofSender, of: id, in: &state) }
    }
  }

  private func note(_ wish: VideoPreference?, insteadOf former: VideoPreference?, of id: StreamID, in state: inout State) {
    // Most streams are preferred by nobody.
    guard let stream = state.streams[id], !stream.preferences.isEmpty || stream.hold.inForce != .any else { return }
    state.streams[id]?.hold.note(wish, insteadOf: former, now: clock.now())
    followWishes(id, in: &state)
  }

  /// Lets the publisher know what is wanted, now and when it is due.
  private func followWishes(_ id: StreamID, in state: inout State) {
    guard let stream = state.streams[id] else { return }
    if let wanted = state.streams[id]?.hold.news(now: clock.now(), { stream.wanted }) { stream.publisher.post(.wanted(id, wanted)) }
    guard let due = state.streams[id]?.hold.due, due < stream.holdDue else { return }
    state.streams[id]?.holdDue = due
    stream.publisher.loop.schedule(at: due) {
      self.state.withLock { state in
        guard state.streams[id]?.holdDue == due else { return }
        state.streams[id]?.holdDue = .max
        self.followWishes(id, in: &state)
      }
    }
  }

  func publisher(of id: StreamID) -> LoopbackTransport? {
    state.withLock { $0.streams[id]?.publisher }
  }

  /// Of whom a member receives something, in the order of their joining, and what.
  func publishers(to receiver: LoopbackTransport) -> [(publisher: LoopbackTransport, streams: [StreamID])] {
    state.withLock { state in
      let received = state.streams.filter { $0.value.receivers.contains { $0.transport === receiver } }
      return state.members.compactMap { member in
        let own = received.filter { $0.value.publisher === member }.keys.sorted()
        return own.isEmpty ? nil : (member, own)
      }
    }
  }

  /// After a change of those who receive a stream, or of a script.
  private func followRoute(_ id: StreamID, in state: State) {
    guard let stream = state.streams[id] else { return }
    stream.route.replace(with: LoopbackRoute(to: stream.receivers, under: state.script(for: stream.publisher.member.userID)))
  }

  private func remove(_ id: StreamID, from state: inout State) {
    guard let stream = state.streams.removeValue(forKey: id) else { return }
    stream.route.replace(with: LoopbackRoute(to: [], under: nil, isOver: true))
    for member in state.members where member !== stream.publisher { member.post(.streamRemoved(id)) }
  }

  private func removeReceiver(_ receiver: LoopbackTransport, of id: StreamID, in state: inout State) {
    guard var stream = state.streams[id], let index = stream.receivers.firstIndex(where: { $0.transport === receiver }) else { return }
    stream.receivers.remove(at: index)
    state.streams[id] = stream
    followRoute(id, in: state)
    stream.publisher.post(.receivers(id, stream.receivers.count))
    note(nil, insteadOf: stream.wish(of: receiver), of: id, in: &state)
    followDemand(id, in: &state)
  }
}
