/**
 * The columns of the table of runs, as all engines read and write them. JSON is stored as text, also on the server:
 * PostgreSQL's `jsonb` changes the order of keys and refuses `\u0000`, and values must come back byte for byte.
 */
import type { NewRun, RunRow } from '../store.ts';

/** `any text`: text that may contain NUL, which PostgreSQL's `text` can't hold. It is stored as JSON on a server. */
type Form = 'text' | 'any text' | 'json';

/** The columns that a new run sets. A field that is absent is NULL in its column. */
const newRunColumns = {
  id: 'text',
  shape: 'text',
  question: 'any text',
  root: 'text',
  params: 'json',
} as const satisfies Record<keyof NewRun, Form>;

const forms: readonly (readonly [name: string, form: Form])[] = Object.entries(newRunColumns);

export const newRunColumnNames: readonly string[] = Object.keys(newRunColumns);
export const serverJsonColumns: readonly string[] = forms.flatMap(([name, form]) =>
  form === 'any text' ? [name] : [],
);

export type RunsPlace = 'file' | 'server';

const isJson = (form: Form, place: RunsPlace): boolean =>
  form === 'json' || (form === 'any text' && place === 'server');

/** In the order of `newRunColumnNames`. */
export const toColumnValues = (run: NewRun, place: RunsPlace): readonly (string | null)[] =>
  forms.map(([name, form]) => {
    const value = run[name as keyof NewRun];
    if (value === undefined) return null;
    return isJson(form, place) ? JSON.stringify(value) : String(value);
  });

export function readRun(row: Readonly<Record<string, unknown>>, place: RunsPlace): RunRow {
  const fields = forms.flatMap(([name, form]) => {
    const stored = row[name];
    if (stored === null || stored === undefined) return [];
    return [[name, isJson(form, place) ? JSON.parse(String(stored)) : String(stored)] as const];
  });
  const { status, created, updated } = row;
  return Object.freeze({
    ...(Object.fromEntries(fields) as unknown as NewRun),
    status: status as RunRow['status'],
    created: Number(created),
    updated: Number(updated),
  });
}

/** The row of a run that is created at this time, as it will be read. */
export const createRunRow = (run: NewRun, at: number): RunRow => {
  const values = toColumnValues(run, 'file');
  const row = Object.fromEntries(newRunColumnNames.map((name, nth) => [name, values[nth]]));
  return readRun({ ...row, status: 'running', created: at, updated: at }, 'file');
};
