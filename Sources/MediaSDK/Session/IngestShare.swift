import CMediaSDK
import MediaCodecs
import MediaCore
import MediaIngest
import MediaNetwork
import MediaRuntime
import MediaTransport

/// What a session does with its feeder's frames: a stream that starts with the first one, anew with each other format, and ends with the
/// feeder. Frames come on the thread of its own reactor, one at a time, so that a feeder keeps no session's network waiting.
final class IngestShare: IngestDelegate {
  /// What one stream can carry.
  private struct Kind: Equatable {
    let pixelFormat: PixelFormat
    let width: UInt32
    let height: UInt32
    let isEncoded: Bool
  }

  private struct Current: Sendable {
    let kind: Kind
    let transport: any Transport
    let stream: OutgoingVideo
    /// The program stopped it, and it stays so.
    var isEnded = false
    var needsKeyFrame = true
  }

  private struct State {
    var current: Current?
    var door: IngestEndpoint?
    var isClosed = false
    var meter = RefusalMeter()
  }

  private let session: Session
  private let options: IngestOptions
  private let reactor: Reactor
  private let pool = BufferPool(limit: 8)
  private let normalizer = Monitor(FrameNormalizer(limit: 8))
  private let state = Monitor(State())

  init(_ session: Session, _ options: IngestOptions) throws(MediaError) {
    self.session = session
    self.options = options
    reactor = try Reactor("msdk-ingest", clock: session.engine.clock)
    let rules = try options.rules(session.engine.codecs)
    do throws(MediaError) {
      let door = try IngestEndpoint(
        port: options.port, socketPath: options.socketPath, rules, network: SystemNetwork.shared, loop: reactor, self)
      state.withLock { $0.door = door }
    } catch {
      reactor.stop()
      throw error
    }
  }

  var port: UInt32 { state.withLock { $0.door?.port ?? 0 } }

  func close() {
    let door = state.withLock { state in
      defer { state.door = nil }
      state.isClosed = true
      return state.door
    }
    door?.close()
    reactor.stop()
    stop()
  }

  /// From a receiver, or because a frame was left out.
  func requestKeyFrame(of stream: OutgoingVideo) {
    let door = state.withLock { $0.current?.stream === stream && stream.options.isEncodedInput ? $0.door : nil }
    door?.requestKeyFrame()
  }

  // MARK: The feeder

  func feederConnected(by route: String) {
    session.push(.ingest(IngestEvent(.feederConnected, text: route)))
  }

  func feederLeft(_ reason: IngestRefusal?) {
    stop()
    session.push(.ingest(reason.map { IngestEvent(.feederDisconnected, $0) } ?? IngestEvent(.feederDisconnected, text: "")))
  }

  func connectionRefused(_ reason: IngestRefusal) {
    let now = session.engine.now()
    let untold: Int? = state.withLock { $0.meter.mayTell(at: now) ? $0.meter.takeUntold() : nil }
    guard let untold else { return }
    var event = IngestEvent(.feederRefused, reason)
    if untold > 0 { event.text += "; \(untold) earlier refusals were not reported" }
    session.push(.ingest(event))
  }

  // MARK: Frames

  func received(_ frame: VideoFrame) throws(IngestRefusal) {
    var format = frame.format
    // A feeder that goes from one pixel format to another keeps its stream, where that is encoded.
    let accepted = options.codec == 0 || options.codec == FourCC.raw ? [format.pixelFormat] : [.nv12, .i420]
    format.pixelFormat = FrameNormalizer.target(for: format.pixelFormat, among: accepted)
    format.color = VideoConverter.resultColor(from: frame.format, to: format.pixelFormat)
    guard let current = try share(format, isEncoded: false) else { return }
    do throws(MediaError) {
      let converted = try normalizer.withLock { normalizer throws(MediaError) in try normalizer.convert(frame, to: format.pixelFormat) }
      defer { converted.release() }
      try send(converted, on: current.stream)
    } catch {
      note(error, of: current.stream)
    }
  }

  /// The sender may be replaced this moment, by one of another frame rate: then the next frame finds that.
  private func send(_ frame: VideoFrame, on stream: OutgoingVideo) throws(MediaError) {
    do throws(MediaError) {
      try stream.currentSender().send(frame, completion: .silent)
    } catch {
      guard error.status == .stale else { throw error }
    }
  }

  func received(encoded bytes: UnsafeRawBufferPointer, _ header: IngestFrame, timestamp: Int64) throws(IngestRefusal) {
    let isKeyFrame = try check(bytes, header)
    guard let current = try share(header.format, isEncoded: true) else { return }
    // What comes before the first key frame cannot be decoded.
    guard isKeyFrame || !current.needsKeyFrame else { return requestKeyFrame(of: current.stream) }
    var attributes = msdk_encoded_frame()
    attributes.codec = header.codec
    attributes.flags = isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.width = header.format.width
    attributes.height = header.format.height
    attributes.orientation = header.orientation
    attributes.timestamp_ns = timestamp
    header.format.color.tell(&attributes)
    do throws(MediaError) {
      guard let frame = try EncodedFrame.make(copying: bytes, attributes: attributes, from: pool, deadline: 0) else {
        throw MediaError(.noMemory, "8 encoded frames of the share are in use")
      }
      defer { frame.release() }
      try current.stream.currentSender().send(frame, completion: .silent)
      setNeedsKeyFrame(false, current.stream)
    } catch {
      setNeedsKeyFrame(true, current.stream)
      note(error, of: current.stream)
    }
  }

  private func check(_ bytes: UnsafeRawBufferPointer, _ header: IngestFrame) throws(IngestRefusal) -> Bool {
    do throws(MediaError) {
      let parsed = try VP8FrameTag(ofFrame: bytes)
      guard !parsed.isKeyFrame || parsed.width == header.format.width && parsed.height == header.format.height else {
        throw MediaError(.corrupt, "the key frame is \(parsed.width)x\(parsed.height); the message's header declares \(header.format)")
      }
      return parsed.isKeyFrame
    } catch {
      throw IngestRefusal(.malformed, error.text)
    }
  }

  private func setNeedsKeyFrame(_ value: Bool, _ stream: OutgoingVideo) {
    state.withLock { if $0.current?.stream === stream { $0.current?.needsKeyFrame = value } }
  }

  /// A stream that somebody stopped stays stopped; anything else costs this frame only.
  private func note(_ error: MediaError, of stream: OutgoingVideo) {
    guard [.state, .closed].contains(error.status) else { return }
    state.withLock { if $0.current?.stream === stream { $0.current?.isEnded = true } }
  }

  // MARK: The stream

  /// The stream for frames of that format; nil while there is none to be, and the frame is left out.
  private func share(_ format: VideoFormat, isEncoded: Bool) throws(IngestRefusal) -> Current? {
    guard let transport = session.joinedTransport else {
      stop()
      return nil
    }
    let kind = Kind(pixelFormat: format.pixelFormat, width: format.width, height: format.height, isEncoded: isEncoded)
    let (present, isClosed) = state.withLock { ($0.current, $0.isClosed) }
    guard !isClosed else { return nil }
    if let present, present.kind == kind, present.transport === transport { return present.isEnded ? nil : present }
    stop()
    guard let stream = try start(format, isEncoded: isEncoded) else { return nil }
    let current = Current(kind: kind, transport: transport, stream: stream)
    let isKept = state.withLock { state in
      guard !state.isClosed else { return false }
      state.current = current
      return true
    }
    guard isKept else {
      stream.close()
      return nil
    }
    var event = IngestEvent(.sharing, text: "")
    event.stream = stream
    session.push(.ingest(event))
    return current
  }

  private func start(_ format: VideoFormat, isEncoded: Bool) throws(IngestRefusal) -> OutgoingVideo? {
    let stream: OutgoingVideo
    do throws(MediaError) {
      stream = try session.engine.makeOutgoingVideo(options.stream(format, isEncoded: isEncoded))
    } catch {
      if error.status == .closed { return nil }
      throw IngestRefusal(.format, error.text)
    }
    do throws(MediaError) {
      try session.start(stream)
      return stream
    } catch {
      // The room was left this moment, or the program shares a screen itself.
      stream.close()
      return nil
    }
  }

  private func stop() {
    let former = state.withLock { state in
      defer { state.current = nil }
      return state.current
    }
    former?.stream.close()
  }
}
