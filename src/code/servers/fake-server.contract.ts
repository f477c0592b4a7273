/**
 * A language server for tests, in a process of its own: `node fake-server.contract.ts HOW [FILE]`. It knows the places of
 * a word by looking for it in files that it is shown, and behaves badly as it is told.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Message = { id?: number; method?: string; params?: Record<string, unknown> };

const [, , how = 'steady', file] = process.argv;
const send = (message: object): void => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
};

let root = '';
let asked = 0;
const open = new Map<string, string>();

function places(word: string) {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.py'))
    .sort()
    .flatMap((path) => {
      const uri = pathToFileURL(join(root, path)).href;
      const lines = (open.get(uri) ?? readFileSync(join(root, path), 'utf8')).split('\n');
      return lines.flatMap((line, at) =>
        [...line.matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map(({ index }) => ({
          uri,
          range: { start: { line: at, character: index }, end: { line: at, character: index + word.length } },
        })),
      );
    });
}

function answer({ id, method, params = {} }: Message): unknown {
  const told = params as {
    rootUri?: string;
    textDocument?: { uri: string; text?: string };
    position?: { line: number; character: number };
  };
  if (method === 'initialize') {
    root = fileURLToPath(told.rootUri!);
    if (how === 'child') spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
    if (file !== undefined) appendFileSync(file, `${process.pid}\n`);
    return send({ id, result: { capabilities: {}, serverInfo: { name: 'fake', version: '1' } } });
  }
  const uri = told.textDocument?.uri ?? '';
  if (method === 'textDocument/didOpen') open.set(uri, told.textDocument!.text!);
  if (method === 'textDocument/didClose') open.delete(uri);
  if (id === undefined) return;
  if (method !== 'textDocument/references' && method !== 'textDocument/hover') return;
  asked += 1;
  if (method === 'textDocument/hover')
    return send({
      id,
      result: { contents: { kind: 'markdown', value: '```python\n(function) def f() -> int\n```\nwords' } },
    });
  const { line, character } = told.position!;
  const word = /^\w+/.exec((open.get(uri) ?? '').split('\n')[line]!.slice(character))?.[0] ?? '';
  const all = places(word);
  switch (how) {
    // It has not read everything when it is first asked.
    case 'growing':
      return send({ id, result: all.slice(0, asked < 3 ? asked : undefined) });
    case 'unsteady':
      return send({ id, result: all.slice(0, asked % 2) });
    case 'dies':
      return process.exit(3);
    case 'dies-late':
      return asked < 2 ? send({ id, result: all }) : process.exit(3);
    case 'slow':
      return;
    case 'floods':
      while (process.stdout.write('x'.repeat(65_536)));
      process.stdout.once('drain', () => answer({ id, method, params }));
      return;
    case 'garbled':
      process.stdout.write('Content-Length: 7\r\n\r\nnothing');
      return;
    case 'lies': {
      const range = (at: number, column: number) => ({ start: { line: at, character: column } });
      return send({
        id,
        result: [
          ...all,
          { uri: 'file:///etc/passwd', range: range(0, 0) },
          { uri: `${pathToFileURL(root).href}/../secret.py`, range: range(0, 0) },
          { uri: 'https://example.org/a.py', range: range(0, 0) },
          { uri: pathToFileURL(join(root, 'a.py')).href, range: range(9_999, 0) },
          { uri: pathToFileURL(join(root, 'a.py')).href, range: range(-1, 4) },
          { uri: pathToFileURL(join(root, 'gone.py')).href, range: range(0, 0) },
          { uri: 7 },
          null,
        ],
      });
    }
    case 'shapeless':
      return send({ id, result: { uri: 'no list' } });
    default:
      return send({ id, result: all });
  }
}

let held = Buffer.alloc(0);
process.stdin.on('data', (chunk: Buffer) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    const end = held.indexOf('\r\n\r\n');
    const length = Number(
      /Content-Length: (\d+)/.exec(held.subarray(0, Math.max(end, 0)).toString())?.[1] ?? Number.NaN,
    );
    if (end < 0 || held.length < end + 4 + length) return;
    const message = JSON.parse(held.subarray(end + 4, end + 4 + length).toString()) as Message;
    held = held.subarray(end + 4 + length);
    answer(message);
  }
});
// One that does not end when nobody speaks to it any more.
process.stdin.on('end', () => {
  if (how !== 'child') process.exit(0);
});
if (how === 'child') setInterval(() => {}, 1_000);
