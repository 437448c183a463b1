/// A description as a browser makes it, of sections such as "audio sendonly", with a path on which nobody is.
func browserOffer(_ sections: [String]) -> String {
  let fingerprint = (0..<32).map { _ in "AB" }.joined(separator: ":")
  var text =
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE \(sections.indices.map { "\($0)" }.joined(separator: " "))\r\n"
  for (mid, section) in sections.enumerated() {
    let isVideo = section.hasPrefix("video")
    text += "m=\(isVideo ? "video" : "audio") 9 UDP/TLS/RTP/SAVPF \(isVideo ? 96 : 111)\r\nc=IN IP4 0.0.0.0\r\n"
    text += "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\na=fingerprint:sha-256 \(fingerprint)\r\na=setup:actpass\r\n"
    text += "a=mid:\(mid)\r\na=\(section.split(separator: " ")[1])\r\na=rtcp-mux\r\n"
    text += isVideo ? "a=rtpmap:96 VP8/90000\r\n" : "a=rtpmap:111 opus/48000/2\r\n"
  }
  return text
}
