import MediaCore

/// What the program set for classes of codecs: each instance that a stream makes is given it before it is opened.
public final class CodecParameters: Sendable {
  /// By class, in the order in which they were set.
  private let all = Monitor<[String: [(name: String, value: ParameterValue)]]>([:])

  /// Nothing is set: each class has its defaults.
  public init() {}

  /// nil: the class's own default again.
  public func set(_ name: String, _ value: ParameterValue?, of descriptor: ClassDescriptor) throws(MediaError) {
    let parameter = try settable(name, of: descriptor)
    guard let value else { return keep(name, nil, of: descriptor) }
    keep(name, try parameter.check(value, argument: "the value"), of: descriptor)
  }

  /// The same from text.
  public func set(_ name: String, text: String, of descriptor: ClassDescriptor) throws(MediaError) {
    keep(name, try settable(name, of: descriptor).parse(text), of: descriptor)
  }

  private func settable(_ name: String, of descriptor: ClassDescriptor) throws(MediaError) -> ParameterDescriptor {
    guard descriptor.kinds & (ClassDescriptor.videoCodecKinds | ClassDescriptor.audioCodecKinds) != 0 else {
      throw MediaError(.unsupported, "class \(descriptor.id) is not a codec; accepted: a class that encodes or decodes")
    }
    let parameter = try descriptor.parameter(name)
    guard !parameter.isReadOnly else { throw MediaError(.permission, "parameter \"\(name)\" of \(descriptor.id) is read-only") }
    return parameter
  }

  private func keep(_ name: String, _ value: ParameterValue?, of descriptor: ClassDescriptor) {
    all.withLock { all in
      var list = all[descriptor.id] ?? []
      list.removeAll { $0.name == name }
      if let value { list.append((name, value)) }
      all[descriptor.id] = list.isEmpty ? nil : list
    }
  }

  func values(of classID: String) -> [(name: String, value: ParameterValue)] {
    all.withLock { $0[classID] ?? [] }
  }
}
