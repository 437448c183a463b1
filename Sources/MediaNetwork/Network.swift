import MediaCore

/// What a machine has of networks: sockets, routes and names. `SystemNetwork` is the kernel's, an emulated one is for tests; transports are given
/// one, with the loop that drives whoever waits for its sockets, and never make a socket themselves. Functions are called from any thread.
public protocol Network: AnyObject, Sendable {
  /// A port of 0 lets the network choose one. `sharesPort`: others may bind it too, as multicast needs.
  func bindDatagrams(to address: SocketAddress, sharesPort: Bool) throws(MediaError) -> any DatagramPort

  /// A port of 0 lets the network choose one. `receiveBuffer`: bytes of each connection that wait to be read, before the other end is held up; nil
  /// for as many as the network likes. Throws `.exists` for a port that is taken, `.permission` and `.noMemory` for one that the system refuses.
  func listen(at address: SocketAddress, receiveBuffer: Int?) throws(MediaError) -> any StreamPort

  /// Begins to connect; `connecting` says how it goes.
  func connect(to address: SocketAddress) throws(MediaError) -> any StreamConnection

  /// The address of this machine from which that one is sent to, as the routes say now, with port 0; nil without a route.
  func localAddress(toward remote: SocketAddress) -> SocketAddress?

  /// Of this machine's interfaces that are up, as they are now, each once and with port 0, in the order of the interfaces.
  var addresses: [SocketAddress] { get }

  /// Looks up the names of hosts that this network knows.
  var names: any NameSource { get }

  /// Of the environment, where it names proxies; nil: it has none of that name.
  func variable(_ name: String) -> String?

  /// The same network for a program that goes by no environment, if it says so.
  func ignoringEnvironment(_ ignores: Bool) -> any Network

  /// A number that nobody else can guess, and that an emulated network repeats with its seed. Keys are of the system's generator.
  func random() -> UInt64
}

extension Network {
  /// On a port that nobody else may bind.
  public func bindDatagrams(to address: SocketAddress) throws(MediaError) -> any DatagramPort {
    try bindDatagrams(to: address, sharesPort: false)
  }

  /// Where there is no environment but what a test sets.
  public func ignoringEnvironment(_ ignores: Bool) -> any Network { self }

  /// With a receive buffer as the network likes it.
  public func listen(at address: SocketAddress) throws(MediaError) -> any StreamPort { try listen(at: address, receiveBuffer: nil) }
}

/// Looks names of hosts up.
public protocol NameSource: AnyObject, Sendable {
  /// Begins to look a name up. `then` is called once, on a thread of the source's or of whoever fails the look-up, when there is an answer; never
  /// after `cancel`.
  func look(up question: NameResolver.Question, then: @escaping @Sendable () -> Void) -> NameLookup
}

// MARK: Datagrams

/// A socket of UDP that never blocks. Not for two threads at once, but that one may send while another receives.
public protocol DatagramPort: AnyObject {
  /// By which the loop knows it; -1 once it is closed: then it receives and sends nothing.
  var descriptor: Int32 { get }
  /// With the port that the network chose; nil once it is closed.
  var localAddress: SocketAddress? { get }

  /// Frees its port, whoever still refers to the socket.
  func close()

  /// Hears what is sent to a group, on the interface that the routes say.
  func join(_ group: SocketAddress) throws(MediaError)

  /// Receives what has come, up to 16 rows of neighbours of one size (`DatagramRows.forEach`); how many rows there were.
  func receive(_ rows: DatagramRows) -> Int

  /// Sends what was added to a batch, from the datagram `first` on.
  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending
}

extension DatagramPort {
  /// Sends the whole batch.
  public func send(_ batch: DatagramBatch) -> DatagramSending { send(batch, from: 0) }

  /// Receives, and hands each datagram over.
  public func receive(_ rows: DatagramRows, _ body: (UnsafeMutableRawBufferPointer, SocketAddress) -> Void) -> Int {
    let count = receive(rows)
    rows.forEach(body)
    return count
  }
}

/// What became of a batch, from the datagram on with which sending began.
public enum DatagramSending: Sendable, Equatable {
  case all
  /// So many went; the socket's buffer has no room for the rest just now.
  case some(Int)
  /// The rest is lost, by an error of the network's, such as a route that is not there.
  case failed(Int, errno: Int32)
}

// MARK: Streams of bytes

/// A connection of TCP that never blocks. Not for two threads at once. It is closed with its last reference.
public protocol StreamConnection: AnyObject {
  /// By which the loop knows it.
  var descriptor: Int32 { get }
  /// nil when the other end is gone already.
  var remoteAddress: SocketAddress? { get }
  /// nil when it is not of a network, or broken.
  var localAddress: SocketAddress? { get }
  /// How connecting goes.
  var connecting: StreamConnecting { get }

  /// Reads what has come, as much as there is room for; the memory has at least one byte.
  func read(into memory: UnsafeMutableRawBufferPointer) -> StreamReading

  /// How many went; nil when the connection is broken.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int?

  /// Nothing is written any more, which the other end finds after all that was; it may still write.
  func endWriting()

  /// Breaks the connection, whoever uses it.
  func shut()
}

/// How far a connection has come.
public enum StreamConnecting: Sendable, Equatable {
  case waiting
  case done
  /// As the kernel says it, such as "Connection refused".
  case failed(String)
}

/// What one reading gave.
public enum StreamReading: Sendable, Equatable {
  case bytes(Int)
  case nothing
  /// The other end sends nothing any more.
  case end
  case failed(String)
}

/// A port at which connections of TCP are accepted; until its last reference goes.
public protocol StreamPort: AnyObject {
  /// By which the loop knows it.
  var descriptor: Int32 { get }
  /// With the port that the network chose.
  var localAddress: SocketAddress? { get }

  /// The next one that waits.
  func accept() -> StreamAccepting

  /// Closes the next connection that waits, for which no descriptor is to be had otherwise; false: there is none for that either.
  func turnAway() -> Bool
}

/// What one look at a port gave.
public enum StreamAccepting {
  case stranger(any StreamConnection)
  case nobody
  /// One waits, and neither the process nor the machine has a descriptor or memory for it (EMFILE, ENFILE, ENOBUFS, ENOMEM).
  case exhausted
}
