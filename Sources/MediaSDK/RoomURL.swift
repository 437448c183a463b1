import MediaCore

/// "loopback:NAME"
public enum RoomURL {
  private static let scheme = "loopback:"

  public static func loopbackName(_ url: String, argument: String) throws(MediaError) -> String {
    guard url.hasPrefix(scheme) else {
      throw MediaError(.unsupported, "\(argument) is \"\(url.prefix(64))\"; accepted: \(scheme)NAME")
    }
    let name = String(url.dropFirst(scheme.count))
    guard (1...255).contains(name.utf8.count) else {
      throw MediaError(.invalid, "\(argument) has a room name of \(name.utf8.count) bytes; accepted: 1..255")
    }
    return name
  }
}
