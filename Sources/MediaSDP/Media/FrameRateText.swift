import MediaCore

/// Frames a second, in decimals, as a=framerate has them (RFC 8866, section 6.13).
extension FrameRate {
  /// nil outside of 0.001..1000. Rates of television are meant exactly.
  init?(decimals text: String) {
    guard text.utf8.count <= 12, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }), let rate = Double(text),
      rate >= 0.001, rate <= 1000
    else { return nil }
    let (whole, next) = (rate.rounded(), rate.rounded(.up))
    if abs(rate - whole) < 0.0005 {
      self.init(UInt32(whole))
    } else if abs(rate - next * 1000 / 1001) < 0.006 {
      self.init(UInt32(next) * 1000, 1001)
    } else {
      self.init(UInt32((rate * 1000).rounded()), 1000)
    }
  }

  var decimals: String {
    guard denominator != 1 else { return "\(numerator)" }
    let thousandths = UInt64(numerator) * 1000 / UInt64(max(1, denominator))
    let rest = "\(thousandths % 1000)"
    return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }
}
