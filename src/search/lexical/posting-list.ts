/**
 * Reading postings: see `Postings` for their form. The same decoding stands here more than once, since each is
 * the inner loop of something that is timed. Damaged bytes give wrong numbers but never a read past the end.
 */

/**
 * Adds each posting's share of BM25: the inner loop of a query. A frequency counts `weight` times. `others`
 * holds what other terms of the same group have in a chunk; it is taken in and cleared.
 */
export function accumulate(
  bytes: Uint8Array,
  firstChunk: number,
  weight: number,
  gain: number,
  norms: Float32Array,
  others: Float32Array | null,
  scores: Float32Array,
): void {
  const end = bytes.length;
  let at = 0;
  let chunk = firstChunk - 1;
  while (at < end) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    let shift = 7;
    while (byte > 127 && at < end) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    }
    chunk += value >>> 1;
    let frequency = (value & 1) === 1 ? weight : weight * bytes[at++]!;
    if (others !== null) {
      const more = others[chunk]!;
      if (more !== 0) {
        frequency += more;
        others[chunk] = 0;
      }
    }
    scores[chunk] = scores[chunk]! + (gain * frequency) / (frequency + norms[chunk]!);
  }
}

/**
 * Adds each living posting's frequency, times `weight`, to the frequencies of a group of terms. `touched` gets
 * the chunks that had none before; returns how many there are now.
 */
export function gather(
  bytes: Uint8Array,
  firstChunk: number,
  dead: Uint8Array | null,
  weight: number,
  frequencies: Float32Array,
  touched: Int32Array,
  count: number,
): number {
  const end = bytes.length;
  let at = 0;
  let chunk = firstChunk - 1;
  let n = count;
  while (at < end) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    let shift = 7;
    while (byte > 127 && at < end) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    }
    chunk += value >>> 1;
    const tf = (value & 1) === 1 ? 1 : bytes[at++]!;
    if (dead !== null && dead[chunk - firstChunk] === 1) continue;
    const before = frequencies[chunk]!;
    if (before === 0) touched[n++] = chunk;
    frequencies[chunk] = before + weight * tf;
  }
  return n;
}

/** How many postings are of chunks that are not dead. */
export function countLive(bytes: Uint8Array, dead: Uint8Array): number {
  const end = bytes.length;
  let at = 0;
  let chunk = -1;
  let count = 0;
  while (at < end) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    let shift = 7;
    while (byte > 127 && at < end) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    }
    chunk += value >>> 1;
    if ((value & 1) === 0) at++;
    if (dead[chunk] === 0) count++;
  }
  return count;
}

export function eachPosting(bytes: Uint8Array, visit: (chunk: number, frequency: number) => void): void {
  const end = bytes.length;
  let at = 0;
  let chunk = -1;
  while (at < end) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    let shift = 7;
    while (byte > 127 && at < end) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    }
    chunk += value >>> 1;
    visit(chunk, (value & 1) === 1 ? 1 : bytes[at++]!);
  }
}
