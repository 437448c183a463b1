import MediaCore

extension ICEAgent {
  /// Whatever came to a base. Over a passive one, what `ICEStream` made of a connection, with the address of its other end.
  public func receive(_ datagram: UnsafeRawBufferPointer, on base: ICEBase, from remote: SocketAddress, now: Int64) -> ICEArrival {
    guard !isClosed, let own = bases[base.number], own.kind != .relay else {
      refused += 1
      return .refused
    }
    for relay in relays where relay.allocation.base == base.number && relay.allocation.server == remote {
      if let arrival = relayed(datagram, by: relay, now: now) { return arrival }
    }
    return arrive(datagram, on: ICEPath(base: base.number), from: remote, now: now)
  }

  /// Bytes of the connection to a relay, in any pieces. What they hold is given to `body` one after the other, whose `.application` is
  /// valid only there.
  public func receive(stream bytes: UnsafeRawBufferPointer, on base: ICEBase, now: Int64, _ body: (ICEArrival) -> Void) {
    guard !isClosed, let relay = relays.first(where: { $0.allocation.base == base.number && $0.allocation.isStream }) else { return }
    let stream = relay.allocation.stream
    var rest = bytes
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(MessageStream.longestPiece / 2))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      guard stream.append(piece) else { break }
      while let message = stream.next() {
        message.withUnsafeBytes { body(relayed($0, by: relay, now: now) ?? refuse()) }
      }
    }
    if stream.isBroken { relay.allocation.fail("\(relay.allocation.relay) sends what is not TURN") }
  }

  func refuse() -> ICEArrival {
    refused += 1
    return .refused
  }

  func arrive(_ datagram: UnsafeRawBufferPointer, on path: ICEPath, from remote: SocketAddress, now: Int64) -> ICEArrival {
    guard STUNMessage.isLikely(datagram) else {
      guard isProven(path, remote) else { return refuse() }
      current.noteArrival(path, remote, isData: true, now: now)
      former?.noteArrival(path, remote, isData: true, now: now)
      return .application(datagram)
    }
    guard let message = STUNMessage(datagram), message.method == .binding else { return refuse() }
    let isOurs =
      switch message.kind {
      case .request: answer(message, on: path, from: remote, now: now)
      case .success, .failure:
        path.relay == nil && gathered(message, on: path.base, from: remote, now: now)
          || conclude(message, on: path, from: remote, now: now)
      // It keeps paths open, and says nothing.
      case .indication: isProven(path, remote)
      }
    return isOurs ? .consumed : refuse()
  }

  /// The password is known there: by checks of theirs, or by an answer to one of ours.
  private func isProven(_ path: ICEPath, _ remote: SocketAddress) -> Bool {
    if let pair = current.pair(path, remote), pair.isProven { return true }
    return former?.pair(path, remote)?.isProven ?? false
  }
}
