/**
 * The minimum number of tokens of a text as it arrives. No tokenizer counts fewer, so that no honest reply is cut.
 */

export interface OutputGauge {
  /** Whether the text so far is longer than any reply of so many tokens. */
  add(piece: string): boolean;
}

/** A word is a token at least, a long one more. */
const wordLetters = 16;
const digits = 8;
/** Runs of the same mark, of spaces and of lines are long tokens. */
const marks = 64;
const otherBytes = 16;
/** A token may span pieces that are counted separately here. */
const slack = { part: 1 / 8, tokens: 32 };
/** No text of so many tokens is longer, whatever it is made of. Bytes. */
const maxSize = { token: 8, beside: 49_152 };

export function outputGauge(maxTokens: number): OutputGauge {
  let tokens = 0;
  let bytes = 0;
  let word = 0;
  return {
    add(piece) {
      bytes += Buffer.byteLength(piece);
      for (let at = 0; at < piece.length; at += 1) {
        const code = piece.charCodeAt(at);
        const letter = (code | 32) >= 97 && (code | 32) <= 122;
        if (letter && word === 0) tokens += 1;
        else if (letter) tokens += word < wordLetters ? 0 : 1 / wordLetters;
        else if (code >= 48 && code <= 57) tokens += 1 / digits;
        else if (code > 127) tokens += (code < 0x800 ? 2 : code < 0xd800 ? 3 : 2) / otherBytes;
        else tokens += 1 / marks;
        // A word and what its apostrophe joins to it may be one token.
        word = letter || (code === 39 && word > 0) ? word + 1 : 0;
      }
      const max = maxTokens * (1 + slack.part) + slack.tokens;
      return tokens > max || bytes > maxTokens * maxSize.token + maxSize.beside;
    },
  };
}
