import Testing

@testable import MediaSignalling

@Suite struct HTTPDateTests {
  /// RFC 9110, section 5.6.7: three forms of one time; and borders of calendars.
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
      ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
      ("Wed, 01 Mar 2023 00:00:00 GMT", 1_677_628_800), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
      ("Tue, 31 Dec 2030 23:59:59 GMT", 1_924_991_999),
      ("Tuesday, 31-Dec-30 23:59:59 GMT", 1_924_991_999)
    ] as [(String, Int64)])
  func datesOfAllForms(text: String, seconds: Int64) {
    #expect(HTTPDate.seconds(text, year: 2026) == seconds)
  }

  @Test(arguments: [
    "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 9999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:-1 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun, -6 Nov 1994 08:49:37 GMT", "1e3",
    "-1", "1.5"
  ])
  func othersAreNone(text: String) {
    #expect(HTTPDate.seconds(text, year: 2026) == nil)
    #expect(HTTPDate.delay(text, wallClock: 0) == nil)
  }

  @Test func retryAfterIsSecondsOrADate() {
    let now: Int64 = 784_111_777 * second
    #expect(HTTPDate.delay("0", wallClock: now) == 0 && HTTPDate.delay("120", wallClock: now) == 120 * second)
    #expect(HTTPDate.delay("Sun, 06 Nov 1994 08:50:07 GMT", wallClock: now) == 30 * second)
    #expect(HTTPDate.delay("Sun, 06 Nov 1994 08:49:07 GMT", wallClock: now) == 0)
    #expect(HTTPDate.delay("999999999999", wallClock: now) == 3_600 * second)
    #expect(HTTPDate.delay("Sun, 06 Nov 2094 08:49:07 GMT", wallClock: now) == 3_600 * second)
    #expect(HTTPDate.delay("Sun, 06 Nov 1994 08:49:07 GMT", wallClock: .min) == 0 && HTTPDate.delay("1", wallClock: .max) == second)
  }
}
