import MediaCore
import MediaSDP

/// A proxy that a connection over TLS goes through (CONNECT; RFC 9110, section 9.3.6), by the variables of the environment that other clients of
/// HTTP go by.
public struct HTTPProxy: Sendable, Equatable, CustomStringConvertible {
  /// A name or an address, without brackets.
  public let host: String
  /// 80 if the variable has none.
  public let port: UInt16
  private let hostField: String
  /// Of the field Proxy-Authorization (RFC 7617); nil: the variable has no user.
  private let credentials: String?

  private static let form = "http://HOST:PORT or http://USER:PASSWORD@HOST:PORT"

  /// For a server of that name or address; nil: it is reached without one. `variable` returns what the environment has: https_proxy or HTTPS_PROXY, and
  /// no_proxy or NO_PROXY, whose names stand for all below them too, and of which * stands for everything. Servers on this machine have none.
  /// Throws what is wrong with the first: `.unsupported` for a proxy of another kind, `.invalid`, `.range`, `.limit`.
  public static func of(_ host: String, _ variable: (String) -> String?) throws(MediaError) -> HTTPProxy? {
    guard let (name, text) = value(["https_proxy", "HTTPS_PROXY"], variable), !HTTPURL.isLoopback(host) else { return nil }
    let exceptions = value(["no_proxy", "NO_PROXY"], variable)?.text ?? ""
    return isExcepted(host, by: exceptions) ? nil : try HTTPProxy(text, variable: name)
  }

  private static func value(_ names: [String], _ variable: (String) -> String?) -> (name: String, text: String)? {
    for name in names {
      if let text = variable(name), !text.isEmpty { return (name, text) }
    }
    return nil
  }

  private static func isExcepted(_ host: String, by list: String) -> Bool {
    let (host, address) = (HTTPText.lower(host), SocketAddress(host, port: 0))
    return list.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }.contains { item in
      let text = HTTPText.lower(Substring(item))
      if text == "*" { return true }
      if let address { return SocketAddress(text, port: 0) == address }
      let name = text.utf8.first == UInt8(ascii: ".") ? String(text.dropFirst()) : text
      guard !name.isEmpty, host.utf8.count >= name.utf8.count, host.utf8.reversed().starts(with: name.utf8.reversed()) else { return false }
      let before = host.utf8.dropLast(name.utf8.count).last
      return before == nil || before == UInt8(ascii: ".")
    }
  }

  /// No error repeats a user or a password.
  private init(_ text: String, variable name: String) throws(MediaError) {
    guard text.utf8.count <= HTTPURL.longest else {
      throw MediaError(.limit, "\(name) has \(text.utf8.count) bytes; accepted: at most \(HTTPURL.longest)")
    }
    var rest = text[...]
    if let place = HTTPProxy.endOfScheme(text) {
      let scheme = HTTPText.lower(text[..<place])
      guard scheme == "http" else {
        throw MediaError(.unsupported, "\(name) names a proxy of the kind \(scheme.prefix(16)); accepted: \(HTTPProxy.form)")
      }
      rest = Substring(text.utf8[place...].dropFirst(3))
    }
    let parted = rest.cut(atLast: UInt8(ascii: "@"))
    let url: HTTPURL
    do throws(MediaError) {
      url = try HTTPURL("http://\(parted?.after ?? rest)", argument: name)
    } catch {
      throw MediaError(error.status, "\(name) has no host and port that can be such; accepted: \(HTTPProxy.form)")
    }
    (host, port, hostField) = (url.host, url.port, url.hostField)
    credentials = try parted.map { (parted) throws(MediaError) in
      guard let user = ParsedURL.decoded(parted.before) else {
        throw MediaError(
          .invalid, "\(name) has a user or password that cannot be one; accepted: % and two hexadecimal digits for each byte")
      }
      return "Basic \(Base64.encode(Array((user.has(":") ? user : "\(user):").utf8)))"
    }
  }

  private static func endOfScheme(_ text: String) -> String.Index? {
    guard let place = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return text.utf8[place...].starts(with: "://".utf8) ? place : nil
  }

  /// Without user and password.
  public var description: String { "the proxy \(hostField)" }

  /// Asks it for a connection to that place: `host` is a name or an address, without brackets.
  public func request(to host: String, port: UInt16) -> HTTPRequest {
    let target = host.has(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var fields: HTTPFields = ["Host": target]
    if let credentials { fields.append("Proxy-Authorization", credentials) }
    return HTTPRequest("CONNECT", target, fields)
  }

  /// Why it does not connect.
  public func refusal(_ response: HTTPResponse, to place: String) -> MediaError {
    guard response.status == 407 else {
      return MediaError(.io, "\(self) does not connect to \(place): \(response.status) \(response.reason)")
    }
    let accepted = "a user and a password that it knows, as in \(HTTPProxy.form), for a proxy that takes them in the clear (RFC 7617)"
    return MediaError(.permission, "\(self) wants to know who asks (407); accepted in https_proxy: \(accepted)")
  }
}
