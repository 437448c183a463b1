import MediaCore
import MediaNetwork
import MediaRuntime

/// A session's local ingest: where its feeders connect. The loop, which drives it, and the network are the caller's; the loop has nobody else to
/// drive who would have to wait for a frame.
public final class IngestEndpoint: Sendable {
  /// Of TCP, as bound; 0 where feeders connect by a socket's path only.
  public let port: UInt32
  private let server: IngestServer

  /// port: nil for none, 0 for any that is free. Frames come from now on.
  public init(
    port: UInt16?, socketPath: String?, _ rules: IngestRules, network: any Network, loop: any DriverLoop, _ delegate: any IngestDelegate
  ) throws(MediaError) {
    var listeners: [IngestListener] = []
    if let port { listeners.append(try IngestListener(port: port, of: network)) }
    if let socketPath { listeners.append(try IngestListener(path: socketPath)) }
    self.port = listeners.first?.number ?? 0
    server = IngestServer(listeners, rules, loop, delegate)
    try server.open()
  }

  /// The feeder is asked for a key frame. From any thread.
  public func requestKeyFrame() {
    server.mailbox.requestKeyFrame()
  }

  /// Says why to the feeder and closes everything. When it returns nothing more is delivered, unless it was called from inside a delivery. From any
  /// thread.
  public func close() {
    server.close()
  }
}
