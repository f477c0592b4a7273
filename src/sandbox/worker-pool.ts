import type { Connection, WorkerHost } from './worker-host.ts';

/** Workers that are ready for a session. Each holds one session at a time, and may hold another afterwards. */
export class WorkerPool {
  readonly host: WorkerHost;
  readonly #warm: number;
  readonly #idle = new Set<Connection>();
  #closed = false;

  /** `warm`: how many are kept ready, after they have served or from the start. */
  constructor(host: WorkerHost, warm: number) {
    this.host = host;
    this.#warm = warm;
  }

  /** Starts workers until as many are ready as are to be kept. */
  async fill(): Promise<void> {
    const missing = Math.max(0, this.#warm - this.#idle.size);
    const started = await Promise.all(Array.from({ length: missing }, () => this.host.connect()));
    for (const connection of started) this.#keep(connection);
  }

  async take(): Promise<Connection> {
    const [ready] = this.#idle;
    if (!ready) return this.host.connect();
    this.#idle.delete(ready);
    return ready;
  }

  async giveBack(connection: Connection, reusable: boolean): Promise<void> {
    if (reusable && !this.#closed && this.#idle.size < this.#warm) this.#keep(connection);
    else await connection.end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.host.close();
  }

  #keep(connection: Connection): void {
    this.#idle.add(connection);
    void connection.ended.then(() => this.#idle.delete(connection));
  }
}
