import { expect, it } from 'vitest';
import { driftRun } from '../../tasks/drift/index.ts';
import { incidentRun } from '../../tasks/incident/index.ts';
import { investigationRun } from '../../tasks/investigation/index.ts';
import { researchRun } from '../../tasks/research/index.ts';
import { kindLoaders } from '../cli/program.ts';
import { allKinds, findKind, requireKind } from './find-kind.ts';
import { kinds } from './kinds.ts';

it('each kind stands in the table under its own shape', () => {
  const shapes = [researchRun, investigationRun, incidentRun, driftRun].map(({ shape }) => shape);
  expect(Object.keys(kinds)).toEqual(shapes);
  for (const shape of shapes) expect(requireKind({ id: 'run-a1', shape })).toBe(findKind(shape));
  expect(new Set(Object.values(kinds).map(({ command }) => command.name)).size).toBe(shapes.length);
});

it('a kind that its command loads alone is that of the table', async () => {
  for (const [name, load] of Object.entries(kindLoaders))
    expect(await load()).toBe(allKinds().find(({ command }) => command.name === name));
});

it.each(['turn', 'constructor', '', 'Research'])(
  'a run of the shape %j is not taken up by itself',
  (shape) => {
    expect(findKind(shape)).toBeNull();
    expect(() => requireKind({ id: 'run-a1', shape })).toThrow(
      expect.objectContaining({ code: 'run_state', message: expect.stringContaining('run-a1') }),
    );
  },
);
