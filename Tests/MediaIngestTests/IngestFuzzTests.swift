import Glibc
import MediaCore
import Testing

@testable import MediaIngest

/// Bytes that began as right ones. MSDK_FUZZ_MESSAGES in the environment says how many messages each seed makes, 10 million say.
struct IngestFuzzTests {
  private static let count = getenv("MSDK_FUZZ_MESSAGES").flatMap { Int(String(cString: $0)) } ?? 40_000

  @Test(arguments: [1, 2, 3] as [UInt64]) func nothingTrapsAndEveryEndHasAReason(seed: UInt64) throws {
    var mutator = try FeederMutator(seed: seed)
    let rules = try FeederBytes.rules()
    let (unixProof, tcpProof) = (try FeederBytes.proof(.unix), try FeederBytes.proof())
    var ends: [IngestReason: Int] = [:]
    var messages = 0
    var peak = 0
    while messages < IngestFuzzTests.count {
      // What grows grows before a tenth is done.
      if peak == 0, messages > IngestFuzzTests.count / 10 { peak = IngestFuzzTests.peak }
      let route = mutator.chance(2) ? IngestRoute.unix : FeederBytes.tcp
      var connection = IngestConnection(rules, by: route, nonce: FeederBytes.sessionNonce, at: 0)
      do throws(IngestRefusal) {
        if mutator.chance(8) {
          messages += 2
          let isRight = mutator.chance(16)
          _ = try connection.feed(FeederBytes.hello() + (route.isUnix == isRight ? unixProof : tcpProof))
        }
        for _ in 0..<4 {
          messages += 1
          _ = try connection.feed(mutator.message(), descriptors: mutator.chance(4) ? 1 : 0, piece: mutator.chance(2) ? 13 : .max)
          if connection.payloadLeft > rules.largestPayload || connection.wanted > 72 { Issue.record("room for more than is accepted") }
          if mutator.chance(3) { _ = connection.release(UInt32(mutator.below(20))) }
        }
        ends[.none, default: 0] += 1
      } catch {
        if error.text.isEmpty || error.reason == .none { Issue.record("an end without a reason") }
        ends[error.reason, default: 0] += 1
      }
    }
    // Three seeds at a time, in a process that runs other tests.
    #expect(IngestFuzzTests.peak - peak < 65_536)
    // The mutator reaches what it should.
    for reason: IngestReason in [.none, .notAdmitted, .version, .malformed, .tooLarge, .format, .slot] {
      #expect(ends[reason, default: 0] > 0)
    }
  }

  /// The most that this process has had in memory so far, in KiB.
  private static var peak: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
