/**
 * Compares the uses that a language server reports with those found by syntax. Both are shown. If they differ, the
 * listing is not complete.
 */
import { escapePath, type SymbolRow } from '../../core/index.ts';
import type { LanguageServers, ServerPlace } from '../servers/index.ts';
import type { Target } from './judge.ts';
import type { Survey } from './survey.ts';

export interface ServerComparison {
  readonly rows: readonly SymbolRow[];
  /** Reasons why the listing is only `partial`. */
  readonly partial: readonly string[];
  /** Notes for readers of the listing. */
  readonly notes: readonly string[];
}

/** Makes a row for a place from the text there. `definition`: the place is a definition. Null: there is no word. */
export type RowAt = (place: ServerPlace) => Omit<SymbolRow, 'how' | 'sure'> | 'definition' | null;

export const placeKey = ({ path, line, column }: ServerPlace): string => `${path}:${line}:${column}`;

export async function compareWithServer(
  survey: Survey,
  servers: LanguageServers | undefined,
  target: Target,
  rows: readonly SymbolRow[],
  rowAt: RowAt,
  signal: AbortSignal | undefined,
): Promise<ServerComparison> {
  if (servers?.serves(target.path) !== true) return { rows, partial: [], notes: [] };
  const { line, column } = target.definition;
  if (survey.lines(target.path)[line - 1]?.startsWith(target.name, column) !== true)
    return { rows, partial: [], notes: [] };
  const textOf = (path: string) => survey.lines(path).join('\n');
  const reply = await survey.waitOutsideLimit(() =>
    servers.uses({
      path: target.path,
      line,
      column,
      text: textOf(target.path),
      candidates: new Map(survey.candidates.map((path) => [path, textOf(path)])),
      known: rows.filter(({ sure }) => sure),
      signal,
    }),
  );
  if (reply.kind === 'missing')
    return { rows, partial: [], notes: [`${reply.server} gave no answer: ${reply.why}`] };
  const definitionPlaces = new Set(
    target.places.map(({ path, index }) => placeKey({ path, ...survey.facts(path)!.definitions[index]! })),
  );
  const serverUses = reply.places.filter(
    (place) => !definitionPlaces.has(placeKey(place)) && survey.isListed(place.path),
  );
  await survey.read(new Set(serverUses.map(({ path }) => path)));
  const knownPlaces = new Set(rows.map(placeKey));
  const serverRows = new Map<string, Omit<SymbolRow, 'how' | 'sure'> | null>();
  for (const serverPlace of serverUses) {
    const place = toKnownPosition(serverPlace, survey.lines(serverPlace.path), knownPlaces);
    const row = rowAt(place);
    // A definition of the name, here or in another file, is not a use.
    if (row !== 'definition' || knownPlaces.has(placeKey(place)))
      serverRows.set(placeKey(place), row === 'definition' ? null : row);
  }
  return mergeUses(reply.server, rows, serverRows, { isCut: reply.cut });
}

/**
 * For a name inside a string, some servers report the position of the name, and syntax that of the string: returns the
 * position that syntax knows.
 */
function toKnownPosition(
  place: ServerPlace,
  lines: readonly string[],
  known: ReadonlySet<string>,
): ServerPlace {
  const textBefore = lines[place.line - 1]?.slice(0, place.column) ?? '';
  const start = place.column - (/[rbuRBU]?["'`]$/.exec(textBefore)?.[0].length ?? 0);
  const stringPlace = [
    { ...place, column: place.column - 1 },
    { ...place, column: start },
  ].find((one) => /["'`]$/.test(textBefore) && known.has(placeKey(one)));
  return stringPlace ?? place;
}

const maxShownPlaces = 3;
const formatPlaces = (rows: readonly SymbolRow[]): string =>
  `${rows
    .slice(0, maxShownPlaces)
    .map(({ path, line }) => `${escapePath(path)}:${line}`)
    .join(', ')}${rows.length > maxShownPlaces ? ', …' : ''}`;

/**
 * Joins the uses found by syntax and by a language server. A pure function. A use that both report is sure. A use
 * that only the server reports is sure if syntax left it undecided, and likely if syntax missed it or decided
 * otherwise. A use that is sure by syntax stays sure. If the server reports nothing in a file, it may not have read
 * that file, for instance because its project covers only a part of the folder.
 */
export function mergeUses(
  server: string,
  rows: readonly SymbolRow[],
  serverRows: ReadonlyMap<string, Omit<SymbolRow, 'how' | 'sure'> | null>,
  { isCut }: { readonly isCut: boolean },
): ServerComparison {
  const merged: SymbolRow[] = [];
  const unseen: SymbolRow[] = [];
  const known = new Set<string>();
  const filesWithServerUses = new Set([...serverRows.keys()].map((key) => key.replace(/:\d+:\d+$/, '')));
  const silentFiles = new Set<string>();
  for (const row of rows) {
    const key = placeKey(row);
    known.add(key);
    if (serverRows.has(key))
      merged.push({
        ...row,
        ...(!row.sure && { how: 'server', kind: serverRows.get(key)?.kind ?? row.kind }),
        sure: true,
        provenance: ['syntax', 'lsp'],
      });
    else {
      merged.push(row);
      if (row.sure && filesWithServerUses.has(row.path)) unseen.push(row);
      else if (row.sure) silentFiles.add(row.path);
    }
  }
  const added: SymbolRow[] = [];
  let unread = 0;
  for (const [key, row] of serverRows) {
    if (known.has(key)) continue;
    if (row === null) unread += 1;
    else added.push({ ...row, how: 'server', sure: false, provenance: ['lsp'] });
  }
  const partial = [
    ...(added.length > 0
      ? [`${server} names ${countRows(added)} that syntax does not (${formatPlaces(added)})`]
      : []),
    ...(unseen.length > 0
      ? [`${server} does not name ${countRows(unseen)} that syntax is sure of (${formatPlaces(unseen)})`]
      : []),
    ...(unread > 0
      ? [`${server} names ${unread} ${unread === 1 ? 'place' : 'places'} where no name was read`]
      : []),
    ...(silentFiles.size > 0
      ? [
          `${server} names nothing in ${silentFiles.size} ${silentFiles.size === 1 ? 'file' : 'files'} with places that syntax is sure of, and may not read ${silentFiles.size === 1 ? 'it' : 'them'}`,
        ]
      : []),
    ...(isCut ? [`${server} named more places than were read`] : []),
  ];
  return { rows: [...merged, ...added], partial, notes: [] };
}

const countRows = (rows: readonly SymbolRow[]): string =>
  `${rows.length} ${rows.length === 1 ? 'place' : 'places'}`;
