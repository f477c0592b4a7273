/**
 * Access to the parser, which runs in a thread of its own: started with the first file, stopped when it has been unused
 * for a while.
 */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FileFacts } from '../facts/facts.ts';
import type { FactsCache } from '../facts/facts-cache.ts';
import { detectLanguage, type LanguageName } from './languages.ts';
import type { SyntaxReply, SyntaxTask } from './syntax-worker.ts';

export type SyntaxFile =
  | { readonly kind: 'facts'; readonly facts: FileFacts }
  /** `other`: there is no grammar for the file. `unread`: parsing has not finished in time. */
  | {
      readonly kind: 'none';
      readonly why: 'other' | 'over_limit' | 'failed' | 'unread';
      readonly reason: string;
    };

export interface SyntaxReader {
  /**
   * The facts of this text. The same text is parsed once. `left` returns how many milliseconds the caller still waits;
   * it is called again when they have passed, since they may have become more. If none are left, the answer is `unread`; parsing continues for later calls.
   */
  read(path: string, text: string, signal?: AbortSignal, left?: () => number): Promise<SyntaxFile>;
  close(): Promise<void>;
}

export interface SyntaxLimits {
  /** Bytes of one file. */
  readonly maxBytes?: number;
  /** Milliseconds of the processor for one file: parsing it, and reading its tree. */
  readonly cpuLimitMs?: number;
  /** Milliseconds for one file; after that, its thread is stopped. */
  readonly timeoutMs?: number;
  /** A cache on disk. */
  readonly cache?: FactsCache;
}

const limits = { maxBytes: 2 * 1024 * 1024, cpuLimitMs: 2_000, timeoutMs: 60_000 };
/** Maximum size of the facts in memory. Bytes, estimated. */
const maxRemembered = 192 * 1024 * 1024;
const idleMs = 10_000;

const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './syntax-worker.ts' : './syntax-worker.js',
  import.meta.url,
);

const noFacts = (reason: string, why: Extract<SyntaxFile, { kind: 'none' }>['why'] = 'failed'): SyntaxFile =>
  Object.freeze({ kind: 'none', why, reason });

export function syntaxReader(syntaxLimits: SyntaxLimits = {}): SyntaxReader {
  const { maxBytes, cpuLimitMs, timeoutMs, cache: factsCache } = { ...limits, ...syntaxLimits };
  const memoryCache = createFactCache(maxRemembered);
  const tooLong = new WeakSet<SyntaxFile>();
  const waiting = new Map<number, (reply: SyntaxReply) => void>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let next = 0;
  let last: Promise<unknown> = Promise.resolve();

  function stopWorker(reason: string): Promise<unknown> | undefined {
    const gone = worker;
    worker = null;
    for (const [id, answer] of waiting) answer({ id, why: 'broken', reason });
    waiting.clear();
    return gone?.terminate();
  }

  function startWorker(): Worker {
    if (worker !== null) return worker;
    const made = new Worker(workerUrl, { resourceLimits: { stackSizeMb: 16, maxOldGenerationSizeMb: 1024 } });
    const dropWorker = (reason: string) => () => {
      if (worker === made) void stopWorker(reason);
    };
    made.on('message', (reply: SyntaxReply) => {
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    });
    made.on('error', dropWorker('its thread failed'));
    made.on('exit', dropWorker('its thread ended'));
    made.unref();
    worker = made;
    return made;
  }

  async function parseText(language: LanguageName, text: string): Promise<SyntaxFile> {
    clearTimeout(idle);
    const id = next++;
    const thread = startWorker();
    thread.ref();
    const reply = await new Promise<SyntaxReply>((resolve) => {
      const patience = setTimeout(() => void stopWorker('it held its thread for too long'), timeoutMs);
      waiting.set(id, (answer) => {
        clearTimeout(patience);
        resolve(answer);
      });
      thread.postMessage({ id, language, text, limitMs: cpuLimitMs } satisfies SyntaxTask);
    });
    thread.unref();
    // An unused worker is stopped, which frees its grammars and memory.
    idle = setTimeout(() => void stopWorker('it was closed'), idleMs).unref();
    if ('facts' in reply) return Object.freeze({ kind: 'facts', facts: reply.facts });
    if (reply.why === 'broken') await stopWorker('the thread before it failed');
    if (reply.why === 'grammar')
      return noFacts(`the grammar of ${language} was refused: ${reply.reason}`, 'other');
    const file = noFacts(reply.reason);
    if (reply.why === 'time') tooLong.add(file);
    return file;
  }

  function readFromCache(key: string, characters: number): SyntaxFile | undefined {
    const facts = factsCache?.get(key) ?? null;
    if (facts === null) return undefined;
    const file: SyntaxFile = Object.freeze({ kind: 'facts', facts });
    memoryCache.set(key, file, characters);
    return file;
  }

  return {
    async read(path, text, signal, left) {
      const language = detectLanguage(path, text);
      if (language === null) return noFacts('no grammar reads such a file', 'other');
      if (Buffer.byteLength(text) > maxBytes) return noFacts(`it is over ${maxBytes} bytes`, 'over_limit');
      const key = `${language} ${createHash('sha256').update(text).digest('base64')}`;
      const syntaxFile = memoryCache.get(key) ?? readFromCache(key, text.length);
      if (syntaxFile !== undefined) return syntaxFile;
      // One file after the other, so that a timeout ends the parsing of one file only.
      const mine = last.then(async () => {
        signal?.throwIfAborted();
        const before = memoryCache.get(key);
        if (before !== undefined) return before;
        const file = await parseText(language, text);
        // A file that took too long would take as long again; other failures may not repeat.
        if (file.kind === 'facts' || tooLong.has(file)) memoryCache.set(key, file, text.length);
        if (file.kind === 'facts') factsCache?.set(key, file.facts);
        return file;
      });
      last = mine.catch(() => {});
      return left === undefined ? mine : withDeadline(mine, left);
    },
    async close() {
      clearTimeout(idle);
      await last;
      await stopWorker('it was closed');
    },
  };
}

/** The longest delay that a timer accepts. */
const maxTimerMs = 2 ** 31 - 1;

async function withDeadline(reading: Promise<SyntaxFile>, left: () => number): Promise<SyntaxFile> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<SyntaxFile>((resolve) => {
    const wait = () => {
      const ms = left();
      if (ms > 0) timer = setTimeout(wait, Math.min(ms, maxTimerMs));
      else resolve(noFacts('it was not parsed in time', 'unread'));
    };
    wait();
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A cache by the hash of the text. The least recently used entries are dropped first. */
function createFactCache(limit: number) {
  const entries = new Map<string, { readonly file: SyntaxFile; readonly size: number }>();
  let total = 0;
  return {
    get(key: string): SyntaxFile | undefined {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found.file;
    },
    set(key: string, file: SyntaxFile, characters: number): void {
      if (entries.has(key)) return;
      const size = characters * 3 + 200;
      entries.set(key, { file, size });
      total += size;
      for (const [oldest, { size: freed }] of entries) {
        if (total <= limit || oldest === key) break;
        entries.delete(oldest);
        total -= freed;
      }
    },
  };
}
