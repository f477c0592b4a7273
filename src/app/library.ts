/** The library's functions, which start the same runs as the commands, with plain values as input and output. */
import {
  type CheckedIncident,
  type Citation,
  type CitationClaim,
  type InvestigationResult,
  type RunResult,
  SondeError,
} from '../core/index.ts';
import type { GivenAnswer, VerifiedAnswer } from '../gate/index.ts';
import type { kinds } from './kinds/kinds.ts';
import { type PartsForm, withCallerParts } from './library/caller-parts.ts';
import { checkOptions, checkText, type OptionNames } from './library/known-options.ts';
import {
  type OwnModel,
  type OwnParts,
  type ResumeOptions,
  type RunOptions,
  resumeOptionNames,
  runOptionNames,
} from './library/options.ts';
import type { RunKind } from './runs/run-kind.ts';
import type { TextHit } from './search/hit-text.ts';
import { checkMaxHits } from './search/max-hits.ts';

type LibraryOf<Kinds> = {
  readonly [Shape in keyof Kinds]: Kinds[Shape] extends RunKind<infer Request, infer Value>
    ? {
        readonly request: Omit<Request, 'settings'> & Pick<RunOptions, 'settings'>;
        readonly value: Value;
      }
    : never;
};

/** The request and the result of each kind of run. */
export type RunKinds = LibraryOf<typeof kinds>;

/** How a run of this shape uses the servers and signals of the program. */
const partsFormOf = (shape: string): PartsForm =>
  shape === 'incident' ? 'signals' : shape === 'research' || shape === 'investigation' ? 'tools' : 'each';

/**
 * A run of any kind, by its shape. Models, tools and signals are handed in as to the other functions. Throws a
 * `SondeError` for wrong input; every end of a run, even a failure of the model, is a result.
 */
export async function run<Shape extends keyof RunKinds>(
  shape: Shape,
  request: RunKinds[Shape]['request'] & OwnParts,
): Promise<RunKinds[Shape]['value']> {
  const { kinds } = await import('./kinds/kinds.ts');
  if (!Object.hasOwn(kinds, shape))
    throw new SondeError('bad_argument', {
      message: `run takes the shape of a run, not ${JSON.stringify(shape)}`,
      remedy: `The shapes are: ${Object.keys(kinds).join(', ')}.`,
    });
  if (typeof request !== 'object' || request === null)
    throw new SondeError('bad_argument', {
      message: `run takes the request of a run as an object`,
      remedy: "Such as run('research', { question: 'Who retries?', root: '.' }).",
    });
  return withCallerParts(request as RunOptions, partsFormOf(shape), (asked) =>
    start(shape, asked as RunKinds[Shape]['request']),
  );
}

async function start<Shape extends keyof RunKinds>(
  shape: Shape,
  request: RunKinds[Shape]['request'],
): Promise<RunKinds[Shape]['value']> {
  const { kinds } = await import('./kinds/kinds.ts');
  const kind = kinds[shape] as RunKind<RunKinds[Shape]['request'], RunKinds[Shape]['value']>;
  return (await kind.start(request)).value;
}

export interface AskOptions extends RunOptions {
  /** The folder to search; absent: the current one. */
  readonly root?: string;
  /** Comma-separated globs relative to the root. */
  readonly scope?: string;
}

export const askOptionNames: OptionNames<AskOptions> = { ...runOptionNames, root: true, scope: true };

/** Throws a `SondeError` for wrong input; every end of a run, even a failure of the model, is a result. */
export async function ask(question: string, askOptions: AskOptions = {}): Promise<RunResult> {
  checkText('ask', 'a question', question);
  checkOptions('ask', askOptions, askOptionNames);
  const { root = '.', scope, ...options } = askOptions;
  return withCallerParts(options, partsFormOf('research'), (parts) =>
    start('research', { question, root, ...(scope !== undefined && { scope }), ...parts }),
  );
}

export interface Investigate extends RunOptions {
  /** The folder to search; absent, without a workspace: the current one. */
  readonly root?: string;
  /** A workspace instead: its name, or the path of its file. */
  readonly workspace?: string;
  /** Comma-separated globs. */
  readonly scope?: string;
  /** The variable `context` in the sandbox: any value that JSON can hold. No model is shown it as a whole. */
  readonly context?: unknown;
  /** The JSON Schema of the answer; absent: the answer is a text. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** How deep investigations may nest, 0 to 3; 1 by default. */
  readonly depth?: number;
}

export const investigateOptionNames: OptionNames<Investigate> = {
  ...runOptionNames,
  ...{ root: true, workspace: true, scope: true, context: true, schema: true, depth: true },
};

/**
 * Answers a question with code that a model writes and the sandbox runs. At most 4 KB come back. Throws a `SondeError`
 * for wrong input; every end of a run, even a failure of the model, is a result.
 */
export async function investigate(prompt: string, options: Investigate = {}): Promise<InvestigationResult> {
  // An earlier version had `incident` under this name, with an alert that could be null.
  if (typeof prompt !== 'string')
    throw new SondeError('bad_argument', {
      message: 'investigate was given no prompt',
      remedy: 'An alert is investigated by incident(alert), a frozen incident by incident({ replay }).',
    });
  checkOptions('investigate', options, investigateOptionNames);
  const { root, workspace, scope, context, schema, depth, ...rest } = options;
  return withCallerParts(rest, partsFormOf('investigation'), (parts) =>
    start('investigation', {
      prompt,
      ...(workspace === undefined ? { root: root ?? '.' } : { workspace }),
      ...(scope !== undefined && { scope }),
      ...(context !== undefined && { context }),
      ...(schema !== undefined && { schema }),
      ...(depth !== undefined && { depth }),
      ...parts,
    }),
  );
}

export interface Incident extends RunOptions {
  /** The alert as it was sent, JSON or text. Absent with `replay`: the alert of the recorded incident. */
  readonly alert?: string;
  /** A folder with a recorded incident, instead of the configured systems. */
  readonly replay?: string;
}

export const incidentOptionNames: OptionNames<Incident> = {
  ...runOptionNames,
  ...{ alert: true, replay: true },
};

/**
 * Investigates an alert, given as text or in the options. Throws a `SondeError` for wrong input; every end of a run,
 * even a failure of the model, is a result.
 */
export async function incident(asked: string | Incident, options: Incident = {}): Promise<CheckedIncident> {
  checkOptions('incident', typeof asked === 'string' ? options : asked, incidentOptionNames);
  const { alert, replay, ...rest } = typeof asked === 'string' ? { ...options, alert: asked } : asked;
  return withCallerParts(rest, partsFormOf('incident'), (parts) =>
    start('incident', {
      ...(alert !== undefined && { alert }),
      ...(replay !== undefined && { replay }),
      ...parts,
    }),
  );
}

/**
 * Resumes a run that was interrupted, without paying for anything again. Hand in the same models, tools and signals as
 * when it began. Throws `not_found` and `run_state`.
 */
export async function resume(id: string, options: ResumeOptions = {}): Promise<RunResult> {
  checkText('resume', 'the id of a run', id);
  checkOptions('resume', options, resumeOptionNames);
  return resumeOrReplay(id, options, 'resume');
}

/**
 * Runs a finished run again from its log, without a model. Of a run that was stopped it gives what that run had, and
 * `onNote` says so. Throws `not_found` and `run_state`.
 */
export async function replay(
  id: string,
  options: Pick<ResumeOptions, 'store' | 'onNote'> = {},
): Promise<RunResult> {
  checkText('replay', 'the id of a run', id);
  checkOptions('replay', options, { store: true, onNote: true });
  return resumeOrReplay(id, options, 'replay');
}

async function resumeOrReplay(
  id: string,
  options: ResumeOptions,
  operation: 'resume' | 'replay',
): Promise<RunResult> {
  const [operations, { findRun }] = await Promise.all([
    import('./runs/resume.ts'),
    import('./runs/kept-run.ts'),
  ]);
  const { shape } = (await findRun(id, options.store)).row;
  return withCallerParts(
    options,
    partsFormOf(shape),
    async (parts) => (await operations[operation]({ run: id, ...parts })).result,
  );
}

export interface Search {
  readonly root?: string;
  readonly scope?: string;
  /** Maximum hits; absent: 10, or 1,000 with `wide`. */
  readonly k?: number;
  /** Hundreds to thousands of ranked hits, several per file if they match. */
  readonly wide?: boolean;
  readonly signal?: AbortSignal;
}

const searchOptionNames: OptionNames<Search> = { root: true, scope: true, k: true, wide: true, signal: true };

/** Indexes what changed below the root, then searches. Throws a `SondeError` for wrong input. */
export async function search(query: string, searchOptions: Search = {}): Promise<readonly TextHit[]> {
  checkText('search', 'a query', query);
  checkOptions('search', searchOptions, searchOptionNames);
  const { root = '.', ...options } = searchOptions;
  if (options.k !== undefined) checkMaxHits(options.k, 'k');
  const tree = await import('./search/search-tree.ts');
  return (await tree.searchTree({ query, root, ...options })).hits;
}

export interface Verify {
  /** The folder that the paths of the claims are relative to. */
  readonly root?: string;
}

export interface VerifiedClaim extends CitationClaim {
  readonly status: Citation['status'];
  /** Why the claim is not valid. */
  readonly reason?: string;
}

/** Converts the citation of a run to a claim that can be checked. */
const toClaim = (citation: CitationClaim | Citation): CitationClaim =>
  'start_line' in citation
    ? { path: citation.path, start: citation.start_line, end: citation.end_line, hash: citation.hash }
    : citation;

const verifyOptionNames: OptionNames<Verify> = { root: true };

/**
 * Reads cited lines again, and says for each claim whether it is valid. Citations of a result can be passed as they
 * are. Needs no model and no index.
 */
export async function verify(
  claims: readonly (CitationClaim | Citation)[],
  options: Verify = {},
): Promise<readonly VerifiedClaim[]> {
  if (!Array.isArray(claims))
    throw new SondeError('bad_argument', {
      message: 'verify takes a list of citations',
      remedy: 'Give the `citations` of a result, or [{ path, start, end, quote }].',
    });
  checkOptions('verify', options, verifyOptionNames);
  const { root = '.' } = options;
  const { check } = await (await import('./verify/verify-ports.ts')).openVerifyPorts(root);
  const verified: VerifiedClaim[] = [];
  for (const claim of claims.map(toClaim)) {
    const { status, reason } = await check(claim);
    verified.push({ ...claim, status, ...(reason !== undefined && { reason }) });
  }
  return verified;
}

export interface VerifyAnswer extends Verify, Pick<RunOptions, 'settings' | 'signal' | 'onNote'> {
  /**
   * A model of your own that reads the claims which the check leaves open. `settings.model` names a configured one
   * instead; without either no model is used. `max_tokens` and `max_usd` of the settings limit it.
   */
  readonly model?: OwnModel;
}

const verifyAnswerOptionNames: OptionNames<VerifyAnswer> = {
  ...verifyOptionNames,
  ...{ settings: true, signal: true, onNote: true, model: true },
};

/**
 * Checks the answer of any agent, claim by claim: whether the cited lines say so, first without a model, and for the
 * claims left open by a model if one is given. A sentence cites by `[1]`, the number of a citation, or by
 * `path:start-end`; one without a citation is checked against all lines. If the model fails, its claims stay open, and
 * `note` says so. Throws a `SondeError` for a missing folder or an unusable model.
 */
export async function verifyAnswer(answer: GivenAnswer, options: VerifyAnswer = {}): Promise<VerifiedAnswer> {
  checkOptions('verifyAnswer', options, verifyAnswerOptionNames);
  const { root = '.', model, settings, signal, onNote } = options;
  const [{ parseAnswer, verifyMasked }, { openVerifyPorts }] = await Promise.all([
    import('./verify/verify-answers.ts'),
    import('./verify/verify-ports.ts'),
  ]);
  const parsed = typeof answer === 'object' && answer !== null ? parseAnswer(answer) : 'It is not an object.';
  if (typeof parsed === 'string')
    throw new SondeError('bad_argument', {
      message: `verifyAnswer cannot check this answer: ${parsed}`,
      remedy: 'Give { answer, citations: [{ path, start, end, quote }] }.',
    });
  const ports = await openVerifyPorts(root);
  const answerWithCitations: GivenAnswer = { ...answer, citations: answer.citations ?? [] };
  if (model === undefined && settings?.model === undefined) return verifyMasked(answerWithCitations, ports);
  const [{ openConfiguredReader }, { toModel: ownModel }] = await Promise.all([
    import('./verify/verify-models.ts'),
    import('./library/caller-parts.ts'),
  ]);
  const { read } = await openConfiguredReader({
    ...{ root, tier: 'named' },
    ...(model !== undefined && { programModel: await ownModel(model) }),
    ...(settings !== undefined && { settings }),
    ...(signal !== undefined && { signal }),
    ...(onNote !== undefined && { onNote }),
  });
  return verifyMasked(answerWithCitations, { ...ports, readClaims: read });
}
