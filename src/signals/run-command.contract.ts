/** A runner of real programs for tests. */
import { spawn } from 'node:child_process';
import type { RunCommand } from './command.ts';

export function runReal(command: string, cwd: string, before: readonly string[] = []): RunCommand {
  return ({ args, signal, maxBytes, onOutput }) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, [...before, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'], signal });
      const parts: Buffer[] = [];
      let size = 0;
      let stderr = '';
      let ended: 'exit' | 'too_much' | 'enough' = 'exit';
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) {
          ended = 'too_much';
          child.kill();
        } else if (onOutput === undefined) parts.push(chunk);
        else if (onOutput(chunk) === 'enough') {
          ended = 'enough';
          child.kill();
        }
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += String(chunk);
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout: Buffer.concat(parts), stderr, ended }));
    });
}
