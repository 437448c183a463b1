import MediaCore
import MediaRTP
import Synchronization

/// Somebody in a room, as the others know them.
public struct Member: Sendable, Equatable {
  /// Unique in the room.
  public let userID: String
  /// For people; it need not be unique.
  public let displayName: String
  /// What the room lets them do.
  public var permissions = Permissions.ordinary
  /// Fourccs of the codecs of video that they decode; nil: they do not say, and are taken to decode any.
  public var decodes: [UInt32]?
  /// What they say of themselves, when they join.
  public var attributes = ParticipantAttributes()
  /// Whether raw media reaches them: they are in this process.
  public var takesRaw = true
  /// What they publish is encrypted from end to end. Of the session's own member; of others each stream says it.
  public var encrypts = false

  /// With the ordinary permissions and no attributes; raw media reaches them.
  public init(userID: String, displayName: String) {
    self.userID = userID
    self.displayName = displayName
  }
}

/// A published stream, at its publisher's end or at a receiver's.
public struct StreamID: Hashable, Comparable, Sendable {
  /// From a counter of this process: in another process the same stream may have another.
  public let value: UInt64
  private static let counter = Atomic<UInt64>(1)

  /// One that no other stream of this process has.
  package static func next() -> StreamID { StreamID(value: counter.add(1, ordering: .relaxed).oldValue) }

  /// An id that is known already; that of a new stream comes from `Transport.makeStreamID`.
  public init(value: UInt64) {
    self.value = value
  }

  /// In the order in which the streams were made.
  public static func < (one: StreamID, other: StreamID) -> Bool { one.value < other.value }
}

/// What a stream is made of; the kind is MSDK_VIDEO_* or MSDK_AUDIO_*.
public enum StreamFormat: Sendable {
  case video(VideoFormat, kind: UInt32)
  case audio(AudioFormat, kind: UInt32)
}

/// What a room knows of a stream that somebody publishes.
public struct StreamDescription: Sendable {
  /// As this end of the transport knows it.
  public let id: StreamID
  /// Of the publisher.
  public let userID: String
  /// A fourcc: MSDK_CODEC_*, or `FourCC.raw`.
  public let codec: UInt32
  /// What the publisher said last when this was made.
  public var format: StreamFormat
  /// Of audio.
  public var isMuted = false
  /// Its frames are encrypted from end to end: whoever has no key gets nothing of it.
  public var isEncrypted = false
  /// Of video: frames may have metadata (`FrameTrailer`).
  public var carriesMetadata = false

  package init(id: StreamID, userID: String, codec: UInt32, format: StreamFormat) {
    self.id = id
    self.userID = userID
    self.codec = codec
    self.format = format
  }
}

/// Which of the frames that a stream handed to its transport this is, from 1. A gap at the receiver is a loss on the network path; a frame that
/// the sender dropped has none.
public typealias FrameID = UInt64

/// What a transport carries beside the bits of an encoded frame. The rest is done to the pixels before they are encoded.
public struct Carriage: Sendable, Equatable {
  /// The color space of each frame.
  public var color: Bool
  /// The orientation of each frame; the receiver rotates.
  public var orientation: Bool

  /// By default everything.
  public init(color: Bool = true, orientation: Bool = true) {
    (self.color, self.orientation) = (color, orientation)
  }
}

/// What became of a frame that was sent.
public enum SendResult: Sendable, Equatable {
  case sent
  case noReceiver
  case notConnected
  case queueFull
  /// It was to be encrypted, and there is no key.
  case noKey
}

/// What `TransportDelegate` is notified of.
public enum TransportEvent: Sendable {
  /// With what the room lets this session do.
  case connected(Permissions)
  case reconnecting
  case reconnected
  /// Refused (`.permission`, `.exists`, `.full`), taken out of the room (`.removed`), or lost.
  case disconnected(MediaError?)
  case joined(Member)
  case left(userID: String)
  case streamAdded(StreamDescription)
  case streamRemoved(StreamID)
  case keyFrameRequested(StreamID)
  case streamMuted(StreamID, Bool)
  /// Whoever sends that stream began or ended to speak, at that level (RFC 6464).
  case speaking(StreamID, userID: String, Bool, level: UInt32)
  /// A moderator did this to the session; of a removal `disconnected` follows.
  case moderated(by: String, Moderation, reason: String)
  /// The server did not do to somebody what a moderator asked for (`remove`, `mute`).
  case moderationFailed(userID: String, MediaError)
  /// An attempt to connect failed, or a connection; the next attempt is in so many nanoseconds.
  case retrying(MediaError, after: Int64)
  /// A member set an attribute, or (nil) removed it; the revision is of their attributes then.
  case attributeChanged(userID: String, key: String, value: String?, revision: UInt64)
  /// What the room lets a member do, or this session itself, has changed; streams that are not permitted any more are withdrawn.
  case permissionsChanged(userID: String, Permissions)
  /// So many nanoseconds of the session's access remain.
  case accessExpiring(Int64)
  /// It was renewed, or (an error) was not, and goes on until it expires.
  case accessRenewed(MediaError?)
  /// How many receive a stream that this session publishes.
  case receivers(StreamID, Int)
  /// What those who receive a stream that this session publishes want together; a new one: anything.
  case wanted(StreamID, VideoPreference)
  /// A stream that was published is refused after all, or could not be sent there: nobody receives it any more, and what is sent on it goes
  /// nowhere. The session withdraws it.
  case publishFailed(StreamID, MediaError)
  /// Of a stream that this session publishes, by layer, the smallest first: whether it is received, and the most that it may take in bits a
  /// second (0: no bound). Until the first such event all are received, and none is bounded.
  case layers(StreamID, active: [Bool], bitrates: [UInt64])
  /// A member cannot be sent a stream that this session publishes, and why.
  case unreachable(StreamID, userID: String, MediaError)
  /// Bits a second that this session can send; 0 is unlimited.
  case estimate(UInt64)
  /// There are `networkFigures`, whether or not there were before.
  case network
  /// Of a transport whose descriptions and candidates the program carries.
  case signal(SignallingEvent)
  /// A member, or (empty) the room's server, has sent data.
  case data(from: String, DataMessage)
  /// `Transport.send`, which refused data with `.again`, has room.
  case dataWritable
  /// Of a transport with channels.
  case channel(MessageChannelID, MessageChannelEvent)
}

/// Payload, as the session's stats count it.
public struct TransportStats: Sendable {
  /// Bytes of encoded frames, and of raw ones where they are carried.
  public var bytesSent: UInt64 = 0
  /// The same of what arrived.
  public var bytesReceived: UInt64 = 0
  /// Counted by frame: its bytes in packets of 1200, however many the network path had.
  public var packetsSent: UInt64 = 0
  /// Counted by frame, as those that were sent.
  public var packetsReceived: UInt64 = 0
  /// On the network path to this end.
  public var packetsLost: UInt64 = 0
  /// Datagrams that came and were not taken: from foreign hosts, no RTP or of no agreed stream, not authentic, or a second time.
  public var packetsForeign: UInt64 = 0
  /// No RTP or RTCP, or of no agreed stream.
  public var packetsRefused: UInt64 = 0
  /// Not authentic under SRTP.
  public var packetsForged: UInt64 = 0
  /// A second time (RFC 3711, section 3.3.2).
  public var packetsReplayed: UInt64 = 0
  /// That the network or a full buffer of the system did not take.
  public var packetsUnsent: UInt64 = 0
  /// Nanoseconds; 0: not known.
  public var roundTripTime: Int64 = 0

  /// Nothing counted.
  public init() {}
}

/// A session's connection to its room. All functions may be called from any thread; events come one at a time and in order; media comes on whatever
/// thread brings it, one frame at a time for a stream. Nothing here is referred to weakly: an object that is pays for it with every count.
public protocol Transport: AnyObject, Sendable {
  /// Once. `connected` or `disconnected` follows, unless the session leaves before.
  func connect(_ delegate: any TransportDelegate)
  /// The session is about to withdraw all its streams, and `disconnect` follows: nothing is to be negotiated any more.
  func prepareToDisconnect()
  /// Leaves. No event follows; a frame that is being handed over on another thread may still arrive.
  func disconnect()

  /// An id for a stream to be published. Asked for first, so that the session knows the stream before the room announces it.
  func makeStreamID() -> StreamID
  /// `.permission` when the room does not let the session publish such a stream. Where the other end has to agree first, this returns before it
  /// has: `publishFailed` follows if it does not, at any time until the stream is withdrawn.
  /// `.unsupported` when it does not carry so many layers, or not that codec. `carriesMetadata`: receivers get the metadata of frames, where the
  /// transport has a place for it.
  func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, carriesMetadata: Bool) throws(MediaError)
  /// Also of one whose publishing failed. No event of the stream follows.
  func unpublish(_ stream: StreamID)
  /// What newcomers get to know of a stream that this session publishes.
  func setFormat(_ stream: StreamID, _ format: StreamFormat)
  /// Notifies the others of an audio stream that this session publishes.
  func setMuted(_ stream: StreamID, _ isMuted: Bool)
  /// Notifies the others that whoever sends the stream began or ended to speak; the level as in RFC 6464.
  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32)
  /// Borrowed, of the codec that the stream was published with.
  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult
  /// In one layer of a stream that was published in several; the smallest is 0. Each layer has frame numbers of its own.
  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID, layer: Int) -> SendResult
  /// Raw, of a transport that carries such, on a stream that was published raw.
  func send(_ frame: VideoFrame, _ id: FrameID, on stream: StreamID) -> SendResult
  /// As a raw video frame.
  func send(_ frame: AudioFrame, _ id: FrameID, on stream: StreamID) -> SendResult
  /// The same for one stream, which is published: for whoever sends a frame after the other.
  func outlet(of stream: StreamID) -> any MediaOutlet
  /// For one layer of a stream that was published in several.
  func outlet(of stream: StreamID, layer: Int) -> any MediaOutlet
  /// Whether streams may be published before it is connected: from `connect` on, as they are part of what has to be agreed on.
  var publishesBeforeConnected: Bool { get }
  /// The streams that the session had when `connect` was called are published; of a transport with `publishesBeforeConnected`.
  func attachedArePublished()
  /// Whether it takes raw media to anybody.
  var carriesRaw: Bool { get }
  /// Of a stream that this session publishes.
  func carriage(of stream: StreamID) -> Carriage
  /// How long a frame that is sent now would be queued before it leaves, about; in nanoseconds.
  func backlog(of stream: StreamID) -> Int64

  /// Without the permission to receive nothing comes.
  func subscribe(to stream: StreamID, _ sink: StreamSink)
  /// A frame that is being handed over on another thread may still arrive.
  func unsubscribe(from stream: StreamID)
  /// Of a stream that is received; `keyFrameRequested` reaches its publisher.
  func requestKeyFrame(of stream: StreamID)
  /// What is of use here of a video stream of somebody else's, subscribed to or not, until another preference replaces this one. Of a transport
  /// with `TransportFeatures.preferences`.
  func prefer(_ preference: VideoPreference, of stream: StreamID)

  /// Says something of the session's own participant, or (nil) no more; `.full` when it is one too many. Before it has joined: with that.
  func setAttribute(_ key: String, _ value: String?) throws(MediaError)

  /// Shows the room another token. `accessRenewed` follows, unless the session leaves or shows another one before the answer.
  func renew(_ token: AccessToken)

  /// Of a moderator, done to another member: `.permission`, `.invalid` for oneself, `.notFound`, as far as is known here.
  func remove(_ userID: String, reason: String) throws(MediaError)
  /// Mutes the audio of another member, or ends that; their session does it. Errors as of `remove`.
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError)

  /// Sends data to others in the room, and never waits. Of a transport with `TransportFeatures.data`; others throw `.unsupported`. Throws
  /// `.state` while it has not joined, `.permission`, `.again` where there is no room or no path for it: `dataWritable` says when there is.
  /// Lossy data gets lost instead.
  func send(_ message: DataMessage) throws(MediaError)

  /// Opens a channel, from `connect` on; it ends with the connection. What is sent before the other end is there waits. Of a transport with
  /// `TransportFeatures.channels`; others throw `.unsupported`. Throws `.state` while it is not connecting or connected, `.range`, `.invalid`,
  /// `.full` where there are as many channels as may be, `.exists` for a number that is in use.
  func openChannel(_ options: MessageChannelOptions) throws(MediaError) -> MessageChannelID
  /// Throws `.notFound` for a channel that is closed, `.state` while it is being closed, `.range` for a message that is longer than the other
  /// end takes, `.again` where so much waits that it has to be tried again later: `bufferedAmountLow` says when.
  func send(_ message: ChannelMessage, on channel: MessageChannelID) throws(MediaError)
  /// The next message that came, if it has no more bytes than that. Who does not read makes the other end wait. Throws `.notFound` once the
  /// channel is closed and has no message left.
  func readMessage(of channel: MessageChannelID, upTo most: Int) throws(MediaError) -> ChannelReading
  /// Bytes that were sent and that the other end has not acknowledged. Throws `.notFound`.
  func bufferedAmount(of channel: MessageChannelID) throws(MediaError) -> Int
  /// `bufferedAmountLow` comes when it falls to so many bytes, from above. 0 by default. Throws `.notFound`.
  func setLowThreshold(_ bytes: Int, of channel: MessageChannelID) throws(MediaError)
  /// What was sent before is sent first; what has come and was not read is dropped. `closed` follows. Throws `.notFound`.
  func closeChannel(_ channel: MessageChannelID) throws(MediaError)

  /// What all that is published would take together if there were room for it, in bits a second: how far the path is probed. 0: not known.
  func setDemand(_ bitrate: UInt64)
  /// What the encoder of a published stream, or of one of its layers, is to make, in bits a second: for the stats.
  func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64)

  /// Since the transport was made.
  var stats: TransportStats { get }
  /// Of all streams together; nil: no network. What would be sent it does not know.
  var networkFigures: NetworkFigures? { get }
  /// Of one stream on a network path; nothing where there is none, or no packet was yet.
  func look(sending stream: StreamID) -> OutboundSnapshot?
  /// As `look(sending:)`, of a stream that comes in.
  func look(receiving stream: StreamID) -> InboundSnapshot?
  /// The same in detail, as objects by the names of W3C's webrtc-stats; nothing where there is no network.
  func statsEntries(at time: Double) -> [JSON]
}

extension Transport {
  /// One that looks the stream up for each frame.
  public func outlet(of stream: StreamID) -> any MediaOutlet { TransportOutlet(self, stream) }
  /// One that looks the stream up for each frame.
  public func outlet(of stream: StreamID, layer: Int) -> any MediaOutlet { TransportOutlet(self, stream, layer: layer) }
  /// The whole stream: a transport without the feature `layers`.
  public func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID, layer: Int) -> SendResult { send(frame, id, on: stream) }
  /// In one layer.
  public func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat) throws(MediaError) {
    try publish(stream, codec: codec, format: format, layers: .one)
  }
  /// Without metadata.
  public func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers) throws(MediaError) {
    try publish(stream, codec: codec, format: format, layers: layers, carriesMetadata: false)
  }

  /// Ignored: withdrawing streams is not negotiated.
  public func prepareToDisconnect() {}
  /// Nothing is published before it is connected.
  public var publishesBeforeConnected: Bool { false }
  /// Ignored: a transport that waits for no streams.
  public func attachedArePublished() {}
  /// Encoded frames only.
  public var carriesRaw: Bool { false }
  /// `.notConnected`: the transport carries no raw frames.
  public func send(_ frame: VideoFrame, _ id: FrameID, on stream: StreamID) -> SendResult { .notConnected }
  /// `.notConnected`: the transport carries no raw frames.
  public func send(_ frame: AudioFrame, _ id: FrameID, on stream: StreamID) -> SendResult { .notConnected }
  /// Ignored: a transport without the feature `preferences`.
  public func prefer(_ preference: VideoPreference, of stream: StreamID) {}
  /// Ignored: a transport without the feature `accessTokens`.
  public func renew(_ token: AccessToken) {}
  /// Ignored: a transport without the feature `attributes`.
  public func setAttribute(_ key: String, _ value: String?) throws(MediaError) {}
  /// Ignored: a transport that probes no path.
  public func setDemand(_ bitrate: UInt64) {}
  /// Ignored: a transport without figures of its network path.
  public func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) {}
  /// nil: there is no network path.
  public var networkFigures: NetworkFigures? { nil }
  /// nil: there is no network path.
  public func look(sending stream: StreamID) -> OutboundSnapshot? { nil }
  /// nil: there is no network path.
  public func look(receiving stream: StreamID) -> InboundSnapshot? { nil }
  /// None: there is no network path.
  public func statsEntries(at time: Double) -> [JSON] { [] }
  /// `.unsupported`: a transport without the feature `data`.
  public func send(_ message: DataMessage) throws(MediaError) { throw MediaError(.unsupported, "the session's transport has no data") }
  /// `.unsupported`: a transport without the feature `channels`.
  public func openChannel(_ options: MessageChannelOptions) throws(MediaError) -> MessageChannelID { throw TransportFactory.noChannels }
  /// `.unsupported`: a transport without the feature `channels`.
  public func send(_ message: ChannelMessage, on channel: MessageChannelID) throws(MediaError) { throw TransportFactory.noChannels }
  /// `.unsupported`: a transport without the feature `channels`.
  public func readMessage(of channel: MessageChannelID, upTo most: Int) throws(MediaError) -> ChannelReading {
    throw TransportFactory.noChannels
  }
  /// `.unsupported`: a transport without the feature `channels`.
  public func bufferedAmount(of channel: MessageChannelID) throws(MediaError) -> Int { throw TransportFactory.noChannels }
  /// `.unsupported`: a transport without the feature `channels`.
  public func setLowThreshold(_ bytes: Int, of channel: MessageChannelID) throws(MediaError) { throw TransportFactory.noChannels }
  /// `.unsupported`: a transport without the feature `channels`.
  public func closeChannel(_ channel: MessageChannelID) throws(MediaError) { throw TransportFactory.noChannels }
  /// 0: nothing is queued.
  public func backlog(of stream: StreamID) -> Int64 { 0 }
  /// Everything, so that nothing is done to the pixels.
  public func carriage(of stream: StreamID) -> Carriage { Carriage() }
}

/// Who is notified of what happens in the room, one event at a time. Kept from `connect` to `disconnect`.
public protocol TransportDelegate: AnyObject, Sendable {
  /// On the event loop of the transport, in order.
  func transport(_ transport: any Transport, _ event: TransportEvent)
}
