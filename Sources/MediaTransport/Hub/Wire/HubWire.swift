import CMediaSDK
import MediaCore
import MediaRTP

/// The parts that messages between a hub and its members are made of: numbers in network byte order, text behind its length, formats. Everything
/// that is read has a bound, and the reader says which one was broken.
enum HubWire {
  /// Refused when the hub has another one.
  static let version: UInt8 = 4
  /// Of a message, its type included; its length stands before it in two bytes.
  static let longest = 65_535
  static let longestName = 255
  static let longestToken = AccessToken.longest
  /// Of reasons; longer ones are cut.
  static let longestWords = 1024
  static let mostCodecs = 32
  static let ticketSize = 16
  /// Messages of this type and those after it are counted, and change something for others.
  static let firstCounted: UInt8 = 16
  /// Of those, each so many bytes count as one more change.
  static let pieceOfChange = 128
}

extension PacketReader {
  mutating func flag() throws(PacketError) -> Bool {
    switch try u8() {
    case 0: false
    case 1: true
    default: throw PacketError("hub: a flag that is neither 0 nor 1")
    }
  }

  /// UTF-8 without a zero, as it is to be a string of C.
  mutating func text(atMost most: Int) throws(PacketError) -> String {
    let count = Int(try u16())
    guard count <= most else { throw PacketError("hub: a text that is too long") }
    let bytes = try bytes(count)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw PacketError("hub: a text that is not valid UTF-8")
    }
    return text
  }

  /// A user id or a room.
  mutating func name() throws(PacketError) -> String {
    let name = try text(atMost: HubWire.longestName)
    guard !name.isEmpty else { throw PacketError("hub: an empty name") }
    return name
  }

  mutating func block(_ count: Int) throws(PacketError) -> [UInt8] { Array(try bytes(count)) }

  mutating func key() throws(PacketError) -> String {
    let key = try text(atMost: ParticipantAttributes.longestKey)
    guard ParticipantAttributes.isKey(key) else { throw PacketError("hub: an invalid key of an attribute") }
    return key
  }

  mutating func value() throws(PacketError) -> String { try text(atMost: ParticipantAttributes.longestValue) }

  /// Behind their number, each with a key of its own.
  mutating func attributes() throws(PacketError) -> ParticipantAttributes {
    var attributes = ParticipantAttributes()
    for _ in 0..<(try u8()) {
      let (key, value) = (try key(), try value())
      guard attributes[key] == nil, (try? attributes.set(key, value)) == true else {
        throw PacketError("hub: an attribute that comes twice, or more than 32")
      }
    }
    return attributes
  }

  /// Checked as a caller's would be.
  mutating func preference() throws(PacketError) -> VideoPreference {
    var preference = VideoPreference(width: try u32(), height: try u32())
    let rate = FrameRate(try u32(), try u32())
    if rate.numerator != 0 || rate.denominator != 0 { preference.frameRate = rate }
    do throws(MediaError) {
      try preference.check(argument: "")
    } catch {
      throw PacketError("hub: an invalid preference")
    }
    return preference
  }

  mutating func permissions() throws(PacketError) -> Permissions {
    let bits = try u32()
    guard bits & ~Permissions.all.rawValue == 0 else { throw PacketError("hub: permissions that do not exist") }
    return Permissions(rawValue: bits)
  }

  /// Checked as a caller's would be.
  mutating func format() throws(PacketError) -> StreamFormat {
    let (what, kind) = (try u8(), try u32())
    guard (1...2).contains(kind) else { throw PacketError("hub: a stream of an unknown kind") }
    do throws(MediaError) {
      switch what {
      case 1: return .video(try VideoFormat(checking: try video(), argument: ""), kind: kind)
      case 2: return .audio(try AudioFormat(checking: try audio(), argument: ""), kind: kind)
      default: break
      }
    } catch {
      throw PacketError("hub: an invalid format")
    }
    throw PacketError("hub: a format of neither video nor audio")
  }

  private mutating func video() throws(MediaError) -> msdk_video_format {
    var format = msdk_video_format()
    do throws(PacketError) {
      (format.pixel_format, format.width, format.height) = (try u32(), try u32(), try u32())
      (format.fps_num, format.fps_den) = (try u32(), try u32())
      (format.color_primaries, format.color_transfer, format.color_matrix) = (try u32(), try u32(), try u32())
      (format.color_full_range, format.content_hint) = (UInt32(try u8()), try u32())
      format.expected_delay_ns = Int64(bitPattern: try u64())
    } catch {
      throw MediaError(.invalid, "\(error)")
    }
    return format
  }

  private mutating func audio() throws(MediaError) -> msdk_audio_format {
    var format = msdk_audio_format()
    do throws(PacketError) {
      (format.sample_format, format.sample_rate, format.channels) = (try u32(), try u32(), try u32())
      (format.frames_per_buffer, format.expected_delay_ns) = (try u32(), Int64(bitPattern: try u64()))
    } catch {
      throw MediaError(.invalid, "\(error)")
    }
    return format
  }

  /// Nothing may follow: both ends are of one version.
  func end() throws(PacketError) {
    guard isAtEnd else { throw PacketError("hub: a message with bytes after its end") }
  }
}

extension PacketWriter {
  mutating func flag(_ flag: Bool) { u8(flag ? 1 : 0) }

  /// Cut, between characters, to what may be sent.
  mutating func text(_ text: String, atMost most: Int) {
    var piece = text[...]
    while piece.utf8.count > most { piece = piece.dropLast(max(1, (piece.utf8.count - most) / 4)) }
    var whole = String(piece.prefix { $0 != "\0" })
    whole.withUTF8 {
      u16(UInt16(truncatingIfNeeded: $0.count))
      bytes(UnsafeRawBufferPointer($0))
    }
  }

  mutating func name(_ name: String) { text(name, atMost: HubWire.longestName) }
  mutating func value(_ value: String) { text(value, atMost: ParticipantAttributes.longestValue) }

  mutating func attributes(_ attributes: ParticipantAttributes) {
    u8(UInt8(attributes.count))
    for key in attributes.keys {
      name(key)
      value(attributes[key] ?? "")
    }
  }

  mutating func preference(_ preference: VideoPreference) {
    let rate = preference.frameRate
    for number in [preference.width, preference.height, rate?.numerator ?? 0, rate?.denominator ?? 0] { u32(number) }
  }

  mutating func block(_ block: [UInt8]) { block.withUnsafeBytes { bytes($0) } }

  mutating func format(_ format: StreamFormat) {
    switch format {
    case .video(let video, let kind):
      u8(1)
      u32(kind)
      let numbers = [
        video.pixelFormat.rawValue, video.width, video.height, video.frameRate.numerator, video.frameRate.denominator,
        video.color.primaries,
        video.color.transfer, video.color.matrix
      ]
      for number in numbers { u32(number) }
      flag(video.color.fullRange)
      u32(video.contentHint)
      u64(UInt64(bitPattern: video.expectedDelay))
    case .audio(let audio, let kind):
      u8(2)
      u32(kind)
      for number in [audio.sampleFormat.rawValue, audio.sampleRate, audio.channels, audio.samplesPerBuffer] { u32(number) }
      u64(UInt64(bitPattern: audio.expectedDelay))
    }
  }
}
