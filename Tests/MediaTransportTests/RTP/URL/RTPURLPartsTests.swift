import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

@Suite struct RTPURLPartsTests {
  private func error(_ url: String) -> MediaError? {
    failure { _ = try RTPURL.configuration(url, cname: "me", argument: "room") }
  }

  @Test func hostsAreAddressesAndNames() {
    for url in [
      "rtp://192.0.2.1:1", "rtp://192.0.2.1:65534", "rtp://192.0.2.1:65535?rtcp-mux=1", "rtp://192.0.2.1:5004/",
      "rtp://192.0.2.1:5004/?media=audio",
      "rtp://192.0.2.1:5004?", "rtp://[::1]:5004", "rtp://:5004", "rtp://[::]:5004", "rtp://[fe80::1%25lo]:5004", "rtp://[fe80::1%lo]:5004",
      "rtp://localhost:5004", "rtp://Camera-1.Example.:5004/", "rtp://a:5004?local=127.0.0.1:6000",
      "rtp://a:5004?local=[::1]:6000&audio=5006",
      "rtp://a:5004?audio=5006&local-audio=[::1]:6000&local=7000"
    ] { #expect(error(url) == nil, "\(url)") }
    let form = "accepted: rtp://HOST:PORT?key=value&…, an IPv6 address in brackets"
    for (url, text) in [
      ("loopback:x", "room begins with \"loopback\"; \(form)"), ("", "room begins with \"\"; \(form)"),
      ("rtp:/1.2.3.4:5", "room begins with \"rtp\"; \(form)"),
      ("rtp://", "room has \"\" for address and port; \(form)"),
      ("rtp://192.0.2.1", "room has \"192.0.2.1\" for address and port; \(form)"),
      ("rtp://::1:5004", "room has \"::1:5004\" for address and port; \(form)"),
      ("rtp://[::1]5004", "room has \"[::1]5004\" for address and port; \(form)"),
      ("rtp://[::1:5004", "room has \"[::1:5004\" for address and port; \(form)"), ("rtp://192.0.2.1:5004#x", "room has a #; \(form)"),
      ("rtp://me@192.0.2.1:5004", "room has a user; keys are set with msdk_session_set_srtp_keys"),
      ("rtp://192.0.2.1:0", "room's port is \"0\"; accepted: 1..65535"),
      ("rtp://192.0.2.1:65536", "room's port is \"65536\"; accepted: 1..65535"),
      ("rtp://192.0.2.1:+5", "room's port is \"+5\"; accepted: 1..65535"), ("rtp://192.0.2.1:", "room's port is \"\"; accepted: 1..65535"),
      ("rtp://192.0.2.1:5004/x", "room has a path; \(form)"), ("rtp://192.0.2.1:5004//", "room has a path; \(form)"),
      ("rtp://192.0.2.1:5004/#", "room has a #; \(form)"),
      ("rtp://192.0.2.1:65535", "room has the port 65535, but RTCP needs the next port; accepted: 1..65534, or rtcp-mux=1")
    ] { #expect(error(url)?.text == text) }
    for url in [
      "rtp://example_com:5004", "rtp://-a:5004", "rtp://192.0.2:5004", "rtp://a.256:5004", "rtp://[localhost]:5004", "rtp://a%25lo:5004",
      "rtp://[192.0.2.1]:5004", "rtp://[fe80::1%nosuch0]:5004",
      "rtp://[x]:5004"
    ] {
      #expect(
        error(url)?.text.hasSuffix(
          "accepted: an IPv4 address, an IPv6 address in brackets, \(HostName.accepted), or nothing to receive only") == true, "\(url)")
      #expect(error(url)?.status == .invalid)
    }
    #expect(
      error("rtp://a:5004?local=127.0.0.1:6000&audio=5006&local-audio=[::1]:6004")?.text
        == "room has local-audio=[::1]:6004, whose address family is not that of local; accepted: an IPv4 address")
    #expect(error("rtp://192.0.2.1:5004?local=[::1]:6000")?.text.contains("is not the host's") == true)
    for local in ["localhost:6000", "a.example:6000"] {
      #expect(
        error("rtp://a:5004?local=\(local)")?.text == "room has local=\(local); accepted: PORT or ADDRESS:PORT, an IPv6 address in brackets"
      )
    }
    #expect(error("rtp://192.0.2.1:5004?media=" + String(repeating: "a", count: 2048))?.status == .limit)
  }

  @Test func keysAreThoseThatAreKnownAndOnce() {
    func text(_ query: String) -> String? { error("rtp://192.0.2.1:5004?\(query)")?.text }
    let names =
      "local, audio, local-audio, media, direction, vp8, opus, rtx, rtcp-mux, feedback, twcc, level, orientation, color, capture, "
      + "min-bitrate, start-bitrate, max-bitrate, mtu, framerate, srtp"
    #expect(text("colour=red") == "room has the unknown key \"colour\"; accepted: \(names)")
    #expect(text("=5") == "room has the unknown key \"\"; accepted: \(names)")
    #expect(text("media=video&direction") == "room has a parameter, number 2, that is not key=value; accepted keys: \(names)")
    #expect(text("media=video&") == "room has a parameter, number 2, that is not key=value; accepted keys: \(names)")
    #expect(text("media=video&media=video") == "room has media twice; accepted: once")
    #expect(text("media=") == "room has media without a value")
  }

  @Test func numbersAreNumbers() {
    func error(_ query: String) -> MediaError? { self.error("rtp://192.0.2.1:5004?feedback=1&\(query)") }
    for (query, accepted) in [
      ("vp8=128", "0..63 and 96..127"), ("vp8=64", "0..63 and 96..127"), ("opus=95", "0..63 and 96..127"), ("rtx=-1", "0..63 and 96..127"),
      ("twcc=15", "0..14"), ("level=0", "1..14"), ("mtu=575", "576..1500"), ("mtu=1501", "576..1500"), ("mtu=0x500", "576..1500"),
      ("min-bitrate=4999", "5000..10000000000"), ("max-bitrate=99999999999999999999999", "5000..10000000000"),
      ("framerate=0", "N or N/D, each 1..1000000"),
      ("framerate=30/0", "N or N/D, each 1..1000000"), ("framerate=30/", "N or N/D, each 1..1000000"),
      ("framerate=1/2/3", "N or N/D, each 1..1000000"),
      ("framerate=29.97", "N or N/D, each 1..1000000")
    ] {
      #expect(error(query)?.text == "room has \(query); accepted: \(accepted)")
      #expect(error(query)?.status == .range)
    }
    for query in [
      "vp8=0", "vp8=127", "opus=63", "twcc=14", "twcc=0&level=14", "mtu=576", "mtu=1500", "min-bitrate=5000", "max-bitrate=10000000000",
      "framerate=25", "framerate=1/1000000"
    ] {
      #expect(error(query) == nil, "\(query)")
    }
  }
}
