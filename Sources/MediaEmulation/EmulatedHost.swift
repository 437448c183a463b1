import MediaCore
import MediaNetwork
import MediaRuntime

/// A machine of an emulated network: its sockets, routes and names, and who is driven when something comes. Handed to a transport or a server in
/// place of the kernel's network and of the reactor. Functions are called from any thread.
public final class EmulatedHost: Network, DriverLoop {
  let network: EmulatedNetwork
  let id: Int

  init(_ network: EmulatedNetwork, _ id: Int) {
    (self.network, self.id) = (network, id)
  }

  /// That of the network.
  public var clock: any MediaClock { network.clock }
  /// As `EmulatedNetwork.addHost` or `move` said last.
  public var addresses: [SocketAddress] { network.state.withLock { $0.hosts[id].addresses } }

  // MARK: What befalls it

  /// Of its own link: what it sends, and what comes to it.
  public func setConditions(up: EmulatedNetwork.Conditions? = nil, down: EmulatedNetwork.Conditions? = nil) {
    network.state.withLock { state in
      if let up { state.hosts[id].up.conditions = up }
      if let down { state.hosts[id].down.conditions = down }
    }
  }

  /// Neither sends nor receives anything until it is undone; no connection notices by itself.
  public func setDisconnected(_ isDisconnected: Bool) {
    network.state.withLock { state in
      state.hosts[id].up.conditions.isDisconnected = isDisconnected
      state.hosts[id].down.conditions.isDisconnected = isDisconnected
    }
  }

  /// It is in another network from now on. Connections from its former addresses carry nothing any more; sockets that are bound to any address send
  /// from the new ones.
  public func move(to addresses: [SocketAddress]) throws(MediaError) {
    try network.state.withLock { state throws(MediaError) in try state.setAddresses(addresses, of: id) }
  }

  /// Both ends of all its connections find them reset.
  public func resetConnections() {
    network.note { state, now in
      for socket in state.sockets.values.compactMap({ $0 as? EmulatedStreamSocket }).sorted(by: { $0.descriptor < $1.descriptor })
      where socket.host == id && socket.peer != nil {
        state.fail(socket.descriptor, "Connection reset by peer", at: now)
        if let peer = socket.peer { state.fail(peer, "Connection reset by peer", at: now) }
      }
    }
  }

  // MARK: Sockets

  /// `.io`: not an address of this machine. `.exists`: the port is taken, also if it was to be shared, which this network does not know.
  public func bindDatagrams(to address: SocketAddress, sharesPort: Bool) throws(MediaError) -> any DatagramPort {
    let (descriptor, local) = try network.change { (state, _) throws(MediaError) -> (Int32, SocketAddress) in
      let local = try state.bind(address, of: id, in: \.datagrams, "cannot bind")
      let socket = EmulatedDatagramSocket(state.takeDescriptor(), host: id, local: local)
      state.sockets[socket.descriptor] = socket
      state.hosts[id].datagrams[local.port, default: []].append(socket.descriptor)
      return (socket.descriptor, local)
    }
    return EmulatedDatagramPort(network, descriptor, local)
  }

  /// `.io`: not an address of this machine. `.exists`: the port is taken. A connection buffers 256 kB unless `receiveBuffer` says
  /// otherwise.
  public func listen(at address: SocketAddress, receiveBuffer: Int?) throws(MediaError) -> any StreamPort {
    let (descriptor, local) = try network.change { (state, _) throws(MediaError) -> (Int32, SocketAddress) in
      let local = try state.bind(address, of: id, in: \.listeners, "cannot listen at")
      let socket = EmulatedListenerSocket(
        state.takeDescriptor(), host: id, local: local, window: receiveBuffer ?? EmulatedStreamSocket.window)
      state.sockets[socket.descriptor] = socket
      state.hosts[id].listeners[local.port, default: []].append(socket.descriptor)
      return (socket.descriptor, local)
    }
    return EmulatedStreamPort(network, descriptor, local)
  }

  /// From the first address of the family; `.io`: there is none. A refusal comes by `connecting`, after the delays of the links.
  public func connect(to address: SocketAddress) throws(MediaError) -> any StreamConnection { try connect(to: address, from: nil) }

  /// From one of its addresses, which is not the first of its family.
  public func connect(to address: SocketAddress, from own: SocketAddress?) throws(MediaError) -> any StreamConnection {
    let descriptor = try network.change { (state, now) throws(MediaError) -> Int32 in
      guard
        let source = state.hosts[id].addresses.first(where: {
          $0.isIPv6 == address.isIPv6 && (own == nil || own?.isSameHost(as: $0) == true)
        })
      else {
        throw MediaError(.io, "cannot connect to \(address): Network is unreachable")
      }
      // Clients' ports are shared by all their destinations; here each has one of its own.
      let port = 32_768 &+ UInt16(truncatingIfNeeded: state.nextDescriptor % 16_384)
      let socket = EmulatedStreamSocket(state.takeDescriptor(), host: id, local: source.with(port: port), remote: address)
      state.sockets[socket.descriptor] = socket
      state.send(.opening(client: socket.descriptor), from: socket.local, of: id, to: address, at: now)
      return socket.descriptor
    }
    return EmulatedConnection(network, descriptor)
  }

  /// The first address of the family, whether or not `remote` can be reached.
  public func localAddress(toward remote: SocketAddress) -> SocketAddress? { addresses.first { $0.isIPv6 == remote.isIPv6 } }

  /// From the seed of the network and the number of this machine, whatever other machines do.
  public func random() -> UInt64 { network.state.withLock { $0.hosts[id].random.next() } }

  /// As `setVariable` said last.
  public func variable(_ name: String) -> String? { network.state.withLock { $0.hosts[id].variables[name] } }

  /// Of the environment of its programs.
  public func setVariable(_ name: String, _ value: String?) { network.state.withLock { $0.hosts[id].variables[name] = value } }

  // MARK: Driving

  /// `.closed`: after `stop`. The driver is called on the thread of the network's worker; with a virtual clock, on the thread that
  /// advances it.
  public func add(_ driver: any NetworkDriver, _ descriptors: [Int32]) throws(MediaError) -> UInt64 {
    try network.change { (state, now) throws(MediaError) in try state.add(driver, of: id, descriptors, at: now) }
  }

  /// Waits for the end of a running call of the driver, except on the thread that calls it and in foreign code.
  public func remove(_ tag: UInt64) {
    let driver = network.note { state, _ in state.remove(tag) }
    network.waitForEnd(of: [tag])
    // It may end here, where nothing is locked.
    _ = driver
  }

  /// The earliest time asked for counts; a time that has passed is now. A tag that is not driven any more is ignored, here and below.
  public func wake(_ tag: UInt64, at time: Int64) { network.note { state, now in state.wake(tag, at: time, now: now) } }

  /// A descriptor that was not added with the tag is ignored.
  public func setFull(_ isFull: Bool, _ descriptor: Int32, of tag: UInt64) {
    network.note { state, now in state.setFull(isFull, descriptor, of: tag, now: now) }
  }

  /// Of two times that are given the earlier counts.
  public func rest(_ tag: UInt64, until time: Int64) { network.note { state, now in state.rest(tag, until: time, now: now) } }

  /// The driver is called if something came or there is room again.
  public func endRest(_ tag: UInt64) { network.note { state, now in state.endRest(tag, now: now) } }

  /// Removes the drivers of this machine only, and waits as `remove` does. `add` is refused from then on.
  public func stop() {
    let stopped: [UInt64: (any NetworkDriver)?] = network.note { state, _ in
      state.hosts[id].isStopped = true
      var stopped: [UInt64: (any NetworkDriver)?] = [:]
      for (tag, entry) in state.entries where entry.host == id { stopped[tag] = .some(entry.driver) }
      for tag in stopped.keys { _ = state.remove(tag) }
      return stopped
    }
    network.waitForEnd(of: Set(stopped.keys))
    _ = stopped
  }
}

/// Names are known to the whole network.
extension EmulatedHost: NameSource {
  /// This object; all machines of the network know the same names.
  public var names: any NameSource { self }

  /// A name server answers after so long.
  static let nameDelay: Int64 = 10_000_000

  /// Answers 10 ms later, as `EmulatedNetwork.setNames` said when the look-up began; never where that says nil.
  public func look(up question: NameResolver.Question, then: @escaping @Sendable () -> Void) -> NameLookup {
    let lookup = NameLookup(question, then) { _ in }
    network.note { state, now in
      let answersName = state.answersName
      state.schedule(.calls { if let answer = answersName(question) { lookup.finish(answer) } }, at: now &+ EmulatedHost.nameDelay)
    }
    return lookup
  }
}
