/** One reader for the answers of many lines. The most important claims are read first, whichever line they are from. */
import {
  type ClaimReader,
  type ClaimToRead,
  compareWeights,
  type GivenAnswer,
  type ReaderReply,
  type ReaderWord,
  type VerifyAnswerPorts,
  verifyAnswer,
} from '../../gate/index.ts';

/**
 * Returns the reader for each line, by its number. First all lines are checked without a model; then the claims left
 * open are decided together, and each line gets its own verdicts.
 */
export async function readAcross(
  answers: ReadonlyMap<number, GivenAnswer | string>,
  ports: Omit<VerifyAnswerPorts, 'readClaims'>,
  read: ClaimReader,
): Promise<(line: number) => ClaimReader> {
  const open: OfLine[] = [];
  for (const [line, given] of answers) {
    if (typeof given === 'string') continue;
    const collect: ClaimReader = async (claims) => {
      open.push(...claims.map((claim) => ({ claim, line })));
      return { kind: 'read', words: [] };
    };
    await verifyAnswer(given, { ...ports, readClaims: collect });
  }
  const sorted = open.toSorted((a, b) => compareWeights(a.claim, b.claim));
  const isOne = new Set(open.map(({ line }) => line)).size < 2;
  const asked = sorted.map((one, at) => ({ ...one, id: isOne ? one.claim.id : `c${at + 1}` }));
  const reply = asked.length === 0 ? null : await read(asked.map(putTogether));
  return (line) => async () =>
    partOf(
      reply,
      asked.filter((one) => one.line === line),
    );
}

interface OfLine {
  readonly claim: ClaimToRead;
  readonly line: number;
}

/** `id`: unique among the claims of all lines. */
type ClaimLine = OfLine & { readonly id: string };

/** Each source is shown once, and sources of two answers may have the same id. */
const putTogether = ({ claim, id }: ClaimLine): ClaimToRead => ({
  ...claim,
  id,
  sources: claim.sources.map((source) => ({ ...source, id: `${source.path}:${source.start}-${source.end}` })),
});

function partOf(reply: ReaderReply | null, claimLines: readonly ClaimLine[]): ReaderReply {
  if (reply === null) return { kind: 'read', words: [] };
  if (reply.kind === 'failed') return reply;
  const words = claimLines.flatMap(({ id, claim }): readonly ReaderWord[] => {
    const readerWords = reply.words.filter((word) => word.id === id);
    return readerWords.map((word) => ({ ...word, id: claim.id }));
  });
  const without = claimLines.filter(
    ({ id }) => reply.words.filter((word) => word.id === id).length !== 1,
  ).length;
  if (without === 0) return { kind: 'read', words };
  const many = without === 1 ? '1 claim' : `${without} claims`;
  const own = `The reader said nothing usable of ${many}.`;
  // What the budget did not reach, over all lines.
  const whole = reply.left === undefined || reply.left === own ? '' : ` In all: ${reply.left}`;
  return { kind: 'read', words, left: `${own}${whole}` };
}
