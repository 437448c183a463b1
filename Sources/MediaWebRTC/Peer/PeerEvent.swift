import MediaCore
import MediaICE
import MediaSDP

/// How far a connection has come, ICE and DTLS together (W3C's connectionState).
public enum PeerState: Sendable, Equatable {
  case new
  case connecting
  /// Media can pass.
  case connected
  /// Nothing was heard for a while; it may come back by itself, and a restart of ICE may help.
  case disconnected
  /// `.timeout`: there is no path, and a restart may bring one. Others are for good: `.untrusted` for another certificate than described.
  case failed(MediaError)
  case closed
}

/// What happened in a connection, in the order in which it did.
public enum PeerEvent: Sendable {
  case state(PeerState)
  /// Something is wanted that is not described: an offer is to be made (`setLocal`).
  case negotiationNeeded
  /// To be signalled, with the name of the section and the user name of ICE. Those of before the first description are in it.
  case candidate(Candidate, mid: String, user: String)
  /// None of this generation follows.
  case candidatesComplete
  /// The other end may send in that section from now on, as it has said. Streams in it follow as arrivals (`RTPSessionEvent.streamBegan`).
  case trackAdded(NegotiatedSession.Medium)
  /// It may not any longer.
  case trackRemoved(Transceiver.ID, mid: String)
  /// Data channels may be opened, or may not any longer, as long as data pass. With the other end's parameters.
  case data(DataMedia?)
  /// A server of ICE brings no candidate: with the code of its answer.
  case serverFailed(SocketAddress, code: Int?, String)
  /// A connection of TCP or TLS to a relay is to be opened: then `ice.connected`, or `ice.closed`.
  case connect(ICEBase, to: SocketAddress, ICERelay)
  /// The connection is not used any longer.
  case disconnect(ICEBase)
}
