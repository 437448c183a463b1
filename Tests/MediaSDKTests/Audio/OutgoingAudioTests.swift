import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct OutgoingAudioTests {
  @Test func theStatesAreTold() throws {
    let call = try Call().connect()
    let stream = try call.engine.makeOutgoingAudio(Make.sound { $0.kind = .screenShare })
    #expect(stream.state == .none)
    try call.anna.start(stream)
    try call.advance()
    #expect(stream.state == .started)
    #expect(call.events(call.anna) == ["outgoing sound started"])
    #expect(call.events(call.bert) == ["sound added by anna"])
    let incoming = try #require(call.bert.incomingAudios.first)
    #expect(incoming.kind == UInt32(MSDK_AUDIO_SCREEN_SHARE))
    #expect(incoming.format == stream.format)
    #expect(call.anna.participants.map(\.audioStreamCount) == [1, 0])
    #expect(call.bert.participants.map(\.audioStreamCount) == [0, 1])
    try call.anna.stop(stream)
    try call.advance()
    #expect(call.events(call.anna) == ["outgoing sound stopped"])
    #expect(call.events(call.bert) == ["incoming sound notAvailable", "sound removed, notAvailable"])
    #expect(failure { try call.anna.stop(stream) }?.status == .state)
    #expect(failure { try stream.sendLevel() }?.status == .state)
    try call.anna.start(stream)
    try call.advance()
    #expect(stream.state == .started)
    #expect(call.bert.incomingAudios.count == 1)
  }

  @Test func whatIsStartedIsNotStartedAgain() throws {
    let call = try Call().connect()
    let stream = try call.startSound()
    #expect(failure { try call.anna.start(stream) }?.status == .state)
    #expect(failure { try call.bert.start(stream) }?.status == .state)
    #expect(failure { try call.bert.stop(stream) }?.status == .state)
    let other = try Call("\(#function) other")
    #expect(failure { try other.anna.start(stream) }?.status == .invalid)
    #expect(stream.state == .started)
  }

  @Test func attachedBeforeConnectingItStartsWithTheSession() throws {
    let call = try Call()
    let stream = try call.engine.makeOutgoingAudio(Make.sound())
    try call.anna.start(stream)
    #expect(stream.state == .none)
    #expect(failure { try call.anna.start(stream) }?.status == .state)
    #expect(failure { try call.bert.start(stream) }?.status == .state)
    _ = try call.connect()
    #expect(stream.state == .started)
    try call.advance()
    #expect(call.bert.incomingAudios.count == 1)
  }

  @Test func attachedItStartsAgainWithEveryConnection() throws {
    let call = try Call()
    let stream = try call.engine.makeOutgoingAudio(Make.sound())
    try call.anna.start(stream)
    _ = try call.connect()
    for _ in 0..<2 {
      call.anna.disconnect()
      #expect(stream.state == .stopped)
      #expect(failure { try stream.sendLevel() }?.status == .state)
      try call.advance()
      try call.anna.connect()
      try call.advance()
      #expect(stream.state == .started)
      try stream.sendLevel()
    }
    try call.anna.stop(stream)
    #expect(stream.state == .stopped)
    call.anna.disconnect()
    try call.anna.connect()
    try call.advance()
    // Stopped is detached.
    #expect(stream.state == .stopped)
  }

  @Test func startedOnAConnectedSessionItEndsWithThatConnection() throws {
    let call = try Call().connect()
    let stream = try call.startSound()
    call.anna.disconnect()
    try call.anna.connect()
    try call.advance()
    #expect(stream.state == .stopped)
    try call.anna.start(stream)
    #expect(stream.state == .started)
  }

  @Test func detachedBeforeConnectingItDoesNotStart() throws {
    let call = try Call()
    let stream = try call.engine.makeOutgoingAudio(Make.sound())
    try call.anna.start(stream)
    try call.anna.stop(stream)
    _ = try call.connect()
    #expect(stream.state == .none)
    try call.bert.start(stream)
    #expect(stream.state == .started)
  }

  @Test func aCutNetworkLeavesItStarted() throws {
    let call = try Call().connect()
    let (stream, incoming) = try call.sound()
    try call.script(NetworkScript.Step(isDisconnected: true))
    try call.advance(second)
    #expect(stream.state == .started)
    try stream.sendLevel()
    #expect(stream.allReports().map(\.reason) == [.notConnected])
    try call.script()
    try call.advance(second)
    try stream.sendLevel()
    #expect(stream.allReports().map(\.outcome) == [.sent])
    #expect(incoming.heard().count == 1)
  }

  @Test func eightStreamsAreTheMost() throws {
    let call = try Call()
    let streams = try (0..<9).map { _ in try call.engine.makeOutgoingAudio(Make.sound()) }
    for stream in streams[..<4] { try call.anna.start(stream) }
    _ = try call.connect()
    for stream in streams[4..<8] { try call.anna.start(stream) }
    #expect(streams[..<8].allSatisfy { $0.state == .started })
    let error = failure { try call.anna.start(streams[8]) }
    #expect(error?.status == .full)
    #expect(error?.text.contains("8") == true)
    try call.advance()
    #expect(call.bert.incomingAudios.count == 8)
    // Each is its own.
    let numbers = Journal<Int>()
    for (index, incoming) in call.bert.incomingAudios.enumerated() {
      incoming.setFrameCallback { _ in numbers.add(index) }
      try incoming.start(Make.hearing { $0.delivery = .direct })
    }
    try call.advance()
    for stream in streams[..<8] { try stream.sendLevel() }
    #expect(numbers.entries == Array(0..<8))
    try call.anna.stop(streams[3])
    try call.anna.start(streams[8])
    #expect(streams[8].state == .started)
  }

  @Test func closingEndsItWhateverItDoes() throws {
    let call = try Call()
    let attached = try call.engine.makeOutgoingAudio(Make.sound())
    try call.anna.start(attached)
    attached.close()
    _ = try call.connect()
    #expect(attached.state == .none)
    #expect(failure { try call.anna.start(attached) }?.status == .closed)
    let started = try call.startSound()
    try started.sendLevel()
    started.close()
    started.close()
    #expect(started.state == .stopped)
    #expect(started.allReports().count == 1)
    #expect(failure { _ = try started.readReport(deadline: 0) }?.status == .closed)
    #expect(call.engine.stats.outgoingAudios == 0)
    #expect(call.anna.participants.first?.audioStreamCount == 0)
  }

  @Test func aClosedStreamIsForgottenByAll() throws {
    let call = try Call()
    weak var weakAttached: OutgoingAudio?
    weak var weakStarted: OutgoingAudio?
    weak var weakOpus: OutgoingAudio?
    do {
      let attached = try call.engine.makeOutgoingAudio(Make.sound())
      try call.anna.start(attached)
      _ = try call.connect()
      let (started, _) = try call.sound()
      let (opus, _) = try call.sound(Make.opus())
      try opus.setEncodedCallback { _ in }
      for _ in 0..<10 {
        try started.sendLevel()
        try opus.sendLevel()
        try attached.sendLevel()
      }
      (weakAttached, weakStarted, weakOpus) = (attached, started, opus)
      for stream in [attached, started, opus] { stream.close() }
    }
    try call.advance(2 * second)
    _ = (call.events(call.anna), call.events(call.bert))
    #expect(weakAttached == nil)
    #expect(weakStarted == nil)
    #expect(weakOpus == nil)
    #expect(call.engine.stats.outgoingAudios == 0)
  }

  @Test func whatOnlyAnEncoderCanDoIsRefusedWithoutOne() throws {
    let call = try Call()
    let raw = try call.engine.makeOutgoingAudio(Make.sound { $0.codec = FourCC.raw })
    let packets = try call.engine.makeOutgoingAudio(Make.opus { $0.isEncodedInput = true })
    let opus = try call.engine.makeOutgoingAudio(Make.opus())
    for stream in [raw, packets] {
      #expect(failure { try stream.setBitrate(20_000) }?.status == .unsupported)
      #expect(failure { try stream.setExpectedLoss(5) }?.status == .unsupported)
      #expect(failure { try stream.setEncodedCallback { _ in } }?.status == .unsupported)
      #expect(stream.stats.bitrate == 0)
    }
    #expect(failure { try packets.setGain(2) }?.status == .unsupported)
    #expect(failure { try opus.setBitrate(5999) }?.status == .range)
    #expect(failure { try opus.setExpectedLoss(101) }?.status == .range)
    try opus.setBitrate(20_000)
    try opus.setBitrate(0)
    try opus.setExpectedLoss(5)
    #expect(opus.stats.bitrate == 20_000)
  }

  @Test(arguments: [-0.1, 8.01, .nan, .infinity])
  func gainHasBounds(gain: Double) throws {
    let call = try Call()
    let stream = try call.engine.makeOutgoingAudio(Make.sound())
    let error = failure { try stream.setGain(gain) }
    #expect(error?.status == .range)
    #expect(error?.text.contains("accepted: 0..8") == true)
    #expect(stream.stats.gain == 1)
  }

  @Test func mutingIsToldInEveryState() throws {
    let call = try Call().connect()
    let stream = try call.engine.makeOutgoingAudio(Make.sound())
    stream.setMuted(true)
    try call.anna.start(stream)
    try call.advance()
    #expect(call.events(call.bert) == ["sound added by anna", "anna muted"])
    let carl = try call.join("carl")
    #expect(carl.incomingAudios.first?.isMutedAtFirst == true)
    stream.setMuted(false)
    stream.setMuted(false)
    try call.advance()
    #expect(call.events(call.bert).suffix(1) == ["anna unmuted"])
    try call.anna.stop(stream)
    stream.setMuted(true)
    try call.advance()
    #expect(stream.stats.isMuted)
    #expect(!call.events(call.bert).contains("anna muted"))
  }
}
