import ArgumentParser
import CMediaSDK
import MediaCore
import MediaTransport

/// The values of options, read from text. What is wrong is said together with what is accepted.
struct Size: Sendable {
  let width: UInt32
  let height: UInt32

  static func parse(_ text: String) throws -> Size {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { UInt32($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], Dimensions.accepted.contains(width),
      Dimensions.accepted.contains(height)
    else { throw ValidationError("accepted: WIDTHxHEIGHT in pixels, 1..\(Dimensions.accepted.upperBound) each, as in 1280x720") }
    return Size(width: width, height: height)
  }
}

/// By a name of ours, or of a plugin's codec by its fourcc: four capital letters and digits.
struct Codec: ExpressibleByArgument, Equatable, Sendable {
  let name: String
  let fourcc: UInt32

  static let vp8 = Codec(name: "vp8", fourcc: UInt32(MSDK_CODEC_VP8))
  static let raw = Codec(name: "raw", fourcc: FourCC.raw)
  private static let named = [vp8, Codec(name: "av1", fourcc: UInt32(MSDK_CODEC_AV1)), raw]

  static var allValueStrings: [String] { named.map(\.name) }
  var defaultValueDescription: String { name }

  private init(name: String, fourcc: UInt32) {
    (self.name, self.fourcc) = (name, fourcc)
  }

  init(fourcc: UInt32) {
    self = Codec.named.first { $0.fourcc == fourcc } ?? Codec(name: FourCC.text(fourcc), fourcc: fourcc)
  }

  init?(argument: String) {
    let letters = argument.utf8
    let isFourcc = letters.count == 4 && letters.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    guard
      let codec = Codec.named.first(where: { $0.name == argument })
        ?? (isFourcc ? Codec(name: argument, fourcc: letters.reversed().reduce(0) { $0 << 8 | UInt32($1) }) : nil)
    else { return nil }
    self = codec
  }
}

enum Arguments {
  /// 30 or 30000/1001.
  static func frameRate(_ text: String) throws -> FrameRate {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt32($0) }
    guard (1...2).contains(parts.count), let numerator = parts[0], let denominator = parts.count == 2 ? parts[1] : 1, numerator > 0,
      denominator > 0
    else { throw ValidationError("accepted: frames a second, above 0, a whole number or a fraction, as in 30 or 30000/1001") }
    return FrameRate(numerator, denominator)
  }

  static func bitrate(_ text: String) throws -> UInt64 {
    guard let bits = UInt64(text), (1000...100_000_000).contains(bits) else {
      throw ValidationError("accepted: bits a second, 1000..100000000")
    }
    return bits
  }

  static func seconds(_ text: String) throws -> Double {
    guard let seconds = Double(text), seconds > 0, seconds <= 1e6 else {
      throw ValidationError("accepted: seconds, above 0, up to 1000000")
    }
    return seconds
  }

  static func port(_ text: String) throws -> UInt16 {
    guard let port = UInt16(text), port > 0 else { throw ValidationError("accepted: a port, 1..65535") }
    return port
  }

  static func members(_ text: String) throws -> Int {
    guard let members = Int(text), (1...1000).contains(members) else { throw ValidationError("accepted: a number of members, 1..1000") }
    return members
  }

  static func frames(_ text: String) throws -> UInt64 {
    guard let frames = UInt64(text), (1...1_000_000_000).contains(frames) else {
      throw ValidationError("accepted: a number of frames, 1..1000000000")
    }
    return frames
  }

  /// bandwidth=1000000,delay=50,jitter=5,loss=2
  static func network(_ text: String) throws -> NetworkScript.Step {
    var step = NetworkScript.Step()
    var seen = Set<Substring>()
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, let value = Double(pair[1]) else { throw networkError("\"\(part)\" is not name=number") }
      guard seen.insert(pair[0]).inserted else { throw networkError("\(pair[0]) is given twice") }
      switch pair[0] {
      case "bandwidth" where value == 0 || (1000...1e12).contains(value): step.bandwidth = UInt64(value)
      case "delay" where (0...10_000).contains(value): step.delay = Int64(value * 1_000_000)
      case "jitter" where (0...10_000).contains(value): step.jitter = Int64(value * 1_000_000)
      case "loss" where (0...100).contains(value): step.loss = UInt32((value * 10_000).rounded())
      default: throw networkError("\"\(part)\" is not accepted")
      }
    }
    return step
  }

  private static func networkError(_ reason: String) -> ValidationError {
    ValidationError(
      "\(reason); accepted, separated by commas: bandwidth=BITS a second (0 for unlimited, or at least 1000), "
        + "delay=MS and jitter=MS (0..10000), loss=PERCENT of the packets (0..100)")
  }
}
