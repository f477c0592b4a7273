/** The nature of a commit, which decides how likely it breaks something: determined by its paths and its diff alone. */
import type { Change } from '../../../../core/index.ts';
import type { Mechanism } from '../mechanisms/mechanism.ts';
import { findMechanisms } from '../mechanisms.ts';
import { splitWords } from '../words.ts';
import { type Diff, getDiff } from './diff.ts';
import { findEditedLines, findLostCall } from './line-edits.ts';

export interface Nature {
  /**
   * unread: the diff is not known. inert: documentation, tests, layout, developer tools. logging: changes only logs or
   * metrics. rewrite: does the same in another way. update: updates a dependency. other: anything else.
   */
  readonly kind: 'unread' | 'inert' | 'logging' | 'rewrite' | 'update' | 'other';
  /** 0 to 1: how likely such a change breaks something, before it is compared with the observations. */
  readonly risk: number;
  readonly mechanisms: readonly Mechanism[];
  readonly diff: Diff | null;
  /** Modules whose version it changes. */
  readonly modules: readonly string[];
}

const inertPath =
  /(^|\/)(docs?|documentation|testdata|tests?|__tests__|spec|specs|fixtures|examples?|\.github|\.circleci|\.gitlab|runbooks?)\/|(^|\/)(readme|changelog|license|codeowners|contributing|notice|\.gitignore|\.golangci\.ya?ml|\.editorconfig|\.eslintrc.*|\.prettierrc.*|makefile|jenkinsfile)[^/]*$|[._](test|spec)\.[a-z]+$|_test\.\w+$|\.(md|rst|txt|css|scss|less|svg|png|jpg|ico|html?|tmpl|snap|golden)$/i;

/**
 * Whether a file is not executed. A service may be named like documentation: `services/docs/src/acl.ts` is code.
 */
const isInert = (path: string): boolean =>
  inertPath.test(
    path.replace(serviceRoot, '$1/').replace(/(^|\/)docs?(?=\/(?:src|lib|app|cmd|internal|pkg)\/)/i, '$1'),
  );
const serviceRoot =
  /((?:^|\/)(?:services?|apps|packages|cmd|components|modules))\/(?:docs?|documentation|examples?|specs?)\//i;

/** Dashboards only display data; files with alert rules are not among these. */
const dashboardPath = /(^|\/)(dashboards?|grafana)\/([\w.-]+\/)*[\w.-]+\.(json|jsonnet|libsonnet)$/i;

const modulePath =
  /(^|\/)(go\.(mod|sum)|package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|requirements[^/]*\.txt|poetry\.lock|pyproject\.toml|cargo\.(toml|lock)|pom\.xml|build\.gradle(\.kts)?|gemfile(\.lock)?)$/i;

const loggingCall =
  /\b([kgz]?log|logger|logging|tracing|slog|zap|metrics?|counter|histogram|gauge|prometheus|span|trace|tracer|otel|observe|inc\(\)|\.inc|statsd|console|print\w*)\b|\.(info|debug|warn|error|printf|println|with)(f|ln|w|s|ctx|context)?\(|LOG_(TRACE|DEBUG|INFO|WARN)|\b(trace|debug|info|warn|error|println|eprintln)!\s*\(/i;

/** The name of a setting for logging: `log_connections`, `logging.level`. */
const loggingSetting = /(?<![a-z])log(?:ging|s)?[_.-]\w/i;

/** A line that refers to a program by a version, a tag or a digest. */
const versionReference = /^-?\s*["']?\w*(?:image|tag|version|revision|digest)["']?\s*[:=]\s*\S+$/i;

/** Lines without content of their own: braces, declarations of metrics, and the ends of both. */
const framingLine = /^[\s{}()[\];,]*$|^("[\w.-]+",|\w+:\s*"[\w. -]+",?)/;

export function classifyChange(change: Pick<Change, 'paths' | 'diff' | 'title'>): Nature {
  const { paths, diff: text } = change;
  const isInertOnly = paths.length > 0 && paths.every((path) => isInert(path) || dashboardPath.test(path));
  if (text === null)
    return {
      kind: isInertOnly ? 'inert' : 'unread',
      risk: isInertOnly ? 0.02 : 0.08,
      mechanisms: [],
      diff: null,
      modules: [],
    };
  const diff = getDiff(text);
  const withoutMechanisms = { mechanisms: [], diff, modules: [] };
  if (isInertOnly) return { ...withoutMechanisms, kind: 'inert', risk: 0.03 };
  if (diff.added.length + diff.removed.length === 0)
    return { ...withoutMechanisms, kind: 'inert', risk: 0.02 };
  if (paths.length > 0 && paths.every((path) => modulePath.test(path))) return classifyUpdate(diff);
  const changedLines = [...diff.added, ...diff.removed];
  if (changedLines.every((line) => versionReference.test(line))) return classifyUpdate(diff);
  const isLoggingOnly =
    diff.values.length === 0
      ? [...linesWithoutLogging(diff.added), ...linesWithoutLogging(diff.removed)].every((line) =>
          framingLine.test(line),
        ) || onlyAddsLogging(diff)
      : diff.values.length * 2 === changedLines.length &&
        diff.values.every(({ line, near }) => loggingSetting.test(`${near} ${line}`));
  if (isLoggingOnly) {
    const loggingMechanisms = findMechanisms(diff).filter(
      ({ name }) => name === 'more logging' || name === 'grows',
    );
    return {
      ...withoutMechanisms,
      mechanisms: loggingMechanisms,
      kind: 'logging',
      risk: loggingMechanisms.length > 0 ? 0.45 : 0.06,
    };
  }
  if (changedLines.every((line) => /\bindex\b.*\bconcurrently\b|^on\s+\w+\s*\(|^[)(;]*$/i.test(line)))
    return { ...withoutMechanisms, kind: 'inert', risk: 0.05 };
  if (isRenaming(diff)) return { ...withoutMechanisms, kind: 'rewrite', risk: 0.1 };
  const mechanisms = findMechanisms(diff);
  const strongest = mechanisms[0]?.severity ?? 0;
  if (strongest < 0.3 && isRewriting(diff) && !usesSomethingElse(diff))
    return { ...withoutMechanisms, mechanisms, kind: 'rewrite', risk: 0.1 };
  return { kind: 'other', risk: Math.max(0.3, strongest), mechanisms, diff, modules: [] };
}

/** The lines that belong to no logging call, neither its first line nor the following ones. */
function linesWithoutLogging(lines: readonly string[]): readonly string[] {
  let openBrackets = 0;
  return lines.filter((line) => {
    const isLogging = openBrackets > 0 || loggingCall.test(line);
    if (isLogging) {
      const codeOnly = line.replace(/(["'`])(?:\\.|(?!\1)[^\\\n])*\\?\1/g, '');
      openBrackets = Math.max(0, openBrackets + codeOnly.split('(').length - codeOnly.split(')').length);
    }
    return !isLogging;
  });
}

/** The name by which an error is caught, in Rust, JavaScript, Java, Python and Ruby. */
const bindings: readonly (readonly [RegExp, string])[] = [
  [/\b(Err|Left|Failure|\{:error,)\s*\(?_?\w*\)?\}?\s*(=>|->)/g, '$1$2'],
  [/\bcatch\s*\([^)]*\)/g, 'catch'],
  [/\b(except\b[^:]*?)\s+as\s+\w+\s*:/g, '$1:'],
  [/\b(rescue\b[^=]*?)\s*=>\s*\w+/g, '$1'],
];

/** Whether the change only adds logging, with the block or the error name that it needs. */
function onlyAddsLogging({ removed, added }: Diff): boolean {
  const removeLogging = (lines: readonly string[]): string =>
    bindings
      .reduce(
        (text, [shape, to]) => text.replace(shape, to),
        lines.filter((line) => !loggingCall.test(line)).join('\n'),
      )
      .replace(/\breturn\b|[\s{}()[\];,]/g, '');
  const loggingLines = added.filter((line) => loggingCall.test(line)).length;
  return (
    loggingLines > 0 &&
    removed.length > 0 &&
    removeLogging(removed) !== '' &&
    removeLogging(removed) === removeLogging(added)
  );
}

/**
 * An updated dependency: a patch version hardly ever breaks anything, a minor version sometimes, a major one often.
 */
function classifyUpdate(diff: Diff): Nature {
  const parseVersions = (lines: readonly string[]): Map<string, readonly number[]> =>
    new Map(
      lines.flatMap((line) => {
        const [, module, version] =
          /["']?([@\w./-]+?)["']?\s*(?:[:=]{1,2}|\s)\s*["'^~>=v ]*(\d+\.\d+(?:\.\d+)?)/.exec(line) ?? [];
        return module === undefined || version === undefined
          ? []
          : [[module, version.split('.').map(Number)] as const];
      }),
    );
  const [old, fresh] = [parseVersions(diff.removed), parseVersions(diff.added)];
  let risk = 0.1;
  for (const [module, is] of fresh) {
    const was = old.get(module);
    if (was === undefined) risk = Math.max(risk, 0.2);
    else if (was[0] !== is[0]) risk = Math.max(risk, 0.45);
    else if (was[1] !== is[1]) risk = Math.max(risk, 0.25);
  }
  return { kind: 'update', risk, mechanisms: [], diff, modules: [...fresh.keys()] };
}

const tokenPattern = /[A-Za-z_$][\w$]*|\S/g;
const declarationName =
  /\b(?:class|struct|interface|trait|enum|type|module|func|function|fn|fun|def|defp|sub)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g;

/**
 * Whether the change only renames a type or function that it declares, everywhere it is used. Renaming a field, a key
 * or a name on the wire does not count, since others read it.
 */
function isRenaming({ removed, added, pairs }: Diff): boolean {
  if (pairs.length === 0 || removed.length !== pairs.length || added.length !== pairs.length) return false;
  const names = new Set(
    removed.flatMap((line) => [...line.matchAll(declarationName)].map(([, name]) => name!)),
  );
  const newNames = new Map<string, string>();
  for (const [was, is] of pairs) {
    const [old, fresh] = [was.match(tokenPattern) ?? [], is.match(tokenPattern) ?? []];
    if (old.length !== fresh.length) return false;
    for (const [n, word] of old.entries()) {
      const newWord = fresh[n]!;
      if (word === newWord) continue;
      if (!names.has(word) || (newNames.get(word) ?? newWord) !== newWord) return false;
      newNames.set(word, newWord);
    }
  }
  return newNames.size > 0;
}

/** Whether the change only extracts, moves or renames code: the same words in another order. */
function isRewriting({ removed, added, values, texts, switches }: Diff): boolean {
  if (values.length > 0 || switches.length > 0) return false;
  if (texts.some(({ was, is }) => !/\s/.test(was) && !/\s/.test(is))) return false;
  const [old, fresh] = [toWordSet(removed), toWordSet(added)];
  const goneCount = [...old].filter((word) => !fresh.has(word)).length;
  // At least half of the removed calls must reappear, apart from common error handling.
  return old.size > 0 && goneCount / old.size <= 0.5;
}

const declarationKeyword =
  /\b(fn|func|function|def|defp|fun|sub|class|struct|interface|trait|type|enum|const|let|var|val|import|use|package|module|namespace)\b/;

/** Whether a line declares something. `for (const line of …)` does not count, since it mainly uses other names. */
const isDeclaring = (line: string): boolean =>
  declarationKeyword.test(line.replace(/\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\b/g, 'for ('));

/** Whether an otherwise equal line now uses something else, or lost a call. A mere renaming does not count. */
function usesSomethingElse(diff: Diff): boolean {
  const { removed, added } = diff;
  const [old, fresh] = [toWordSet(removed), toWordSet(added)];
  const declaredWords = toWordSet([...removed, ...added].filter(isDeclaring));
  return findEditedLines(diff).some(([was, is]) => {
    if (isDeclaring(was)) return false;
    const goneWords = [...toWordSet([was])].filter((word) => !fresh.has(word) && !declaredWords.has(word));
    const newWords = [...toWordSet([is])].filter((word) => !old.has(word) && !declaredWords.has(word));
    return goneWords.length > 0 && (newWords.length > 0 || findLostCall(was, added) !== null);
  });
}

const commonWords = new Set(
  'err error nil null return if else http status write json new decode encode body code bad request internal server'.split(
    ' ',
  ),
);
const toWordSet = (lines: readonly string[]): Set<string> =>
  new Set(lines.flatMap((line) => splitWords(line)).filter((word) => !commonWords.has(word)));
