/**
 * Counts the bytes of a stream that are not text of the reply, to stop streams of endless other data: comments, unknown
 * events, an event that never ends.
 */

export interface WireGauge {
  /** Bytes. */
  readonly limit: number;
  /** Adds received bytes. True if there are more than any reply of the maximum number of tokens needs. */
  addBytes(bytes: number): boolean;
  /** Called when a piece of the reply was read from the stream. */
  addPiece(piece: string): void;
}

export interface WireBounds {
  readonly maxTokens: number;
  /** Bytes of the request that the events repeat. */
  readonly echo: number;
  /** How often the last events repeat the reply. */
  readonly repeats: number;
}

/** Keep-alive events, and bytes that the reader has not taken yet. */
const extraBytes = 32_768;
/** Bytes per token: enough for encrypted reasoning. */
const bytesPerToken = 8;
/**
 * Bytes of an event beside its text: enough for the largest known forms, which report content filters and kinds of
 * reasoning.
 */
const frameBytes = 1_024;

export function wireGauge({ maxTokens, echo, repeats }: WireBounds): WireGauge {
  let unexplainedBytes = 0;
  let repeatBytes = 0;
  const minAllowed = bytesPerToken * maxTokens;
  const limit = extraBytes + echo + minAllowed;
  return {
    limit,
    addBytes(bytes) {
      unexplainedBytes += bytes;
      return unexplainedBytes > extraBytes + echo + Math.max(minAllowed, repeatBytes);
    },
    addPiece(piece) {
      const length = countEscaped(piece);
      repeatBytes += repeats * length;
      // Never below zero: unused bytes don't pay for later ones.
      unexplainedBytes = Math.max(0, unexplainedBytes - frameBytes - length);
    },
  };
}

/** The length as JSON in plain ASCII: the longest form in use. */
function countEscaped(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    length += code < 32 || code > 126 ? 6 : code === 34 || code === 92 ? 2 : 1;
  }
  return length;
}
