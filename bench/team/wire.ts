/** A way to a server that can be cut, that can lose answers, come to a halt, or break off inside a commit. */
import { connect, createServer, type Socket } from 'node:net';

export interface Wire {
  readonly port: number;
  /** What the server says is lost. */
  losesAnswers: boolean;
  /** Nothing goes either way; it goes on its way once this is false. */
  halts: boolean;
  /** Of the next batch that holds this text, only the bytes up to it arrive, and nothing behind it; null: all does. */
  breaksOffAt: string | null;
  /** How many connections broke off. */
  readonly brokenOff: number;
  cut(): void;
  close(): void;
}

export async function openWire(to: { readonly host: string; readonly port: number }): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const state = { losesAnswers: false, halts: false, breaksOffAt: null as string | null, brokenOff: 0 };
  const listener = createServer((client) => {
    const server = connect(to);
    const pair = [client, server] as const;
    pairs.add(pair);
    let isBroken = false;
    const held: (() => void)[] = [];
    const pass = (target: Socket, chunk: Buffer): void => {
      if (state.halts || held.length > 0) held.push(() => target.write(chunk));
      else if (target.writable) target.write(chunk);
    };
    const letGo = setInterval(() => {
      if (!state.halts) for (const one of held.splice(0)) one();
    }, 20);
    for (const socket of pair) socket.setNoDelay(true).on('error', () => {});
    client.on('data', (chunk: Buffer) => {
      if (isBroken) return;
      const at = state.breaksOffAt === null ? -1 : chunk.lastIndexOf(state.breaksOffAt);
      if (at < 0) return pass(server, chunk);
      isBroken = true;
      state.breaksOffAt = null;
      state.brokenOff += 1;
      pass(server, chunk.subarray(0, at));
    });
    server.on('data', (chunk: Buffer) => {
      if (!state.losesAnswers && !isBroken) pass(client, chunk);
    });
    const over = (): void => {
      clearInterval(letGo);
      for (const socket of pair) socket.destroy();
      pairs.delete(pair);
    };
    client.on('close', over);
    server.on('close', over);
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  return Object.assign(state, {
    port: (listener.address() as { port: number }).port,
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
    close() {
      this.cut();
      listener.close();
    },
  });
}
