/** Compares two files of evaluations: the same questions, asked of two revisions, models or methods. */
import { SondeError } from '../../core/index.ts';
import { type EvalRecord, type Header, readRecord } from './record.ts';
import { compareRows, type Difference } from './summary.ts';

export interface Comparison {
  readonly a: Header;
  readonly b: Header;
  /** Differences in how the two evaluations were made, which may explain their results. */
  readonly notes: readonly string[];
  readonly differences: readonly Difference[];
}

/** Throws `not_found` for a missing file, and `bad_argument` for a malformed one or if the sets differ. */
export function compareEvaluations(fileA: string, fileB: string): Comparison {
  const [a, b] = [readRecord(fileA), readRecord(fileB)];
  if (a.header.set.hash !== b.header.set.hash)
    throw new SondeError('bad_argument', {
      message: `${fileA} and ${fileB} were made from different sets: ${a.header.set.name} and ${b.header.set.name}`,
      remedy: 'Compare evaluations of one and the same set.',
    });
  const differences = pairModels(a, b).map(([modelA, modelB]) =>
    compareRows(
      a.rows.filter(({ model }) => model === modelA),
      b.rows.filter(({ model }) => model === modelB),
    ),
  );
  return { a: a.header, b: b.header, notes: listNotes(a, b), differences };
}

/** Pairs models of the same name. If there are none and each file has one model, pairs these two. */
function pairModels(
  { header: a }: EvalRecord,
  { header: b }: EvalRecord,
): readonly (readonly [string, string])[] {
  const common = a.models.filter((model) => b.models.includes(model)).map((model) => [model, model] as const);
  if (common.length > 0) return common;
  const [modelA, modelB] = [a.models[0], b.models[0]];
  if (a.models.length === 1 && b.models.length === 1 && modelA !== undefined && modelB !== undefined)
    return [[modelA, modelB]];
  throw new SondeError('bad_argument', {
    message: `The evaluations have no model in common: ${a.models.join(', ')}; ${b.models.join(', ')}`,
    remedy: 'Compare evaluations of the same models, or of one model each.',
  });
}

function listNotes(a: EvalRecord, b: EvalRecord): readonly string[] {
  const changedSettings = Object.keys({ ...a.header.settings, ...b.header.settings }).filter(
    (name) => JSON.stringify(a.header.settings[name]) !== JSON.stringify(b.header.settings[name]),
  );
  const unfinishedNotes = [a, b].flatMap(({ header, rows }, n) => {
    const expectedRows = header.set.rows * header.models.length;
    return rows.length < expectedRows
      ? [`${n === 0 ? 'A' : 'B'} has ${rows.length} of ${expectedRows} answers: it was not finished`]
      : [];
  });
  const failedNotes = [a, b].flatMap(({ rows }, n) => {
    const count = rows.filter(({ error }) => error !== undefined).length;
    return count === 0
      ? []
      : [`${count} of ${rows.length} questions of ${n === 0 ? 'A' : 'B'} failed, and count as wrong`];
  });
  const isAskedSameWay = a.header.sonde.asked === b.header.sonde.asked;
  return [
    ...(isAskedSameWay
      ? []
      : ['one was asked by its command line: its times include the start of a process']),
    ...(changedSettings.length === 0 ? [] : [`settings that differ: ${changedSettings.join(', ')}`]),
    ...unfinishedNotes,
    ...failedNotes,
  ];
}
