/** Compares two files of evaluations: the same questions, asked of two revisions, models or methods. */
import { SondeError } from '../../core/index.ts';
import { type EvalRecord, type Header, readRecord } from './record.ts';
import { type Difference, differenceOf } from './summary.ts';

export interface Comparison {
  readonly a: Header;
  readonly b: Header;
  /** Other differences between the two evaluations, which may also explain the result. */
  readonly notes: readonly string[];
  readonly differences: readonly Difference[];
}

/** Throws `not_found` and `bad_argument`, also if the sets differ. */
export function compareEvaluations(fileA: string, fileB: string): Comparison {
  const [a, b] = [readRecord(fileA), readRecord(fileB)];
  if (a.header.set.hash !== b.header.set.hash)
    throw new SondeError('bad_argument', {
      message: `${fileA} and ${fileB} were made from different sets: ${a.header.set.name} and ${b.header.set.name}`,
      remedy: 'Compare evaluations of one and the same set.',
    });
  const differences = pairs(a, b).map(([modelA, modelB]) =>
    differenceOf(
      a.rows.filter(({ model }) => model === modelA),
      b.rows.filter(({ model }) => model === modelB),
    ),
  );
  return { a: a.header, b: b.header, notes: notesOf(a, b), differences };
}

/** Pairs models of the same name; if each file has only one model, these two. */
function pairs({ header: a }: EvalRecord, { header: b }: EvalRecord): readonly (readonly [string, string])[] {
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

function notesOf(a: EvalRecord, b: EvalRecord): readonly string[] {
  const changed = Object.keys({ ...a.header.settings, ...b.header.settings }).filter(
    (name) => JSON.stringify(a.header.settings[name]) !== JSON.stringify(b.header.settings[name]),
  );
  const short = [a, b].flatMap(({ header, rows }, n) => {
    const wanted = header.set.rows * header.models.length;
    return rows.length < wanted
      ? [`${n === 0 ? 'A' : 'B'} has ${rows.length} of ${wanted} answers: it was not finished`]
      : [];
  });
  const failed = [a, b].flatMap(({ rows }, n) => {
    const count = rows.filter(({ error }) => error !== undefined).length;
    return count === 0
      ? []
      : [`${count} of ${rows.length} questions of ${n === 0 ? 'A' : 'B'} failed, and count as wrong`];
  });
  const isSame = a.header.sonde.asked === b.header.sonde.asked;
  return [
    ...(isSame ? [] : ['one was asked by its command line: its times include the start of a process']),
    ...(changed.length === 0 ? [] : [`settings that differ: ${changed.join(', ')}`]),
    ...short,
    ...failed,
  ];
}
