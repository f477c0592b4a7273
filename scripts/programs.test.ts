/** Who starts programs, and which: a table, so that git keeps its one runner (`code/git/git.ts`). */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** By file: what it starts. `child.ts` and `run-program.ts` start what their callers name. */
const starts: Readonly<Record<string, string>> = {
  'src/app/agent/channel/child-wire.ts': 'the agent of sonde serve',
  'src/app/eval/ask-other.ts': 'the Sonde of another checkout',
  'src/app/incident/programs.ts': 'journalctl, and the lender of a kubeconfig',
  'src/app/serve/page-address.ts': "the person's browser, at the address of the page",
  'src/app/workspace/editor.ts': "the person's editor",
  'src/code/child.ts': 'what its callers in this room name',
  'src/code/git/git.ts': 'git',
  'src/code/grep/grep.ts': 'ripgrep',
  'src/code/name-finder.ts': 'ripgrep, over files that are not indexed',
  'src/code/servers/guarded.ts': 'the shell that ends a language server with all that it started',
  'src/code/grep/word-files.ts': 'ripgrep',
  'src/model/cli-agent.ts': 'claude and codex, in an empty folder',
  'src/model/run-program.ts': 'what its caller names',
  'src/sandbox/confinement.ts': 'bwrap',
  'src/sandbox/process-host.ts': 'the process of the sandbox',
};

const sources = () =>
  globSync('src/**/*.ts', {
    cwd: root,
    exclude: ['**/*.{test,contract}.ts', '**/testbed/**', '**/*-fixture.ts'],
  });
const starter = /(?:from|import\()\s*'(?:(?:node:)?child_process|[./\w-]*\/(?:child|run-program)\.ts)'/;
const typesOnly = /import type \{[^}]*\} from '[^']*';/g;
/** Git as the program of a call, in whatever spelling. */
const namesGit =
  /(?:\(|command: |\?\? |= |\[)['"`](?:[\w./]*\/)?git['"`]|['"`]git [a-z-]+ ?[^'"`]*['"`]\s*,\s*\{/;

function offences(path: string, text: string): readonly string[] {
  const isStarter = starter.test(text.replace(typesOnly, ''));
  return [
    ...(isStarter && !(path in starts) ? [`${path} starts programs`] : []),
    ...(isStarter && path !== 'src/code/git/git.ts' && namesGit.test(text) ? [`${path} starts git`] : []),
  ];
}

describe('programs are started where the table says', () => {
  it('holds for the tree', () => {
    const files = sources();
    expect(files.length).toBeGreaterThan(300);
    expect(files.flatMap((path) => offences(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
    for (const path of Object.keys(starts)) expect(files).toContain(path);
  });

  const imports = "import { spawn } from 'node:child_process';\n";
  it.each([
    ['src/app/new.ts', `${imports}spawn('rg', []);`],
    ['src/app/new.ts', "const { execFile } = await import('node:child_process');"],
    ['src/code/new.ts', "import { runChild } from './child.ts';"],
    ['src/app/incident/programs.ts', `${imports}spawn('git', ['log']);`],
    ['src/app/incident/programs.ts', `${imports}execSync("git log -p", { cwd });`],
    ['src/app/incident/programs.ts', `${imports}spawn(command ?? '/usr/bin/git', []);`],
    ['src/code/grep/grep.ts', "import { runChild } from './child.ts';\nrunChild({ command: `git`, args });"],
  ])('catches a seeded one: %s %s', (path, text) => {
    expect(offences(path, text)).not.toEqual([]);
  });
});
