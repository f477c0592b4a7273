/**
 * Counts bytes of a stream that are not text of the reply, so that a stream can be stopped that sends endless other
 * data: comments, unknown events, an event that never ends.
 */

export interface WireGauge {
  /** Bytes. */
  readonly limit: number;
  /** Whether that is more than any reply of so many tokens takes. */
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
/** Thoughts that come encrypted are no longer. Bytes. */
const perToken = 8;
/** Around one piece. The largest known forms say what was filtered, and what kind a thought is. Bytes. */
const frame = 1_024;

export function wireGauge({ maxTokens, echo, repeats }: WireBounds): WireGauge {
  let pending = 0;
  let repeated = 0;
  const min = perToken * maxTokens;
  const limit = extraBytes + echo + min;
  return {
    limit,
    addBytes(bytes) {
      pending += bytes;
      return pending > extraBytes + echo + Math.max(min, repeated);
    },
    addPiece(piece) {
      const length = escapedLength(piece);
      repeated += repeats * length;
      // Never below zero: unused bytes don't pay for later ones.
      pending = Math.max(0, pending - frame - length);
    },
  };
}

/** The length as JSON in plain ASCII: the longest form in use. */
function escapedLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    length += code < 32 || code > 126 ? 6 : code === 34 || code === 92 ? 2 : 1;
  }
  return length;
}
