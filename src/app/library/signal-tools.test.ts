import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Signal, SignalRequest } from '../../core/index.ts';
import { signalTools } from './signal-tools.ts';
import { contextWithoutFiles } from './without-files.ts';

const asked: { readonly args: unknown; readonly request: SignalRequest }[] = [];
const lamps = (reply: object, parameters: z.ZodType = z.object({ room: z.string() })): Signal =>
  ({
    system: 'lamps',
    source: 'lamps 1',
    questions: [
      {
        name: 'lamps_lit',
        description: 'Which lamps are lit.',
        parameters,
        cost: 'nothing',
        async ask(args: unknown, request: SignalRequest) {
          asked.push({ args, request });
          return reply;
        },
      },
    ],
  }) as unknown as Signal;
const observation = {
  kind: 'observation',
  text: 'hall lit\nattic dark',
  rows: { kind: 'table', rows: [] },
  truncated: { shown: 2, total: 9 },
  completeness: 'partial',
  notes: ['one lamp does not answer'],
};

const run = async (signal: Signal, args: object) => {
  const [tool] = signalTools([signal]);
  return tool!.run(tool!.parameters.parse(args), contextWithoutFiles());
};

describe('a question of a system as a tool', () => {
  it('gives its lines about the last hours, and says what was cut', async () => {
    const found = await run(lamps(observation), { room: 'hall', hours: 2 });
    expect(found).toMatchObject({
      lines: ['hall lit', 'attic dark'],
      completeness: 'partial',
      notes: ['one lamp does not answer', '2 of 9 rows are shown.'],
    });
    const { args, request } = asked.at(-1)!;
    expect(args).toEqual({ room: 'hall' });
    const { from, to, baseline_from } = request.window;
    expect([to - from, from - baseline_from]).toEqual([7_200_000, 7_200_000]);
  });

  it('is about a day if nothing is said', async () => {
    await run(lamps(observation), { room: 'hall' });
    const { from, to } = asked.at(-1)!.request.window;
    expect(to - from).toBe(86_400_000);
  });

  it('takes parameters that are no object', async () => {
    await run(lamps(observation, z.string()), { input: 'hall' });
    expect(asked.at(-1)!.args).toBe('hall');
  });

  it('passes a failure on as one', async () => {
    const failure = { kind: 'failure', reason: 'timeout', message: 'lamps took too long' };
    expect(await run(lamps(failure), { room: 'hall' })).toMatchObject({
      kind: 'failed',
      message: 'lamps took too long',
    });
  });

  it('is numbered where two systems have its name', () => {
    expect(signalTools([lamps(observation), lamps(observation)]).map(({ name }) => name)).toEqual([
      'lamps_lit',
      'lamps_lit_2',
    ]);
  });
});
