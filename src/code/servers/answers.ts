/**
 * Parses replies of servers, which are not trusted: their form is checked, and places outside of the tree are
 * dropped.
 */
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lines are counted from 1, columns from 0. */
export interface ServerPlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface ServerPlaces {
  readonly places: readonly ServerPlace[];
  /** Number of places left out, because they are outside of the folder or malformed. */
  readonly outside: number;
  /** Whether there were more places than the maximum. */
  readonly cut: boolean;
}

const maxRows = 5_000;
const maxNumber = 10_000_000;

type Loose = Readonly<Record<string, unknown>> | null;
const asLoose = (value: unknown): Loose =>
  typeof value === 'object' && value !== null ? (value as Loose) : null;

/** Null if the reply is not a list. */
export function parsePlaces(root: string, reply: unknown): ServerPlaces | null {
  if (reply === null || reply === undefined) return { places: [], outside: 0, cut: false };
  if (!Array.isArray(reply)) return null;
  const found = new Map<string, ServerPlace>();
  let outside = 0;
  for (const row of reply.slice(0, maxRows)) {
    const place = parsePlace(root, row);
    if (place === null) outside += 1;
    else found.set(keyOf(place), place);
  }
  return { places: [...found.values()], outside, cut: reply.length > maxRows };
}

function parsePlace(root: string, row: unknown): ServerPlace | null {
  const location = asLoose(row);
  const start = asLoose(asLoose(location?.['range'])?.['start']);
  const path = parsePath(root, location?.['uri']);
  const line = start?.['line'];
  const column = start?.['character'];
  if (path === null || !isPosition(line) || !isPosition(column)) return null;
  return { path, line: line + 1, column };
}

const isPosition = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < maxNumber;

/** The path of a file below the root, relative to it. */
function parsePath(root: string, uri: unknown): string | null {
  if (typeof uri !== 'string' || uri.length > 10_000) return null;
  try {
    const path = fileURLToPath(uri);
    const below = root.endsWith(sep) ? root : root + sep;
    if (!path.startsWith(below) || path.includes('\0')) return null;
    const relative = path.slice(below.length);
    return relative === '' || relative.split(sep).includes('..') ? null : relative.split(sep).join('/');
  } catch {
    return null;
  }
}

export const keyOf = ({ path, line, column }: ServerPlace): string => `${path}:${line}:${column}`;

export function isSamePlaces(serverPlaces: ServerPlaces, other: ServerPlaces): boolean {
  if (serverPlaces.places.length !== other.places.length) return false;
  const keys = new Set(serverPlaces.places.map(keyOf));
  return other.places.every((place) => keys.has(keyOf(place)));
}

const maxHover = 2_000;

/** The code of a hover, without its documentation; null if there is none. */
export function parseHover(reply: unknown): string | null {
  const text = hoverText(asLoose(reply)?.['contents']);
  if (text === null) return null;
  const fenced = /```\w*\n([\s\S]*?)(?:\n```|$)/.exec(text)?.[1];
  const [first = ''] = (fenced ?? text).trim().split(/\n\s*\n|\n-{3,}\n/);
  const shown = first.trim().replace(/\s*\n\s*/g, ' ');
  return shown === '' ? null : shown.slice(0, maxHover);
}

function hoverText(contents: unknown): string | null {
  if (typeof contents === 'string') return contents;
  if (Array.isArray(contents)) return contents.map(hoverText).find((one) => one !== null) ?? null;
  const value = asLoose(contents)?.['value'];
  return typeof value === 'string' ? value : null;
}
