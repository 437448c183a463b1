import MediaCore
import MediaTLS

/// A server and a client of TLS between which somebody sits: who sends records of their own, cuts, changes and repeats those of the two,
/// before and after the handshake. What one end hears is what the other said.
enum TLSRecords: FuzzTarget {
  static let name = "tls"
  private static let certificate = try? TLSCertificate.make()

  private struct End {
    let machine: TLSMachine
    var said: [UInt8] = []
    var heard: [UInt8] = []
    var output: [UInt8] = []

    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
      machine.receive(bytes) { heard.append(contentsOf: $0) }
      machine.takeOutput(&output)
    }

    mutating func say(_ bytes: UnsafeRawBufferPointer) {
      if machine.send(bytes) { said.append(contentsOf: bytes) }
      machine.takeOutput(&output)
    }
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let certificate else { fatalError("no certificate") }
    var input = Input(bytes)
    var ends = [
      End(machine: try TLSMachine(server: certificate)), End(machine: try TLSMachine(client: .fingerprint(certificate.fingerprint)))
    ]
    ends[1].machine.takeOutput(&ends[1].output)
    for _ in 0..<32 where !input.isAtEnd {
      let (step, number) = (input.number(below: 6), input.number(below: 2))
      switch step {
      // All that waits, both ways, as it is.
      case 0: for number in [1, 0, 1, 0] { carry(&ends, number, .max) { $0 } }
      case 1: carry(&ends, number, Int(input.u16())) { $0 }
      case 2:
        let (place, mask) = (Int(input.u16()), input.byte())
        carry(&ends, number, .max) { bytes in
          var bytes = bytes
          if !bytes.isEmpty { bytes[place % bytes.count] ^= mask }
          return bytes
        }
      case 3:
        let count = Int(input.byte())
        carry(&ends, number, .max) { Array($0.dropLast(count)) }
      case 4: ends[number].receive(input.piece())
      default: ends[number].say(input.piece())
      }
      for number in 0..<2 { expect(ends[1 - number].said.starts(with: ends[number].heard), "somebody heard what nobody said") }
    }
    for end in ends { end.machine.close() }
  }

  /// What that end said goes to the other one.
  private static func carry(_ ends: inout [End], _ number: Int, _ most: Int, _ change: ([UInt8]) -> [UInt8]) {
    let bytes = change(Array(ends[number].output.prefix(most)))
    ends[number].output.removeFirst(min(most, ends[number].output.count))
    bytes.withUnsafeBytes { ends[1 - number].receive($0) }
  }
}
