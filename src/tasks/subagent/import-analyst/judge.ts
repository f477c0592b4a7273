/** The model's part of the analysis: which findings matter, and what the pages are about. */
import { z } from 'zod';
import { injectionGuard, quoteMaterial, resourceNames, SondeError, shortLine } from '../../../core/index.ts';
import { defineSignature, fillPrompt, promptFile, type Signature } from '../../../model/index.ts';
import type { TaskContext } from '../../shape.ts';
import type { PageReader } from './read-pages.ts';
import type { ImportSize } from './report.ts';
import { pageTextOf } from './survey.ts';

const inputSchema = z.object({
  workspace: z.string().describe('How much there is'),
  findings: z.string().describe('What the program found, by id'),
  pages: z.string().describe('Paths of pages, as many as fit'),
  samples: z.string().describe('The pages that most others lead to, from their beginning'),
});

const outputSchema = z.object({
  verdicts: z
    .array(
      z.object({
        finding: z.string(),
        says: z.enum(['real', 'harmless', 'unsure']),
        why: z.string().max(300),
        page: z
          .string()
          .max(1000)
          .optional()
          .describe('Of a broken link: the path of the page that is meant'),
      }),
    )
    .max(200),
  claims: z
    .array(
      z.object({
        text: z.string().min(1).max(600),
        evidence: z
          .array(z.object({ page: z.string().describe('Its path'), quote: z.string().min(8).max(400) }))
          .min(1)
          .max(4),
      }),
    )
    .max(6),
});
export type Judgement = z.infer<typeof outputSchema>;

const judge: Signature<z.infer<typeof inputSchema>, Judgement> = defineSignature({
  name: 'judge-import',
  instructions: fillPrompt(promptFile(new URL('./judge.md', import.meta.url)), { firewall: injectionGuard }),
  input: inputSchema,
  output: outputSchema,
});

/** Maximum characters of findings, of paths, and of each sample shown to a model. */
const maxFindingsLength = 24_000;
const maxPathsLength = 16_000;
const maxSampleLength = 1500;
const maxJudgeTokens = 6_000;

export interface JudgeResult {
  readonly judgement: Judgement | null;
  /** Why there is no judgement. */
  readonly note: string;
}

export interface JudgeInput {
  readonly scope: ImportSize;
  readonly findings: readonly { readonly id: string; readonly statement: string }[];
  readonly paths: readonly string[];
  /** The pages with the most links to them. */
  readonly central: readonly string[];
}

/** If the model is missing or fails, the analysis continues without its judgement. */
export async function judgeFindings(
  { scope, findings, paths, central }: JudgeInput,
  reader: PageReader,
  { clients, pool, subThread, signal }: TaskContext,
): Promise<JudgeResult> {
  const samples: string[] = [];
  for (const path of central) {
    const reading = await reader.read(path);
    if (reading === null) continue;
    samples.push(
      quoteMaterial(pageTextOf(reading.page).slice(0, maxSampleLength), { source: path, trust: 'untrusted' }),
    );
  }
  const modelAnswer = await clients.ask(
    judge,
    {
      workspace: `${scope.imported} imported pages of ${scope.pages}, ${scope.words} words, ${scope.links} links, ${scope.tags} tags`,
      // Quoted as material, since findings contain page names and words that strangers wrote.
      findings: quoteMaterial(
        fitLines(
          findings.map(({ id, statement }) => `${id} ${statement}`),
          maxFindingsLength,
        ),
        {
          source: 'findings',
          trust: 'derived',
        },
      ),
      pages: quoteMaterial(fitLines(paths, maxPathsLength), { source: 'list_pages', trust: 'untrusted' }),
      samples: samples.join('\n'),
    },
    { tier: 'analyst', key: `${subThread}/judge`, pool, maxOutputTokens: maxJudgeTokens, signal },
  );
  if (modelAnswer.kind === 'value') return { judgement: modelAnswer.value, note: '' };
  if (modelAnswer.kind === 'exhausted')
    return {
      judgement: null,
      note: `Not enough ${resourceNames[modelAnswer.exhausted.resource]} was left to ask a model`,
    };
  if (modelAnswer.code === 'cancelled') throw new SondeError('cancelled', { message: modelAnswer.message });
  return {
    judgement: null,
    note:
      modelAnswer.code === 'no_model'
        ? 'No model is configured'
        : shortLine(`The model failed: ${modelAnswer.message}`, 300),
  };
}

/** As many whole lines as fit, and the number of those left out. */
function fitLines(lines: readonly string[], maxCharacters: number): string {
  const shownLines: string[] = [];
  let remainingCharacters = maxCharacters;
  for (const line of lines) {
    remainingCharacters -= line.length + 1;
    if (remainingCharacters < 0)
      return [...shownLines, `(${lines.length - shownLines.length} more)`].join('\n');
    shownLines.push(line);
  }
  return shownLines.join('\n');
}
