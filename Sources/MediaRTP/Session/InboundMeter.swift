/// What is counted of a stream that comes in, beside its packets.
struct InboundMeter {
  /// In a source of their own (RFC 4588).
  private(set) var again = (packets: 0 as UInt64, bytes: 0 as UInt64, headerBytes: 0 as UInt64)
  var packetsRepaired: UInt64 = 0
  var packetsDiscarded: UInt64 = 0
  var nackCount: UInt64 = 0
  var pliCount: UInt64 = 0
  private(set) var framesAssembled: UInt64 = 0
  private(set) var assemblyTime: Int64 = 0
  private(set) var size: (width: UInt16, height: UInt16) = (0, 0)
  private(set) var freezes = FreezeMeter()
  private(set) var bufferDelay: Int64 = 0
  private(set) var targetDelay: Int64 = 0
  private(set) var emitted: UInt64 = 0
  private(set) var concealedSamples: UInt64 = 0
  private(set) var concealmentEvents: UInt64 = 0
  private var isConcealing = false

  mutating func receivedAgain(_ packet: RTPPacket) {
    again.packets &+= 1
    again.bytes &+= UInt64(clamping: packet.payload.count)
    again.headerBytes &+= UInt64(clamping: packet.headerSize &+ packet.paddingSize)
  }

  /// A picture is handed on, that was to be held back for so long.
  mutating func handedOn(_ picture: FrameBuffer.Picture, target: Int64, at now: Int64) {
    if picture.first != picture.last {
      framesAssembled &+= 1
      assemblyTime &+= picture.lastArrival &- picture.firstArrival
    }
    if picture.isKeyFrame { size = (picture.width, picture.height) }
    freezes.shown(at: now)
    bufferDelay &+= max(0, now &- picture.firstArrival)
    targetDelay &+= target
    emitted &+= 1
  }

  /// A packet of sound is handed on, of so many samples.
  mutating func handedOn(samples: Int, arrival: Int64, target: Int64, at now: Int64) {
    isConcealing = false
    bufferDelay &+= max(0, now &- arrival) &* Int64(samples)
    targetDelay &+= target &* Int64(samples)
    emitted &+= UInt64(clamping: samples)
  }

  mutating func concealed(samples: Int64) {
    if !isConcealing { concealmentEvents &+= 1 }
    isConcealing = true
    concealedSamples &+= UInt64(clamping: samples)
  }
}
