/** `sonde verify`: checks the citations or agents' answers in a text, one a line, and yields the results in order. */
import { type VerifiedLine, type VerifyReader, verifyLines } from '../../code/index.ts';
import type { CheckedClaim, CitationClaim, Masker, TextReader } from '../../core/index.ts';
import { type ClaimReader, type GivenAnswer, type VerifiedAnswer, verifyAnswer } from '../../gate/index.ts';
import { readAcrossAnswers } from './read-across.ts';

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
  /** Checks one citation. Its lines are compared masked if secrets are masked in its quote. */
  readonly check: (claim: CitationClaim) => Promise<CheckedClaim>;
  /** The same files, with secrets masked. */
  readonly shown: TextReader;
  /** Decides claims that the check without a model leaves open. Absent: they stay open. */
  readonly readClaims?: ClaimReader;
}

/** Checks an answer against the lines that it cites. Secrets in the result are masked. */
export async function verifyMasked(givenAnswer: GivenAnswer, ports: VerifyPorts): Promise<VerifiedAnswer> {
  return ports.mask().value(await verifyAnswer(givenAnswer, ports));
}

export async function* verifyText(text: string, ports: VerifyPorts): AsyncGenerator<VerifiedResult> {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const answers = new Map<number, GivenAnswer | string>();
  for (const [index, line] of lines.entries()) {
    const answer = parseAnswerLine(line);
    if (answer !== null) answers.set(index + 1, answer);
  }
  const readerForLine =
    ports.readClaims === undefined ? null : await readAcrossAnswers(answers, ports, ports.readClaims);
  const citationLines = lines.map((line, index) => (answers.has(index + 1) ? '' : line)).join('\n');
  let nextLine = 1;
  async function* verifyAnswersUntil(end: number): AsyncGenerator<VerifiedResult> {
    for (; nextLine < end; nextLine += 1) {
      const answerOrProblem = answers.get(nextLine);
      if (answerOrProblem !== undefined)
        yield { kind: 'answer', result: await verifyLine(nextLine, answerOrProblem) };
    }
  }
  const verifyLine = async (line: number, answerOrProblem: GivenAnswer | string): Promise<AnswerLine> =>
    typeof answerOrProblem === 'string'
      ? { line, status: 'bad_line', reason: answerOrProblem, claims: [], citations: [] }
      : {
          line,
          ...(await verifyMasked(
            answerOrProblem,
            readerForLine === null ? ports : { ...ports, readClaims: readerForLine(line) },
          )),
        };
  for await (const result of verifyLines(citationLines, ports.reader, ports.mask)) {
    yield* verifyAnswersUntil(result.line);
    yield { kind: 'citation', result };
  }
  yield* verifyAnswersUntil(lines.length + 1);
}

/** Returns null if the line is no answer, or a text that says why its answer cannot be checked. */
function parseAnswerLine(line: string): GivenAnswer | string | null {
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

/** Returns the answer, or a text that says what is wrong with the value. */
export function parseAnswer(value: object): GivenAnswer | string {
  const { answer, citations = [], question } = value as Readonly<Record<string, unknown>>;
  if (typeof answer !== 'string') return '"answer" is not a text.';
  if (question !== undefined && question !== null && typeof question !== 'string')
    return '"question" is not a text.';
  if (!Array.isArray(citations)) return '"citations" is not a list.';
  const parsed = citations.map(parseCitation);
  const badIndex = parsed.findIndex((citation) => typeof citation === 'string');
  if (badIndex >= 0) return `Citation ${badIndex + 1}: ${String(parsed[badIndex])}`;
  return {
    answer,
    citations: parsed as readonly CitationClaim[],
    ...(typeof question === 'string' && { question }),
  };
}

function parseCitation(value: unknown): CitationClaim | string {
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
