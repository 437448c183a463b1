import Testing

@testable import MediaCore

@Suite struct DataStreamPartTests {
  @Test func whatAStreamBeginsWithIsCounted() {
    var info = DataStreamInfo(isText: true)
    #expect(DataContent.stream(.begin(id: "x", info)).weight == 0)
    info.attributes = ["ab": "c"]
    info.replyTo = "text"
    info.attachments = ["file", ""]
    #expect(DataContent.stream(.begin(id: "x", info)).weight == 3 + 4 + 4 + 2 * MemoryLayout<String>.size)
    #expect(DataContent.stream(.end(id: "x", reason: "", attributes: ["a": ""])).weight == 1)
    #expect(DataContent.stream(.chunk(id: "x", index: 0)).weight == 0 && DataContent.user.weight == 0)
  }
}
