import MediaCore
import Testing

@testable import MediaSignalling

/// A client, and the server as a test has it speak. Session 1, handle 2 publishes, handle 3 receives.
final class JanusScript {
  let client: JanusClient
  var now: Int64 = 0
  /// The last request that was taken.
  private(set) var last: JSON = .null

  init(_ secrets: String = "", room: String = "1234", name: String = "Anna") throws {
    client = JanusClient(room: try #require(JanusID(room)), name: name, secrets: try JanusSecrets(accessToken: secrets))
    client.start(now: 0)
  }

  /// In the room, where the list of publishers is that.
  static func joined(_ secrets: String = "", publishers: String = "[]") throws -> JanusScript {
    let script = try JanusScript(secrets)
    script.answer(#""janus":"success","data":{"id":1}"#)
    script.answer(#""janus":"success","data":{"id":2}"#)
    script.answer(#""janus":"ack""#)
    script.event(#""videoroom":"joined","room":1234,"id":77,"private_id":5,"publishers":\#(publishers)"#, answers: true)
    return script
  }

  /// Of a camera with a microphone.
  static func publisher(_ id: Int, _ name: String = "Bob", video: String = "", audio: String = "") -> String {
    let video = #"{"type":"video","mindex":1,"mid":"1","codec":"vp8"\#(video)}"#
    return #"{"id":\#(id),"display":"\#(name)","streams":[{"type":"audio","mindex":0,"mid":"0","codec":"opus"\#(audio)},\#(video)]}"#
  }

  /// The next request; nil: there is none.
  @discardableResult func take() -> JSON? {
    guard let request = client.takeRequest() else { return nil }
    last = (try? JSONReader.read(Array(request.text.utf8), name: "request")) ?? .null
    return last
  }

  func takeAll() -> [JSON] {
    var found: [JSON] = []
    while let one = take() { found.append(one) }
    return found
  }

  /// To the next request, or (not `retaking`) to the last one that was taken.
  func answer(_ members: String, retaking: Bool = true) {
    if retaking { take() }
    say("\(members),\"transaction\":\"\(last.member("transaction")?.string ?? "")\"")
  }

  func event(_ data: String, of handle: Int = 2, answers: Bool = false, jsep: String? = nil) {
    let transaction = answers ? #","transaction":"\#(last.member("transaction")?.string ?? "")""# : ""
    let description = jsep.map { #","jsep":{"type":"\#($0)","sdp":"v=0"}"# } ?? ""
    say(
      #""janus":"event","session_id":1,"sender":\#(handle)\#(transaction)\#(description),"plugindata":{"plugin":"janus.plugin.videoroom","data":{\#(data)}}"#
    )
  }

  func say(_ members: String) { client.receive(Array("{\(members)}".utf8), now: now) }

  func events() -> [JanusClient.Event] {
    var found: [JanusClient.Event] = []
    while let event = client.takeEvent() { found.append(event) }
    return found
  }

  func failure() -> SignallingFailure? {
    for case .failed(let failure) in events() { return failure }
    return nil
  }
}

extension JSON {
  var body: JSON { member("body") ?? .null }
  var request: String { body.member("request")?.string ?? member("janus")?.string ?? "" }
  /// In one line.
  var line: String { rendered().split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ") }
}
