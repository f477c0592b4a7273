/** Runs the programs that signals need, in the home folder, with only the environment variables that they need. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { CommandReply, RunCommand } from '../../signals/index.ts';
import { processEnvironment } from '../config/index.ts';

/** Maximum characters of a program's standard error that are kept. */
const maxErrorLength = 4_000;

export function journalCommand(): RunCommand {
  return spawnProgram('journalctl', { PAGER: 'cat' });
}

/** Variables by which the programs of cloud providers find the account. */
const cloudVariablePattern = /^(AWS|GOOGLE|CLOUDSDK|AZURE|AAD)_/;

/** Runs the program that prints tokens for a cluster. The user's kubeconfig names it and its variables. */
export function tokenCommand(program: string, variables: Readonly<Record<string, string>>): RunCommand {
  const cloudVariables = Object.entries(processEnvironment()).filter(([name]) =>
    cloudVariablePattern.test(name),
  );
  return spawnProgram(program, { ...Object.fromEntries(cloudVariables), ...variables });
}

function spawnProgram(program: string, variables: Readonly<Record<string, string | undefined>>): RunCommand {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = homedir() } = processEnvironment();
  const env = { PATH, HOME, LC_ALL: 'C.UTF-8', ...variables };
  return ({ args, signal, maxBytes, onOutput }) =>
    new Promise<CommandReply>((resolve, reject) => {
      const child = spawn(program, [...args], { cwd: homedir(), env, stdio: ['ignore', 'pipe', 'pipe'] });
      // Registered first: a process that could not be started has no streams.
      child.on('error', reject);
      if (child.stdout === null || child.stdout === undefined) return;
      const chunks: Buffer[] = [];
      let [size, stderr] = [0, ''];
      let ended: CommandReply['ended'] = 'exit';
      const end = (reason: CommandReply['ended']): void => {
        if (ended === 'exit') ended = reason;
        child.kill('SIGKILL');
      };
      const onAbort = (): void => end('timeout');
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) end('too_much');
        else if (onOutput === undefined) chunks.push(chunk);
        else if (onOutput(chunk) === 'enough') end('enough');
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(0, maxErrorLength);
      });
      child.on('close', (code) => {
        signal.removeEventListener('abort', onAbort);
        resolve({ code, stdout: Buffer.concat(chunks), stderr, ended });
      });
    });
}
