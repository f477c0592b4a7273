/** What programs call: the same runs as the command line, with plain values in and out. */
import type {
  Citation,
  CitationClaim,
  IncidentResult,
  InvestigationResult,
  LoggedEvent,
  RunResult,
} from '../core/index.ts';
import type { SettingKey } from './config/index.ts';
import type { TextHit } from './hit-text.ts';
import type { kinds } from './kinds/kinds.ts';
import type { Kind } from './run-kind.ts';

type Of<Kinds> = {
  readonly [Shape in keyof Kinds]: Kinds[Shape] extends Kind<infer Request, infer Value>
    ? { readonly request: Request; readonly value: Value }
    : never;
};

/** What each kind of run is asked with, and what it gives. */
export type RunKinds = Of<typeof kinds>;

/**
 * A run of any kind, by its shape. Throws a `SondeError` for wrong input; every end of a run, also a failed model,
 * is a result.
 */
export async function run<Shape extends keyof RunKinds>(
  shape: Shape,
  request: RunKinds[Shape]['request'],
): Promise<RunKinds[Shape]['value']> {
  const { kinds } = await import('./kinds/kinds.ts');
  const kind = kinds[shape] as Kind<RunKinds[Shape]['request'], RunKinds[Shape]['value']>;
  return (await kind.start(request)).value;
}

export interface Ask {
  /** The folder to look into; the current one where it is absent. */
  readonly root?: string;
  /** Comma-separated globs relative to the root. */
  readonly scope?: string;
  /** By the names of docs/configuration.md, before the environment and all files: `{ steps: 5, max_usd: 0.1 }`. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Ends the run with what it has. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For people: what was refused, passed over or chosen. */
  readonly onNote?: (note: string) => void;
}

/** Throws a `SondeError` for wrong input; every end of a run, also a failed model, is a result. */
export async function ask(question: string, { root = '.', ...options }: Ask = {}): Promise<RunResult> {
  return run('research', { question, root, ...options });
}

export interface Investigate {
  /** A folder with a frozen incident, instead of the systems that are configured. */
  readonly replay?: string;
  /** By the names of docs/configuration.md, before the environment and all files: `{ model: 'extractive' }`. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Ends the run with what it has. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For people: what was refused, passed over or chosen. */
  readonly onNote?: (note: string) => void;
}

/**
 * Investigates an alert as it was sent, JSON or text; null takes that of the frozen incident. Throws a
 * `SondeError` for wrong input; every end of a run, also a failed model, is a result.
 */
export async function investigate(alert: string | null, options: Investigate = {}): Promise<IncidentResult> {
  return run('incident', { ...options, ...(alert !== null && { alert }) });
}

export interface Investigation {
  /** The folder to look into; the current one where neither it nor a workspace is named. */
  readonly root?: string;
  /** A workspace instead: its name, or the path of its file. */
  readonly workspace?: string;
  /** Comma-separated globs. */
  readonly scope?: string;
  /** In the sandbox as `context`: a value that JSON can hold, shown to no model as a whole. */
  readonly context?: unknown;
  /** JSON Schema of the answer; without one it is a text. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** How deep investigations may nest, 0 to 3; 1 by default. */
  readonly depth?: number;
  /** By the names of docs/configuration.md, before the environment and all files. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Ends the run with what it has. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For people: what was refused, passed over or chosen. */
  readonly onNote?: (note: string) => void;
}

/**
 * Answers a question by code that a model writes and the sandbox runs: at most 4 KB come back. Throws a `SondeError`
 * for wrong input; every end of a run, also a failed model, is a result.
 */
export async function runInvestigation(
  prompt: string,
  { root, workspace, ...options }: Investigation = {},
): Promise<InvestigationResult> {
  const place = workspace === undefined ? { root: root ?? '.' } : { workspace };
  return run('investigation', { prompt, ...place, ...options });
}

export interface Search {
  readonly root?: string;
  readonly scope?: string;
  /** Most hits: 10 where it is absent, 1,000 with `wide`. */
  readonly k?: number;
  /** Hundreds to thousands of ranked hits, several of a file among them. */
  readonly wide?: boolean;
  readonly signal?: AbortSignal;
}

/** Indexes what changed below the root, then searches. Throws a `SondeError` for wrong input. */
export async function search(
  query: string,
  { root = '.', ...options }: Search = {},
): Promise<readonly TextHit[]> {
  const tree = await import('./search-tree.ts');
  return (await tree.search({ query, root, ...options })).hits;
}

export interface Verify {
  /** The folder that the paths of the claims are relative to. */
  readonly root?: string;
}

export interface VerifiedClaim extends CitationClaim {
  readonly status: Citation['status'];
  /** Why it is not valid. */
  readonly reason?: string;
}

/** Re-reads what is cited, and says of each claim what it met. Needs no model and no index. */
export async function verify(
  claims: readonly CitationClaim[],
  { root = '.' }: Verify = {},
): Promise<readonly VerifiedClaim[]> {
  const { checkShownClaim, treeReader } = await import('../code/index.ts');
  const { loadConfiguration, processEnvironment } = await import('./config/index.ts');
  const { openMasker } = await import('./masking.ts');
  const mask = () => openMasker(loadConfiguration({ environment: processEnvironment() }));
  const { resolveRoot } = await import('./root.ts');
  const reader = treeReader({ root: resolveRoot(root) });
  const verified: VerifiedClaim[] = [];
  for (const claim of claims) {
    const { status, reason } = await checkShownClaim(claim, reader, mask);
    verified.push({ ...claim, status, ...(reason !== undefined && { reason }) });
  }
  return verified;
}
