/**
 * The prompt for deciding open claims: each claim with its lines. It contains neither the question nor the author's
 * name.
 */
import { z } from 'zod';
import { injectionGuard, quoteMaterial } from '../../core/index.ts';
import {
  type ClaimSource,
  type ClaimToRead,
  isPlainWhy,
  type ReaderWord,
  readerVerdicts,
} from '../../gate/index.ts';
import { defineSignature, fillPrompt, promptFile } from '../../model/index.ts';

const instructions = fillPrompt(promptFile(new URL('./prompts/read-claims.md', import.meta.url)), {
  firewall: injectionGuard,
});

/** The form of older runs: one invalid row makes the whole reply invalid. */
export const readClaimsStrict = defineSignature({
  name: 'read-claims',
  instructions,
  input: z.object({
    lines: z.string().describe('Lines of the material, a block each, named A, B, C …'),
    claims: z.string().describe('The claims: the id of each, the blocks that it rests on, and what it says'),
  }),
  output: z.object({
    verdicts: z
      .array(
        z.object({
          id: z.string().describe('Of the claim, such as c1'),
          verdict: z.enum(readerVerdicts),
          why: z.string().default('').describe('At most 20 words'),
        }),
      )
      .describe('One for each claim'),
  }),
});

/** Asks the same question, but drops only the invalid rows of a reply. */
export const readClaims: typeof readClaimsStrict = Object.freeze({
  ...readClaimsStrict,
  output: z
    .object({ verdicts: z.array(z.unknown()) })
    .transform(({ verdicts }) => ({ verdicts: verdicts.flatMap(parseVerdict) })),
});

function parseVerdict(row: unknown): readonly (ReaderWord & { readonly why: string })[] {
  if (typeof row !== 'object' || row === null) return [];
  const { id, verdict, why } = row as Readonly<Record<string, unknown>>;
  // The case and the signs of the verdict are ignored: `Not_Shown.`
  const word = String(verdict)
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  const found = readerVerdicts.find((known) => known === word);
  if (found === undefined) return [];
  const name = typeof id === 'number' ? `c${id}` : String(id).trim();
  return [{ id: name, verdict: found, why: typeof why === 'string' ? why : '' }];
}

/** Maximum characters of a reason. */
const maxWhyLength = 240;

/**
 * Drops each verdict `supported` without a reason. A reason is left empty if it is not plain, and cut if it is too
 * long.
 */
export function keepUsableVerdicts(
  words: readonly ReaderWord[],
  asked: readonly ClaimToRead[],
): readonly ReaderWord[] {
  return words.flatMap((word): readonly ReaderWord[] => {
    const sources = asked.find(({ id }) => id === word.id)?.sources ?? [];
    const given = (word.why ?? '').replace(/\s+/g, ' ').trim();
    const why = isPlainWhy(given, sources) ? given.slice(0, maxWhyLength).toWellFormed() : '';
    return word.verdict === 'supported' && !/[\p{L}\p{N}]/u.test(why) ? [] : [{ ...word, why }];
  });
}

/** Maximum characters of one line. A longer line is marked as cut. */
const maxLineLength = 600;
/** Maximum characters of a claim. */
const maxClaimLength = 1_200;

/** The page for the first claims of a list. */
export function claimsPage(claims: readonly ClaimToRead[], size: number) {
  const asked = claims.slice(0, size);
  const sources = [
    ...new Map(
      asked.flatMap((claim) => claim.sources.map((claimSource) => [claimSource.id, claimSource])),
    ).values(),
  ];
  const names = new Map(sources.map(({ id }, index) => [id, blockName(index)]));
  const claimLines = asked.map(
    ({ id, text, sources: claimSources, computed }) =>
      `${id} (${claimSources.map((claimSource) => names.get(claimSource.id)).join(', ')}${formatComputed(computed)}): ${text.slice(0, maxClaimLength)}`,
  );
  return {
    lines: sources
      .map((claimSource) => `${names.get(claimSource.id)}\n${formatBlock(claimSource)}`)
      .join('\n\n'),
    claims: quoteMaterial(claimLines.join('\n\n'), { source: 'claims', trust: 'derived' }),
  };
}

const formatComputed = (computed: string | undefined): string =>
  computed === undefined ? '' : `; computed, so take as given: ${computed.slice(0, 200)}`;

/** Names the blocks A to Z, then AA, AB, … */
function blockName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${blockName(Math.floor(index / 26) - 1)}${letter}`;
}

function formatBlock({ path, start, end, content, header, listing }: ClaimSource): string {
  const lines = content.split('\n').map((line, at) => `${start + at}| ${cutLine(line)}`);
  const above =
    header === undefined ? [] : [...header.split('\n').map((line) => `above| ${cutLine(line)}`), '…'];
  const users = listing === undefined ? [] : [`listing of its users, complete| ${listing}`];
  return quoteMaterial([...above, ...lines, ...users].join('\n'), {
    source: `${path}:${start}-${end}`,
    trust: 'untrusted',
  });
}

const cutLine = (line: string): string =>
  line.length > maxLineLength ? `${line.slice(0, maxLineLength)}… (cut)` : line;
