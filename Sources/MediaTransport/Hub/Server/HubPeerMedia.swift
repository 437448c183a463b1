import MediaCore
import MediaRTP

/// Media between a member and the room, under their peer's lock: what came is for the room, what the room has is for them.
extension HubPeer.Guarded {
  /// What came, for where nothing is locked; frames are the taker's to release.
  struct Arrivals {
    var units: [(id: StreamID, picture: FrameID, frame: EncodedFrame)] = []
    /// Streams of others of which a key frame is to be requested.
    var wanted: [StreamID] = []
  }

  mutating func hand(_ now: Int64) -> Arrivals {
    var arrivals = Arrivals()
    var lost: [HubSlot] = []
    due = media?.poll(now: now) ?? .max
    var list = taken
    taken = []
    media?.takeArrivals(&list)
    for arrival in list {
      switch arrival {
      case .frame(let ssrc, let frame, _, let isAfterGap):
        guard let slot = media?.slot(receiving: ssrc),
          let place = streams.arrived(slot, frame.native.pointee.codec, isKeyFrame: frame.isKeyFrame, isAfterGap: isAfterGap)
        else {
          frame.release()
          continue
        }
        arrivals.units.append((place.id, place.picture, frame))
      case .lost(let ssrc, let count): media?.slot(receiving: ssrc).map { streams.missed(count, at: $0) }
      case .dropped(let ssrc): media?.slot(receiving: ssrc).map { streams.missed(1, at: $0) }
      case .event(.keyFrameRequested(let ssrc)): media?.slot(sending: ssrc).map { lost.append($0) }
      case .event: break
      }
    }
    list.removeAll(keepingCapacity: true)
    taken = list
    guard let media, media.remote != nil else { return arrivals }
    let (delay, target) = (media.expectedDelay(at: now), media.target)
    arrivals.wanted += lost.compactMap { streams.lose(receivedAt: $0, delay: delay, target: target, now: now) }
    let asks = streams.asks(delay: delay, target: target, now: now) { media.isKeyFrameUnderWay(on: $0, at: now) }
    media.setWanted(streams.wanted)
    arrivals.wanted += asks.streams
    due = min(due, asks.next)
    return arrivals
  }

  /// The member asks for a key frame of a stream that they receive: of which stream one is to be requested. One that is on its way to them for
  /// certain is the answer.
  mutating func request(_ number: UInt32, now: Int64) -> StreamID? {
    guard let stream = streams.offered[number], let slot = stream.received?.slot else { return nil }
    guard let media, media.remote != nil else { return stream.id }
    guard !media.isKeyFrameUnderWay(on: slot, isSure: true, at: now) else { return nil }
    return streams.request(number, delay: media.expectedDelay(at: now), now: now) ? stream.id : nil
  }

  /// Whether a unit went out, of which stream a key frame is to be requested, and when they are driven next.
  typealias Forwarding = (isSent: Bool, wanted: StreamID?, next: Int64)

  /// A unit of the room's for them.
  mutating func forward(_ frame: EncodedFrame, _ picture: FrameID, of number: UInt32, now: Int64) -> Forwarding {
    // Before their network path is known nothing goes out.
    guard let media, media.remote != nil, let stream = streams.offered[number], stream.codec == frame.native.pointee.codec else {
      return (false, nil, .max)
    }
    let isUnderWay = stream.received.map { media.isKeyFrameUnderWay(on: $0.slot, at: now) } ?? false
    let (slot, isWanted) = streams.leave(
      number, size: frame.bytes.count, isKeyFrame: frame.isKeyFrame, delay: media.expectedDelay(at: now), waiting: media.waitingBytes,
      target: media.target, isUnderWay: isUnderWay, now: now)
    media.setWanted(streams.wanted)
    // Nothing may follow what is dropped.
    guard let slot else { return (false, isWanted ? stream.id : nil, now &+ HubStreams.look) }
    do throws(PacketError) {
      try media.send(frame, picture, on: slot, isVoice: stream.isSpeaking, now: now)
    } catch {
      streams.leftOut(number)
      return (false, nil, .max)
    }
    return (true, nil, media.push(now: now))
  }
}
