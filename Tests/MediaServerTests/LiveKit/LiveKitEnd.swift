import CMediaSDK
import MediaCore
import MediaEmulation
import MediaSDP
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

/// A client of LiveKit's protocol on an emulated machine: signalling by hand, of either version, and media by connections of WebRTC of this
/// library. All on the thread that moves the clock.
final class LiveKitEnd {
  static let (key, secret) = ("key", "a secret of thirty-two characters")

  let house: ServerHouse
  let media: RoomEnd
  /// What is received: by the same connection in version 1.
  let receiving: RoomEnd
  private let version: LiveKitVersion
  private(set) var wire: WireClient
  let host: EmulatedHost
  let identity: String
  private let link: WebRTCTransport
  private var read = 0
  private(set) var said: [LiveKitResponse] = []
  /// Of others, by their identities, as the server told last.
  private(set) var others: [String: LiveKitParticipant] = [:]
  private(set) var join: LiveKitJoin?
  private(set) var leave: LiveKitLeave?
  /// Of each answer.
  private(set) var answers: [[String: String]] = []
  var tracks: [String: String] { answers.last ?? [:] }
  private(set) var published: [LiveKitTrackInfo] = []
  private var channel: MessageChannelID?

  /// `publishes`: of each stream whether it is video. It takes media in so many sections of each kind.
  init(
    _ house: ServerHouse, _ identity: String, at address: String, publishes: [Bool] = [], sections: Int = 1, isSubscribing: Bool = true,
    version: LiveKitVersion = .one, carriesVideo: Bool = false, takesTrailers: Bool = false, grant: (inout LiveKitGrants) -> Void = { _ in }
  ) throws {
    (self.house, self.identity, self.version) = (house, identity, version)
    host = try house.network.addHost(address)
    wire = try house.wire(from: host)
    var options = WebRTCOptions()
    (options.receivesVideo, options.receivesAudio, options.hasChannels, options.carriesVideo) = (false, false, true, carriesVideo)
    link = WebRTCTransport(options, servers: [], own: identity, thread: host, network: host, loop: house.loop)
    media = RoomEnd(house, link)
    link.connect(media)
    if version == .zero {
      let subscriber = WebRTCTransport(options, servers: [], own: identity, thread: host, network: host, loop: house.loop)
      receiving = RoomEnd(house, subscriber)
      subscriber.connect(receiving)
    } else {
      receiving = media
    }
    for isVideo in publishes { try media.publish(isVideo: isVideo) }
    channel = try link.openChannel(MessageChannelOptions(label: "_reliable"))
    guard version == .one else {
      let capabilities = takesTrailers ? "&capabilities=CAP_PACKET_TRAILER" : ""
      try wire.openWebSocket(
        "/rtc?auto_subscribe=\(isSubscribing ? 1 : 0)\(capabilities)", token: try LiveKitEnd.token(house, identity, grant))
      return
    }
    try receive(audio: sections, video: sections)
    var request = LiveKitJoinRequest()
    request.settings = LiveKitConnectionSettings(isSubscribing: isSubscribing)
    request.client = LiveKitClientInfo()
    if takesTrailers { request.client?.capabilities = [.packetTrailer] }
    request.offer = LiveKitDescription(type: "offer", sdp: try describe())
    request.tracks = announcements
    try enter(request, try LiveKitEnd.token(house, identity, grant))
  }

  static func token(_ house: ServerHouse, _ identity: String, _ grant: (inout LiveKitGrants) -> Void = { _ in }) throws -> String {
    let now = house.clock.wallTime() / second
    var grants = LiveKitGrants(identity: identity, room: house.room)
    grant(&grants)
    return try LiveKitToken.make(grants, key: key, secret: secret, now: now, expires: now + 600)
  }

  static func path(_ request: LiveKitJoinRequest) -> String {
    var wrapped = LiveKitWrappedJoin()
    wrapped.request = request.encoded
    return "/rtc/v1?join_request=\(Base64.urlEncode(wrapped.encoded))"
  }

  private func enter(_ request: LiveKitJoinRequest, _ token: String) throws {
    try wire.openWebSocket(LiveKitEnd.path(request), token: token)
  }

  private func receive(audio: Int, video: Int) throws {
    for (kind, count) in [(Transceiver.Kind.audio, audio), (.video, video)] {
      for _ in 0..<count { try link.driver().change { (peer, _) throws(MediaError) in _ = try peer.addTransceiver(kind, .receiveOnly) } }
    }
  }

  private func describe() throws -> String {
    _ = try link.describe()
    return try link.localDescription()
  }

  /// Of its video.
  var trailers: [LiveKitTrailerFeature] = []

  /// What it says that its tracks are of; nil: what they are of.
  var source: LiveKitSource?

  private var announcements: [LiveKitAddTrack] {
    LiveKitOffer((try? link.localDescription()) ?? "").sections.filter(\.isSent).map { section in
      var track = LiveKitAddTrack()
      (track.cid, track.type, track.name) = (section.track ?? "", section.isVideo ? .video : .audio, "a track")
      track.source = source ?? (section.isVideo ? .camera : .microphone)
      if section.isVideo { track.trailers = trailers }
      return track
    }
  }

  /// The tracks in each offer of the server's, of version 0.
  private(set) var offers: [[String]] = []

  /// One more stream, which is announced and offered.
  func publish(isVideo: Bool, codec: UInt32? = nil) throws {
    try media.publish(isVideo: isVideo, codec: codec)
    try offer()
  }

  private func offer() throws {
    let sdp = try describe()
    for track in announcements { try say(.addTrack(track)) }
    try say(.offer(LiveKitDescription(type: "offer", sdp: sdp)))
  }

  func unpublish(_ place: Int) throws {
    link.unpublish(media.streams[place])
    try say(.offer(LiveKitDescription(type: "offer", sdp: try describe())))
  }

  private var layered: Transceiver.ID?
  private var numbers: FrameID = 0
  private let pool = BufferPool(limit: 64)

  /// A track of video in several layers, the smallest first.
  func publishLayers(_ names: [String] = ["q", "h", "f"]) throws {
    layered = try link.driver().change { (peer, _) throws(MediaError) in
      try peer.addTransceiver(
        .video, .sendOnly, tracks: [RTPMedia.Track("group", "layered")], layers: names.map { LayerLines.Layer($0, isSent: true) })
    }
    try offer()
  }

  /// A frame of so many bytes in each layer of that, 0: none. Of a key frame the smallest is 320x240, and each twice the one before.
  func sendLayers(_ sizes: [Int], isKey: Bool, isDroppable: Bool = false) throws {
    let transceiver = try #require(layered)
    numbers += 1
    for (layer, size) in sizes.enumerated() where size > 0 {
      let made = try #require(try house.frame(numbers, of: layer, bytes: size, isKey: isKey, isDroppable: isDroppable, from: pool))
      defer { made.release() }
      try? link.driver().send(made, number: UInt16(truncatingIfNeeded: numbers), on: transceiver, layer: layer, isVoice: false)
    }
  }

  /// A packet of data, reliably.
  func send(_ packet: [UInt8]) throws {
    if let channel { try link.send(ChannelMessage(packet, isText: false), on: channel) }
  }

  var readsData = true
  /// Packets of data that came.
  private(set) var received: [LiveKitDataPacket] = []

  private func readChannels() throws {
    for channel in receiving.readable {
      while case .message(let message) = try receiving.link.readMessage(of: channel, upTo: 65_536) {
        received.append(try LiveKitDataPacket(message.bytes))
      }
    }
  }

  func say(_ request: LiveKitRequest) throws { try wire.say(request.encoded) }
  var isHere: Bool { join != nil && receiving.isHere }

  /// Does what the server has said meanwhile.
  func follow() throws {
    // Of a connection that has ended nothing can be read.
    if readsData { try? readChannels() }
    while read < wire.binaries.count {
      let response = try LiveKitResponse(reading: wire.binaries[read])
      read += 1
      said.append(response)
      switch response {
      case .join(let message):
        join = message
        for other in message.others { others[other.identity] = other }
        if version == .zero { try offer() }
      case .offer(let offer):
        guard let subscriber = receiving.link as? WebRTCTransport else { break }
        offers.append(LiveKitOffer(offer.sdp).sections.filter(\.isSent).compactMap(\.track))
        _ = try subscriber.setRemote(.offer, offer.sdp)
        _ = try subscriber.describe()
        try say(.answer(LiveKitDescription(type: "answer", sdp: try subscriber.localDescription())))
      case .participants(let update):
        for one in update.participants where one.identity != identity { others[one.identity] = one.state == .disconnected ? nil : one }
      case .published(let message): if let track = message.track { published.append(track) }
      case .answer(let answer):
        answers.append(answer.tracks)
        _ = try link.setRemote(.answer, answer.sdp)
      case .trickle(let trickle):
        let json = try JSONReader.read(Array(trickle.candidate.utf8), name: "candidate")
        let target = trickle.target == .subscriber ? receiving.link as? WebRTCTransport : link
        try? target?.addRemote(candidate: json.member("candidate")?.string ?? "", mid: nil)
      case .sections(let missing):
        try receive(audio: Int(missing.audio), video: Int(missing.video))
        try say(.offer(LiveKitDescription(type: "offer", sdp: try describe())))
      case .leave(let message): leave = message
      default: break
      }
    }
  }

  /// The connection of signalling breaks; another is made, which resumes, or says that another one was there.
  func breakSignalling() { wire.close() }

  func comeBack(as sid: String? = nil) throws {
    (wire, read) = (try house.wire(from: host), 0)
    if version == .zero {
      let query = "reconnect=1&sid=\(sid ?? join?.participant?.sid ?? "")"
      return try wire.openWebSocket("/rtc?\(query)", token: try LiveKitEnd.token(house, identity))
    }
    var request = LiveKitJoinRequest()
    (request.isResuming, request.sid) = (true, sid ?? join?.participant?.sid ?? "")
    try enter(request, try LiveKitEnd.token(house, identity))
  }

  func close() {
    wire.close()
    link.disconnect()
    receiving.link.disconnect()
  }
}

extension ServerHouse {
  static func forLiveKit() throws -> ServerHouse { try ServerHouse { $0.accessKeys = [LiveKitEnd.key: LiveKitEnd.secret] } }

  /// Whether it becomes so in that time, while clients do what the server says.
  func run(_ ends: [LiveKitEnd], for time: Int64 = 5 * second, until isDone: () -> Bool) throws -> Bool {
    try run(for: time) {
      for end in ends { try? end.follow() }
      return isDone()
    }
  }
}
