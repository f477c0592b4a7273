import { execFileSync } from 'node:child_process';

/** Runs git in a folder, without any user's settings. Commits get the time `at`, in milliseconds since the Unix epoch. */
export function createDatedGit(cwd: string): (at: number, ...args: readonly string[]) => string {
  return (at, ...args) => {
    const date = new Date(at).toISOString();
    return execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: cwd,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
        GIT_AUTHOR_NAME: 'Ann',
        GIT_COMMITTER_NAME: 'Ann',
        GIT_AUTHOR_EMAIL: 'a@x',
        GIT_COMMITTER_EMAIL: 'a@x',
      },
    });
  };
}
