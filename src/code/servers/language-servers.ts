/** The language servers of one tree: one per language, started when first needed, stopped when unused. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import { askUntilAgreed, type RepeatedQuestion } from './agreement.ts';
import { isSamePlaces, keyOf, parseHover, parsePlaces } from './answers.ts';
import { ServerConnection, type ServerLimits } from './connection.ts';
import { startGuarded } from './guarded.ts';
import { profiles, type ServerLanguage, serverLanguage } from './profiles.ts';
import { findProgram, type Program, type ServerWish } from './programs.ts';
import type { LanguageServers, ServerQuestion, ServerReply } from './server.ts';

export type ServerWishes = Readonly<Partial<Record<ServerLanguage, ServerWish>>>;

export interface LanguageServersOptions {
  readonly root: string;
  readonly wishes: ServerWishes;
  /** A folder outside of any tree, for the files that servers write. */
  readonly folder: string;
  /** The PATH of the user's shell. */
  readonly searchPath: string;
  /** The user's home folder, for servers that need files in it. */
  readonly home: string;
  readonly isTrusted: boolean;
  /** Changes when any file of the tree does. */
  readonly stamp?: () => string | null;
  readonly limits?: Partial<PoolLimits>;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
}

interface PoolLimits extends ServerLimits {
  /** Milliseconds for the first answer, since the server reads the tree before it. */
  readonly firstMs: number;
  /** Milliseconds for each later answer. */
  readonly laterMs: number;
  /** Milliseconds without a question after which a server is stopped. */
  readonly idleMs: number;
  /** How often a server may crash or not answer before it is no longer used. */
  readonly failures: number;
}

const defaultLimits: PoolLimits = {
  bytes: 64 * 1024 * 1024,
  documents: 200,
  askMs: 20_000,
  firstMs: 30_000,
  laterMs: 10_000,
  idleMs: 60_000,
  failures: 3,
};

/** Longer texts are not sent to a server. */
const maxShownText = 2_000_000;
const maxShownFiles = 100;

export function languageServers(options: LanguageServersOptions): LanguageServers {
  const limits = { ...defaultLimits, ...options.limits };
  const root = realpathSync(options.root);
  const slots = new Map<ServerLanguage, Slot>();
  const getSlot = (language: ServerLanguage | null): Slot | null => {
    if (language === null || options.wishes[language] === undefined) return null;
    let slot = slots.get(language);
    if (slot === undefined) {
      slot = new Slot(language, root, options, limits);
      slots.set(language, slot);
    }
    return slot;
  };
  const missing = (server: string, why: string) => ({ kind: 'missing', server, why }) as const;
  return {
    serves: (path) => {
      const language = serverLanguage(path);
      return language !== null && options.wishes[language] !== undefined;
    },
    async uses({ candidates, known, ...question }) {
      const slot = getSlot(serverLanguage(question.path));
      if (slot === null) return missing('none', 'no server was asked for');
      const keys = known.map(keyOf);
      return slot.askServer(
        question,
        candidates,
        'textDocument/references',
        // Some servers report the name in an import as a declaration.
        { includeDeclaration: true },
        {
          read: (value) => parsePlaces(root, value),
          isSame: isSamePlaces,
          isThin: ({ places }) => {
            const has = new Set(places.map(keyOf));
            return keys.some((key) => !has.has(key));
          },
        },
      );
    },
    async hover(question) {
      const slot = getSlot(serverLanguage(question.path));
      if (slot === null) return missing('none', 'no server was asked for');
      return slot.askServer(question, new Map(), 'textDocument/hover', undefined, {
        read: (value) => ({ type: parseHover(value) }),
        isSame: (one, other) => one.type === other.type,
        isThin: ({ type }) => type === null,
      });
    },
    check: async (language) => {
      const slot = getSlot(language);
      return slot === null
        ? { ...missing('none', 'no server was asked for'), remedy: 'Set language_servers.' }
        : slot.check();
    },
    async close() {
      await Promise.all([...slots.values()].map((slot) => slot.close()));
    },
  };
}

type Reading<Answer> = Pick<RepeatedQuestion<Answer>, 'read' | 'isSame' | 'isThin'>;

/** The server of one language, running or not. */
class Slot {
  readonly #language: ServerLanguage;
  readonly #root: string;
  readonly #options: LanguageServersOptions;
  readonly #limits: PoolLimits;
  #program: Program | null = null;
  #running: ServerConnection | null = null;
  #startedAt = 0;
  #stamp: string | null = null;
  /** The last change reported to it, by file. */
  #told = new Map<string, number>();
  #hasAnswered = false;
  #failures = 0;
  #lastFailure = '';
  #idle: NodeJS.Timeout | undefined;
  /** One question at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(language: ServerLanguage, root: string, options: LanguageServersOptions, limits: PoolLimits) {
    this.#language = language;
    this.#root = root;
    this.#options = options;
    this.#limits = limits;
  }

  get #name(): string {
    const [command = ''] = this.#options.wishes[this.#language]?.command ?? profiles[this.#language].command;
    return command.slice(command.lastIndexOf('/') + 1);
  }

  async check(): ReturnType<LanguageServers['check']> {
    const running = await this.#connect(undefined);
    const remedy = this.#program?.kind === 'none' ? this.#program.remedy : profiles[this.#language].install;
    return typeof running === 'string'
      ? { kind: 'missing', server: this.#name, why: running, remedy }
      : { kind: 'answered', server: this.#name, version: running.version };
  }

  askServer<Answer extends object>(
    question: ServerQuestion,
    candidates: ReadonlyMap<string, string>,
    method: string,
    context: object | undefined,
    reading: Reading<Answer>,
  ): Promise<ServerReply<Answer>> {
    const turn = this.#turn.then(() => this.#ask(question, candidates, method, context, reading));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #ask<Answer extends object>(
    { path, text, line, column, signal }: ServerQuestion,
    candidates: ReadonlyMap<string, string>,
    method: string,
    context: object | undefined,
    reading: Reading<Answer>,
  ): Promise<ServerReply<Answer>> {
    clearTimeout(this.#idle);
    const server = this.#name;
    const missing = (why: string) => ({ kind: 'missing', server, why }) as const;
    if (signal?.aborted) return missing('it was not waited for');
    const running = await this.#connect(signal);
    if (typeof running === 'string') return missing(running);
    this.#refresh(running, candidates);
    if (profiles[this.#language].needsShown === true)
      for (const [other, its] of [...candidates].slice(0, maxShownFiles))
        if (other !== path && its.length <= maxShownText && serverLanguage(other) === this.#language)
          running.openDocument(other, its);
    running.openDocument(path, text);
    const position = { line: line - 1, character: column };
    const params = { textDocument: { uri: running.uriOf(path) }, position, ...(context && { context }) };
    const { now = () => performance.now(), pause = wait } = this.#options;
    const found = await askUntilAgreed<Answer>(
      {
        ...reading,
        ask: () => running.ask(method, params, signal),
        isBusy: () => running.isBusy,
        rounds: this.#hasAnswered ? 1 : 4,
      },
      { limitMs: this.#hasAnswered ? this.#limits.laterMs : this.#limits.firstMs, now, pause },
    );
    if (!isOnDisk(join(this.#root, path), text)) running.closeDocument(path);
    this.#rest();
    if (found.kind === 'agreed') {
      this.#hasAnswered = true;
      this.#failures = 0;
      return { kind: 'answered', server, ...found.answer };
    }
    if (signal?.aborted !== true) this.#endServer(found.why, found.isSlow);
    return missing(found.why);
  }

  /** Stops a server that did not answer too often. This counts as a failure. */
  #endServer(why: string, isSlow: boolean): void {
    this.#failures += 1;
    this.#lastFailure = why;
    if (isSlow && this.#failures < this.#limits.failures) return;
    this.#running?.end(why);
    this.#running = null;
  }

  #rest(): void {
    this.#idle = setTimeout(() => this.#end('nobody asked it any more'), this.#limits.idleMs);
    this.#idle.unref();
  }

  #end(why: string): void {
    clearTimeout(this.#idle);
    this.#running?.end(why);
    this.#running = null;
  }

  /** A server that is ready, or the reason why none is. */
  async #connect(signal: AbortSignal | undefined): Promise<ServerConnection | string> {
    if (this.#isClosed) return 'it was closed';
    const stamp = this.#options.stamp?.() ?? null;
    // The server has read an older state of the tree.
    if (this.#running !== null && stamp !== null && this.#stamp !== null && stamp !== this.#stamp)
      this.#end('the tree has changed');
    if (stamp !== null) this.#stamp = stamp;
    if (this.#running !== null && !this.#running.hasEnded) return this.#running;
    if (this.#failures >= this.#limits.failures)
      return `it failed ${this.#failures} times; the last: ${this.#lastFailure}`;
    const wish = this.#options.wishes[this.#language] ?? {};
    this.#program ??= findProgram(profiles[this.#language], wish, { ...this.#options, root: this.#root });
    if (this.#program.kind === 'none') return this.#program.why;
    return this.#start(this.#program, wish, signal);
  }

  async #start(
    { command, args, searchPath }: Extract<Program, { kind: 'program' }>,
    { settings = {} }: ServerWish,
    signal: AbortSignal | undefined,
  ): Promise<ServerConnection | string> {
    const profile = profiles[this.#language];
    const folder = join(this.#options.folder, this.#language);
    this.#startedAt = Date.now();
    this.#told = new Map();
    this.#hasAnswered = false;
    try {
      const guarded = startGuarded({
        command,
        args,
        folder,
        env: {
          PATH: searchPath,
          HOME: profile.starts === undefined ? folder : this.#options.home,
          LANG: 'C.UTF-8',
          NODE_OPTIONS: '--max-old-space-size=3072',
          GOMEMLIMIT: '3GiB',
          ...profile.environment,
        },
      });
      const connection = new ServerConnection(this.#root, guarded, profile, settings, this.#limits);
      this.#running = connection;
      const begun = await connection.initialize(settings, signal);
      if (begun.kind === 'reply' && !this.#isClosed) return connection;
      const why = begun.kind === 'none' ? begun.why : 'it was closed';
      connection.end(why);
      if (signal?.aborted !== true) this.#endServer(why, false);
      return why;
    } catch (thrown) {
      this.#endServer(messageOf(thrown), false);
      return `it could not be started: ${messageOf(thrown)}`;
    }
  }

  /** Sends the server the files that changed on disk since it read them. */
  #refresh(running: ServerConnection, candidates: ReadonlyMap<string, string>): void {
    const findKnownTime = (path: string) => this.#told.get(path) ?? this.#startedAt - 2_000;
    const changed: string[] = [];
    for (const path of new Set([...candidates.keys(), ...running.openDocuments])) {
      const time = readModifiedTime(join(this.#root, path));
      if (time === findKnownTime(path) || time < findKnownTime(path)) continue;
      this.#told.set(path, time);
      running.closeDocument(path);
      changed.push(path);
    }
    running.notifyChanged(changed);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const { gone } = this.#running ?? {};
    this.#end('it was closed');
    await gone;
  }
}

/** If the text differs from the file on disk, the document is open for this question only. */
function isOnDisk(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}

/** The file's time of change in milliseconds. A deleted file gets a later time than any other, once. */
function readModifiedTime(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
