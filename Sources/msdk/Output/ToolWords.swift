/// The library's errors name the members of the C contract. The tool's name what stands on its command line.
enum ToolWords {
  /// Longer names before those that they begin with.
  private static let names = [
    ("options.access_token", "the token (--token)"), ("options.addresses", "--address"), ("options.capture_path", "--pcap"),
    ("options.codecs[0]", "--codec"), ("options.codec", "--codec"),
    ("options.formats[0]", "the video format (--size, --fps, or the producer's own)"),
    ("options.most_members", "--most"), ("options.port", "--port"),
    ("options.public_addresses", "--public-address"), ("options.web_port", "--web"), ("options.url", "the url"),
    ("options.user_id", "the user (--user)"),
    ("room_url", "the room"), ("MSDK_CODEC_OPUS", "Opus"), ("MSDK_CODEC_VP8", "VP8"), ("MSDK_CODEC_AV1", "AV1"), ("MSDK_CODEC_RAW", "raw")
  ]

  static func own(_ text: String) -> String {
    // Most have none.
    guard text.contains("options.") || text.contains("MSDK_CODEC_") || text.contains("room_url") else { return text }
    return names.reduce(text) { $0.filled($1.0, $1.1) }
  }
}
