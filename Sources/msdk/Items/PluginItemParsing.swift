import ArgumentParser

/// Reading items. Between commas stand items and, after an item, its settings; a backslash takes a comma, or a backslash, for what it is.
extension PluginItem {
  private struct Symbol {
    let scalar: Unicode.Scalar
    let isEscaped: Bool

    func isPlain(_ other: Unicode.Scalar) -> Bool { scalar == other && !isEscaped }
  }

  /// Exactly one item.
  static func one(_ text: String) throws -> PluginItem {
    let items = try list(text)
    guard let item = items.first, items.count == 1 else {
      throw ValidationError("one item is accepted, NAME[:VALUE][,key=value...]; it has \(items.count). A comma in a value is written \\,")
    }
    return item
  }

  static func list(_ text: String) throws -> [PluginItem] {
    var items: [PluginItem] = []
    for piece in try pieces(text) {
      if let setting = setting(piece) {
        guard !items.isEmpty else { throw ValidationError("it begins with a parameter; accepted: NAME[:VALUE][,key=value...]") }
        items[items.count - 1].settings.append(setting)
      } else {
        items.append(try item(piece))
      }
    }
    return items
  }

  private static func pieces(_ text: String) throws -> [[Symbol]] {
    var pieces: [[Symbol]] = [[]]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        pieces[pieces.count - 1].append(Symbol(scalar: scalar, isEscaped: true))
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "," {
        pieces.append([])
      } else {
        pieces[pieces.count - 1].append(Symbol(scalar: scalar, isEscaped: false))
      }
    }
    guard !isEscaped else { throw ValidationError("it ends with a backslash; accepted: \\, for a comma and \\\\ for a backslash") }
    return pieces
  }

  /// key=value, where the key is the name of a parameter: [a-z][a-z0-9_]*.
  private static func setting(_ piece: [Symbol]) -> Setting? {
    guard let equals = piece.firstIndex(where: { $0.isPlain("=") }), equals > 0 else { return nil }
    let isKey = piece[..<equals].enumerated().allSatisfy { index, symbol in
      ("a"..."z").contains(symbol.scalar) || index > 0 && (("0"..."9").contains(symbol.scalar) || symbol.scalar == "_")
    }
    return isKey ? Setting(key: string(piece[..<equals]), value: string(piece[(equals + 1)...])) : nil
  }

  private static func item(_ piece: [Symbol]) throws -> PluginItem {
    let colon = piece.firstIndex { $0.isPlain(":") }
    let name = string(piece[..<(colon ?? piece.endIndex)])
    guard !name.isEmpty else { throw ValidationError("an item has no name; accepted: NAME[:VALUE][,key=value...]") }
    return PluginItem(name: name, value: colon.map { string(piece[($0 + 1)...]) })
  }

  private static func string(_ symbols: ArraySlice<Symbol>) -> String {
    String(String.UnicodeScalarView(symbols.map(\.scalar)))
  }
}
