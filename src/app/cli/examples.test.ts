import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { examples } from './examples.ts';
import { createProgram } from './program.ts';

const program = await createProgram();

/** Words as a shell splits them; enough for quotes, which the examples use. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

function commandOf(name: string): Command {
  let command: Command = program;
  for (const word of name.split(' ')) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) throw new Error(`no command ${name}`);
    command = next;
  }
  return command;
}

const leaves = program.commands.flatMap((command) =>
  command.commands.length === 0
    ? [command.name()]
    : command.commands.map((below) => `${command.name()} ${below.name()}`),
);

test('each command has an example', () => {
  expect(leaves.filter((name) => examples[name] === undefined)).toEqual([]);
});

test.each(Object.entries(examples))('the example of %s is a call that it takes', (name, line) => {
  const call = line.slice(line.lastIndexOf('sonde '));
  const words = wordsOf(call).slice(1 + name.split(' ').length);
  expect(call.startsWith(`sonde ${name}`)).toBe(true);
  const command = commandOf(name);
  const { operands, unknown } = command.parseOptions(words);
  expect(unknown).toEqual([]);
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  const isVariadic = command.registeredArguments.some(({ variadic }) => variadic);
  expect(operands.length).toBeGreaterThanOrEqual(needed);
  if (!isVariadic) expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
});

test('the help of a command ends with its example', () => {
  expect(commandOf('world import').helpInformation()).toContain(`Example:\n  ${examples['world import']}`);
});
