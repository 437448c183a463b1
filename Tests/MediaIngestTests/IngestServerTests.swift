import MediaCore
import MediaNetwork
import Testing

@testable import MediaEmulation
@testable import MediaIngest

/// A local ingest over an emulated network: what it waits for is waited for in virtual time.
@Suite struct IngestServerTests {
  private let house: IngestHouse

  init() throws { house = try IngestHouse() }

  private func picture(_ value: UInt8, timestamp: Int64 = 0) -> [UInt8] {
    var header = FeederBytes.Header()
    header.timestamp = timestamp
    return FeederBytes.frame(header) + [UInt8](repeating: value, count: 64 * 48)
  }

  private func seen(_ value: UInt8, at timestamp: Int64) -> SessionRecorder.Event {
    .frame(width: 64, height: 32, timestamp: timestamp, first: value, last: value)
  }

  // MARK: Frames

  @Test func framesArriveAsTheyWere() throws {
    let feeder = try house.feeder()
    #expect(house.session.take() == [.connected("tcp")])
    let captured = house.clock.now() - 5 * IngestHouse.ms
    feeder.send(picture(7, timestamp: captured) + picture(8))
    try house.run(milliseconds: 1)
    #expect(house.session.take() == [seen(7, at: captured), seen(8, at: house.clock.now() - IngestHouse.ms)])
    feeder.send(FeederBytes.bye)
    try house.run(milliseconds: 1)
    #expect(house.session.take() == [.left(nil)])
    #expect(house.network.busyCalls == 0)
  }

  /// What is lost comes later, and in order.
  @Test func aBadLinkCostsTimeOnly() throws {
    house.far.setConditions(up: .init(bandwidth: 10_000_000, delay: 30 * IngestHouse.ms, loss: 50_000))
    let feeder = try house.feeder(distant: true)
    for value in 0..<50 as Range<UInt8> {
      feeder.send(picture(value))
      try house.run(milliseconds: 33)
    }
    try house.run(milliseconds: 5_000)
    let frames = house.session.take().dropFirst().map { event -> UInt8? in
      if case .frame(_, _, _, let first, let last) = event, first == last { first } else { nil }
    }
    #expect(frames == (0..<50).map { $0 })
    #expect(house.network.busyCalls == 0)
  }

  /// A frame of more bytes than a connection buffers.
  @Test func aLargeFrameComesInParts() throws {
    let feeder = try house.feeder()
    var header = FeederBytes.Header()
    (header.width, header.height, header.strides, header.payload) = (1280, 720, [1280, 1280, 0, 0], 1280 * 1080)
    feeder.send(FeederBytes.frame(header) + [UInt8](repeating: 3, count: 1280 * 1080))
    try house.run(milliseconds: 1)
    #expect(house.session.take().last == .frame(width: 1280, height: 720, timestamp: house.clock.now() - IngestHouse.ms, first: 3, last: 3))
  }

  @Test func aKeyFrameIsAskedFor() throws {
    let feeder = try house.feeder()
    house.door.requestKeyFrame()
    house.door.requestKeyFrame()
    try house.run()
    #expect(feeder.take() == [.init(type: 19, body: [])])
  }

  @Test func oneFeederAtATime() throws {
    let feeder = try house.feeder()
    let second = try house.connect()
    second.send(FeederBytes.hello())
    try house.run(milliseconds: 1)
    try second.prove()
    try house.run(milliseconds: 1)
    #expect(second.take().map(\.reason) == [.busy])
    feeder.close()
    try house.run(milliseconds: 1)
    #expect(house.session.take() == [.connected("tcp"), .refused(.busy), .left(.some(.none))])
    _ = try house.feeder()
  }

  // MARK: Time

  /// To the millisecond. Nobody is kept longer for having said something.
  @Test func whoDoesNotProveTheTokenIsRefusedInTime() throws {
    let silent = try house.connect()
    let slow = try house.connect()
    let unproven = try house.connect()
    slow.send(Array(FeederBytes.hello().dropLast()))
    unproven.send(FeederBytes.hello())
    try house.run(milliseconds: 1_900)
    slow.send(Array(FeederBytes.hello().suffix(1)))
    #expect(unproven.take().map(\.type) == [20])
    try house.run(milliseconds: 99)
    #expect(slow.take().map(\.type) == [20])
    #expect(house.session.take() == [])
    try house.run(milliseconds: 1)
    for feeder in [silent, slow, unproven] {
      #expect(feeder.take().map(\.reason) == [.notAdmitted])
      #expect(feeder.end == .end)
    }
    #expect(house.session.take() == [.refused(.notAdmitted), .refused(.notAdmitted), .refused(.notAdmitted)])
  }

  /// So that it can read why; what it sends meanwhile is discarded.
  @Test func whoIsRefusedStaysForASecond() throws {
    let feeder = try house.connect()
    feeder.send([UInt8](repeating: 0xFF, count: 100))
    try house.run(milliseconds: 1)
    #expect(feeder.take().map(\.reason) == [.malformed])
    try house.run(milliseconds: 998)
    #expect(!feeder.isBroken)
    try house.run(milliseconds: 2)
    feeder.send([1])
    try house.run(milliseconds: 1)
    #expect(feeder.isBroken)
    #expect(house.network.busyCalls == 0)
  }

  /// Of the head, of the header, of the payload.
  @Test(arguments: [5, 40, 72 + 1_000]) func halfAFrameIsWaitedForFiveSeconds(_ bytes: Int) throws {
    let feeder = try house.feeder()
    feeder.send(Array(picture(1).prefix(bytes)))
    try house.run(milliseconds: 4_000)
    // As long as something comes.
    feeder.send([picture(1)[bytes]])
    try house.run(milliseconds: 4_999)
    #expect(house.session.take() == [.connected("tcp")])
    try house.run(milliseconds: 1)
    #expect(feeder.take().map(\.reason) == [.stalled])
    #expect(house.session.take() == [.left(.stalled)])
    _ = try house.feeder()
  }

  @Test func whoSendsNothingBetweenFramesIsNotLate() throws {
    let feeder = try house.feeder()
    feeder.send(picture(1))
    try house.run(milliseconds: 3_600_000)
    feeder.send(picture(2))
    try house.run(milliseconds: 1)
    #expect(house.session.take().count == 3)
  }

  // MARK: Strangers

  /// 32 are waited for; of more the one that said nothing goes first, and of those the oldest.
  @Test func aCrowdKeepsNobodyOut() throws {
    let feeder = try house.feeder()
    let polite = try house.connect()
    polite.send(FeederBytes.hello())
    try house.run(milliseconds: 1)
    var silent: [EmulatedFeeder] = []
    for _ in 0..<32 {
      silent.append(try house.connect())
      try house.run(milliseconds: 1)
    }
    #expect(silent.map { $0.take().map(\.reason) } == [[.crowded]] + Array(repeating: [], count: 31))
    // Who proves in time has a place, however many come at once.
    silent += try (0..<500).map { _ in try house.connect() }
    try house.run(milliseconds: 1)
    #expect(silent.suffix(500).count { $0.take().map(\.reason) == [.crowded] } == 500 - 31)
    try polite.prove()
    try house.run(milliseconds: 1)
    #expect(polite.take().map(\.reason) == [.busy])
    // The feeder has not noticed.
    feeder.send(picture(9))
    try house.run(milliseconds: 1)
    #expect(house.session.take().last == seen(9, at: house.clock.now() - IngestHouse.ms))
    #expect(house.network.busyCalls == 0)
  }

  // MARK: Closing

  @Test func theFeederIsNotifiedOfTheEnd() throws {
    let (feeder, stranger) = (try house.feeder(), try house.connect())
    try house.run(milliseconds: 1)
    feeder.send(picture(1))
    house.door.close()
    try house.run(milliseconds: 1)
    #expect(feeder.take().map(\.reason) == [.closed])
    #expect(feeder.end != nil)
    #expect(stranger.take().map(\.reason) == [.closed])
    #expect(house.session.take() == [.connected("tcp"), .left(.closed), .refused(.closed)])
    // The port is free.
    _ = try house.host.listen(at: try #require(SocketAddress("127.0.0.1", port: UInt16(house.door.port))))
    house.door.requestKeyFrame()
    house.door.close()
    try house.run(milliseconds: 10_000)
    #expect(house.session.take() == [])
  }

  /// Nothing comes after that, though it was there.
  @Test func itIsClosedInsideADelivery() throws {
    let feeder = try house.feeder()
    let (door, session) = (house.door, house.session)
    let first = seen(1, at: house.clock.now())
    session.setOnFrame {
      door.close()
      // Nothing ends below whoever is inside.
      #expect(session.take() == [.connected("tcp"), first])
    }
    feeder.send(picture(1) + picture(2) + FeederBytes.bye)
    try house.run(milliseconds: 1)
    #expect(session.take() == [.left(.closed)])
    #expect(feeder.take().map(\.reason) == [.closed])
    feeder.send(picture(2))
    try house.run(milliseconds: 10_000)
    #expect(session.take() == [])
  }

  @Test func aPortThatIsTakenIsRefused() throws {
    let error = #expect(throws: MediaError.self) {
      try IngestEndpoint(
        port: UInt16(house.door.port), socketPath: nil, FeederBytes.rules(), network: house.host, loop: house.host, house.session)
    }
    #expect(error?.status == .exists)
    #expect(error?.text == "port \(house.door.port) of 127.0.0.1 is in use; accepted: one without a listener")
  }
}
