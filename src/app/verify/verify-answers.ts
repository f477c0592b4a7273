/** `sonde verify`: takes lines with citations or answers of agents, and gives the result of each in order. */
import { type VerifiedLine, type VerifyReader, verifyLines } from '../../code/index.ts';
import type { CheckedClaim, CitationClaim, Masker, TextReader } from '../../core/index.ts';
import { type ClaimReader, type GivenAnswer, type VerifiedAnswer, verifyAnswer } from '../../gate/index.ts';
import { readAcross } from './read-across.ts';

export type AnswerLine =
  | ({ readonly line: number } & VerifiedAnswer)
  | {
      readonly line: number;
      readonly status: 'bad_line';
      readonly reason: string;
      readonly claims: readonly [];
      readonly citations: readonly [];
    };

export type VerifiedResult =
  | { readonly kind: 'citation'; readonly result: VerifiedLine }
  | { readonly kind: 'answer'; readonly result: AnswerLine };

export interface VerifyPorts {
  readonly reader: VerifyReader;
  readonly mask: () => Masker;
  /** Checks one citation. Secrets are masked if they are masked in its quote. */
  readonly check: (claim: CitationClaim) => Promise<CheckedClaim>;
  /** The same files, with secrets masked. */
  readonly shown: TextReader;
  /** Reads the claims of an answer that the check without a model leaves open. */
  readonly readClaims?: ClaimReader;
}

/** Checks an answer against its lines. The result holds none of their secrets. */
export async function verifyShown(givenAnswer: GivenAnswer, ports: VerifyPorts): Promise<VerifiedAnswer> {
  return ports.mask().value(await verifyAnswer(givenAnswer, ports));
}

export async function* verifyAll(text: string, ports: VerifyPorts): AsyncGenerator<VerifiedResult> {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const answers = new Map<number, GivenAnswer | string>();
  for (const [index, line] of lines.entries()) {
    const answer = answerIn(line);
    if (answer !== null) answers.set(index + 1, answer);
  }
  const readers = ports.readClaims === undefined ? null : await readAcross(answers, ports, ports.readClaims);
  const rest = lines.map((line, index) => (answers.has(index + 1) ? '' : line)).join('\n');
  let next = 1;
  async function* answersUntil(end: number): AsyncGenerator<VerifiedResult> {
    for (; next < end; next += 1) {
      const given = answers.get(next);
      if (given !== undefined) yield { kind: 'answer', result: await verifyLine(next, given) };
    }
  }
  const verifyLine = async (line: number, given: GivenAnswer | string): Promise<AnswerLine> =>
    typeof given === 'string'
      ? { line, status: 'bad_line', reason: given, claims: [], citations: [] }
      : {
          line,
          ...(await verifyShown(given, readers === null ? ports : { ...ports, readClaims: readers(line) })),
        };
  for await (const result of verifyLines(rest, ports.reader, ports.mask)) {
    yield* answersUntil(result.line);
    yield { kind: 'citation', result };
  }
  yield* answersUntil(lines.length + 1);
}

/** Null if the line holds no answer; a text says why its answer cannot be checked. */
function answerIn(line: string): GivenAnswer | string | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('answer' in value)) return null;
  // A citation may have other fields, even one called `answer`.
  return 'path' in value || 'file_path' in value ? null : parseAnswer(value);
}

/** The answer in a JSON value, or the reason why it is none. */
export function parseAnswer(value: object): GivenAnswer | string {
  const { answer, citations = [], question } = value as Readonly<Record<string, unknown>>;
  if (typeof answer !== 'string') return '"answer" is not a text.';
  if (question !== undefined && question !== null && typeof question !== 'string')
    return '"question" is not a text.';
  if (!Array.isArray(citations)) return '"citations" is not a list.';
  const parsed = citations.map(citationIn);
  const wrong = parsed.findIndex((citation) => typeof citation === 'string');
  if (wrong >= 0) return `Citation ${wrong + 1}: ${String(parsed[wrong])}`;
  return {
    answer,
    citations: parsed as readonly CitationClaim[],
    ...(typeof question === 'string' && { question }),
  };
}

function citationIn(value: unknown): CitationClaim | string {
  if (typeof value !== 'object' || value === null) return 'it is not an object.';
  const fields = value as Readonly<Record<string, unknown>>;
  const path = fields['path'] ?? fields['file_path'];
  const start = fields['start'] ?? fields['start_line'];
  const end = fields['end'] ?? fields['end_line'];
  const { quote, commit } = fields;
  if (typeof path !== 'string' || path === '') return '"path" is not a file name.';
  if (typeof start !== 'number') return '"start" is not a line number.';
  if (typeof end !== 'number') return '"end" is not a line number.';
  if (quote !== undefined && quote !== null && typeof quote !== 'string') return '"quote" is not a text.';
  return {
    path,
    start,
    end,
    ...(typeof quote === 'string' && { quote }),
    ...(typeof commit === 'string' && commit !== '' && { commit }),
  };
}
