/** Ties by a stack frame in a file of the diff. */
import { formatChangeName, type Rule, shortenText, type Tie } from './tie.ts';

/** Frames as Python, Node, Go, Java, Ruby, PHP, .NET and Rust write them. */
const frames: readonly RegExp[] = [
  /File "(?<path>[^"]+)", line (?<line>\d+)(?:, in (?<name>\w+))?/g,
  /\bat (?<name>[\w.$<>]+) \((?:file:\/\/)?(?<path>[^():\s]+):(?<line>\d+)(?::\d+)?\)/g,
  /(?<path>(?:[\w@.-]+\/)*[\w.-]+\.(?:go|rs|rb|php|py|ts|js|tsx|jsx|mjs|cs|ex|exs|kt|scala|swift|c|cc|cpp)):(?<line>\d+)/g,
  /\bat (?<name>(?:[\w$]+\.)+[\w$<>]+)\((?<path>[\w$]+\.(?:java|kt|scala|groovy)):(?<line>\d+)\)/g,
  /\bin (?<path>[^\s:]+\.cs):line (?<line>\d+)/g,
];

export interface Frame {
  readonly path: string;
  readonly line: number;
  /** The function's name; null if the frame gives none. */
  readonly name: string | null;
}

export function parseFrames(text: string): readonly Frame[] {
  return frames.flatMap((shape) =>
    [...text.matchAll(shape)].map(({ groups = {} }) => {
      const name = groups['name'] ?? null;
      const dots = name?.split('.') ?? [];
      // Java names the package before the class: com.shop.Cart.add(Cart.java:10) is com/shop/Cart.java.
      const isJava = /\.(java|kt|scala|groovy)$/.test(groups['path']!) && dots.length > 2;
      return {
        path: isJava ? `${dots.slice(0, -2).join('/')}/${groups['path']}` : groups['path']!,
        line: Number(groups['line']),
        name: dots.at(-1) ?? null,
      };
    }),
  );
}

/** Folders of sources and of compiled files, and the extensions that a TypeScript compiler reads and writes. */
const sourceFolders = new Set(['src', 'dist', 'build', 'out', 'lib']);
const scriptExtension = /\.[cm]?[jt]sx?$/;

/**
 * Whether two paths name the same file: `/srv/app/cart/total.py` and `services/cart/total.py` share their last two
 * parts, or all parts of the shorter one; `/app/dist/cart.js` is built from `src/cart.ts`.
 */
export function isSameFile(path: string, other: string): boolean {
  if (/(^|\/)node_modules\//.test(path)) return false;
  const [a, b] = [splitPath(path), splitPath(other)];
  return (
    haveSameEnd(a, b) ||
    (scriptExtension.test(path) &&
      scriptExtension.test(other) &&
      haveSameEnd(normalizeSource(a), normalizeSource(b)))
  );
}

const splitPath = (path: string): readonly string[] =>
  path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');

const normalizeSource = (parts: readonly string[]): readonly string[] =>
  parts.filter((part) => !sourceFolders.has(part)).map((part) => part.replace(scriptExtension, '.js'));

function haveSameEnd(parts: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [parts.toReversed(), other.toReversed()];
  let sameParts = 0;
  while (sameParts < Math.min(a.length, b.length) && a[sameParts] === b[sameParts]) sameParts += 1;
  return sameParts >= Math.min(2, a.length, b.length) && sameParts > 0;
}

/**
 * Whether the innermost frame of a trace is the last one: in Python, unless the trace says otherwise.
 */
const isLastInside = (text: string): boolean =>
  /File "[^"]+", line \d/.test(text) && !/most recent call first/.test(text);

/** Of the frames in changed files, the innermost; the others only called it. */
export function findInnermost(text: string, changedPaths: readonly string[]): Frame | undefined {
  const matchingFrames = parseFrames(text).filter(({ path }) =>
    changedPaths.some((file) => isSameFile(path, file)),
  );
  return isLastInside(text) ? matchingFrames.at(-1) : matchingFrames[0];
}

/** The factor for an outer frame. */
const outerFrameFactor = 0.6;

/** The factor for a change that only adds logging to the failing file. */
const loggingOnlyFactor = 0.4;
/**
 * The factor for an equivalent rewrite: it would fail as the old code did, but rewriting may also introduce an error.
 */
const rewriteFactor = 0.85;

export const frame: Rule = ({ change, nature }, { symptoms, facts }) => {
  const changedPaths = facts.changes.flatMap(({ paths }) => paths);
  const found = symptoms.flatMap((symptom): readonly Tie[] => {
    const innermost = findInnermost(symptom.text, changedPaths);
    return parseFrames(symptom.text).flatMap(({ path, line, name }) => {
      const file = change.paths.find((changedPath) => isSameFile(path, changedPath));
      if (file === undefined) return [];
      const isNamed = name !== null && name.length > 2 && (change.diff ?? '').includes(name);
      const isGeneric =
        !path.includes('/') &&
        /^(index|main|app|init|__init__|utils?|types|server|client|handler)\./.test(path);
      return [
        {
          kind: 'frame',
          from: `${formatChangeName(change)}: ${file}`,
          to: shortenText(`${path}:${line}${name === null ? '' : ` in ${name}`}`),
          evidence: [symptom.evidence].filter((id) => id !== ''),
          strength:
            nature.kind === 'inert'
              ? 0
              : (isGeneric ? 0.3 : isNamed ? 0.92 : 0.75) *
                (nature.kind === 'logging'
                  ? loggingOnlyFactor
                  : nature.kind === 'rewrite'
                    ? rewriteFactor
                    : 1) *
                (innermost === undefined || innermost.path === path ? 1 : outerFrameFactor),
        },
      ];
    });
  });
  return found.toSorted((a, b) => b.strength - a.strength).slice(0, 1);
};
