import CMediaSDK
import MediaCore
import MediaSDK
import MediaServer
import MediaTransport

/// A room of this process that is open to the network, until the user has had enough.
struct ServeRun {
  let command: ServeCommand

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
    var options = ServeOptions()
    if let path = command.apiKey {
      let verifier = APIKeyAccess(key: try APIKey(reading: path), room: command.room)
      access.verification = .function { verifier.answer($0) }
      options.access = (verifier.key.name, verifier.key.secret)
    }
    try engine.configureRoom(url, access)
    (options.port, options.mediaPort) = (command.port, command.mediaPort)
    if !command.address.isEmpty { options.addresses = command.address.joined(separator: ",") }
    if !command.publicAddress.isEmpty { options.publicAddresses = command.publicAddress.joined(separator: ",") }
    if let certificate = command.certificate, let key = command.key { options.certificate = (certificate, key) }
    options.mostMembers = command.most
    // Nobody is told of before the urls are.
    let urls = Monitor(false)
    options.watch = { change in
      _ = urls.wait(until: .max) { $0 ? () : nil }
      if let words = ServeRun.words(change) { Terminal.show(words) }
    }
    try show(engine.serve(url, options))
    urls.withLock { $0 = true }
    urls.notify()
    while !signals.wait(milliseconds: ServeRun.tick) {}
    signals.letThrough()
    try engine.stopServing(url)
  }

  // MARK: Where it is

  private func show(_ info: ServeInfo) throws(MediaError) {
    let addresses = !command.publicAddress.isEmpty ? command.publicAddress : command.address.isEmpty ? ["0.0.0.0"] : command.address
    let urls = ServedURLs(info, listening: addresses, host: command.host)
    ServeRun.show("page", urls.pages, colour: .bold)
    if let page = urls.pages.first {
      if command.tokens != nil { Terminal.show("           each person adds #token=TOKEN to it") }
      if page.hasPrefix("https:"), command.certificate == nil {
        Terminal.show("           browsers warn of its certificate, which was made here; accept it if its SHA-256 is")
        Terminal.show("           \(info.fingerprint)")
      }
      if command.qr ?? Terminal.isInteractive { try showCode(page) }
    }
    ServeRun.show("WHIP", urls.whip)
    ServeRun.show("WHEP", urls.whep)
    if command.apiKey != nil { ServeRun.show("LiveKit", urls.liveKit) }
    ServeRun.show("MediaSDK", urls.sessions)
  }

  private static func show(_ name: String, _ urls: [String], colour: Colour? = nil) {
    for (place, url) in urls.enumerated() {
      let label = place == 0 ? "\(name):" : ""
      let padding = String(repeating: " ", count: max(1, 11 - label.utf8.count))
      Terminal.show(label + padding + (place == 0 ? colour?.painted(url) ?? url : url))
    }
  }

  private func showCode(_ page: String) throws(MediaError) {
    let code = try QRCode(page)
    // A code whose lines are broken cannot be read.
    guard command.qr == true || code.columns <= Terminal.width else {
      return Terminal.show("           its QR code needs \(code.columns) columns; --qr prints it all the same")
    }
    Terminal.show("")
    for line in code.lines { Terminal.show(line) }
    Terminal.show("")
  }

  private static func words(_ change: ServerChange) -> String? {
    switch change {
    case .entered(let member):
      let name = member.displayName == member.userID ? "" : " (\(member.displayName))"
      return Terminal.oneLine("\(member.userID)\(name) joined")
    // The engine logs it.
    case .refused: return nil
    case .left(let userID, let error): return Terminal.oneLine("\(userID) left" + (error.map { ": \($0.text)" } ?? ""))
    }
  }
}
