import type { Connection, WorkerHost } from './worker-host.ts';

/** Workers that are ready for a session. Each holds one session at a time, and may hold another afterwards. */
export class WorkerPool {
  readonly host: WorkerHost;
  readonly #warm: number;
  readonly #idle = new Set<Connection>();
  #starting = 0;
  #closed = false;

  /** `warm`: how many are kept ready. */
  constructor(host: WorkerHost, warm: number) {
    this.host = host;
    this.#warm = warm;
  }

  async take(): Promise<Connection> {
    const [ready] = this.#idle;
    if (!ready) return this.host.connect();
    this.#idle.delete(ready);
    this.#refill();
    return ready;
  }

  async giveBack(connection: Connection, reusable: boolean): Promise<void> {
    if (reusable && !this.#closed && this.#idle.size + this.#starting < this.#warm) this.#keep(connection);
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

  /** Starts workers in place of those taken, so that the next session finds one ready. */
  #refill(): void {
    if (this.#closed || this.#idle.size + this.#starting >= this.#warm) return;
    this.#starting++;
    void this.host
      .connect()
      .then(
        (connection) => (this.#closed ? connection.end() : this.#keep(connection)),
        // The session that needs one will meet the error itself.
        () => {},
      )
      .finally(() => {
        this.#starting--;
      });
  }
}
