import FuzzTargets
import Glibc
import MediaCore

// Runs each target on its committed inputs, and on so many that are like them: the same ones every time. What ends it is in FILE.
//   msdk-fuzz-replay CORPUS EXECUTIONS FILE [TARGET...]

private nonisolated(unsafe) var current = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
private nonisolated(unsafe) var currentCount = 0

/// Of a directory, in an order that is always the same.
private func inputs(_ path: String) -> [[UInt8]] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
  return names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
    guard let file = fopen("\(path)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: current.count) { $1 = fread($0.baseAddress, 1, $0.count, file) }
  }
}

private func run(_ target: any FuzzTarget.Type, _ input: [UInt8]) {
  currentCount = min(input.count, current.count)
  current.copyBytes(from: input.prefix(currentCount))
  // What takes so long hangs, however busy the machine is.
  alarm(60)
  // In memory of its own size.
  input.withUnsafeBytes { try? target.run($0) }
}

private func changed(_ corpus: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
  var bytes = corpus.randomElement(using: &random) ?? []
  for _ in 0..<Int.random(in: 1...4, using: &random) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
    case 2: bytes.removeLast(bytes.count - place)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 4: bytes = Array(bytes.prefix(place)) + (corpus.randomElement(using: &random) ?? []).suffix(Int.random(in: 0...64, using: &random))
    default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
    }
  }
  return Array(bytes.prefix(current.count))
}

let arguments = CommandLine.arguments
guard arguments.count >= 4, let executions = Int(arguments[2]) else {
  print("usage: msdk-fuzz-replay CORPUS EXECUTIONS FILE [TARGET...]")
  exit(2)
}
private let path = arguments[3]
for signal in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM] {
  Glibc.signal(signal) { number in
    let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
    _ = write(descriptor, current.baseAddress, currentCount)
    Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}
for target in fuzzTargets where arguments.count == 4 || arguments[4...].contains(target.name) {
  let corpus = inputs("\(arguments[1])/\(target.name)")
  guard !corpus.isEmpty else {
    print("\(target.name) has no inputs in \(arguments[1])")
    exit(1)
  }
  print("\(target.name): \(corpus.count) inputs and \(executions) like them; if it ends here, its last input is in \(path)")
  fflush(nil)
  var random = SeededRandom(seed: 1)
  for input in corpus { run(target, input) }
  for _ in 0..<executions { run(target, changed(corpus, &random)) }
}
