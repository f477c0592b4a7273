/** Decides the open claims of all lines with one reader, the most important claims first. */
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
 * First checks all lines without a model; then the reader decides all claims that are left open together. Returns, for
 * each line number, a reader that returns the verdicts of that line.
 */
export async function readAcrossAnswers(
  answers: ReadonlyMap<number, GivenAnswer | string>,
  ports: Omit<VerifyAnswerPorts, 'readClaims'>,
  read: ClaimReader,
): Promise<(line: number) => ClaimReader> {
  const openClaims: LineClaim[] = [];
  for (const [line, given] of answers) {
    if (typeof given === 'string') continue;
    const collect: ClaimReader = async (claims) => {
      openClaims.push(...claims.map((claim) => ({ claim, line })));
      return { kind: 'read', words: [] };
    };
    await verifyAnswer(given, { ...ports, readClaims: collect });
  }
  const sorted = openClaims.toSorted((a, b) => compareWeights(a.claim, b.claim));
  const hasOneLine = new Set(openClaims.map(({ line }) => line)).size < 2;
  const askedClaims = sorted.map((lineClaim, position) => ({
    ...lineClaim,
    id: hasOneLine ? lineClaim.claim.id : `c${position + 1}`,
  }));
  const reply = askedClaims.length === 0 ? null : await read(askedClaims.map(withUniqueIds));
  return (line) => async () =>
    replyForLine(
      reply,
      askedClaims.filter((lineClaim) => lineClaim.line === line),
    );
}

interface LineClaim {
  readonly claim: ClaimToRead;
  readonly line: number;
}

/** `id`: unique among the claims of all lines. */
type NumberedClaim = LineClaim & { readonly id: string };

/** Makes ids unique over all lines: sources of two answers may have the same id. Equal sources get one id. */
const withUniqueIds = ({ claim, id }: NumberedClaim): ClaimToRead => ({
  ...claim,
  id,
  sources: claim.sources.map((source) => ({ ...source, id: `${source.path}:${source.start}-${source.end}` })),
});

function replyForLine(reply: ReaderReply | null, claimLines: readonly NumberedClaim[]): ReaderReply {
  if (reply === null) return { kind: 'read', words: [] };
  if (reply.kind === 'failed') return reply;
  const words = claimLines.flatMap(({ id, claim }): readonly ReaderWord[] => {
    const readerWords = reply.words.filter((word) => word.id === id);
    return readerWords.map((word) => ({ ...word, id: claim.id }));
  });
  const missingCount = claimLines.filter(
    ({ id }) => reply.words.filter((word) => word.id === id).length !== 1,
  ).length;
  if (missingCount === 0) return { kind: 'read', words };
  const countText = missingCount === 1 ? '1 claim' : `${missingCount} claims`;
  const missingNote = `The reader said nothing usable of ${countText}.`;
  // The reader's own note, which is about the claims of all lines.
  const overallNote = reply.left === undefined || reply.left === missingNote ? '' : ` In all: ${reply.left}`;
  return { kind: 'read', words, left: `${missingNote}${overallNote}` };
}
