/// Numbers for people.
extension Double {
  /// With so many digits after the point.
  func text(digits: Int) -> String {
    var factor = 1.0
    for _ in 0..<digits { factor *= 10 }
    let scaled = (magnitude * factor).rounded()
    guard scaled < 9e15 else { return "\(self)" }
    let whole = UInt64(scaled)
    let sign = self < 0 && whole > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let figures = String(repeating: "0", count: max(0, digits + 1 - "\(whole)".count)) + "\(whole)"
    return "\(sign)\(figures.dropLast(digits)).\(figures.suffix(digits))"
  }

  /// As short as it can be said: whole numbers without a point.
  var shortText: String {
    self == rounded() && magnitude < 9.1e15 ? "\(Int64(self))" : "\(self)"
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
