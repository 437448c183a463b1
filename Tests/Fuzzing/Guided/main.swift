import FuzzTargets
import Glibc

// One program of all targets: msdk-fuzz TARGET, and then what libFuzzer takes; without arguments, their names.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>, _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

nonisolated(unsafe) private var target: (any FuzzTarget.Type)?
private var count = CommandLine.argc
private var words = CommandLine.unsafeArgv

guard count > 1, let name = words[1].map({ String(cString: $0) }) else {
  for target in fuzzTargets { print(target.name) }
  exit(0)
}
target = fuzzTargets.first { $0.name == name }
guard target != nil else {
  print("no target \(name)")
  exit(2)
}
// libFuzzer sees its own arguments: the program's name, and those after the target's.
words[1] = words[0]
words += 1
count -= 1
exit(
  runDriver(&count, &words) { bytes, size in
    try? target?.run(UnsafeRawBufferPointer(start: bytes, count: size))
    return 0
  })
