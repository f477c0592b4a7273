/**
 * A running language server, spoken to over JSON-RPC: the documents that it has open, the questions, and the limits
 * that end it.
 */
import { Transform } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { messageOf } from '../../core/index.ts';
import type { ServerProcess } from './guarded.ts';
import { documentLanguage, type Json, mergeLayers, readSettings, type ServerProfile } from './profiles.ts';

export interface ServerLimits {
  /** Maximum bytes that it may send between two questions. */
  readonly bytes: number;
  /** Maximum documents that are open at a time. */
  readonly documents: number;
  /** Milliseconds of one question. */
  readonly askMs: number;
}

export type RawReply =
  | { readonly kind: 'reply'; readonly value: unknown }
  | { readonly kind: 'none'; readonly why: string; readonly isGone: boolean };

export class ServerConnection {
  readonly gone: Promise<string>;
  readonly #root: string;
  readonly #process: ServerProcess;
  readonly #profile: ServerProfile;
  readonly #limits: ServerLimits;
  readonly #rpc: MessageConnection;
  readonly #shown = new Map<string, { text: string; version: number }>();
  readonly #busy = new Set<string | number>();
  #bytes = 0;
  #why: string | null = null;
  #version = '';
  #isClosed = false;

  constructor(root: string, process: ServerProcess, profile: ServerProfile, own: Json, limits: ServerLimits) {
    this.#root = root;
    this.#process = process;
    this.#profile = profile;
    this.#limits = limits;
    const count = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        this.#bytes += chunk.length;
        if (this.#bytes <= limits.bytes) return next(null, chunk);
        this.end(`it sent more than ${limits.bytes} bytes`);
        // Reads and drops what is left in the pipe: Node reports the end only once the pipe is empty.
        next();
      },
    });
    process.output.on('error', () => {}).pipe(count);
    this.#rpc = createMessageConnection(
      new StreamMessageReader(count),
      new StreamMessageWriter(process.input),
    );
    this.#listen(own);
    this.gone = process.gone.then((reason) => {
      this.#why ??= reason;
      count.destroy();
      this.#rpc.dispose();
      return reason;
    });
  }

  #listen(own: Json): void {
    const rpc = this.#rpc;
    const folders = [{ uri: this.uriOf(''), name: 'root' }];
    rpc.onRequest('workspace/configuration', (params: { items?: readonly { section?: string }[] }) =>
      (params?.items ?? []).slice(0, 100).map(({ section }) => readSettings(this.#profile, own, section)),
    );
    rpc.onRequest('workspace/workspaceFolders', () => folders);
    rpc.onRequest('client/registerCapability', () => null);
    rpc.onRequest('client/unregisterCapability', () => null);
    rpc.onRequest('window/workDoneProgress/create', () => null);
    rpc.onRequest('window/showMessageRequest', () => null);
    // Requests of the server to edit or to show something are refused.
    rpc.onRequest('workspace/applyEdit', () => ({ applied: false }));
    rpc.onRequest('window/showDocument', () => ({ success: false }));
    rpc.onNotification(
      '$/progress',
      ({ token, value }: { token: string | number; value?: { kind?: string } }) => {
        if (value?.kind === 'begin' && this.#busy.size < 100) this.#busy.add(token);
        if (value?.kind === 'end') this.#busy.delete(token);
      },
    );
    rpc.onUnhandledNotification(() => {});
    // The process may live on after its streams are closed.
    rpc.onClose(() => {
      this.#isClosed = true;
      this.#process.end();
    });
    // The message could not be written, or the stream broke (EPIPE): the server is gone.
    rpc.onError(([error, unsent]) =>
      unsent !== undefined || 'code' in error
        ? this.#process.end()
        : this.end(`it sent what is no message: ${messageOf(error)}`),
    );
    rpc.listen();
  }

  uriOf(path: string): string {
    return pathToFileURL(path === '' ? this.#root : `${this.#root}/${path}`).href;
  }

  /** It reports that it is still working. */
  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  get hasEnded(): boolean {
    return this.#why !== null || this.#isClosed;
  }

  /** Its version, as it reports it; empty if it does not. */
  get version(): string {
    return this.#version;
  }

  end(reason: string): void {
    this.#why ??= reason;
    this.#process.end(reason);
  }

  async initialize(own: Json, signal?: AbortSignal): Promise<RawReply> {
    const profile = this.#profile;
    const started = await this.ask(
      'initialize',
      {
        processId: process.pid,
        clientInfo: { name: 'sonde' },
        rootUri: this.uriOf(''),
        workspaceFolders: [{ uri: this.uriOf(''), name: 'root' }],
        initializationOptions: initializationOptions(profile, own),
        capabilities: {
          general: { positionEncodings: ['utf-16'] },
          window: { workDoneProgress: true },
          workspace: { configuration: true, workspaceFolders: true },
          textDocument: {
            references: {},
            hover: { contentFormat: ['markdown', 'plaintext'] },
            synchronization: {},
          },
        },
      },
      signal,
    );
    if (started.kind === 'none') return started;
    this.#version = parseVersion(started.value);
    this.#tell('initialized', {});
    this.#tell('workspace/didChangeConfiguration', { settings: readSettings(profile, own, '') });
    return started;
  }

  /** Never rejects. A question that takes too long is cancelled. */
  async ask(method: string, params: unknown, signal?: AbortSignal): Promise<RawReply> {
    if (this.#why !== null) return { kind: 'none', why: this.#why, isGone: true };
    this.#bytes = 0;
    const off = new CancellationTokenSource();
    const { promise: late, resolve } = Promise.withResolvers<RawReply>();
    const timer = setTimeout(
      () =>
        resolve({ kind: 'none', why: `it gave no answer in ${this.#limits.askMs / 1000} s`, isGone: false }),
      this.#limits.askMs,
    );
    const onAbort = () => resolve({ kind: 'none', why: 'it was not waited for', isGone: false });
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const asked = this.#send(method, params, off).then(
        (value): RawReply => ({ kind: 'reply', value }),
        async (thrown): Promise<RawReply> =>
          this.#isClosed
            ? { kind: 'none', why: await this.gone, isGone: true }
            : {
                kind: 'none',
                why: `it refused to answer: ${messageOf(thrown).slice(0, 200)}`,
                isGone: false,
              },
      );
      const ended = this.gone.then((why): RawReply => ({ kind: 'none', why, isGone: true }));
      return await Promise.race([asked, late, ended]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      off.cancel();
      off.dispose();
    }
  }

  /** Rejects if the stream is already closed. */
  async #send(method: string, params: unknown, off: CancellationTokenSource): Promise<unknown> {
    return this.#rpc.sendRequest(method, params, off.token);
  }

  /** Opens a document with the text that was read here, even if the file has changed on disk. */
  openDocument(path: string, text: string): void {
    const before = this.#shown.get(path);
    const uri = this.uriOf(path);
    if (before === undefined)
      this.#tell('textDocument/didOpen', {
        textDocument: { uri, languageId: documentLanguage(path), version: 1, text },
      });
    else if (before.text !== text)
      this.#tell('textDocument/didChange', {
        textDocument: { uri, version: before.version + 1 },
        contentChanges: [{ text }],
      });
    // Moves the document to the end of the list.
    this.#shown.delete(path);
    this.#shown.set(path, { text, version: (before?.version ?? 0) + (before?.text === text ? 0 : 1) });
    for (const [old] of this.#shown) {
      if (this.#shown.size <= this.#limits.documents) break;
      this.#shown.delete(old);
      this.#tell('textDocument/didClose', { textDocument: { uri: this.uriOf(old) } });
    }
  }

  get openDocuments(): readonly string[] {
    return [...this.#shown.keys()];
  }

  /** Closes a document: the server then reads the file from disk. */
  closeDocument(path: string): void {
    if (this.#shown.delete(path))
      this.#tell('textDocument/didClose', { textDocument: { uri: this.uriOf(path) } });
  }

  /** Reports files that changed on disk. */
  notifyChanged(paths: readonly string[]): void {
    if (paths.length > 0)
      this.#tell('workspace/didChangeWatchedFiles', {
        changes: paths.flatMap((path) => [1, 2].map((type) => ({ uri: this.uriOf(path), type }))),
      });
  }

  #tell(method: string, params: unknown): void {
    if (this.#why !== null || this.#isClosed) return;
    try {
      this.#rpc.sendNotification(method, params).catch(() => {});
    } catch {
      // The server has just ended; the next question reports that.
    }
  }
}

/** The settings to send at the start, without their section's name: some servers expect them there. */
function initializationOptions(profile: ServerProfile, own: Json): unknown {
  const [section] = Object.keys(profile.settings);
  return section === undefined
    ? mergeLayers(own, profile.options ?? {})
    : mergeLayers((readSettings(profile, own, section) ?? {}) as Json, profile.options ?? {});
}

function parseVersion(reply: unknown): string {
  const info = (reply as { serverInfo?: { name?: unknown; version?: unknown } } | null)?.serverInfo;
  return [info?.name, info?.version]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, 100);
}
