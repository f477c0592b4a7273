/**
 * Hostile files before the readers of syntax: sources cut anywhere, nested deeply, on one line, in bytes that are no text,
 * under the ending of another language. Each is outlined, and names in them are asked for. Prints JSON.
 *
 * `node bench/hostile-code.ts [FOLDER OF SOURCES] [--count N] [--seed N]`
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openCodeSources, symbolReader } from '../src/bench.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const endings = 'ts tsx js py go rs java c cpp cs rb sh php kt scala h mjs pyi'.split(' ');
let state = Number(values.seed);
const below = (limit: number): number => {
  state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * limit);
};
const oneOf = <One>(all: readonly One[]): One => all[below(all.length)]!;

const given = resolve(positionals[0] ?? join(import.meta.dirname, '..', 'src'));
const sources = readdirSync(given, { recursive: true, encoding: 'utf8' })
  .filter(
    (path) => /\.(?:[mc]?[jt]sx?|py|go|rs|java|c|h|cs|rb)$/.test(path) && !path.includes('node_modules'),
  )
  .slice(0, 2_000)
  .map((path) => join(given, path));
const source = (): Buffer => readFileSync(oneOf(sources));

const pairs = [
  '(',
  '[',
  '{',
  '((',
  '<',
  'f(',
  'if (a) {',
  'a?.b(',
  '`${',
  "'",
  '"""',
  '/*',
  '#if 1\n',
  '=>',
  'class A{',
  'def f(\n',
];
const kinds: Readonly<Record<string, () => Buffer>> = {
  cut: () => {
    const text = source();
    return text.subarray(below(text.length), below(text.length));
  },
  'cut twice, and put together': () => {
    const [a, b] = [source(), source()];
    return Buffer.concat([a.subarray(0, below(a.length)), b.subarray(below(b.length))]);
  },
  nested: () => Buffer.from(oneOf(pairs).repeat(10 + below(20_000))),
  'nested and indented': () =>
    Buffer.from(Array.from({ length: 50 + below(2_000) }, (_, nth) => `${' '.repeat(nth)}if x:\n`).join('')),
  'one line': () =>
    Buffer.from(
      source()
        .toString('utf8')
        .replace(/\s+/g, ' ')
        .repeat(1 + below(30)),
    ),
  'a long word': () => Buffer.from(`let ${'a'.repeat(below(1_000_000))} = 1;`),
  'no text': () => Buffer.from(Array.from({ length: below(50_000) }, () => below(256))),
  'some bytes changed': () => {
    const text = Buffer.from(source());
    for (let nth = 0; nth < text.length / 50; nth += 1) text[below(text.length)] = below(256);
    return text;
  },
  'lone halves of characters': () =>
    Buffer.from(`${source().toString('utf8').replaceAll('e', '\ud83d')}\0\u2028\ufeff`, 'utf16le'),
  'many definitions': () =>
    Buffer.from(
      Array.from({ length: 2_000 + below(8_000) }, (_, nth) => `function f${nth % 7}() {}`).join('\n'),
    ),
  'wrong ending': source,
};

const root = mkdtempSync(join(tmpdir(), 'sonde-hostile-code-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, 'src'));
const paths: { readonly path: string; readonly kind: string }[] = [];
for (let nth = 0; nth < Number(values.count); nth += 1) {
  const kind = oneOf(Object.keys(kinds));
  const path = `src/f${nth}.${oneOf(endings)}`;
  writeFileSync(join(root, path), kinds[kind]!());
  paths.push({ path, kind });
}

const open = openCodeSources(root);
const symbols = symbolReader({ ...open });
const said: Record<string, number> = {};
const thrown: string[] = [];
const slow: { readonly path: string; readonly kind: string; readonly ms: number }[] = [];
let peak = 0;
async function ask(
  what: { readonly path: string; readonly kind: string },
  work: () => Promise<{ readonly kind: string }>,
) {
  const began = performance.now();
  try {
    const { kind } = await work();
    said[kind] = (said[kind] ?? 0) + 1;
  } catch (error) {
    thrown.push(`${what.kind} ${what.path}: ${String(error).slice(0, 200)}`);
  }
  slow.push({ ...what, ms: Math.round(performance.now() - began) });
  peak = Math.max(peak, process.memoryUsage().rss);
}
for (const one of paths) await ask(one, async () => symbols.outline({ path: one.path }));
for (const name of ['f1', 'run', 'constructor', 'a', '__proto__', 'if', 'x', 'toString'])
  await ask({ path: name, kind: 'references' }, async () => symbols.references({ symbol: name }));
await open.close();
console.log(
  JSON.stringify(
    {
      files: paths.length,
      kinds: Object.fromEntries(
        Object.keys(kinds).map((kind) => [kind, paths.filter((one) => one.kind === kind).length]),
      ),
      said,
      thrown,
      slowest: slow.sort((a, b) => b.ms - a.ms).slice(0, 5),
      peakMegabytes: Math.round(peak / 1_048_576),
    },
    null,
    1,
  ),
);
