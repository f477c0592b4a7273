/** The public entry points, as programs see them: how much there is of them, and what their types ask for. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import * as door from '../../index.ts';

describe('the main door', () => {
  it('has about fifteen values, the verbs of the command line first among them', () => {
    expect(Object.keys(door).sort()).toEqual(
      [
        ...[
          'ask',
          'investigate',
          'incident',
          'chat',
          'search',
          'verify',
          'verifyAnswer',
          'resume',
          'replay',
          'run',
        ],
        ...['sandbox', 'workspace', 'tool', 'done', 'failed', 'scriptedModel', 'SondeError'],
      ].sort(),
    );
  });

  it('asks for nothing that can be left out', () => {
    expectTypeOf(door.ask).toBeCallableWith('How?');
    expectTypeOf(door.investigate).toBeCallableWith('How many?');
    expectTypeOf(door.incident).toBeCallableWith('It burns');
    expectTypeOf(door.chat).toBeCallableWith();
    expectTypeOf(door.sandbox).toBeCallableWith();
    expectTypeOf(door.workspace).toBeCallableWith('notes');
    expectTypeOf<door.Workspace['write']>().toBeCallableWith({ op: 'create_page', path: 'A', text: 'b' });
    expectTypeOf<door.Workspace['write']>().toBeCallableWith(
      { op: 'create_page', path: 'A', text: 'b' },
      { idempotencyKey: 'once', agent: 'scribe' },
    );
  });

  it('names every setting with what it takes', () => {
    type Settings = NonNullable<door.RunOptions['settings']>;
    expectTypeOf<{ model: 'extractive'; max_usd: 0.1; steps: 5; max_time: '2m' }>().toExtend<Settings>();
    expectTypeOf<{ prices: { mine: { input: 1; output: 2 } } }>().toExtend<Settings>();
    expectTypeOf<{ steps: boolean }>().not.toExtend<Settings>();
    expectTypeOf<{ max_time: 'long' }>().not.toExtend<Settings>();
    expectTypeOf<{ roles: 'heaps' }>().not.toExtend<Settings>();
    expectTypeOf<Settings[keyof Settings]>().not.toBeUnknown();
    expectTypeOf<Settings[keyof Settings]>().not.toBeAny();
    type OfRun = NonNullable<Parameters<typeof door.run<'research'>>[1]['settings']>;
    expectTypeOf<OfRun>().toEqualTypeOf<Settings>();
  });

  it('types what a tool is given by its parameters', () => {
    const parameters = z.object({ path: z.string(), most: z.int().default(3) });
    door.tool({
      name: 'owner_of',
      description: 'Who owns a file.',
      parameters,
      run(args, { signal, idempotencyKey }) {
        expectTypeOf(idempotencyKey).toEqualTypeOf<string | null | undefined>();
        expectTypeOf(args).toEqualTypeOf<{ path: string; most: number }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
        return 'nobody';
      },
    });
    const define = (name: string) => door.tool({ name, description: '', parameters, run: () => '' });
    for (const name of ['Owner', 'owner of', '', '1st', 'x'.repeat(65)])
      expect(() => define(name)).toThrow(expect.objectContaining({ code: 'bad_argument' }));
  });

  it('says what each run gives', () => {
    expectTypeOf(door.ask).returns.resolves.toEqualTypeOf<door.RunResult>();
    expectTypeOf(door.incident).returns.resolves.toEqualTypeOf<door.CheckedIncident>();
    expectTypeOf(door.investigate).returns.resolves.toEqualTypeOf<door.InvestigationResult>();
    expectTypeOf(door.search).returns.resolves.items.toHaveProperty('text');
    expectTypeOf<door.PageTextHit>().toHaveProperty('text');
  });
});
