/** Programs that a signal may start: one each, in one folder, with only the environment variables that they need. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { CommandReply, RunCommand } from '../../signals/index.ts';
import { processEnvironment } from '../config/index.ts';

/** Characters of what a program says about its trouble. */
const maxTrouble = 4_000;

export function runJournal(): RunCommand {
  return spawnProgram('journalctl', { PAGER: 'cat' });
}

/** Variables by which programs of clouds find the account. */
const ofClouds = /^(AWS|GOOGLE|CLOUDSDK|AZURE|AAD)_/;

/** A program that gives tokens for a cluster. The user's kubeconfig names it and its variables. */
export function runTokenProgram(program: string, variables: Readonly<Record<string, string>>): RunCommand {
  const around = Object.entries(processEnvironment()).filter(([name]) => ofClouds.test(name));
  return spawnProgram(program, { ...Object.fromEntries(around), ...variables });
}

function spawnProgram(program: string, variables: Readonly<Record<string, string | undefined>>): RunCommand {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = homedir() } = processEnvironment();
  const env = { PATH, HOME, LC_ALL: 'C.UTF-8', ...variables };
  return ({ args, signal, maxBytes, onOutput }) =>
    new Promise<CommandReply>((resolve, reject) => {
      const child = spawn(program, [...args], { cwd: homedir(), env, stdio: ['ignore', 'pipe', 'pipe'] });
      // First, because a process that could not be started has no streams.
      child.on('error', reject);
      if (child.stdout === null || child.stdout === undefined) return;
      const parts: Buffer[] = [];
      let [size, stderr] = [0, ''];
      let ended: CommandReply['ended'] = 'exit';
      const end = (how: CommandReply['ended']): void => {
        if (ended === 'exit') ended = how;
        child.kill('SIGKILL');
      };
      const onAbort = (): void => end('timeout');
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) end('too_much');
        else if (onOutput === undefined) parts.push(chunk);
        else if (onOutput(chunk) === 'enough') end('enough');
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(0, maxTrouble);
      });
      child.on('close', (code) => {
        signal.removeEventListener('abort', onAbort);
        resolve({ code, stdout: Buffer.concat(parts), stderr, ended });
      });
    });
}
