import MediaCore
import Testing

@testable import MediaICE

@Suite struct STUNAttributesTests {
  @Test(arguments: [("192.0.2.1", 9), ("255.255.255.255", 65_535), ("2001:db8::1", 3478), ("::ffff:1.2.3.4", 1)] as [(String, UInt16)])
  func addressesAreReadAsTheyWereWritten(host: String, port: UInt16) {
    let one = address(host, port)
    var writer = STUNWriter(.success, .allocate, TransactionID(high: 0x1234_5678, low: 0x9ABC_DEF0_1122_3344))
    writer.add(STUNAttribute.xorRelayedAddress, xor: one)
    writer.add(STUNAttribute.alternateServer, plain: one)
    let isSame = withMessage(writer.bytes) {
      $0.xorAddress(STUNAttribute.xorRelayedAddress) == one && $0.address(STUNAttribute.alternateServer) == one
    }
    #expect(isSame == true)
  }

  @Test func errorsAreReadAsTheyWereWritten() {
    for code in [300, 400, 401, 420, 437, 438, 486, 487, 508, 699] {
      var writer = STUNWriter(.failure, .binding, TransactionID(high: 1, low: 2))
      writer.add(errorCode: code, "why")
      #expect(withMessage(writer.bytes) { $0.errorCode } == .some(code))
    }
    for value: [UInt8] in [[0, 0, 2, 0], [0, 0, 7, 0], [0, 0, 4, 100], [0, 0, 4], []] {
      var writer = STUNWriter(.failure, .binding, TransactionID(high: 1, low: 2))
      writer.add(STUNAttribute.errorCode, value)
      #expect(withMessage(writer.bytes) { $0.errorCode == nil } == true, "\(value)")
    }
  }

  @Test func valuesOfAnotherSizeAreNone() {
    var writer = STUNWriter(.success, .binding, TransactionID(high: 1, low: 2))
    writer.add(STUNAttribute.priority, [1, 2, 3])
    writer.add(STUNAttribute.controlled, [1, 2, 3, 4])
    writer.add(STUNAttribute.xorMappedAddress, [0, 1, 0, 0, 1, 2, 3])
    writer.add(STUNAttribute.mappedAddress, [0, 3, 0, 0, 1, 2, 3, 4])
    let isNone = withMessage(writer.bytes) {
      $0.u32(STUNAttribute.priority) == nil && $0.u64(STUNAttribute.controlled) == nil && $0.mapped == nil
    }
    #expect(isNone == true)
  }

  @Test func whatMustBeUnderstoodAndIsNotIsListed() {
    var writer = STUNWriter(.request, .binding, TransactionID(high: 1, low: 2))
    for type: UInt16 in 0x7F00...0x7F20 { writer.add(type) }
    writer.add(0xFF00)
    writer.add(STUNAttribute.username, "a:b")
    #expect(withMessage(writer.bytes) { $0.unknown(besides: STUNAttribute.isKnownOfCheck) } == .some(Array(0x7F00...0x7F07)))
  }
}
