/** Makes a real repository in a temporary folder, for tests. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Fixture {
  readonly root: string;
  write(path: string, content: string | Buffer): void;
  git(...args: readonly string[]): string;
  /** Commits all files; the dates of commits are one day apart. Returns the commit's id. */
  commit(message: string): string;
  remove(): void;
}

export function folderFixture(files: Readonly<Record<string, string | Buffer>> = {}): Fixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-code-')));
  let day = 0;
  const fixture: Fixture = {
    root,
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    git(...args) {
      const when = `2024-01-${String(1 + day).padStart(2, '0')}T12:00:00Z`;
      return execFileSync('git', args, {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
          HOME: root,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_AUTHOR_NAME: 'Ada Example',
          GIT_AUTHOR_EMAIL: 'ada@example.org',
          GIT_COMMITTER_NAME: 'Ada Example',
          GIT_COMMITTER_EMAIL: 'ada@example.org',
          GIT_AUTHOR_DATE: when,
          GIT_COMMITTER_DATE: when,
        },
      }).trim();
    },
    commit(message) {
      fixture.git('add', '-A');
      fixture.git('commit', '-q', '--allow-empty', '-m', message);
      day += 1;
      return fixture.git('rev-parse', 'HEAD');
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  for (const [path, content] of Object.entries(files)) fixture.write(path, content);
  return fixture;
}

export function repositoryFixture(files: Readonly<Record<string, string | Buffer>> = {}): Fixture {
  const fixture = folderFixture(files);
  fixture.git('init', '-q', '-b', 'main');
  return fixture;
}
