import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

@testable import MediaTransport

/// Descriptions of sessions by somebody else: read, written, read again as the same; answered, accepted and announced.
enum SDPText: FuzzTarget {
  static let name = "sdp"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let options = input.byte()
    let text = input.text
    if let local = try? local(isProtected: options & 1 != 0, hasTwoLegs: options & 2 != 0) {
      if let answer = try? RTPDescription.answer(to: text, local) {
        expect(try SessionDescription(parsing: answer.text).media.count <= 64, "an answer that is no description")
      }
      _ = try? RTPDescription.accept(text, to: local)
    }
    if let announced = try? RTPDescription.announced(text, cname: "end", localHost: options & 4 != 0 ? "192.0.2.1" : nil) {
      expect(!announced.legs.isEmpty && announced.legs.allSatisfy { !$0.media.isEmpty }, "an announcement of nothing")
      expect(announced.legs.count <= 64, "\(announced.legs.count) legs")
      expect(
        announced.legs.allSatisfy { leg in leg.media.allSatisfy { $0.direction == .receiveOnly } }, "something is sent to an announcement")
    }
    let description = try SessionDescription(parsing: text)
    let again = try? SessionDescription(parsing: description.text)
    expect(again.map(\.text) == description.text, "a description is not read as it was written")
    for media in description.media {
      try check(media, of: description)
      guard let medium = try? RTPMedia(media, in: description) else { continue }
      let answer = OfferAnswer.answer(to: medium, with: medium)
      _ = try? OfferAnswer.outcome(of: medium, answeredBy: answer)
      _ = medium.media
    }
  }

  /// What only WebRTC says, written again.
  private static func check(_ media: SessionDescription.Media, of description: SessionDescription) throws {
    var copy = SessionDescription.Media(media.kind, port: 9, transport: media.transport, formats: media.formats)
    if let transport = try? TransportLines(media, in: description) {
      copy.attributes = transport.attributes
      expect(try TransportLines(copy, in: SessionDescription(id: 1, address: "::")) == transport, "ICE is not read as it was written")
    }
    if let layers = try? LayerLines(media) {
      copy.attributes = layers.attributes
      expect(try LayerLines(copy) == layers, "layers are not read as they were written")
    }
    if let data = try? DataMedia(media) { expect(try DataMedia(data.media) == data, "data channels are not read as they were written") }
  }

  private static func local(isProtected: Bool, hasTwoLegs: Bool) throws -> RTPDescription.Local {
    var legs: [RTPDescription.Local.Leg] = []
    for place in 0..<(hasTwoLegs ? 2 : 1) {
      guard let address = SocketAddress("0.0.0.0", port: UInt16(5000 + place * 2)) else { continue }
      var leg = RTPDescription.Local.Leg(local: address, control: address.with(port: UInt16(5001 + place * 2)))
      if isProtected {
        for profile in SRTPProfile.allCases {
          try leg.protect(profile, key: [UInt8](repeating: 7, count: profile.keySize + profile.saltSize))
        }
      }
      legs.append(leg)
    }
    let media: [RTPDescription.Local.Medium] = [
      .init(.video, ssrc: SSRC(1), retransmissionSSRC: SSRC(2)), .init(.audio, ssrc: SSRC(3))
    ]
    return RTPDescription.Local(id: 1, host: "192.0.2.1", cname: "end", legs: legs, media: media)
  }
}
