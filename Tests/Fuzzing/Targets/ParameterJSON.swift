import MediaCore

/// The JSON of parameter files (the tool's reader, which is linked here): what was read and written reads as the same.
enum ParameterJSON: FuzzTarget {
  static let name = "json"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    let value = try JSONReader.read(Array(bytes), name: "file")
    let text = value.rendered()
    let again = try? JSONReader.read(Array(text.utf8), name: "file")
    expect(again?.rendered() == text, "JSON is not read as it was written")
  }
}
