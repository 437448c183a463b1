import MediaCore
import Testing

@testable import MediaSDP

@Suite struct FrameRateTextTests {
  @Test func frameRatesAreThoseThatAreMeant() {
    for (text, rate) in [
      ("30", FrameRate(30)), ("25.000000", FrameRate(25)), ("29.97", FrameRate(30_000, 1001)), ("23.976", FrameRate(24_000, 1001)),
      ("59.94", FrameRate(60_000, 1001)), ("23.98", FrameRate(24_000, 1001)), ("29.96", FrameRate(29_960, 1000)),
      ("12.5", FrameRate(12_500, 1000)), ("0.001", FrameRate(1, 1000)), ("1000", FrameRate(1000))
    ] { #expect(FrameRate(decimals: text) == rate, "\(text)") }
    for text in ["", "0", "-1", "nan", "inf", "1e3", "0x10", "1001", "0.0001", ".", "1.2.3", "9999999999999", "30 ", "３０"] {
      #expect(FrameRate(decimals: text) == nil, "\(text)")
    }
    #expect(
      FrameRate(30).decimals == "30" && FrameRate(30_000, 1001).decimals == "29.970"
        && FrameRate(1, 100).decimals == "0.010")
  }
}
