import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fixture, repositoryFixture } from '../git/repository-fixture.ts';
import { wordFiles } from '../grep/word-files.ts';
import { symbolReader } from '../symbol-reader.ts';
import { syntaxReader } from '../syntax/reader.ts';
import { treeReader } from '../tree-reader.ts';
import { languageServers } from './language-servers.ts';
import type { ServerLanguage } from './profiles.ts';
import type { ServerWish } from './programs.ts';

const bin = join(import.meta.dirname, '../../../node_modules/.bin');
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Case {
  readonly language: ServerLanguage;
  readonly wish: ServerWish;
  readonly files: (canary: string) => Record<string, string>;
  readonly symbol: string;
  readonly rows: readonly string[];
  readonly type: RegExp;
}

/** Writes a file when it is run, in whatever way. */
const shell = (canary: string): string => `#!/bin/sh\ntouch ${canary}\n`;
const script = (canary: string): string => `require('fs').writeFileSync(${JSON.stringify(canary)}, '');\n`;
const python = (canary: string): string => `open(${JSON.stringify(canary)}, 'w').close()\n`;

const cases: readonly Case[] = [
  {
    language: 'typescript',
    wish: { command: ['tsgo', '--lsp', '--stdio'] },
    files: (canary) => ({
      'tsconfig.json': JSON.stringify({
        compilerOptions: { strict: true, plugins: [{ name: 'evil' }, { name: './plugin.js' }] },
      }),
      'package.json': JSON.stringify({
        dependencies: { evil: '1.0.0' },
        scripts: { preinstall: shell(canary) },
      }),
      '.npmrc': `script-shell=${canary}\n`,
      'node_modules/typescript/package.json':
        '{"name":"typescript","version":"99.0.0","main":"lib/tsserver.js"}',
      'node_modules/typescript/lib/tsserver.js': script(canary),
      'node_modules/typescript/lib/tsc.js': script(canary),
      'node_modules/.bin/tsgo': shell(canary),
      'node_modules/.bin/npm': shell(canary),
      'node_modules/evil/index.js': script(canary),
      'plugin.js': script(canary),
      '.vscode/settings.json': JSON.stringify({ 'typescript.tsdk': 'node_modules/typescript/lib' }),
      'a.ts': 'export class A {\n  go(n: number): string {\n    return String(n);\n  }\n}\n',
      'b.ts': "import { A } from './a';\nconst list = [new A()];\nfor (const one of list) one.go(1);\n",
    }),
    symbol: 'A.go',
    rows: ['b.ts:3'],
    type: /A\.go\(n: number\): string/,
  },
  {
    language: 'python',
    wish: {},
    files: (canary) => ({
      'pyrightconfig.json': JSON.stringify({
        venvPath: '.',
        venv: 'venv',
        extraPaths: ['/etc', '../..'],
        stubPath: '/etc',
        typeshedPath: 'stubs',
        executionEnvironments: [{ root: '/etc' }, { root: '.' }],
      }),
      'venv/pyvenv.cfg': `home = ${canary}\n`,
      'venv/bin/python': shell(canary),
      'venv/bin/python3': shell(canary),
      python3: shell(canary),
      'json.py': python(canary),
      'sitecustomize.py': python(canary),
      'conftest.py': python(canary),
      'setup.py': python(canary),
      'package.json': JSON.stringify({ main: 'index.js' }),
      'index.js': script(canary),
      'a.py': 'class A:\n    def go(self, n: int) -> str:\n        return str(n)\n',
      'b.py': 'from a import A\n\nmade = [A()]\nfor one in made:\n    one.go(1)\n',
    }),
    symbol: 'A.go',
    rows: ['b.py:5'],
    type: /go\(.*n: int.*\) -> str/s,
  },
  {
    language: 'c',
    wish: {
      command: ['clangd-19', '--enable-config=false', '--background-index=false', '--log=error', '-j=2'],
    },
    files: (canary) => ({
      '.clangd': `CompileFlags:\n  Compiler: ./cc\n  Add: [-fplugin=./evil.so]\nIndex:\n  External:\n    Server: localhost:1\n`,
      cc: shell(canary),
      'compile_commands.json': JSON.stringify([
        {
          directory: '.',
          command: './cc -fplugin=./evil.so -Xclang -load -Xclang ./evil.so -c b.c',
          file: 'b.c',
        },
        { directory: '.', command: './cc -wrapper ./cc -c a.c', file: 'a.c' },
      ]),
      'a.h': 'int go(int n);\n',
      'a.c': '#include "a.h"\nint go(int n) {\n  return n;\n}\n',
      'b.c': '#include "a.h"\nint main(void) {\n  return go(1);\n}\n',
    }),
    symbol: 'a.c#go',
    rows: ['b.c:3'],
    type: /int go\(int n\)/,
  },
  {
    language: 'go',
    wish: {},
    files: (canary) => ({
      'go.mod':
        'module example.org/m\n\ngo 1.19\n\nrequire example.org/nowhere v1.0.0\n\nreplace example.org/nowhere => ./nowhere\n',
      'nowhere/go.mod': 'module example.org/nowhere\n',
      'nowhere/n.go': `package nowhere\n\n//go:generate touch ${canary}\nfunc N() {}\n`,
      'cgo.go': `package main\n\n// #cgo CFLAGS: -wrapper ${canary}\n// int f();\nimport "C"\n`,
      'a.go': 'package main\n\ntype A struct{}\n\nfunc (A) Go(n int) string { return "" }\n',
      'b.go': 'package main\n\nfunc main() {\n\tfor _, one := range []A{{}} {\n\t\tone.Go(1)\n\t}\n}\n',
    }),
    symbol: 'a.go#A.Go',
    rows: ['b.go:5'],
    type: /Go\(n int\) string/,
  },
];

const isInstalled = ({ language, wish }: Case): boolean => {
  const names = language === 'go' ? ['gopls', 'go'] : language === 'c' ? [wish.command![0]!] : [];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.every((name) => folders.some((folder) => existsSync(join(folder, name))));
};

/** All files of a folder, but those of git. */
const filesOf = (place: Fixture): readonly string[] =>
  readdirSync(place.root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/') && path !== '.git')
    .sort();

describe.each(cases)('the server of $language', (one) => {
  it.skipIf(!isInstalled(one))(
    'sees what syntax leaves open, and runs and writes nothing of a hostile folder',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sonde-real-'));
      ends.push(() => rmSync(folder, { recursive: true, force: true }));
      const canary = join(folder, 'canary');
      const place = repositoryFixture(one.files(canary));
      ends.push(() => place.remove());
      for (const path of filesOf(place))
        if (/(?:^|\/)(?:python3?|cc|tsgo|npm)$/.test(path)) chmodSync(join(place.root, path), 0o755);
      place.git('config', 'core.fsmonitor', `touch ${canary}; false`);
      place.git('config', 'core.sshCommand', `touch ${canary}`);
      const { root } = place;
      const before = filesOf(place);
      mkdirSync(join(folder, 'home'));
      const servers = languageServers({
        root,
        wishes: { [one.language]: one.wish },
        folder: join(folder, 'own'),
        searchPath: [join(root, 'node_modules/.bin'), root, bin, process.env['PATH'] ?? ''].join(delimiter),
        home: join(folder, 'home'),
        isTrusted: false,
        limits: { askMs: 240_000, firstMs: 240_000, laterMs: 240_000 },
      });
      const syntax = syntaxReader();
      ends.push(() => syntax.close());
      ends.push(() => servers.close());
      const symbols = symbolReader({
        root,
        reader: treeReader({ root }),
        words: wordFiles({ root }),
        syntax,
        servers,
        limitMs: 240_000,
      });
      const found = await symbols.references({ symbol: one.symbol });
      expect(found).toMatchObject({ kind: 'listed' });
      if (found.kind !== 'listed') return;
      expect(found.why.filter((why) => why.includes('gave no answer'))).toEqual([]);
      const named = found.rows.filter(({ provenance }) => provenance?.includes('lsp'));
      expect(named.map(({ path, line }) => `${path}:${line}`)).toEqual(expect.arrayContaining([...one.rows]));
      expect(found.rows.filter(({ path }) => path.startsWith('/') || path.includes('..'))).toEqual([]);
      const hover = await symbols.hover({ symbol: one.symbol });
      expect(hover).toMatchObject({
        found: expect.arrayContaining([expect.objectContaining({ type: expect.stringMatching(one.type) })]),
      });
      await servers.close();
      expect(existsSync(canary)).toBe(false);
      expect(filesOf(place)).toEqual(before);
    },
  );
});
