/** The kind of run `research`: over a folder with its index. */
import { z } from 'zod';
import { type RunResult, SondeError, scopeMatcher } from '../../core/index.ts';
import type { ResearchTypes } from '../../tasks/index.ts';
import { type OpenMaterial, openGrepOnly, openMaterial, subtractWait } from '../compose.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import {
  type AppTypes,
  appKind,
  type KindRequest,
  runTool,
  type SetQuestion,
  scopeFlag,
} from '../runs/run-kind.ts';

export interface AskRequest extends KindRequest {
  readonly question: string;
  /** A folder. */
  readonly root: string;
  readonly scope?: string | undefined;
}

interface Research extends AppTypes {
  readonly run: ResearchTypes;
  readonly request: AskRequest;
  readonly place: { readonly root: string; readonly scope?: string | undefined };
  readonly open: {
    readonly ports: { readonly material: OpenMaterial['ports'] };
    /** How long this process waited because another one held the index. Milliseconds. */
    readonly waited: number;
    close(): void;
  };
  readonly value: RunResult;
}

export const research = appKind<Research>({
  definition: async () => (await import('../../tasks/research/index.ts')).researchRun,
  place({ root: path, scope, question }) {
    const root = resolveRoot(path);
    // A wrong scope is reported before a large folder is indexed.
    scopeMatcher(scope);
    if (question.trim() === '')
      throw new SondeError('bad_argument', {
        message: 'The question is empty',
        remedy: 'Ask something, in quotation marks: sonde ask "QUESTION" PATH.',
      });
    return { root, scope };
  },
  placeOf: ({ row: { root } }) => ({ root }),
  // Without its folder a run can be replayed, but not resumed.
  project: ({ root }) => resolveRoot(root),
  async open({ root, scope }, { configuration, callerParts, watch: { signal, onIndex } }) {
    if (callerParts.plain === true) return await openGrepOnly(configuration, root);
    const {
      ports: all,
      waited,
      close,
    } = await openMaterial(configuration, root, {
      // At most half of the time may go into waiting for the index.
      wait: configuration.values.max_time / 2,
      ...(signal !== undefined && { signal }),
      ...(onIndex !== undefined && { onIndex }),
      ...(scope !== undefined && { scope }),
    });
    const { tools } = callerParts;
    const ports = callerParts.unparsed === true ? withoutSymbols(all) : all;
    return { ports: { material: { ...ports, ...(tools !== undefined && { tools }) } }, waited, close };
  },
  request({ question, scope }, { place: { root }, configuration, open, calls }) {
    const { values } = configuration;
    return {
      question: openMasker(configuration).text(question),
      root,
      reader: values.reader === 'on',
      rerank: values.rerank === 'on',
      limits: {
        steps: values.steps,
        wall_ms: subtractWait(values.max_time, open.waited),
        action_ms: values.action_timeout,
        tokens: values.max_tokens,
        usd: values.max_usd,
        ...(calls !== null && { calls }),
      },
      ...(scope !== undefined && { scope }),
    };
  },
  openForReplay: async () => ({ value: undefined, close() {} }),
  value: ({ result }) => result,
  command: {
    name: 'ask',
    description:
      'ask a question about a folder; print a short answer, each claim checked against the lines it cites',
    arguments: [
      { name: '<question>', what: 'what you want to know' },
      { name: '[path]', what: 'the folder to look into', default: '.' },
    ],
    options: [scopeFlag, { setting: 'steps', placeholder: 'n' }],
    json: 'print one JSON object and nothing else',
    request: ([question = '', root = '.'], { scope }: { readonly scope?: string }) => ({
      question,
      root,
      scope,
    }),
  },
  evaluated: {
    needsQuestion: true,
    request: ({ question = '', folder, scope }) => ({ question, root: folder, scope }),
    args: (setQuestion) => [
      'ask',
      setQuestion.question ?? '',
      setQuestion.folder,
      ...toScopeArgs(setQuestion),
    ],
    plain: createPlainRequest,
  },
  tool: runTool({
    name: 'code_deep_research',
    title: 'Research a code base',
    description:
      'Investigate a question about the code base in several steps: search, read, follow definitions and git ' +
      'history. Use this when a question needs many files or the history, and a search or two of your own would ' +
      'not do; for one known file, read it yourself. Takes seconds without a model and usually half a minute to ' +
      'two minutes with one; the first call also indexes the folder. Returns a short answer whose citations were ' +
      're-read, the id of the run, and a status: verified, partial, unverified, quotes (lines that search found, ' +
      'nobody wrote an answer) or not_found (what the question names occurs nowhere here).',
    instructions:
      'Ask code_deep_research one question about the code base at a time. The answer is short and its citations ' +
      'were re-read',
    input: z.object({
      question: z
        .string()
        .trim()
        .min(1)
        .max(1_000_000)
        .describe('What you want to know about the code base; an issue or a log may follow.'),
      scope: z
        .string()
        .max(4000)
        .optional()
        .describe('Only look at paths that match: comma-separated globs relative to the root, ! excludes.'),
      budget: z.int().min(1).max(20).default(10).describe('Most steps of the investigation, 1 to 20.'),
    }),
    request: ({ question, scope, budget }, root) => ({ question, root, scope, settings: { steps: budget } }),
  }),
  async offer(conversation) {
    const { listResearchCorpora: researchCorpora } = await import('../agent/tools/corpora.ts');
    const { configuration } = conversation;
    return {
      value: {
        prices: configuration.values.prices,
        reader: configuration.values.reader === 'on',
        rerank: configuration.values.rerank === 'on',
        corpora: researchCorpora(configuration, conversation),
      },
      close() {},
    };
  },
});

/** What a research read before it read code as code. */
function withoutSymbols({ symbols, ...material }: OpenMaterial['ports']): OpenMaterial['ports'] {
  return { ...material, withheld: ['git_show'] };
}

/** The baseline that other ways are measured against: a question answered by grep and reading alone. */
export function createPlainRequest({ question = '', folder, scope }: SetQuestion): {
  readonly shape: string;
  readonly request: KindRequest;
} {
  const request: AskRequest = { question, root: folder, scope, callerParts: { plain: true } };
  return { shape: 'research', request };
}

export function toScopeArgs({ scope }: SetQuestion): readonly string[] {
  return scope === undefined ? [] : ['--scope', scope];
}
