import CLinux
import Glibc
import MediaTLS

/// Files of a certificate and of its key that somebody else has made, in PEM as they are, or in DER, which is written as PEM here. What was
/// read can be shown.
enum TLSCertificateFiles: FuzzTarget {
  static let name = "tls_certificate"

  /// In memory, with other contents for every input.
  private struct File {
    let descriptor = memfd_create("fuzz", 1)
    var path: String { "/proc/self/fd/\(descriptor)" }

    func fill(_ bytes: some Collection<UInt8>) {
      let bytes = Array(bytes)
      let isFull = ftruncate(descriptor, 0) == 0 && bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == bytes.count
      expect(isFull, "no file in memory")
    }
  }

  private static let files = (certificate: File(), key: File())

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let options = input.byte()
    let certificate = Array(input.piece())
    let key = options & 4 == 0 ? Array(input.rest) : []
    files.certificate.fill(options & 1 == 0 ? certificate : pem(certificate, "CERTIFICATE"))
    files.key.fill(options & 2 == 0 ? key : pem(key, "PRIVATE KEY"))
    // Both in one file.
    let keyPath = options & 4 == 0 ? files.key.path : files.certificate.path
    let read = try TLSCertificate.load(certificate: files.certificate.path, key: keyPath)
    expect("\(read.fingerprint)".utf8.count == 95, "a fingerprint of another length")
    let (server, client) = (try TLSMachine(server: read), try TLSMachine(client: .fingerprint(read.fingerprint)))
    for _ in 0..<2 {
      carry(from: client, to: server)
      carry(from: server, to: client)
    }
    // Not every key is one of TLS 1.3: then it is refused with a reason.
    for machine in [server, client] where machine.state == .closed { expect(false, "a connection that nobody closed is closed") }
  }

  private static func carry(from one: TLSMachine, to other: TLSMachine) {
    var bytes: [UInt8] = []
    one.takeOutput(&bytes)
    bytes.withUnsafeBytes { other.receive($0) { _ in } }
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// RFC 7468.
  private static func pem(_ der: [UInt8], _ label: String) -> [UInt8] {
    var text = Array("-----BEGIN \(label)-----\n".utf8)
    for line in stride(from: 0, to: der.count, by: 48) {
      for place in stride(from: line, to: min(line + 48, der.count), by: 3) {
        let three = der[place..<min(place + 3, der.count)]
        let value = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32(place + $1 < three.endIndex ? three[place + $1] : 0) }
        for digit in 0..<4 { text.append(digit <= three.count ? digits[Int(value >> (18 - 6 * UInt32(digit)) & 63)] : UInt8(ascii: "=")) }
      }
      text.append(UInt8(ascii: "\n"))
    }
    return text + Array("-----END \(label)-----\n".utf8)
  }
}
