import MediaCore

/// A request to Janus, to be sent over HTTP (`httpBody` to `path`) or WebSocket (`text`). The server answers with a message of the same
/// transaction.
public struct JanusRequest: Sendable {
  /// Bytes of what a server sends at once.
  public static let longestAnswer = JanusMessage.longest

  /// What is asked for: "create", "attach", "message", …
  let verb: String
  /// By which the answer is recognised.
  let transaction: String
  let session: UInt64?
  let handle: UInt64?
  /// Of the object, beside the above.
  let members: [(String, JSON)]

  /// To be sent twice does no harm.
  public var isRepeatable: Bool { verb == "trickle" || verb == "keepalive" }

  /// Of HTTP, after the server's path: empty, or "/SESSION", or "/SESSION/HANDLE".
  public var path: String { [session, handle].compactMap { $0.map { "/\($0)" } }.joined() }

  /// Of HTTP, where the path says whom it is for.
  public var httpBody: [UInt8] { Array(JSON.object(head + members).rendered().utf8) }

  /// Of WebSocket.
  public var text: String {
    let ids: [(String, JSON)] = [("session_id", session), ("handle_id", handle)].compactMap { name, id in id.map { (name, .whole($0)) } }
    return JSON.object(head + ids + members).rendered()
  }

  private var head: [(String, JSON)] { [("janus", .text(verb)), ("transaction", .text(transaction))] }
}
