/// Dates of HTTP (RFC 9110, section 5.6.7) in all three forms, and what Retry-After says with them (section 10.2.3).
enum HTTPDate {
  /// A server may ask for so much; more counts as this. Nanoseconds.
  static let longestDelay: Int64 = 3_600_000_000_000

  /// Seconds or a date. Nanoseconds from now, 0 for a date that has passed; nil for what is neither. `wallClock`: nanoseconds since 1970.
  static func delay(_ retryAfter: String, wallClock: Int64) -> Int64? {
    if let seconds = HTTPText.number(retryAfter) { return Int64(min(seconds, Int(longestDelay / 1_000_000_000))) * 1_000_000_000 }
    guard let date = seconds(retryAfter, year: year(of: wallClock)) else { return nil }
    let (wait, overflows) = (date * 1_000_000_000).subtractingReportingOverflow(wallClock)
    return overflows ? 0 : min(max(wait, 0), longestDelay)
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Since 1970. `year`: this one, from which two digits of a year are understood.
  static func seconds(_ text: String, year: Int) -> Int64? {
    let parts = text.utf8.split(separator: HTTPText.space).map { Substring($0) }
    if parts.count == 6, parts[5] == "GMT", parts[0].utf8.last == UInt8(ascii: ","), parts[3].utf8.count == 4 {
      return seconds(parts[1], parts[2], HTTPText.number(parts[3]), parts[4])
    }
    if parts.count == 5, let number = HTTPText.number(parts[4]), parts[4].utf8.count == 4 {
      return seconds(parts[2], parts[1], number, parts[3])
    }
    guard parts.count == 4, parts[3] == "GMT" else { return nil }
    let date = parts[1].utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { Substring($0) }
    guard date.count == 3, date[2].utf8.count == 2, let short = HTTPText.number(date[2]) else { return nil }
    // No date is more than 50 years ahead.
    var full = year - year % 100 + short
    if full > year + 50 { full -= 100 }
    return seconds(date[0], date[1], full, parts[2])
  }

  private static func seconds(_ day: Substring, _ month: Substring, _ year: Int?, _ time: Substring) -> Int64? {
    let clock = time.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { HTTPText.number(Substring($0)) ?? -1 }
    guard let day = HTTPText.number(day), let year, let month = months.firstIndex(where: { $0 == month }), (1...31).contains(day),
      (1970...2200).contains(year), clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    return Int64((days(year, month, day) * 24 + clock[0]) * 3_600 + clock[1] * 60 + clock[2])
  }

  /// Since 1970. `month`: from 0. Years begin in March here, so that a leap day is the last of one.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let (years, place) = month < 2 ? (year - 1, month + 10) : (year, month - 2)
    return years * 365 + years / 4 - years / 100 + years / 400 + (place * 153 + 2) / 5 + day - 719_469
  }

  private static func year(of wallClock: Int64) -> Int { 1970 + Int(max(0, wallClock) / 31_556_952_000_000_000) }
}
