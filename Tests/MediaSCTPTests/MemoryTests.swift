import Glibc
import MediaCore
import Testing

@testable import MediaSCTP

/// What an end takes, of the memory of the process; nothing else may run at the same time.
@Suite(.serialized) struct MemoryTests {
  /// Kilobytes that are resident.
  private static func memory() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 200)
    guard fgets(&line, 200, file) != nil else { return 0 }
    let fields = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE)) / 1024
  }

  /// Neither what never completes nor what nobody takes is kept without end.
  @Test(arguments: 0..<4) func whatIsKeptIsBounded(kind: Int) throws {
    let peer = try HostilePeer()
    peer.data(HostilePeer.open, stream: 0, kind: 50)
    peer.wait(1)
    if kind == 3 { peer.talk.takes[1] = false }
    let before = MemoryTests.memory()
    for part in 0..<30_000 {
      switch kind {
      // A message that does not end.
      case 0: peer.data([UInt8](repeating: 1, count: 1000), stream: 0, sequence: 1, flags: part == 0 ? 2 : 0)
      // Fragments without a beginning.
      case 1: peer.data([UInt8](repeating: 1, count: 1000), stream: 0, sequence: 1 + part, flags: 0, skip: 1)
      // Messages that others should precede.
      case 2: peer.data([1], stream: 0, sequence: 2 + part % 60_000)
      // Messages that nobody takes.
      default: peer.data([UInt8](repeating: 1, count: 1000), stream: 0, sequence: 1 + part)
      }
      while peer.talk.server.takePacket() != nil {}
    }
    let grown = MemoryTests.memory() - before
    print("kept of kind \(kind): \(grown) kB")
    #expect(grown < 12 * 1024)
    #expect(peer.talk.server.partial.count <= 262_144)
  }

  @Test func aThousandAssociationsLeaveNothing() throws {
    func connect(_ count: Int) throws {
      for seed in 0..<count {
        let talk = try DataTalk(seed: UInt64(seed))
        let (id, _) = try talk.channel()
        try talk.client.send(DataTalk.message(1, size: 20_000), isText: false, on: id, now: talk.now)
        // Ended in the middle of it, or after it.
        talk.run(for: seed % 2 == 0 ? 30_000_000 : DataTalk.second)
        if seed % 3 == 0 { talk.client.close(now: talk.now) }
      }
    }
    try connect(100)
    let before = MemoryTests.memory()
    try connect(1000)
    let grown = MemoryTests.memory() - before
    print("after a thousand associations: \(grown) kB")
    #expect(grown < 1024)
  }

  @Test func aThousandChannelsLeaveNothing() throws {
    let talk = try DataTalk()
    func openAndClose(_ count: Int) throws {
      for number in 0..<count {
        let (id, _) = try talk.channel("\(number)")
        try talk.client.send(DataTalk.message(1, size: 2000), isText: false, on: id, now: talk.now)
        talk.client.close(id, now: talk.now)
        talk.run(for: 2 * DataTalk.second)
      }
    }
    try openAndClose(50)
    let before = MemoryTests.memory()
    try openAndClose(1000)
    #expect(talk.closed(1).count == 1050)
    let grown = MemoryTests.memory() - before
    print("after a thousand channels: \(grown) kB")
    // What the test itself keeps is 3 MB.
    #expect(grown < 8 * 1024)
  }

  @Test func whatAnIdleConnectionTakes() throws {
    let first = try (0..<10).map { try DataTalk(seed: UInt64($0)) }
    for talk in first { talk.run(for: DataTalk.second) }
    let before = MemoryTests.memory()
    let talks = try (0..<50).map { try DataTalk(seed: UInt64($0)) }
    for talk in talks {
      _ = try talk.channel()
      talk.run(for: 5 * DataTalk.second)
    }
    let each = (MemoryTests.memory() - before) / 100
    print("an end: \(each) kB")
    #expect(each < 600)
  }
}
