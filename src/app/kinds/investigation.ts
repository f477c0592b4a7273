/** The kind of run `investigation`: over a folder, or over a workspace with its memory. */

import { formatCount, type InvestigationResult, SondeError, scopeMatcher } from '../../core/index.ts';
import { currentRecord } from '../../core/runs.ts';
import type { InvestigationPorts, InvestigationTypes } from '../../tasks/index.ts';
import { readGivenSchema, readJsonOrText } from '../cli/given-file.ts';
import { subtractWait } from '../compose.ts';
import { type Configuration, workspaceFile } from '../config/index.ts';
import { runCapabilities } from '../host/run-capabilities.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import { type AppTypes, appKind, type KindRequest, scopeFlag } from '../runs/run-kind.ts';
import { createPlainRequest, toScopeArgs } from './research.ts';

/** What it reads: a folder, or a workspace by its name or the path of its file. */
export type InvestigationPlace =
  | { readonly root: string; readonly workspace?: never }
  | { readonly workspace: string; readonly root?: never };

export type InvestigateRequest = KindRequest &
  InvestigationPlace & {
    readonly prompt: string;
    /** The variable `context` in the sandbox: any value that JSON can hold. */
    readonly context?: unknown;
    /** The JSON Schema that the answer must fit. */
    readonly schema?: Readonly<Record<string, unknown>>;
    readonly scope?: string | undefined;
    /** How deep investigations may nest. */
    readonly depth?: number;
    /** Whether its proposals are written into the workspace, as candidates. */
    readonly propose?: boolean;
  };

interface Investigation extends AppTypes {
  readonly run: InvestigationTypes;
  readonly request: InvestigateRequest;
  /** Exactly one of the two is null. */
  readonly place: {
    readonly folder: string | null;
    readonly workspace: string | null;
    readonly scope?: string | undefined;
  };
  readonly open: {
    readonly ports: Omit<InvestigationPorts, 'models'>;
    /** The folder, or the file of the workspace. */
    readonly root: string;
    /** How long this process waited because another one held the index. Milliseconds. */
    readonly waited: number;
    close(): Promise<void>;
  };
  readonly value: InvestigationResult;
}

/** By the names that commander gives them. */
interface Flags {
  readonly workspace?: string;
  readonly context?: string;
  readonly schema?: string;
  readonly depth?: string;
  readonly propose?: true;
  readonly scope?: string;
}

/** Limits if the user set none, the time in milliseconds. Code that reads a lot takes its time. */
const ownDefaults = { max_time: 300_000, max_tokens: 400_000 } as const;

export const investigation = appKind<Investigation>({
  definition: async () => (await import('../../tasks/investigation/index.ts')).investigationRun,
  place({ prompt, scope, root, workspace = null }) {
    scopeMatcher(scope);
    if (prompt.trim() === '')
      throw new SondeError('bad_argument', {
        message: 'The question is empty',
        remedy: 'Ask something, in quotation marks: sonde investigate "QUESTION" PATH.',
      });
    return { folder: root === undefined ? null : resolveRoot(root), workspace, scope };
  },
  placeOf: ({ row, extra: { workspace } }) =>
    typeof workspace === 'string' ? { folder: null, workspace } : { folder: row.root, workspace: null },
  // Without its folder a run can be replayed, but not resumed.
  project: ({ folder }) => (folder === null ? null : resolveRoot(folder)),
  async open({ folder, workspace, scope }, { configuration, watch, callerParts: { tools } }) {
    const [{ openFolderMaterial, openPagesMaterial }, { openInvestigationSandbox }] = await Promise.all([
      import('../investigation/places.ts'),
      import('../investigation/sandbox.ts'),
    ]);
    const root = folder ?? workspaceFile(configuration.directories, workspace ?? '');
    // At most half of the time may go into waiting for the index.
    const wait = toLimits(configuration).wall_ms / 2;
    const opened =
      folder === null
        ? await openPagesMaterial(configuration, root)
        : await openFolderMaterial(configuration, folder, {
            ...watch,
            wait,
            ...(scope !== undefined && { scope }),
          });
    try {
      const { sandbox, close } = await openInvestigationSandbox(configuration);
      return {
        ports: {
          sandbox,
          material: { ...opened.material, ...(tools && { tools }) },
          capabilities: runCapabilities,
        },
        root,
        waited: opened.waited,
        async close() {
          await close();
          await opened.close();
        },
      };
    } catch (error) {
      await opened.close();
      throw error;
    }
  },
  unsynced: true,
  request({ prompt, context, schema, scope, depth }, { place: { folder }, configuration, open }) {
    const mask = openMasker(configuration);
    const limits = toLimits(configuration);
    return {
      reader: configuration.values.reader === 'on',
      prompt: mask.text(prompt),
      root: open.root,
      limits: {
        ...limits,
        wall_ms: subtractWait(limits.wall_ms, open.waited),
        ...(depth !== undefined && { depth }),
      },
      extra: { workspace: folder === null ? open.root : null },
      ...(context !== undefined && { context: mask.value(context) }),
      ...(schema !== undefined && { schema }),
      ...(scope !== undefined && { scope }),
    };
  },
  async openForReplay(_, configuration) {
    const { openInvestigationSandbox } = await import('../investigation/sandbox.ts');
    const { sandbox, close } = await openInvestigationSandbox(configuration);
    return { value: sandbox, close };
  },
  notes({ cells, fuel, notes, differences }) {
    const same = differences.length === 0 ? 'all as recorded' : formatCount(differences.length, 'difference');
    return [
      `${formatCount(cells, 'cell')} ${cells === 1 ? 'was' : 'were'} run again with ${fuel} units of fuel: ${same}`,
      ...notes,
      ...differences,
    ];
  },
  async after({ investigation }, { propose }, root) {
    if (propose !== true || investigation.result.stop_reason === 'cancelled') return [];
    const { writeProposals } = await import('../investigation/proposals.ts');
    const proposals = await writeProposals(investigation, root);
    return proposals.map(({ id, outcome, detail }) => `${id} ${outcome}: ${detail}`);
  },
  value: ({ investigation: { result } }) => result,
  evaluated: {
    needsQuestion: true,
    request: ({ question = '', folder, scope }) => ({ prompt: question, root: folder, scope }),
    args: (setQuestion) => [
      'investigate',
      setQuestion.question ?? '',
      setQuestion.folder,
      ...toScopeArgs(setQuestion),
    ],
    plain: createPlainRequest,
  },
  command: {
    name: 'investigate',
    description:
      'answer a question with code that a model writes and a sandbox runs: for counting, comparing, many steps',
    arguments: [
      { name: '<prompt>', what: 'the question' },
      {
        name: '[path]',
        what: 'the folder to look into; by default the current one, or none with --workspace',
      },
    ],
    options: [
      { setting: 'workspace', placeholder: 'name', conflicts: ['scope'] },
      { flag: '--context <file>', what: 'a file that the sandbox code gets as the variable `context`' },
      { flag: '--schema <file>', what: 'a JSON Schema that the answer must fit' },
      {
        flag: '--depth <n>',
        what: 'how deep investigations may nest, from 0 (not at all) to 3 (default: 1)',
      },
      {
        flag: '--propose',
        what: 'let the investigation write pages into the workspace; they are candidates, which wait for you to accept them',
      },
      scopeFlag,
      { setting: 'steps', placeholder: 'n' },
    ],
    limits: ownDefaults,
    json: 'print one JSON object of at most 4 KB and nothing else',
    request: ([prompt = '', path], flags: Flags) => ({
      prompt,
      ...readPlace(path, flags),
      scope: flags.scope,
      ...(flags.propose === true && { propose: true }),
      ...(flags.context !== undefined && { context: readJsonOrText(flags.context) }),
      ...(flags.schema !== undefined && { schema: readGivenSchema(flags.schema) }),
      ...(flags.depth !== undefined && { depth: readDepth(flags.depth) }),
    }),
  },
  shown: {
    view: '--cells',
    reads: ({ investigation: record }) => record?.sources ?? null,
    fields: ({ investigation: record, result }) =>
      record === undefined ? {} : { investigation: currentRecord(result, record) },
  },
  async offer(conversation) {
    const [{ listInvestigationCorpora: listCorpora }, { openLazySandbox }] = await Promise.all([
      import('../agent/tools/corpora.ts'),
      import('../investigation/sandbox.ts'),
    ]);
    const { configuration } = conversation;
    const { sandbox, close } = openLazySandbox(configuration);
    const corpora = listCorpora(configuration, conversation);
    const { prices, reader } = configuration.values;
    return { value: { prices, reader: reader === 'on', sandbox, corpora }, close };
  },
});

/** Limits that are not set follow from the budget. */
function toLimits({ values, sources }: Configuration) {
  const limitOf = <Key extends keyof typeof ownDefaults>(key: Key) =>
    sources[key] === 'default' ? ownDefaults[key] : values[key];
  const { investigation_turns, ask_width, reply_tokens, call_timeout, wide_hits } = values;
  const turns = sources.steps === 'default' ? investigation_turns : values.steps;
  return {
    wall_ms: limitOf('max_time'),
    tokens: limitOf('max_tokens'),
    usd: values.max_usd,
    wide: wide_hits,
    ...(turns !== undefined && { turns }),
    ...(ask_width !== undefined && { ask_width }),
    ...(reply_tokens !== undefined && { reply_tokens }),
    ...(call_timeout !== undefined && { call_ms: call_timeout }),
  };
}

function readPlace(path: string | undefined, { workspace, propose }: Flags): InvestigationPlace {
  if (path !== undefined && workspace !== undefined)
    throw new SondeError('bad_argument', {
      message: 'Both a folder and a workspace are named',
      remedy: 'Name one of them.',
    });
  if (workspace !== undefined) return { workspace };
  if (propose === true)
    throw new SondeError('bad_argument', {
      message: 'Only an investigation of a workspace can propose changes',
      remedy: 'Leave --propose out, or name a workspace with --workspace.',
    });
  return { root: path ?? '.' };
}

function readDepth(text: string): number {
  if (/^[0-3]$/.test(text)) return Number(text);
  throw new SondeError('bad_argument', {
    message: `--depth is ${JSON.stringify(text)}`,
    remedy: 'Allowed: a whole number from 0 to 3.',
  });
}
