import { type WorkerConnection, type WorkerHost, warmUp } from './worker-host.ts';

type Waiting = ReturnType<typeof Promise.withResolvers<WorkerConnection>>;

/**
 * Workers that are ready for a session. Each serves one session at a time, and may be reused afterwards. Whenever no
 * idle worker is left, one is started in the background.
 */
export class WorkerPool {
  readonly host: WorkerHost;
  readonly #max: number;
  readonly #idle = new Set<WorkerConnection>();
  /** Callers that came while the first worker of a pool was starting: they get that worker. */
  readonly #waiting: Waiting[] = [];
  #starting = 0;
  #closed = false;

  /** `max`: maximum number of idle workers. With 1, a worker is kept after its session, and none is started in advance. */
  constructor(host: WorkerHost, max: number) {
    this.host = host;
    this.#max = max;
    if (max > 0) void this.#prepare();
  }

  async take(): Promise<WorkerConnection> {
    const [ready] = this.#idleByProcess();
    if (ready) this.#idle.delete(ready);
    const connection = ready ?? (await this.#start());
    if (this.#max > 1 && this.#idle.size + this.#starting === 0) void this.#prepare();
    return connection;
  }

  async giveBack(connection: WorkerConnection, reusable: boolean): Promise<void> {
    if (reusable && this.#giveToWaiting(connection)) return;
    if (!reusable || this.#closed) return connection.end();
    this.#keep(connection);
    if (this.#idle.size <= this.#max) return;
    // Processes started for many parallel sessions can end, except for the first one.
    const last = this.#idleByProcess().at(-1)!;
    this.#idle.delete(last);
    await last.end();
  }

  #idleByProcess(): WorkerConnection[] {
    return [...this.#idle].sort((connection, other) => connection.processNumber - other.processNumber);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.host.close();
  }

  #start(): Promise<WorkerConnection> {
    if (this.#starting <= this.#waiting.length) return this.host.connect();
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Starts a worker for the next waiting session; warms it if none waits. */
  async #prepare(): Promise<void> {
    if (this.#closed) return;
    const connection = await this.#startWarm();
    // The pool may be full by now; then `giveBack` ends the worker.
    if (connection !== null) await this.giveBack(connection, true);
  }

  /** Starts and warms a worker. Null if a waiting caller got it, or if it failed. */
  async #startWarm(): Promise<WorkerConnection | null> {
    this.#starting++;
    try {
      const connection = await this.host.connect();
      if (this.#giveToWaiting(connection)) return null;
      await warmUp(connection);
      return connection;
    } catch (error) {
      // Without a waiting caller, the next one starts a worker itself and gets the error.
      this.#waiting.shift()?.reject(error);
      return null;
    } finally {
      this.#starting--;
    }
  }

  #giveToWaiting(connection: WorkerConnection): boolean {
    const waiting = this.#waiting.shift();
    waiting?.resolve(connection);
    return waiting !== undefined;
  }

  #keep(connection: WorkerConnection): void {
    this.#idle.add(connection);
    void connection.ended.then(() => this.#idle.delete(connection));
  }
}
