import MediaCore

/// The error that the body throws; nil when it throws none, or one of another type.
func failure(_ body: () throws -> Void) -> MediaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MediaError
  }
}
