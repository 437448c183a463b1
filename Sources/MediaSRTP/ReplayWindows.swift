import MediaRTP

/// The replay windows of all streams under one key. Of the streams that sent nothing for longest only the highest index is kept, so that a packet of
/// theirs is never new twice either; and beyond `most` of them no further stream is heard.
struct ReplayWindows {
  static let mostOpen = 1024
  static let most = 65_536

  private struct Stream {
    let window: ReplayWindow
    var used: UInt64
  }

  private var open: [SSRC: Stream] = [:]
  /// Of those without a window: its highest index.
  var closed: [SSRC: Int64] = [:]
  private var uses: UInt64 = 0

  /// The 48 bits that a packet's 16 are the last of.
  func index(of sequence: UInt16, from ssrc: SSRC) -> Int64 {
    open[ssrc]?.window.index(of: sequence) ?? ReplayWindow.index(of: sequence, after: closed[ssrc] ?? -1)
  }

  func isNew(_ index: Int64, from ssrc: SSRC) -> Bool {
    if let stream = open[ssrc] { return stream.window.isNew(index) }
    if let highest = closed[ssrc] { return index > highest }
    return open.count + closed.count < ReplayWindows.most
  }

  /// Only of what was found to be authentic.
  mutating func insert(_ index: Int64, from ssrc: SSRC) {
    uses &+= 1
    if open[ssrc] == nil {
      if open.count >= ReplayWindows.mostOpen { closeIdle() }
      open[ssrc] = Stream(window: ReplayWindow(after: closed.removeValue(forKey: ssrc) ?? -1), used: uses)
    }
    open[ssrc]?.used = uses
    open[ssrc]?.window.insert(index)
  }

  private mutating func closeIdle() {
    guard let (ssrc, idle) = open.min(by: { $0.value.used < $1.value.used }) else { return }
    closed[ssrc] = idle.window.highest
    open[ssrc] = nil
  }
}
