import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../../model/index.ts';
import { type Action, action } from '../actions/action.ts';
import { actionsFor } from '../actions/registry.ts';
import { scriptedMaterial } from '../scripted.ts';
import { actionCall, isOfferedIn, toolsOf } from './tools.ts';

const past = { log: async () => null } as never;
const all = actionsFor({ ...scriptedMaterial({ files: {} }), past, symbols: {} as never });
const tools = toolsOf(all);
const asked = (name: string, input: Call['input']): Call => ({
  kind: 'call',
  id: '1',
  fit: 'read',
  name,
  input,
});

it('what asks alike is one tool, that has each of them', () => {
  const names = tools.map(({ name }) => name);
  expect(names).toContain('code');
  expect(names).toContain('git');
  expect(names).not.toContain('find_references');
  for (const { name } of all) expect(isOfferedIn(tools, name)).toBe(true);
  expect(isOfferedIn(tools, 'delete_everything')).toBe(false);
});

it('a call of it is one of the action that is meant, with arguments that the action takes', () => {
  const said = {
    look: 'log',
    name: 'a',
    to: 'b',
    path: 'c',
    text: 'd',
    start_line: 1,
    end_line: 2,
    regex: true,
  };
  const inputs = new Map(all.map(({ name, input }) => [name, input]));
  for (const tool of tools.filter(({ name }) => name === 'code' || name === 'git')) {
    const { look } = (tool.parameters as { properties: { look: { enum: readonly string[] } } }).properties;
    for (const each of look.enum) {
      const call = actionCall(asked(tool.name, { ...said, look: each }), tools);
      expect(call.name).not.toBe(tool.name);
      expect(inputs.get(call.name)!.strict().safeParse(call.input)).toMatchObject({ success: true });
    }
  }
});

it('any other call stays as it is: an action by its own name, and a look that there is not', () => {
  for (const call of [
    asked('outline', { file_path: 'a.ts' }),
    asked('code', { look: 'sideways', name: 'a' }),
  ])
    expect(actionCall(call, tools)).toEqual(call);
});

it('what is alone of its kind, or beside a tool of its name, is offered by itself', () => {
  const [definition] = all.filter(({ name }) => name === 'find_definition');
  expect(toolsOf([definition as Action]).map(({ name }) => name)).toEqual(['find_definition']);
  const own = action({ ...(definition as Action), name: 'code', input: z.object({ text: z.string() }) });
  expect(toolsOf([...all, own]).filter(({ name }) => name === 'code')).toHaveLength(1);
  expect(toolsOf([...all, own]).map(({ name }) => name)).toContain('find_references');
  const mine = asked('code', { look: 'uses', name: 'a' });
  expect(actionCall(mine, toolsOf([...all, own]))).toEqual(mine);
});
