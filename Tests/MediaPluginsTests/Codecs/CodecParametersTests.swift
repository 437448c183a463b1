import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CodecParametersTests {
  private func codec() throws -> ClassDescriptor {
    let module = FakeModule("test.codec", kinds: MSDK_KIND_VIDEO_ENCODER)
    module.classes[0].video_encoder = UnsafePointer(FakeModule.keep([FakeCodec.encoderTable(of: 9)]))
    module.classes[0].set_param = { _, _, _ in 0 }
    module.add("depth", .i32(3), min: 1, max: 9)
    module.add("tune", .string("film"), choices: ["film", "text"])
    module.add("frames", .i32(0), flags: MSDK_PARAM_READONLY)
    return try module.descriptor()
  }

  private func shown(_ parameters: CodecParameters) -> [String] {
    parameters.values(of: "test.codec").map { "\($0.name)=\($0.value)" }
  }

  @Test func theLastThatWasSetIsTheLast() throws {
    let (parameters, codec) = (CodecParameters(), try codec())
    #expect(shown(parameters).isEmpty)
    try parameters.set("depth", .i64(7), of: codec)
    try parameters.set("tune", text: "text", of: codec)
    #expect(parameters.values(of: "test.codec").map(\.name) == ["depth", "tune"])
    #expect(parameters.values(of: "test.codec").first?.value == .i32(7))
    try parameters.set("depth", text: "2", of: codec)
    #expect(parameters.values(of: "test.codec").map(\.name) == ["tune", "depth"])
    #expect(parameters.values(of: "test.other").isEmpty)
    try parameters.set("tune", nil, of: codec)
    try parameters.set("depth", nil, of: codec)
    #expect(shown(parameters).isEmpty)
  }

  @Test func whatCannotBeSetIsRefusedAndNotKept() throws {
    let (parameters, codec) = (CodecParameters(), try codec())
    #expect(failure { try parameters.set("depth", .i32(10), of: codec) }?.status == .range)
    #expect(failure { try parameters.set("depth", .bool(true), of: codec) }?.status == .type)
    #expect(failure { try parameters.set("tune", text: "song", of: codec) }?.text.contains("film, text") == true)
    #expect(failure { try parameters.set("frames", .i32(1), of: codec) }?.status == .permission)
    #expect(failure { try parameters.set("frames", nil, of: codec) }?.status == .permission)
    #expect(failure { try parameters.set("width", nil, of: codec) }?.text.contains("depth, tune, frames") == true)
    let other = FakeModule("test.producer", kinds: MSDK_KIND_VIDEO_PRODUCER)
    other.add("depth", .i32(3))
    other.classes[0].set_param = { _, _, _ in 0 }
    #expect(failure { try parameters.set("depth", .i32(3), of: other.descriptor()) }?.status == .unsupported)
    #expect(shown(parameters).isEmpty)
  }
}
