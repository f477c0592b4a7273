/**
 * Hostile files before the readers of syntax: sources cut anywhere, nested deeply, on one line, in bytes that are no text,
 * under the ending of another language. Each is outlined, and names in them are asked for. Prints JSON.
 *
 * `node bench/hostile-code.ts [FOLDER OF SOURCES] [--count N] [--seed N] [--servers]`: with servers of TypeScript, Python and,
 * where it is installed, C beside syntax, over programs, plugins and environments that write a file when they are run.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { languageServers, openCodeSources, symbolReader } from '../src/bench.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    servers: { type: 'boolean', default: false },
  },
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

// What would be run by who trusts a folder: each leaves a file behind.
const folder = mkdtempSync(join(tmpdir(), 'sonde-hostile-own-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const canary = join(folder, 'canary');
const shell = `#!/bin/sh\ntouch ${canary}\n`;
const script = `require('fs').writeFileSync(${JSON.stringify(canary)}, '');\n`;
const python = `open(${JSON.stringify(canary)}, 'w').close()\n`;
const planted: Readonly<Record<string, string>> = {
  'tsconfig.json': '{"compilerOptions":{"allowJs":true,"plugins":[{"name":"evil"},{"name":"./plugin.js"}]}}',
  'package.json':
    '{"scripts":{"preinstall":"./python3","prepare":"./python3"},"dependencies":{"evil":"1.0.0"}}',
  'plugin.js': script,
  'node_modules/evil/index.js': script,
  'node_modules/typescript/package.json': '{"name":"typescript","version":"99.0.0","main":"lib/tsserver.js"}',
  'node_modules/typescript/lib/tsserver.js': script,
  'node_modules/typescript/lib/tsc.js': script,
  'node_modules/.bin/tsgo': shell,
  'pyrightconfig.json': '{"venvPath":".","venv":"venv","stubPath":"/etc","typeshedPath":"stubs"}',
  'venv/pyvenv.cfg': `home = ${canary}\n`,
  'venv/bin/python': shell,
  python3: shell,
  'json.py': python,
  'sitecustomize.py': python,
  'conftest.py': python,
  'setup.py': python,
  'stubs/stdlib/builtins.pyi': 'class object: ...\n',
  '.clangd': 'CompileFlags:\n  Compiler: ./cc\n  Add: [-fplugin=./evil.so]\n',
  cc: shell,
  'compile_commands.json': '[{"directory":".","command":"./cc -wrapper ./cc -c one.c","file":"one.c"}]',
  'build.rs': `fn main() { std::fs::write(${JSON.stringify(canary)}, "").unwrap(); }\n`,
  'Cargo.toml': '[package]\nname = "evil"\nversion = "0.1.0"\nbuild = "build.rs"\n',
  Makefile: `all:\n\ttouch ${canary}\n`,
  'one.ts': 'export function plainOne(n: number): number { return n; }\nplainOne(1);\n',
  'one.py': 'def plain_two(n):\n    return n\n\nplain_two(1)\n',
  'one.c': 'int plain_three(int n) { return n; }\nint use(void) { return plain_three(1); }\n',
};
for (const [path, text] of Object.entries(planted)) {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
  if (text === shell) chmodSync(join(root, path), 0o755);
}
mkdirSync(join(folder, 'home'));

const open = openCodeSources(root);
const bin = join(import.meta.dirname, '..', 'node_modules', '.bin');
const servers = values.servers
  ? languageServers({
      root,
      wishes: {
        typescript: { command: ['tsgo', '--lsp', '--stdio'] },
        python: {},
        c: {
          command: ['clangd-19', '--enable-config=false', '--background-index=false', '--log=error', '-j=2'],
        },
      },
      folder: join(folder, 'own'),
      searchPath: [join(root, 'node_modules/.bin'), root, bin, process.env['PATH'] ?? ''].join(delimiter),
      home: join(folder, 'home'),
      isTrusted: false,
    })
  : undefined;
const symbols = symbolReader({ ...open, servers });
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
const asked: {
  readonly name: string;
  readonly ms: number;
  readonly said: string;
  readonly servers: string;
}[] = [];
for (const name of [
  'f1',
  'run',
  'constructor',
  'a',
  '__proto__',
  'if',
  'x',
  'toString',
  'main',
  'plainOne',
  'plain_two',
  'plain_three',
]) {
  const began = performance.now();
  await ask({ path: name, kind: 'references' }, async () => {
    const found = await symbols.references({ symbol: name });
    asked.push({
      name,
      ms: Math.round(performance.now() - began),
      said: found.kind === 'listed' ? found.completeness : found.kind,
      servers:
        found.kind === 'listed'
          ? found.rows.some(({ provenance }) => provenance?.includes('lsp'))
            ? 'answered'
            : found.why.filter((why) => why.includes('gave no answer')).join('; ')
          : '',
    });
    return found;
  });
}
await servers?.close();
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
      asked,
      programsRun: existsSync(canary),
      slowest: slow.sort((a, b) => b.ms - a.ms).slice(0, 5),
      peakMegabytes: Math.round(peak / 1_048_576),
    },
    null,
    1,
  ),
);
