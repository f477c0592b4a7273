import { type WorkerConnection, type WorkerHost, warmUp } from './worker-host.ts';

type Waiting = ReturnType<typeof Promise.withResolvers<WorkerConnection>>;

/**
 * Workers that are ready for a session. Each holds one session at a time, and may hold another one
 * afterwards. Whenever none is left, another is made ready in the background.
 */
export class WorkerPool {
  readonly host: WorkerHost;
  readonly #max: number;
  readonly #idle = new Set<WorkerConnection>();
  /** Callers that came while the first worker of a pool was starting: they get that worker. */
  readonly #waiting: Waiting[] = [];
  #starting = 0;
  #closed = false;

  /** `most`: how many are kept ready at most. With one, it is kept after it has served, and none is made besides. */
  constructor(host: WorkerHost, max: number) {
    this.host = host;
    this.#max = max;
    if (max > 0) void this.#prepare();
  }

  async take(): Promise<WorkerConnection> {
    const [ready] = this.#byHome();
    if (ready) this.#idle.delete(ready);
    const connection = ready ?? (await this.#start());
    if (this.#max > 1 && this.#idle.size + this.#starting === 0) void this.#prepare();
    return connection;
  }

  async giveBack(connection: WorkerConnection, reusable: boolean): Promise<void> {
    if (reusable && this.#handOver(connection)) return;
    if (!reusable || this.#closed) return connection.end();
    this.#keep(connection);
    if (this.#idle.size <= this.#max) return;
    // Processes started for many parallel sessions can end, except for the first one.
    const last = this.#byHome().at(-1)!;
    this.#idle.delete(last);
    await last.end();
  }

  #byHome(): WorkerConnection[] {
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
    const connection = await this.#takeStarted();
    // The worker may be one too many by now; nothing waits for its end.
    if (connection !== null) await this.giveBack(connection, true);
  }

  /** Null if somebody has got it, or it failed. */
  async #takeStarted(): Promise<WorkerConnection | null> {
    this.#starting++;
    try {
      const connection = await this.host.connect();
      if (this.#handOver(connection)) return null;
      await warmUp(connection);
      return connection;
    } catch (error) {
      // A later caller starts one itself, and gets the error.
      this.#waiting.shift()?.reject(error);
      return null;
    } finally {
      this.#starting--;
    }
  }

  #handOver(connection: WorkerConnection): boolean {
    const waiting = this.#waiting.shift();
    waiting?.resolve(connection);
    return waiting !== undefined;
  }

  #keep(connection: WorkerConnection): void {
    this.#idle.add(connection);
    void connection.ended.then(() => this.#idle.delete(connection));
  }
}
