import IsolationProtocol
import MediaPlugins

/// What the core has brought an instance to, as the calls that brought it there: a process that comes back gets them too (`Op.restored`).
struct DesiredState {
  private struct Call {
    let op: Op
    let number: UInt32
    let payload: [UInt8]
  }

  /// In the order in which they were set.
  private(set) var parameters: [(name: String, value: ParameterValue)] = []
  private var calls: [Call] = []

  mutating func set(_ name: String, _ value: ParameterValue) {
    parameters.removeAll { $0.name == name }
    parameters.append((name, value))
  }

  /// What a call is made with again; nil when it is not. `number` is that of a renderer's input.
  subscript(op: Op, number: UInt32 = 0) -> [UInt8]? {
    get { calls.first { $0.op == op && $0.number == number }?.payload }
    set {
      calls.removeAll { $0.op == op && $0.number == number }
      if let newValue { calls.append(Call(op: op, number: number, payload: newValue)) }
    }
  }

  /// Changes what a call is made with again, if it is.
  mutating func amend<Value: BitwiseCopyable>(_ op: Op, _ change: (inout Value) -> Void) {
    guard let payload = self[op], payload.count == MemoryLayout<Value>.size else { return }
    var value = payload.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
    change(&value)
    self[op] = WireWriter.bytes(of: value)
  }

  /// After a call that takes the instance down.
  mutating func undo(_ op: Op) {
    let undone = op.undone
    calls.removeAll { undone.contains($0.op) }
  }

  /// What a new process is called with.
  var restoring: [(op: Op, payload: [UInt8])] {
    Op.restored.flatMap { op in
      calls.filter { $0.op == op }.sorted { $0.number < $1.number }.map { (op, $0.payload) }
    }
  }
}
