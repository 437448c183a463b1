import MediaICE
import MediaNetwork
import MediaSCTP
import MediaSignalling
import MediaTLS
import MediaWebRTC

/// How a `PeerDriver` is made.
struct PeerDriverSettings: Sendable {
  /// Of the connection. The addresses of servers are not in it: `servers` has their names.
  var peer: PeerSettings
  /// Asked for candidates from the beginning.
  var servers: [ICEServer] = []
  /// Loopback addresses are offered also where there are others.
  var offersLoopback = false
  /// Of relays over TLS; nil: their certificates are to be signed by an authority that the system trusts, for the relay's name or address.
  var relayFingerprint: TLSFingerprint?

  init(_ peer: PeerSettings) { self.peer = peer }
}

/// Whom a `PeerDriver` serves. On the network thread, one call at a time, where nothing is locked.
protocol PeerDriverDelegate: AnyObject, Sendable {
  /// In the order in which things happened.
  func driver(_ driver: PeerDriver, did event: PeerDriverEvent)
  /// What happened in data channels. A delegate without room calls `takeChannels`, and gets at most what is handed over already.
  func driver(_ driver: PeerDriver, did events: [DataChannelEvent])
  /// References to frames are the delegate's to release. Also called without any, after `PeerDriver.wake`.
  func driver(_ driver: PeerDriver, received arrivals: [PeerArrival])
}

extension PeerDriverDelegate {
  /// Nothing, for connections whose settings have no data channels.
  func driver(_ driver: PeerDriver, did events: [DataChannelEvent]) {}
}

/// What happened to a connection.
enum PeerDriverEvent: Sendable {
  /// As `PeerConnection` has it; connections to relays are the driver's own business, and so is what servers answer.
  case peer(PeerEvent)
  /// The path is lost or about to be, or what it went over has gone, and there is an address to begin from. Said once until ICE is restarted, there is
  /// a path again, or the addresses are others.
  case restartWanted
  /// It brings no candidate. The code is of its answer.
  case serverFailed(String, code: Int?, String)
}

/// Random numbers of a network: the system's, or those of an emulated one, which its seed repeats.
struct NetworkRandom: RandomNumberGenerator {
  let network: any Network

  func next() -> UInt64 { network.random() }
}
