/// What participants send each other to call methods (rpc.h). A payload is the message's bytes, in UTF-8.
public enum RemoteCallPart: Sendable, Equatable {
  /// The other is to run a method, and to respond within so many milliseconds. The id is the caller's.
  case request(id: String, method: String, timeout: UInt32, version: UInt32)
  /// The request has come.
  case acknowledgement(id: String)
  /// With what the method returned.
  case response(id: String)
  /// It did not succeed. The payload says more about it, or is empty.
  case failure(id: String, code: UInt32, text: String)
}
