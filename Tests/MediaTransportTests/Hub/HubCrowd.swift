import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaTransport

/// A hub and many members, each on a machine of their own, with a network between them, all on one virtual clock. Everything that a member sees is
/// counted and goes into their journal, with its time.
final class HubCrowd {
  struct Size: Sendable {
    var members: Int
    /// The first of them.
    var publishers: Int
    var packets: Int
    var frames: Int
    /// Whose connections break, and who leaves: of those who publish nothing.
    var broken: Int
    var leaving: Int
  }

  /// One member, on the thread that advances the clock.
  final class Participant: TransportDelegate, EncodedSink, @unchecked Sendable {
    let name: String
    let machine: EmulatedHost
    fileprivate(set) var transport: HubTransport?
    /// What happened to themselves.
    private(set) var states: [String] = []
    private(set) var others: Set<String> = []
    private(set) var hasLeft: [String] = []
    /// Who came twice, or left and was not there.
    private(set) var mistakes = 0
    private(set) var streams: [StreamDescription] = []
    private(set) var speakers: [String] = []
    private(set) var muted = 0
    /// By stream, how many receive it.
    private(set) var receivers: [StreamID: Int] = [:]
    private(set) var keyFramesWanted = 0
    /// The numbers of what came, in order.
    private(set) var packets: [Int] = []
    private(set) var frames: [Int] = []
    private(set) var journal = Hasher()

    init(_ name: String, _ machine: EmulatedHost) { (self.name, self.machine) = (name, machine) }

    private func note(_ what: String, _ number: Int = 0) {
      journal.combine(what)
      journal.combine(number)
      journal.combine(machine.clock.now())
    }

    func transport(_ transport: any Transport, _ event: TransportEvent) {
      switch event {
      case .connected: states.append("connected")
      case .reconnecting: states.append("reconnecting")
      case .reconnected: states.append("reconnected")
      case .disconnected(let error): states.append("disconnected \(error?.text ?? "")")
      case .joined(let member):
        if !others.insert(member.userID).inserted { mistakes += 1 }
        note(member.userID)
      case .left(let userID):
        if others.remove(userID) == nil { mistakes += 1 }
        hasLeft.append(userID)
        note(userID)
      case .streamAdded(let stream):
        streams.append(stream)
        note(stream.userID, Int(stream.codec))
      case .speaking(_, let userID, let isSpeaking, _):
        speakers.append("\(userID) \(isSpeaking)")
        note(userID, isSpeaking ? 1 : 0)
      case .streamMuted(_, let isMuted):
        muted += 1
        note("muted", isMuted ? 1 : 0)
      case .receivers(let id, let count):
        receivers[id] = count
        note("receivers", count)
      case .keyFrameRequested:
        keyFramesWanted += 1
        note("key frame")
      case .estimate(let rate): note("estimate", Int(clamping: rate))
      default: note("other")
      }
      if let last = states.last { note(last, states.count) }
    }

    func receive(_ frame: EncodedFrame, _ picture: FrameID) {
      let number = frame.bytes.suffix(2).reduce(0) { $0 << 8 | Int($1) }
      let isSound = frame.bytes.first == HubMedium.toc
      if isSound { packets.append(number) } else { frames.append(number) }
      note(isSound ? "packet" : "frame", number)
    }
  }

  let size: Size
  let room: String
  let network: EmulatedNetwork
  let time: TestTime
  private let (loop, memberLoop): (EventLoop, EventLoop)
  private let machine: EmulatedHost
  let hub: HubServer
  private(set) var members: [Participant] = []
  private var published: [(video: StreamID, sound: StreamID)] = []
  private let pool = BufferPool(limit: 64)
  /// Enough for all that is sent, and known from the start: probing for more would send several times as much.
  private static let rates = BandwidthEstimator.Limits(minimum: 1_000_000, start: 2_000_000, maximum: 2_000_000)
  /// Every tenth member loses a packet in a hundred.
  private static let lossy = 10
  /// Less than a hub lets wait.
  private static let comeTogether = 100

  init(_ size: Size, seed: UInt64, _ name: String = #function) throws {
    self.size = size
    room = "crowd \(name) \(StreamID.next().value)"
    let clock = VirtualClock()
    network = EmulatedNetwork(clock: clock, seed: seed)
    time = TestTime(clock: clock)
    (loop, memberLoop) = (EventLoop("hub", clock: clock), EventLoop("members", clock: clock))
    machine = try network.addHost("10.0.0.1")
    var options = HubServer.Options([try #require(SocketAddress("10.0.0.1", port: 443))])
    options.mostMembers = size.members
    options.handshakes = WorkAllowance(burst: 200, perSecond: 20_000, now: 0)
    options.bitrates = HubCrowd.rates
    hub = try HubServer(room: room, options: options, loop: loop, thread: machine, network: machine)
  }

  /// All members come, so many at a time, and show where they are.
  func join() throws {
    let url = try HubURL("hub://10.0.0.1:443/\(room)?fingerprint=\(hub.fingerprint)", argument: "url")
    for number in 0..<size.members {
      let host = try network.addHost("10.1.\(number / 250).\(number % 250 + 1)")
      // Those who are as far away as others arrive together: everybody learns of all of them at once. And nobody is far: what all report twice a
      // second costs more than what they say.
      let conditions = EmulatedNetwork.Conditions(delay: Int64(1 + number % 5) * 1_000_000)
      host.setConditions(up: conditions, down: conditions)
      let member = Participant("member \(number)", host)
      let transport = HubTransport(
        url, member: Member(userID: member.name, displayName: ""), loop: memberLoop, thread: host, network: host, bitrates: HubCrowd.rates)
      member.transport = transport
      members.append(member)
      transport.connect(member)
      if members.count % HubCrowd.comeTogether == 0 { #expect(time.waits { member.states == ["connected"] }) }
    }
    #expect(time.waits { members.allSatisfy { $0.states == ["connected"] && $0.others.count == size.members - 1 } })
    #expect(time.waits { hub.peers.allSatisfy { $0.guarded.withLock { $0.isHeard && $0.media?.remote != nil } } })
    #expect(hub.memberCount == size.members)
  }

  var publishers: ArraySlice<Participant> { members.prefix(size.publishers) }

  /// Each hears one publisher and sees the next.
  private func sources(of number: Int) -> (sound: String, video: String) {
    (members[number % size.publishers].name, members[(number + 1) % size.publishers].name)
  }

  func publishAndSubscribe() throws {
    for member in publishers {
      let transport = try #require(member.transport)
      let (video, sound) = (transport.makeStreamID(), transport.makeStreamID())
      let format = VideoFormat(.i420, width: 64, height: 48, frameRate: FrameRate(10))
      try transport.publish(video, codec: UInt32(MSDK_CODEC_VP8), format: .video(format, kind: 1))
      let audio = StreamFormat.audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1)
      try transport.publish(sound, codec: UInt32(MSDK_CODEC_OPUS), format: audio)
      published.append((video, sound))
    }
    #expect(
      time.waits { members.enumerated().allSatisfy { $1.streams.count == 2 * (size.publishers - ($0 < size.publishers ? 1 : 0)) } })
    for (number, member) in members.enumerated() {
      let wanted = sources(of: number)
      for stream in member.streams
      where stream.userID == (stream.codec == UInt32(MSDK_CODEC_OPUS) ? wanted.sound : wanted.video) {
        member.transport?.subscribe(to: stream.id, member)
      }
    }
    #expect(
      time.waits {
        zip(publishers, published).allSatisfy { member, streams in
          let sound = members.indices.count { sources(of: $0).sound == member.name && members[$0] !== member }
          let video = members.indices.count { sources(of: $0).video == member.name && members[$0] !== member }
          return member.receivers[streams.sound] == sound && member.receivers[streams.video] == video
        }
      })
  }

  /// Their links get worse, once all have begun to see something: what was lost before that is not known to be missing, and would take another key frame.
  private func worsenLinks() {
    for (number, member) in members.enumerated() {
      let delay = Int64(5 + number % 20) * 1_000_000
      let isLossy = number % HubCrowd.lossy == HubCrowd.lossy - 1
      let conditions = EmulatedNetwork.Conditions(delay: delay, jitter: 2_000_000, loss: isLossy ? 10_000 : 0)
      member.machine.setConditions(up: conditions, down: conditions)
    }
  }

  /// They speak, and show themselves.
  func talk() throws {
    for (member, streams) in zip(publishers, published) { member.transport?.setSpeaking(streams.sound, true, level: 20) }
    let pause = 20 as Int64
    for number in 0..<size.packets {
      for (member, streams) in zip(publishers, published) {
        try send(number, isSound: true, by: member, on: streams.sound)
        let step = max(1, size.packets / size.frames)
        if number % step == 0, number / step < size.frames { try send(number / step, isSound: false, by: member, on: streams.video) }
      }
      time.run(milliseconds: pause)
      if number == 0 { worsenLinks() }
    }
    for (member, streams) in zip(publishers, published) {
      member.transport?.setSpeaking(streams.sound, false, level: 127)
      // One more: nobody can know that the last one is missing, and have it sent again.
      try send(size.frames, isSound: false, by: member, on: streams.video)
    }
    let spoken = members.enumerated().map { number, _ in 2 * (size.publishers - (number < size.publishers ? 1 : 0)) }
    #expect(time.waits { zip(members, spoken).allSatisfy { $0.speakers.count == $1 } })
    time.run(milliseconds: 200)
  }

  private func send(_ number: Int, isSound: Bool, by member: Participant, on id: StreamID) throws {
    let isKey = number == 0
    let head = isSound ? HubMedium.sound(60, seed: UInt64(number)) : HubMedium.picture(key: isKey, isKey ? 3000 : 700, seed: UInt64(number))
    let bytes = head + [UInt8(number >> 8), UInt8(number & 255)]
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(isSound ? MSDK_CODEC_OPUS : MSDK_CODEC_VP8)
    attributes.flags = !isSound && isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.timestamp_ns = time.clock.now()
    attributes.duration_ns = isSound ? 20_000_000 : 0
    let made = try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    let frame = try #require(made)
    defer { frame.release() }
    #expect(member.transport?.send(frame, FrameID(number + 1), on: id) == .sent)
  }

  /// What each has of what their publishers sent: all of it, but for what the lossy links lost of sound, which is not sent again.
  func checkMedia() {
    for (number, member) in members.enumerated() {
      let wanted = sources(of: number)
      let (hears, sees) = (wanted.sound != member.name, wanted.video != member.name)
      let isLossy = number % HubCrowd.lossy == HubCrowd.lossy - 1
      #expect(Array(member.frames.prefix(size.frames)) == (sees ? Array(0..<size.frames) : []), "\(member.name) saw \(member.frames)")
      if isLossy {
        #expect(
          member.packets == member.packets.sorted() && member.packets.count >= size.packets * 9 / 10 - 1,
          "\(member.name): \(member.packets)")
      } else {
        #expect(member.packets == (hears ? Array(0..<size.packets) : []), "\(member.name) heard \(member.packets)")
      }
    }
  }

  /// The connections of the last ones break while something happens in the room.
  func breakAndMend() {
    let broken = members.suffix(size.broken)
    for member in broken { member.machine.resetConnections() }
    publishers.first?.transport?.setMuted(published[0].sound, true)
    #expect(time.waits { broken.allSatisfy { $0.states == ["connected", "reconnecting", "reconnected"] } })
    #expect(time.waits { members.dropFirst().allSatisfy { $0.muted == 1 } })
    #expect(hub.memberCount == size.members)
  }

  /// Some leave, who published nothing.
  func leave() {
    let leaving = members.dropFirst(size.publishers).prefix(size.leaving)
    let staying = members.filter { member in !leaving.contains { $0 === member } }
    for member in leaving { member.transport?.disconnect() }
    #expect(time.waits { staying.allSatisfy { $0.hasLeft.count == size.leaving } })
    let names = Set(leaving.map(\.name))
    for member in staying {
      #expect(member.mistakes == 0 && Set(member.hasLeft) == names && member.others.count == size.members - 1 - size.leaving)
      #expect(!member.states.contains { $0.hasPrefix("disconnected") }, "\(member.name): \(member.states)")
    }
    #expect(hub.memberCount == size.members - size.leaving)
  }

  /// The journals of all.
  var journal: [Int] { members.map { $0.journal.finalize() } }

  func run() throws {
    defer { close() }
    try join()
    try publishAndSubscribe()
    try talk()
    checkMedia()
    breakAndMend()
    leave()
    #expect(network.busyCalls == 0 && hub.foreignPackets == 0)
  }

  func close() {
    // Nobody hears of it any more.
    loop.stop()
    memberLoop.stop()
    for member in members {
      member.machine.stop()
      member.transport?.disconnect()
      member.transport = nil
    }
    hub.close()
    machine.stop()
  }
}
