/**
 * Counts the minimum number of tokens of a text as it arrives. No tokenizer counts fewer, so no honest reply is cut.
 */

export interface OutputGauge {
  /** Adds a piece. True if the text is now longer than any reply of the maximum number of tokens. */
  add(piece: string): boolean;
}

/** A word counts as one token. Each letter beyond this length counts as a fraction of a token. */
const lettersPerToken = 16;
const digitsPerToken = 8;
/** Marks and spaces may form long tokens, such as rules and indentation. */
const marksPerToken = 64;
const bytesPerToken = 16;
/** What a reply may exceed the limit by, since a token may span pieces that are counted separately here. */
const slack = { part: 1 / 8, tokens: 32 };
/** Maximum bytes of a text: `token` for each of its tokens, and `beside` in addition. */
const maxSize = { token: 8, beside: 49_152 };

export function outputGauge(maxTokens: number): OutputGauge {
  let tokens = 0;
  let bytes = 0;
  let wordLength = 0;
  return {
    add(piece) {
      bytes += Buffer.byteLength(piece);
      for (let index = 0; index < piece.length; index += 1) {
        const code = piece.charCodeAt(index);
        const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
        if (isLetter && wordLength === 0) tokens += 1;
        else if (isLetter) tokens += wordLength < lettersPerToken ? 0 : 1 / lettersPerToken;
        else if (code >= 48 && code <= 57) tokens += 1 / digitsPerToken;
        else if (code > 127) tokens += (code < 0x800 ? 2 : code < 0xd800 ? 3 : 2) / bytesPerToken;
        else tokens += 1 / marksPerToken;
        // A word and what its apostrophe joins to it may be one token.
        wordLength = isLetter || (code === 39 && wordLength > 0) ? wordLength + 1 : 0;
      }
      const maxCount = maxTokens * (1 + slack.part) + slack.tokens;
      return tokens > maxCount || bytes > maxTokens * maxSize.token + maxSize.beside;
    },
  };
}
