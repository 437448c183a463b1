import Glibc
import MediaCore
import MediaPlugins

/// The parameters of one class in a JSON file: {"class": "org.example.producer.camera", "parameters": {"name": value, ...}}.
struct ParameterFile {
  private static let largest = 1 << 20

  let path: String
  let classID: String
  private let values: [(String, JSON)]

  // MARK: Restoring

  init(reading path: String) throws(MediaError) {
    let document = try JSONReader.read(FileReader.bytes(of: path, most: ParameterFile.largest), name: path)
    guard case .object(let members) = document else {
      throw MediaError(.corrupt, "\(path) is not an object; accepted: \(ParameterFile.shape)")
    }
    if let other = members.first(where: { $0.0 != "class" && $0.0 != "parameters" }) {
      throw MediaError(.corrupt, "\(path) has the member \"\(other.0)\"; accepted: \(ParameterFile.shape)")
    }
    guard case .text(let id)? = members.first(where: { $0.0 == "class" })?.1 else {
      throw MediaError(.corrupt, "\(path): \"class\" is missing or not a text; accepted: \(ParameterFile.shape)")
    }
    guard case .object(let values)? = members.first(where: { $0.0 == "parameters" })?.1 else {
      throw MediaError(.corrupt, "\(path): \"parameters\" is missing or not an object; accepted: \(ParameterFile.shape)")
    }
    self.path = path
    classID = id
    self.values = values
  }

  private static let shape = "{\"class\": \"...\", \"parameters\": {\"name\": value, ...}}"

  /// Sets all of them, in the order in which the class has them: one may decide what another accepts.
  func apply(to instance: PluginInstance) throws(MediaError) {
    let descriptor = instance.descriptor
    guard descriptor.id == classID else {
      throw MediaError(.invalid, "\(path) is for the class \(classID), not for \(descriptor.id)")
    }
    for (name, _) in values where !descriptor.parameters.contains(where: { $0.name == name }) {
      try named(name) { () throws(MediaError) in _ = try descriptor.parameter(name) }
    }
    for parameter in descriptor.parameters {
      guard let json = values.first(where: { $0.0 == parameter.name })?.1 else { continue }
      try named(parameter.name) { () throws(MediaError) in
        try instance.setParameter(parameter.name, ParameterFile.value(json, for: parameter))
      }
    }
  }

  private func named(_ name: String, _ body: () throws(MediaError) -> Void) throws(MediaError) {
    do throws(MediaError) {
      try body()
    } catch {
      throw MediaError(error.status, "\(path), \"\(name)\": \(error.text)")
    }
  }

  /// The core checks what fits a parameter; here only JSON's own kinds are told apart.
  private static func value(_ json: JSON, for parameter: ParameterDescriptor) throws(MediaError) -> ParameterValue {
    let kind: String
    switch json {
    case .bool(let value): return .bool(value)
    case .text(let text):
      guard !text.utf8.contains(0) else { throw MediaError(.invalid, "the value has a NUL character; accepted: a text without one") }
      guard text.utf8.count <= ParameterValue.longestText else {
        throw MediaError(.invalid, "the value has \(text.utf8.count) bytes; accepted: up to \(ParameterValue.longestText)")
      }
      return .string(text)
    case .number(let value): return .f64(value)
    case .integer(let value):
      if let small = Int64(exactly: value) { return parameter.type == .f64 ? .f64(Double(small)) : .i64(small) }
      if let large = UInt64(exactly: value) { return parameter.type == .f64 ? .f64(Double(large)) : .u64(large) }
      throw MediaError(.range, "the value is a number of more than 64 bits; parameter \"\(parameter.name)\" accepts \(parameter.accepted)")
    case .array(let items) where parameter.type == .bytes:
      var bytes: [UInt8] = []
      for item in items {
        guard case .integer(let number) = item, let byte = UInt8(exactly: number) else {
          throw MediaError(.type, "element \(bytes.count) is not a whole number in 0..255")
        }
        bytes.append(byte)
      }
      return .bytes(bytes)
    case .array: kind = "an array"
    case .object: kind = "an object"
    case .null: kind = "null"
    }
    throw MediaError(.type, "the value is \(kind); parameter \"\(parameter.name)\" accepts \(parameter.accepted)")
  }

  // MARK: Saving

  /// What an instance is set to, and the names of the secrets, which stay out of it. Required ones that were not set stay out, too, and so
  /// do those without a fixed list of choices that were not set: what they are then is the plugin's to find anew.
  static func document(of instance: PluginInstance) throws(MediaError) -> (json: JSON, secrets: [String]) {
    var members: [(String, JSON)] = []
    var secrets: [String] = []
    for parameter in instance.descriptor.parameters where !parameter.isReadOnly {
      let isSet = instance.isParameterSet(parameter.name)
      if parameter.isSecret {
        if isSet { secrets.append(parameter.name) }
        continue
      }
      if !isSet, parameter.isRequired || parameter.hasDynamicChoices { continue }
      let value = try instance.parameter(parameter.name)
      if case .f64(let number) = value, !number.isFinite {
        throw MediaError(.unsupported, "parameter \"\(parameter.name)\" is \(number), which JSON cannot represent")
      }
      members.append((parameter.name, value.json))
    }
    return (.object([("class", .text(instance.descriptor.id)), ("parameters", .object(members))]), secrets)
  }

  /// The whole file or none: it is written beside its place, and then moved there.
  static func write(_ json: JSON, to path: String) throws(MediaError) {
    let temporary = "\(path).\(getpid()).tmp"
    guard let file = fopen(temporary, "wxe") else {
      throw MediaError(.io, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
    let isWritten = fputs(json.rendered() + "\n", file) >= 0
    let isWhole = fclose(file) == 0 && isWritten && rename(temporary, path) == 0
    guard isWhole else {
      let reason = String(cString: strerror(errno))
      unlink(temporary)
      throw MediaError(.io, "\(path) cannot be written: \(reason)")
    }
  }
}

/// The files of a run: each is for all instances of its class.
struct ParameterFiles {
  let files: [ParameterFile]

  init(reading paths: [String]) throws(MediaError) {
    var files: [ParameterFile] = []
    for path in paths {
      let file = try ParameterFile(reading: path)
      if let other = files.first(where: { $0.classID == file.classID }) {
        throw MediaError(.exists, "\(other.path) and \(path) are both for the class \(file.classID); accepted: one file per class")
      }
      files.append(file)
    }
    self.files = files
  }

  func apply(to instance: PluginInstance) throws(MediaError) {
    try files.first { $0.classID == instance.descriptor.id }?.apply(to: instance)
  }

  /// A file that nothing of the run takes is a mistake.
  func checkUsed(by instances: [PluginInstance]) throws(MediaError) {
    for file in files where !instances.contains(where: { $0.descriptor.id == file.classID }) {
      throw MediaError(.notFound, "\(file.path) is for the class \(file.classID), which is not part of this run")
    }
  }
}
