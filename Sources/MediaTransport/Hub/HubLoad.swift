import MediaCore

/// How much of a way the units of a stream take, headers included: over a second, and half of the second before it.
struct HubLoad {
  private static let window: Int64 = 1_000_000_000
  private static let headerBytes = 70
  private static let payloadBytes = 1100
  private var since: Int64?
  private var bytes = 0
  private var last = 0

  /// In bits a second; 0 before the first second is over.
  func rate(at now: Int64) -> Int {
    guard last > 0, let since, now &- since > 2 * HubLoad.window else { return last }
    // Little comes any more.
    return Int(8e9 * Double(bytes) / Double(now &- since))
  }

  mutating func add(_ size: Int, now: Int64) {
    let size = min(max(0, size), 1 << 30)
    let packets = max(1, (size + HubLoad.payloadBytes - 1) / HubLoad.payloadBytes)
    bytes = min(bytes + size + packets * HubLoad.headerBytes, 1 << 40)
    let begin = since ?? now
    since = begin
    let passed = now &- begin
    guard passed >= HubLoad.window else { return }
    let measured = Int(min(8e9 * Double(bytes) / Double(passed), 1e12))
    last = last == 0 ? measured : (measured + last) / 2
    (since, bytes) = (now, 0)
  }
}
