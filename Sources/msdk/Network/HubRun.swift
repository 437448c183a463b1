import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

/// A room of this process that is open to the network, until the user has had enough.
struct HubRun {
  let command: HubCommand

  private static let tick = 500

  func perform() throws(MediaError) {
    let signals = StopSignals()
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine)
    let url = "loopback:\(command.room)"
    var access = RoomOptions()
    access.capacity = command.most
    if let path = command.tokens {
      let tokens = try TokenFile(reading: path)
      access.verification = .function { tokens.answer($0) }
    }
    try engine.configureRoom(url, access)
    var options = HubOptions()
    options.port = command.port
    if !command.address.isEmpty { options.addresses = command.address.joined(separator: ",") }
    if let certificate = command.certificate, let key = command.key { options.certificate = (certificate, key) }
    options.mostMembers = command.most
    options.webPort = command.web
    // Nobody is told of before the urls are.
    let urls = Monitor(false)
    options.watch = { change in
      _ = urls.wait(until: .max) { $0 ? () : nil }
      if let words = HubRun.words(change) { Terminal.show(words) }
    }
    let info = try engine.openHub(url, options)
    for host in command.address.isEmpty ? ["0.0.0.0"] : command.address {
      for host in LocalAddresses.reachable(host) {
        Terminal.show("hub://\(host.contains(":") ? "[\(host)]" : host):\(info.port)/\(command.room)?fingerprint=\(info.fingerprint)")
      }
    }
    if !info.webURL.isEmpty { Terminal.show(info.webURL) }
    urls.withLock { $0 = true }
    urls.notify()
    while !signals.wait(milliseconds: HubRun.tick) {}
    signals.letThrough()
    try engine.closeHub(url)
  }

  private static func words(_ change: HubChange) -> String? {
    switch change {
    case .entered(let member):
      let name = member.displayName == member.userID ? "" : " (\(member.displayName))"
      return Terminal.oneLine("\(member.userID)\(name) joined")
    case .away(let userID): return Terminal.oneLine("\(userID) is away")
    case .returned(let userID): return Terminal.oneLine("\(userID) is back")
    // The engine logs it.
    case .refused: return nil
    case .left(let userID, let error): return Terminal.oneLine("\(userID) left" + (error.map { ": \($0.text)" } ?? ""))
    }
  }
}
