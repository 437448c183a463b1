import CPixels
import CYUV

/// One plane of bytes.
struct Plane {
  var data: UnsafeMutablePointer<UInt8>
  var stride: Int32
  var width: Int
  var height: Int

  var w: Int32 { Int32(width) }
  var h: Int32 { Int32(height) }

  init(_ data: UnsafeMutablePointer<UInt8>, _ stride: Int32, _ width: Int, _ height: Int) {
    self.data = data
    self.stride = stride
    self.width = width
    self.height = height
  }

  /// In scratch memory.
  init(width: Int, height: Int, in scratch: ConversionScratch, slot: ConversionScratch.Slot) {
    let stride = (width + 63) & ~63
    self.init(scratch.take(slot, stride * height), Int32(stride), width, height)
  }

  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { data + index * Int(stride) }
}

/// Scales planes as `ScalingAxis` says, of pixels of one byte or of four.
///
/// One row of the result after another: where the height shrinks, rows are blended first and their columns then; where it grows, the
/// columns of the rows first, each once. Between the two passes there are seven bits of fraction, so that only the last one rounds. Half
/// the size and double is the same in one pass, which is faster: libyuv's for single planes. Its other filters lose up to a level and a
/// half, or shift the picture.
struct PlaneScaler {
  let scratch: ConversionScratch
  /// Of one byte: 1 or 4.
  var channels = 1
  /// Planes of different sizes have tables of their own, which so are kept from frame to frame.
  var tables: (rows: ConversionScratch.Slot, columns: ConversionScratch.Slot) = (.rows, .columns)

  func scale(_ from: Plane, into to: Plane) {
    if from.width == to.width && from.height == to.height {
      CopyPlane(from.data, from.stride, to.data, to.stride, to.w * Int32(channels), to.h)
    } else if channels == 1 && (halves(from, to) || doubles(from, to)) {
      ScalePlane(from.data, from.stride, from.w, from.h, to.data, to.stride, to.w, to.h, kFilterBox)
    } else if channels == 4 && halves(from, to) {
      for row in 0..<to.height { cpixels_halve(from.row(2 * row), from.row(2 * row + 1), to.row(row), to.w) }
    } else if from.width == to.width {
      scaleRows(from, to)
    } else if from.height < to.height {
      grow(from, to)
    } else {
      shrink(from, to)
    }
  }

  private func halves(_ from: Plane, _ to: Plane) -> Bool { from.width == 2 * to.width && from.height == 2 * to.height }

  private func doubles(_ from: Plane, _ to: Plane) -> Bool {
    to.width == 2 * from.width && to.height == 2 * from.height && from.width > 1 && from.height > 1
  }

  private func rows(_ from: Plane, _ to: Plane) -> ScalingRows {
    ScalingRows(ScalingAxis(from: from.height, to: to.height), in: scratch, slot: tables.rows)
  }

  private func columns(_ from: Plane, _ to: Plane) -> cpixels_columns {
    cpixels_columns(ScalingAxis(from: from.width, to: to.width), in: scratch, slot: tables.columns)
  }

  /// Room for `count` rows of words.
  private func wordRows(_ width: Int, count: Int, _ slot: ConversionScratch.Slot) -> (UnsafeMutablePointer<Int16>, stride: Int) {
    let stride = width * channels + CPIXELS_PADDING
    let memory = UnsafeMutableRawPointer(scratch.take(slot, MemoryLayout<Int16>.stride * stride * count))
    return (memory.bindMemory(to: Int16.self, capacity: stride * count), stride)
  }

  /// The height changes, the width does not.
  private func scaleRows(_ from: Plane, _ to: Plane) {
    let rows = rows(from, to)
    for row in 0..<to.height {
      var sources = rows.rows(row, of: from)
      cpixels_blend_to_bytes(&sources, to.row(row), Int32(to.width * channels))
    }
  }

  /// The width changes, the height stays or becomes less.
  private func shrink(_ from: Plane, _ to: Plane) {
    let rows = rows(from, to)
    var columns = columns(from, to)
    let (blended, _) = wordRows(from.width, count: 1, .words)
    for row in 0..<to.height {
      var sources = rows.rows(row, of: from)
      cpixels_blend_to_words(&sources, blended, Int32(from.width * channels))
      cpixels_scale_to_bytes(blended, &columns, Int32(channels), to.row(row))
    }
  }

  /// The width changes, the height becomes more.
  private func grow(_ from: Plane, _ to: Plane) {
    let rows = rows(from, to)
    var columns = columns(from, to)
    let (widened, _) = wordRows(from.width, count: 1, .words)
    let (scaled, stride) = wordRows(to.width, count: 2, .scaledWords)
    var weight = Int16(CPIXELS_ONE)
    // Rows are wanted in their order, so that two that follow each other find place.
    var done = 0
    for row in 0..<to.height {
      let (first, taps) = (rows.axis.first(row), rows.taps(row))
      while done < first + taps {
        withUnsafePointer(to: &weight) { weight in
          var source = cpixels_rows(first: from.row(done), stride: Int(from.stride), weights: weight, taps: 1)
          cpixels_blend_to_words(&source, widened, Int32(from.width * channels))
        }
        cpixels_scale_to_words(widened, &columns, Int32(channels), scaled + done % 2 * stride)
        done += 1
      }
      let second = taps == 2 ? Int32(rows.weights(row)[1]) : 0
      let next = taps == 2 ? first + 1 : first
      cpixels_blend_words(
        scaled + first % 2 * stride, scaled + next % 2 * stride, second, to.row(row), Int32(to.width * channels))
    }
  }
}
