import MediaCore
import Testing

@testable import MediaSDP

@Suite struct LayerLinesTests {
  private func read(_ attributes: [(String, String)]) throws -> LayerLines {
    var media = SessionDescription.Media("video", port: 9, transport: "UDP/TLS/RTP/SAVPF", formats: ["96"])
    media.attributes = attributes.map { .init($0.0, $0.1) }
    return try LayerLines(media)
  }

  @Test func linesBecomeTypesAndLines() throws {
    let lines = [
      ("rid", "f send"), ("rid", "h send pt=96,98;max-width=640;max-height=360"), ("rid", "q_1-x recv max-br=200000;x"),
      ("simulcast", "send f;h,~q_1-x recv q_1-x")
    ]
    let layers = try read(lines)
    #expect(layers.layers.map(\.id) == ["f", "h", "q_1-x"] && layers.layers.map(\.isSent) == [true, true, false])
    #expect(layers.layers[1].payloads == [96, 98] && layers.layers[1].limits == [.init("max-width", "640"), .init("max-height", "360")])
    #expect(layers.layers[2].limits == [.init("max-br", "200000"), .init("x")])
    #expect(layers.sent == [[.init("f")], [.init("h"), .init("q_1-x", isPaused: true)]] && layers.received == [[.init("q_1-x")]])
    #expect(layers.attributes == lines.map { .init($0.0, $0.1) })
    #expect(try read([]) == LayerLines() && LayerLines().attributes.isEmpty)
  }

  @Test func whatIsWrongIsSaid() {
    func said(_ name: String, _ values: String...) -> String? { failure { _ = try read(values.map { (name, $0) }) }?.text }
    #expect(said("rid", "f") == "SDP: a=rid:f; accepted: name send or name recv, each name once, at most 16")
    for line in ["", "f both", "f! send", "~f send", "f send pt=128", "f send pt=", "f send pt=96,,97", "f send =1"] {
      #expect(said("rid", line)?.hasPrefix("SDP: a=rid:\(line); accepted: ") == true, "\(line)")
    }
    #expect(said("rid", "f send", "f send") != nil && said("rid", "f send", "g send") == nil)
    let many = (0..<17).map { ("rid", "\($0) send") }
    #expect(failure { _ = try read(many) } != nil && failure { _ = try read(Array(many.prefix(16))) } == nil)
    let text = "accepted: send and recv, each once and with names between ; and ,"
    #expect(said("simulcast", "send") == "SDP: a=simulcast:send; \(text)")
    for line in [
      "send f;", "send ;f", "send f,,g", "send f send g", "f;g", "send f recv", "send f!", "send ~",
      "send " + String(repeating: "f;", count: 16) + "f"
    ] {
      #expect(said("simulcast", line)?.hasSuffix(text) == true, "\(line)")
    }
  }
}
