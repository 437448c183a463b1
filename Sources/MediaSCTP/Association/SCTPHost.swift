/// What the library asks for while it works for an association: where packets go, and random bytes.
final class SCTPHost {
  /// More are dropped, as a network would.
  static let most = 1024
  private var packets = WaitingQueue<[UInt8]>()
  private var random: any RandomNumberGenerator

  init(random: any RandomNumberGenerator) {
    self.random = random
  }

  func append(_ packet: UnsafeRawBufferPointer) {
    if packets.count < SCTPHost.most { packets.append(Array(packet)) }
  }

  func take() -> [UInt8]? { packets.take() }

  func fill(_ memory: UnsafeMutableRawBufferPointer) {
    for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: random.next() >> 32) }
  }
}
