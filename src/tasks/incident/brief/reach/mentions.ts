/** Finds names of services and objects in messages and configuration of others. */
import { listOwnParts, splitName } from './edge.ts';

export type FindMentions = (
  text: string,
  isTrouble: boolean,
) => readonly { readonly name: string; readonly strength: number }[];

/** An ordinary word counts as a service name only in the context of a call or a reply, or with a port. */
const callPattern = (word: string): RegExp =>
  new RegExp(
    [
      String.raw`\b(?:to|from|at|by|via|calling|call|upstream|host|service|target|peer|client|server|origin|backend|dependency|reach|contact|source)[:= ]+["'(]?${word}(?!\w)`,
      String.raw`(?://|@|-> ?|\brouted? |\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) /)${word}(?!\w)`,
      String.raw`(?<![\w/])${word}(?::\d|\.\w+)`,
      String.raw`(?<!\w)${word} (?:is|was|did|does|has|answered|responded|returned|timed|failed|closed|refused|unavailable|unreachable|replied)\b`,
    ].join('|'),
    'i',
  );

interface KnownName {
  readonly name: string;
  readonly whole: RegExp;
  readonly isPlain: boolean;
  readonly word: RegExp | null;
  readonly own: readonly RegExp[];
}

const commonNames = new Set([
  'error',
  'warn',
  'info',
  'system',
  'unknown',
  'default',
  'null',
  'none',
  'true',
  'false',
]);

/** Returns a function that finds the names in a text; the patterns are prepared only once. */
export function createMentionFinder(
  entities: ReadonlySet<string>,
  /** Names by address. */
  addresses: ReadonlyMap<string, string> = new Map(),
): FindMentions {
  const knownNames: readonly KnownName[] = [...entities]
    .filter((name) => name.length > 2 && !/^[\d.:]+$/.test(name) && !commonNames.has(name.toLowerCase()))
    .map((name) => {
      const lastPart = name.split('/').at(-1)!;
      const parts = splitName(lastPart);
      const isPlain = parts.length < 2 && !/\d/.test(lastPart);
      return {
        name,
        isPlain,
        // `orders-db` also matches `orders_db`, `orders-db.prod.internal` and `orders-db-0`.
        whole: new RegExp(`(?<![\\w.-])${parts.map(RegExp.escape).join('[-_. ]?')}(?![a-z])(?!-[a-z])`, 'i'),
        word: isPlain ? callPattern(RegExp.escape(lastPart)) : null,
        own: listOwnParts(lastPart).map((part) => new RegExp(`(?<![\\w-])${part}s?(?!\\w)`, 'i')),
      };
    });
  return (text, isTrouble) => [
    ...(addresses.size === 0 ? [] : (text.match(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g) ?? [])).flatMap((address) => {
      const name = addresses.get(address);
      return name === undefined ? [] : [{ name, strength: 0.9 }];
    }),
    ...knownNames.flatMap(({ name, whole, isPlain, word, own }) => {
      if (whole.test(text)) {
        if (!isPlain) return [{ name, strength: 0.9 }];
        if (word?.test(text) === true) return [{ name, strength: 0.8 }];
        return isTrouble && name.length > 4 && own.length > 0 ? [{ name, strength: 0.6 }] : [];
      }
      return isTrouble && !isPlain && own.some((part) => part.test(text)) ? [{ name, strength: 0.6 }] : [];
    }),
  ];
}
