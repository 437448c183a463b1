import CLinux
import MediaCore
import MediaEncryption
import MediaTransport
import Testing

@testable import MediaSDK

/// Data in a room of one process, of members some of whom encrypt it.
@Suite struct DataEncryptionTests {
  private let secret = Array("a secret".utf8)

  private func call(_ name: String = #function) throws -> Call { try Call(name, encryptsData: true).connect() }

  /// What has come to be read, and what was said of encryption.
  private func read(_ session: Session, _ call: Call) throws -> [String] {
    try call.advance()
    let said = call.events(session).filter { $0.hasPrefix("data encryption") }
    var texts: [String] = []
    while let (data, _) = try session.readData() {
      texts.append("\(data.message.topic) \(String(decoding: data.message.bytes, as: UTF8.self))")
    }
    return said + texts
  }

  private func send(_ text: String, _ session: Session) throws {
    var message = DataMessage(Array(text.utf8))
    message.topic = "t"
    try session.send(message)
  }

  /// Until keys have been derived, on a thread of their own.
  private func readLater(_ session: Session, _ call: Call) throws -> [String] {
    var found: [String] = []
    for _ in 0..<10_000 where found.isEmpty {
      found = try read(session, call)
      if found.isEmpty { usleep(1_000) }
    }
    return found
  }

  @Test func whoHasTheKeyReads() throws {
    let call = try call()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    try send("hello", call.anna)
    #expect(try read(call.bert, call) == ["data encryption anna active 0", "t hello"])
    try send("again", call.anna)
    #expect(try read(call.bert, call) == ["t again"])
  }

  /// Nothing of what is sent goes through the room as it is.
  @Test func theRoomCarriesCiphertext() throws {
    let call = try call()
    try call.anna.setFrameKey(secret, of: nil, index: 0)
    var message = DataMessage(Array("hello".utf8))
    (message.topic, message.recipients, message.isLossy) = ("t", ["bert"], true)
    let sealed = try call.anna.dataEncryption.seal(message)
    #expect(sealed.topic.isEmpty && sealed.recipients == ["bert"] && sealed.isLossy)
    // The message of two fields, in its own field, and the tag.
    #expect(sealed.bytes.count == 2 + (2 + 5) + (2 + 1) + 16)
    guard case .sealed(let nonce, 0) = sealed.content else { throw MediaError(.fail, "\(sealed.content)") }
    #expect(nonce.count == 12)
    // What is sealed already is not sealed once more.
    #expect(try call.anna.dataEncryption.seal(sealed) == sealed)
  }

  @Test func withoutTheKeyNothingIsSentOrRead() throws {
    let call = try call()
    let error = #expect(throws: MediaError.self) { try send("hello", call.anna) }
    #expect(error?.status == .state && error?.text.has("encrypt_data") == true)
    try call.anna.setFrameKey(secret, of: "anna", index: 2)
    try call.anna.selectFrameKey(index: 2)
    try send("hello", call.anna)
    #expect(try read(call.bert, call) == ["data encryption anna noKey 2"])
    try send("hello", call.anna)
    #expect(try read(call.bert, call) == [])
    try call.bert.setFrameKey(Array("another".utf8), of: "anna", index: 2)
    try send("hello", call.anna)
    #expect(try readLater(call.bert, call) == ["data encryption anna wrongKey 2"])
    try call.bert.setFrameKey(secret, of: "anna", index: 2)
    try send("hello", call.anna)
    #expect(try read(call.bert, call) == ["data encryption anna active 2", "t hello"])
  }

  @Test func nothingIsLostWhenAKeyIsRatcheted() throws {
    let call = try call()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    try call.anna.ratchetFrameKey(of: nil, index: 0)
    for text in ["1", "2", "3"] { try send(text, call.anna) }
    var found: [String] = []
    for _ in 0..<4 where found.count < 4 { found += try readLater(call.bert, call) }
    #expect(found.sorted() == ["data encryption anna active 0", "t 1", "t 2", "t 3"])
  }

  /// What a member sends with another key waits until keys after it were tried; what others send does not.
  @Test func noiseDelaysNobodyElse() throws {
    let call = try call()
    var options = SessionOptions(url: call.room, userID: "mallory")
    options.encryptsData = true
    let mallory = try call.engine.makeSession(options)
    try mallory.connect()
    try call.advance()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    try mallory.setFrameKey(Array("another".utf8), of: nil, index: 0)
    for number in 0..<100 {
      try send("noise", mallory)
      try send("\(number)", call.anna)
    }
    var found = try read(call.bert, call)
    #expect(found.filter { $0.hasPrefix("t ") } == (0..<100).map { "t \($0)" })
    let refusal = "data encryption mallory wrongKey 0"
    if !found.contains(refusal) { found += try readLater(call.bert, call) }
    #expect(found.contains(refusal))
  }

  /// A member without `encrypt_data` reads what is encrypted, if they have the key; others take nothing of what they send.
  @Test func whatIsNotEncryptedIsRefused() throws {
    let call = try call()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    let cleo = try call.engine.makeSession(SessionOptions(url: call.room, userID: "cleo"))
    try cleo.connect()
    try call.advance()
    for _ in 0..<2 { try send("in the clear", cleo) }
    #expect(try read(call.bert, call) == ["data encryption cleo notEncrypted 0"])
    try send("1", call.anna)
    #expect(try read(cleo, call) == ["data encryption anna noKey 0"])
    try cleo.setFrameKey(secret, of: nil, index: 0)
    try send("2", call.anna)
    #expect(try read(cleo, call) == ["data encryption anna active 0", "t 2"])
    // Who has left and comes again is somebody else.
    cleo.disconnect()
    try call.advance()
    try cleo.connect()
    try call.advance()
    try send("in the clear", cleo)
    #expect(try read(call.bert, call) == ["data encryption anna active 0", "data encryption cleo notEncrypted 0", "t 1", "t 2"])
  }

  @Test func callsAndStreamsAreEncrypted() throws {
    let call = try call()
    for session in [call.anna, call.bert] { try session.setFrameKey(secret, of: nil, index: 0) }
    try call.bert.register(method: "add")
    let number = try call.anna.call("add", of: "bert", "1 2")
    try call.advance()
    guard case (let message, true)? = try call.bert.readCall(), case .request = message.content else {
      throw MediaError(.fail, "no request")
    }
    try call.bert.respond(to: message.call, "3")
    try call.advance()
    guard case (let result, true)? = try call.anna.readCall() else { throw MediaError(.fail, "no response") }
    #expect(result.call == number && result.payload == Array("3".utf8))
    // What somebody sends who has the key, and what is none.
    let sealer = DataSealer(call.anna.encryption.keys, random: SystemRandomNumberGenerator())
    for payload in [[], [0xFF], [0, 0, 0], [0x12, 2, 0x12, 9]] as [[UInt8]] {
      let (bytes, nonce, index) = try #require(try sealer.seal(payload))
      var message = DataMessage(bytes)
      message.content = .sealed(nonce: nonce, index: UInt32(index))
      call.bert.dataEncryption.open(message, from: "anna", of: call.bert)
    }
    #expect(try read(call.bert, call) == ["data encryption anna active 0"])
  }
}
