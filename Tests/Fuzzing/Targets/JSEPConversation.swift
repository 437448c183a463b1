import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

@testable import MediaWebRTC

/// Two ends that negotiate: this one by JSEP, the other with any text at any time. Whatever is accepted fits together, so that a living session takes
/// it; what is refused has changed nothing.
enum JSEPConversation: FuzzTarget {
  static let name = "jsep"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let talk = Talk(input.byte())
    for _ in 0..<32 where !input.isAtEnd { talk.step(&input) }
    talk.session.close()
    expect(talk.session.state == .closed && !talk.session.needsNegotiation, "it goes on after it is closed")
  }

  private final class Sink: RTPSessionDelegate {
    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {}
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) {}
  }

  private final class Talk {
    var session: JSEPSession
    private var random: SeededRandom
    private let rtp: RTPSession
    private let sink = Sink()

    init(_ options: UInt8) {
      random = SeededRandom(seed: UInt64(options))
      var settings = JSEPSettings(cname: "end", id: 1, fingerprint: .init("sha-256", [UInt8](repeating: 7, count: 32)))
      settings.isPolite = options & 1 == 0
      if options & 2 == 0 { settings.data = DataMedia(port: 9, mid: nil) }
      if options & 4 == 0 { settings.video = JSEPSettings.carriedVideo }
      settings.acceptsLayers = options & 8 == 0
      settings.offersBundleOnly = options & 16 != 0
      session = JSEPSession(settings, credentials: ICECredentials(using: &random))
      rtp = RTPSession(
        RTPSettings(cname: "end", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: 0), seed: 1), receiving: [:], now: 0)
    }

    func step(_ input: inout Input) {
      let before = (session.state, session.localDescription, session.transceivers.count)
      var isRefused = false
      do {
        switch input.number(below: 8) {
        case 0: _ = try session.setRemote(.offer, String(decoding: input.piece(), as: UTF8.self))
        case 1: _ = try session.setRemote(.answer, String(decoding: input.piece(), as: UTF8.self))
        case 2: _ = try session.setLocal(.answer, using: &random)
        case 3: _ = try session.setLocal(.offer, using: &random)
        case 4: _ = try session.setLocal(.rollback, using: &random)
        case 5:
          let layers = ["h", "m", "l"].prefix(input.number(below: 4)).map { LayerLines.Layer($0, isSent: true) }
          _ = try session.addTransceiver(input.byte() & 1 == 0 ? .video : .audio, .sendReceive, layers: layers)
          return
        case 6:
          guard let one = session.transceivers.dropFirst(input.number(below: 8)).first else { return }
          let direction = RTPMedia.Direction.allCases[input.number(below: 4)]
          if input.byte() & 7 == 0 { try session.stop(one.id) } else { try session.setDirection(direction, of: one.id) }
          return
        default:
          session.requestRestart()
          try session.requestData()
          return
        }
      } catch {
        isRefused = true
      }
      if isRefused {
        expect(before == (session.state, session.localDescription, session.transceivers.count), "what was refused has changed something")
      }
      check()
    }

    private func apply(_ configuration: RTPSessionConfiguration) {
      do throws(PacketError) {
        try rtp.apply(configuration, now: 0, sink)
      } catch {
        expect(false, "the session does not take what was agreed on: \(error)")
      }
    }

    private func check() {
      if let text = session.localDescription {
        // An offer of the other end may add some, which the answer has.
        let isOlder = session.state == .haveRemoteOffer
        let count = try? SessionDescription(parsing: text, .bundled).media.count
        expect(count == session.sections.count || isOlder && count ?? .max < session.sections.count, "the description is of other sections")
      }
      expect(Set(session.sections.map(\.mid)).count == session.sections.count, "two sections have one name")
      expect(
        session.sections.count <= JSEPSession.mostSections && session.transceivers.count <= 2 * JSEPSession.mostSections, "too many media")
      apply(session.state == .haveLocalOffer ? session.anticipated : session.negotiated?.rtp ?? RTPSessionConfiguration())
      if let data = session.negotiated?.data {
        expect(session.settings.data != nil && data.sctpPort != 0 && data.mid != nil, "data channels that are not there")
      }
      expect((session.negotiated?.media.count ?? 0) == (session.negotiated?.rtp.media.count ?? 0), "media that are not of the session")
    }
  }
}
