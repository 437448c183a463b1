import MediaCore
import MediaPlugins
import MediaSDK

/// Completes what is written for a producer, a renderer or a filter: NAME[:VALUE][,key=value...].
struct ItemCompletion {
  let role: PluginItem.Role
  /// Whether other items may follow the first.
  let isList: Bool
  let engine: Engine

  func complete(_ word: String) -> Completion {
    let start = ItemCompletion.startOfPiece(word)
    let (before, piece) = (String(word[..<start]), String(word[start...]))
    let item = before.isEmpty ? nil : (try? PluginItem.list(String(before.dropLast())))?.last
    let former = item.flatMap(descriptor)
    if let split = piece.firstIndex(where: { $0 == ":" || $0 == "=" }) {
      let name = String(piece[..<split])
      let value = String(piece[piece.index(after: split)...])
      let parameter = piece[split] == ":" ? classNamed(name)?.mainParameter : former?.parameters.first { $0.name == name }
      guard let parameter, let owner = piece[split] == ":" ? classNamed(name) : former else { return .nothing }
      return ItemCompletion.values(of: parameter, owner, in: engine).after("\(before)\(piece[...split])", of: value)
    }
    // Each parameter once.
    let given = (item?.settings.map(\.key) ?? []) + (item?.value == nil ? [] : [former?.mainParameter?.name].compactMap { $0 })
    var candidates = (former.map(ItemCompletion.settings) ?? []).filter { !given.contains(String($0.text.dropLast())) }
    if before.isEmpty || isList { candidates += names }
    return Completion(kind: .open, candidates: candidates).after(before, of: piece)
  }

  private var fitting: [ClassDescriptor] { engine.plugins.classes.filter { $0.kinds & role.kind != 0 } }

  /// One that needs a value has its colon already.
  private var names: [Completion.Candidate] {
    fitting.map { descriptor in
      let name = descriptor.id.hasPrefix(role.shortPrefix) ? String(descriptor.id.dropFirst(role.shortPrefix.count)) : descriptor.id
      return .init(text: descriptor.parameters.contains(where: \.isRequired) ? "\(name):" : name, summary: descriptor.summary)
    }
  }

  private func descriptor(_ item: PluginItem) -> ClassDescriptor? { classNamed(item.name) }

  private func classNamed(_ name: String) -> ClassDescriptor? {
    let id = name.contains(".") ? name : role.shortPrefix + name
    return fitting.first { $0.id == id }
  }

  /// After the last comma that is none of a value's.
  private static func startOfPiece(_ word: String) -> String.Index {
    var start = word.startIndex
    var isEscaped = false
    for index in word.indices {
      if !isEscaped, word[index] == "," { start = word.index(after: index) }
      isEscaped = !isEscaped && word[index] == "\\"
    }
    return start
  }

  // MARK: Parameters

  private static func settings(of descriptor: ClassDescriptor) -> [Completion.Candidate] {
    descriptor.parameters.filter { !$0.isReadOnly }.map { .init(text: "\($0.name)=", summary: $0.summary) }
  }

  /// "key" or "key=value", of a class that is given by the end of its name.
  static func settings(of name: String, in engine: Engine, _ word: String) -> Completion {
    guard let descriptor = engine.plugins.classes.first(where: { Inspection.matches($0.id, name) }) else { return .nothing }
    guard let equals = word.firstIndex(of: "=") else { return Completion(kind: .open, candidates: settings(of: descriptor)) }
    guard let parameter = descriptor.parameters.first(where: { $0.name == word[..<equals] }) else { return .nothing }
    return values(of: parameter, descriptor, in: engine).after(String(word[...equals]), of: String(word[word.index(after: equals)...]))
  }

  private static func values(of parameter: ParameterDescriptor, _ descriptor: ClassDescriptor, in engine: Engine) -> Completion {
    if let choices = parameter.choices { return .open(choices.map(PluginItem.escaped)) }
    if parameter.hasDynamicChoices { return Completion(kind: .open, candidates: choicesNow(parameter, descriptor, engine)) }
    switch parameter.type {
    case .bool: return .open(["true", "false"])
    // Secret ones never stand on a command line.
    case .string: return !parameter.isSecret && parameter.isPath ? .files : .nothing
    case .bytes: return .nothing
    case .i32, .i64, .u32, .u64, .f64:
      var numbers = [Completion.Candidate(text: parameter.defaultValue.shortText, summary: "the default")]
      if let least = parameter.bounds?.least { numbers.append(.init(text: least.shortText, summary: "the minimum")) }
      if let most = parameter.bounds?.most { numbers.append(.init(text: most.shortText, summary: "the maximum")) }
      return Completion(kind: .open, candidates: numbers)
    }
  }

  /// What the plugin finds: windows, devices.
  private static func choicesNow(_ parameter: ParameterDescriptor, _ descriptor: ClassDescriptor, _ engine: Engine) -> [Completion
    .Candidate]
  {
    guard let instance = try? engine.makeInstance(descriptor.id) else { return [] }
    defer { instance.destroy() }
    let found = (try? instance.choices(of: parameter.name)) ?? []
    return found.map { .init(text: PluginItem.escaped($0.value), summary: $0.label == $0.value ? "" : $0.label) }
  }
}

extension ClassDescriptor {
  /// What the value of an item sets.
  var mainParameter: ParameterDescriptor? {
    let settable = parameters.filter { !$0.isReadOnly }
    return settable.first(where: \.isRequired) ?? settable.first
  }
}

extension ParameterDescriptor {
  /// Whether it names a file, as far as its own name says.
  fileprivate var isPath: Bool { ["path", "file", "directory", "font"].contains { name == $0 || name.hasSuffix("_\($0)") } }
}
