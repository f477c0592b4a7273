/** A proxy to a server that can break connections, lose answers, and delay requests. */
import { connect, createServer, type Socket } from 'node:net';

export interface FaultyWire {
  readonly port: number;
  /** All answers of the server after a request with this text are lost; null: none. */
  loseAnswersTo: string | null;
  /** Requests to the server are kept back. `deliverKept` sends them, even if the client is gone. */
  keepBack: boolean;
  /** Bytes that are kept back. */
  readonly kept: number;
  deliverKept(): void;
  /** Breaks all connections; those to the server stay open if something is kept back for them. */
  cut(): void;
  close(): Promise<void>;
}

export async function faultyWire(to: { readonly host: string; readonly port: number }): Promise<FaultyWire> {
  const pairs = new Set<{ readonly client: Socket; readonly server: Socket; readonly kept: Buffer[] }>();
  const wire = { loseAnswersTo: null as string | null, losing: false, keepBack: false };
  const listener = createServer((client) => {
    const server = connect(to);
    const pair = { client, server, kept: [] as Buffer[] };
    pairs.add(pair);
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => {});
    client.on('data', (chunk: Buffer) => {
      if (wire.loseAnswersTo !== null && chunk.includes(wire.loseAnswersTo)) wire.losing = true;
      if (wire.keepBack || pair.kept.length > 0) pair.kept.push(chunk);
      else server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!wire.losing && !client.destroyed) client.write(chunk);
    });
    client.on('close', () => {
      if (pair.kept.length === 0) server.destroy();
    });
    server.on('close', () => {
      client.destroy();
      pairs.delete(pair);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    get loseAnswersTo() {
      return wire.loseAnswersTo;
    },
    set loseAnswersTo(text) {
      wire.loseAnswersTo = text;
      wire.losing = false;
    },
    get keepBack() {
      return wire.keepBack;
    },
    set keepBack(kept) {
      wire.keepBack = kept;
    },
    get kept() {
      return [...pairs].reduce(
        (sum, { kept }) => sum + kept.reduce((bytes, { length }) => bytes + length, 0),
        0,
      );
    },
    deliverKept() {
      wire.keepBack = false;
      for (const { server, kept } of pairs) for (const chunk of kept.splice(0)) server.write(chunk);
    },
    cut() {
      for (const { client, server, kept } of pairs) {
        client.destroy();
        if (kept.length === 0) server.destroy();
      }
    },
    async close() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
