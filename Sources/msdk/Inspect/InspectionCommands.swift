import MediaCore
import MediaPlugins

/// The commands of a class, for people and for programs.
extension CommandDescriptor {
  var flagNames: [String] {
    [(isThreadSafe, "thread-safe"), (isConstant, "constant")].filter(\.0).map(\.1)
  }

  /// A heading as a function is written, then what is said of it and of each argument.
  var inspectionLines: [String] {
    let list = arguments.map { argument in
      "\(argument.name): \(argument.type)" + (argument.defaultValue.map { " = \($0.inspectionText)" } ?? "")
    }
    let heading = "\(name)(\(list.joined(separator: ", ")))" + (result.map { " -> \($0)" } ?? "")
    var lines = ["      " + ([heading] + flagNames).joined(separator: ", ")]
    if !summary.isEmpty { lines.append("        \(Terminal.oneLine(summary))") }
    let width = arguments.map(\.name.count).max() ?? 0
    for argument in arguments {
      var facts: [String] = []
      if let bounds = argument.bounds { facts.append(bounds.inspectionText) }
      if let choices = argument.choices { facts.append("one of \(choices.map(Terminal.oneLine).joined(separator: " "))") }
      if !argument.summary.isEmpty { facts.append(Terminal.oneLine(argument.summary)) }
      if !facts.isEmpty { lines.append("        \(argument.name.padded(to: width))  \(facts.joined(separator: "; "))") }
    }
    return lines
  }

  var inspectionJSON: JSON {
    .object([
      ("name", .text(name)), ("summary", .text(summary)), ("result", result.map { .text("\($0)") } ?? .null),
      ("flags", .texts(flagNames.map { $0 == "thread-safe" ? "thread_safe" : $0 })),
      ("arguments", .array(arguments.map(\.inspectionJSON)))
    ])
  }
}

extension CommandArgument {
  fileprivate var inspectionJSON: JSON {
    .object([
      ("name", .text(name)), ("summary", .text(summary)), ("type", .text("\(type)")), ("default", defaultValue?.json ?? .null),
      ("minimum", bounds?.least?.json ?? .null), ("maximum", bounds?.most?.json ?? .null), ("choices", choices.map { .texts($0) } ?? .null)
    ])
  }
}

extension ParameterValue {
  fileprivate var inspectionText: String {
    if case .f64(let value) = self { return value.shortText }
    return Terminal.oneLine(description)
  }
}
