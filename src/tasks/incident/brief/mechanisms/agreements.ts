/** Mechanisms by which a change breaks what other code relies on: fields, returned values, guards, checks. */
import { isProse } from '../edits/extract-code.ts';
import { findChangedFactor, findEditedLines, findLostCall } from '../edits/line-edits.ts';
import { anyMatches, countMatches, type MechanismKind } from './mechanism.ts';

/** The type that a line declares for a field of a message or a table; null if it declares none. */
const findFieldType = (line: string): string | null =>
  /`(json|xml|yaml|db|bson):|@JsonProperty|@Column|\bcolumn\b|^\s*(optional|repeated|required)\b/i.test(line)
    ? (/\b(u?int(?:8|16|32|64)?|float(?:32|64)?|double|string|bool(?:ean)?|bytes|long|integer|bigint|varchar|text|decimal|numeric|timestamp|uuid)\b/i
        .exec(line)?.[1]
        ?.toLowerCase() ?? null)
    : null;

const keyPattern = /["'`](\w{3,40})["'`]\s*(?::|=>|\])|\.(?:put|set|add|get)\(\s*["'`](\w{3,40})["'`]/g;
const keysIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => [...line.matchAll(keyPattern)].map(([, a, b]) => a ?? b ?? '')));

const variablePattern = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const listItems = (line: string): readonly string[] =>
  /\[[^\]]*,?[^\]]*\]/.test(line)
    ? [...line.matchAll(/["'`]([^"'`]{2,80})["'`]/g)]
        .map(([, text]) => text!)
        .filter((text) => !isProse(text))
    : [];

/** A removed key of a record, with the key that replaced it. Keys that only moved do not count. */
function findLostKeys(removed: readonly string[], added: readonly string[]) {
  const namesIn = (lines: readonly string[]): ReadonlySet<string> =>
    new Set([...keysIn(lines), ...lines.flatMap((line) => line.match(variablePattern) ?? [])]);
  const [old, fresh] = [namesIn(removed), namesIn(added)];
  const was = [...old].find((key) => !fresh.has(key));
  return was === undefined ? undefined : { was, is: [...fresh].find((key) => !old.has(key)) ?? '' };
}

export const agreements: readonly MechanismKind[] = [
  {
    symptoms:
      /deseriali[sz]|decod|pars|missing|field|unknown|schema|unmarshal|invalid|format|column|malformed|not found|400|404|422|reject|dead/i,
    find: ({ texts, removed, added, pairs }) => {
      const names = texts.filter(
        ({ was, is, isForPeople }) =>
          !isForPeople && /^[\w.:/$-]{2,80}$/.test(was) && /^[\w.:/$-]{2,80}$/.test(is),
      );
      const wireNames = names.filter(({ line }) =>
        /json|xml|yaml|proto|column|field|header|topic|queue|key|tag|schema|env|route|path|url|name|\[\]string|required|label|index|bucket|host|endpoint|stream|address|server|region|database|table/i.test(
          line,
        ),
      );
      const hasFieldChange =
        anyMatches(removed, /=\s*\d+;\s*$/) &&
        anyMatches(added, /=\s*\d+;\s*$/) &&
        anyMatches(removed, /^\s*(optional|repeated|string|int\d+|bool)/);
      const retypedPair = pairs.find(
        ([was, is]) =>
          findFieldType(was) !== null &&
          findFieldType(is) !== null &&
          findFieldType(was) !== findFieldType(is),
      );
      const lostKey = findLostKeys(removed, added);
      if (wireNames.length === 0 && !hasFieldChange && retypedPair === undefined && lostKey === undefined)
        return null;
      const renamed = wireNames[0] ?? lostKey;
      return {
        name: 'another name on the wire',
        description:
          renamed === undefined
            ? 'it changes the fields of a message'
            : renamed.is === ''
              ? `it no longer has "${renamed.was}"`
              : `it renames "${renamed.was}" to "${renamed.is}"`,
        severity: renamed?.is === '' ? 0.7 : 0.95,
      };
    },
  },
  {
    symptoms:
      /leak|memory|heap|fd|file|open|connection|goroutine|thread|handle|socket|oom|exhaust|pool|rows|cursor/i,
    find: ({ code: { removed, added } }) => {
      const closingCall =
        /\b(defer\b.*|.*\.)(close|release|unlock|stop|cancel|dispose|shutdown|rollback|free|unsubscribe|destroy)\b/gi;
      // Blocks that close a resource at their end: `try (x = …)`, `with open(…) as x`, `using (x)`.
      const scopedBlock = /\btry\s*\(|^\s*with\b.*\bas\b|\busing\s*[( ]|\.use\s*\{|\buse_?\w*\(.*->/g;
      return countMatches(removed, closingCall) + countMatches(removed, scopedBlock) >
        countMatches(added, closingCall) + countMatches(added, scopedBlock)
        ? { name: 'not given back', description: 'it no longer gives back what it takes', severity: 0.9 }
        : null;
    },
  },
  {
    symptoms: /memory|heap|goroutine|thread|oom|gc|leak|cardinality|series|rss|restart|label/i,
    find: ({ code: { removed, added } }) => {
      // A map in a field grows with each new key; a fixed key is only set again.
      const growingUse =
        /\bgo func\b|\bnew Thread\b|append\(\s*(global|all|cache|seen|history)|\b(seen|cache|history|registry|buffer)\w*\[.*\]\s*=(?!=)|\b\w+\.\w+\[(?!\s*(?:-?\d+|"[^"]*"|'[^']*')\s*\])[^\]]+\]\s*=(?![=>])|\b(self|this)\.\w+\.(append|push|add|put|set)\(|WithLabelValues\(|\.labels\(/gi;
      return countMatches(added, growingUse) > countMatches(removed, growingUse)
        ? { name: 'grows', description: 'it keeps or starts more with every use', severity: 0.55 }
        : null;
    },
  },
  {
    symptoms:
      /401|403|auth|token|certificate|tls|ssl|denied|permission|forbidden|x509|handshake|credential|signature/i,
    find: ({ code: { removed, added }, texts }) => {
      const accessWords =
        /\b(auth\w*|token|tls|ssl|cert\w*|permission\w*|role|scope|policy|acl|cors|iam|secret|jwt|audience|issuer|cipher\w*)\b/gi;
      return countMatches(removed, accessWords) + countMatches(added, accessWords) >= 2 &&
        (removed.length > 0 || texts.length > 0) &&
        countMatches(removed, accessWords) !== countMatches(added, accessWords)
        ? { name: 'access', description: 'it changes who may do what', severity: 0.6 }
        : null;
    },
  },
  {
    symptoms:
      /timed? ?out|refused|unreachable|no route|reset|connect|deadline|unavailable|handshake|503|504/i,
    find: ({ code: { removed, added }, around }) => {
      const reachRule =
        /network_?polic|pod_?selector|namespace_?selector|match_?labels|security_?group|cidr|firewall|iptables|\bacl\b|allow_?list|deny|ingress_?rule|egress|authorization_?policy|peer_?authentication/i;
      return anyMatches([...removed, ...added], reachRule) ||
        (anyMatches(around, reachRule) && removed.length + added.length > 0)
        ? { name: 'a fence', description: 'it changes who may reach what', severity: 0.8 }
        : null;
    },
  },
  {
    symptoms: /retr|storm|circuit|breaker|overload|cascade|timeout|unavailable|fail|error|queue/i,
    find: ({ code: { removed, added } }) => {
      const guardWords =
        /\b(retr\w*|backoff|jitter|circuit\w*|breaker\w*|fallback|ratelimit\w*|rate_limit\w*|throttle\w*|bulkhead|recover\(\))/gi;
      return countMatches(removed, guardWords) > countMatches(added, guardWords)
        ? {
            name: 'a guard less',
            description: 'it takes away what protected against trouble',
            severity: 0.75,
          }
        : null;
    },
  },
  {
    symptoms:
      /unhandled|rejection|uncaught|exit|restart|race|deserializ|not ?found|couldn't find|does ?not ?exist|already|stale|order|fail|retr(?:y|ies)/i,
    find: ({ code: { removed, added } }) => {
      const waitingCall =
        /\bawait\b|\.await\b|\.join\(|\.get\(\)|\.Wait\(\)|\bafter_commit\b|\bon_commit\b|\bafterCommit\b/g;
      return countMatches(removed, waitingCall) > countMatches(added, waitingCall) &&
        anyMatches(added, /\w\(|\bafter_(?:create|save|update)\b/)
        ? { name: 'not waited for', description: 'it no longer waits for what it calls', severity: 0.8 }
        : null;
    },
  },
  {
    symptoms: /panic|null|nil|crash|exception|500|error|restart|undefined|index out|segfault|invalid|fail/i,
    find: ({ code: { removed, added } }) => {
      // A test whether there is an error, to pass it on, is not a check of a value.
      const checkPattern =
        /\bif\b(?!\s*\(?\s*(?:err|error|e|ex)\b).*(nil|null|none|undefined|len\(|empty|exists|isset|valid)/gi;
      return countMatches(removed, checkPattern) > countMatches(added, checkPattern)
        ? { name: 'a check less', description: 'it takes away a check', severity: 0.5 }
        : null;
    },
  },
  {
    symptoms:
      /rate|per_|cpu|poll|load|timeout|expire|early|late|stale|latenc|duration|wait|wrong|invalid|mismatch|amount|total|size/i,
    find: ({ code: { pairs } }) => {
      const found = findChangedFactor(pairs);
      return found === null
        ? null
        : { name: 'a unit', description: `it counts in another unit (\`${found}\`)`, severity: 0.75 };
    },
  },
  {
    symptoms:
      /error|wrong|invalid|reject|fail|mismatch|unexpected|missing|not found|no such|unknown|no \w+ with/i,
    find: ({ code }) => {
      const [lostCall] = findEditedLines(code).flatMap(([was]) => findLostCall(was, code.added) ?? []);
      return lostCall === undefined
        ? null
        : { name: 'a step less', description: `it no longer calls ${lostCall}`, severity: 0.45 };
    },
  },
  {
    symptoms: /error|wrong|invalid|reject|fail|mismatch|unexpected|drop|skip|duplicate|stale|order|count/i,
    find: ({ code: { removed, added } }) => {
      const maskOperators = (line: string): string =>
        line.replace(/[<>=!&|+\-*/%]+/g, '?').replace(/\s/g, '');
      const addedByMask = new Map<string, Set<string>>();
      for (const line of added)
        addedByMask.set(maskOperators(line), (addedByMask.get(maskOperators(line)) ?? new Set()).add(line));
      const hasTurned = removed.some((was) => {
        const lines = addedByMask.get(maskOperators(was));
        return lines !== undefined && (lines.size > 1 || !lines.has(was));
      });
      return hasTurned
        ? { name: 'a condition', description: 'it turns a condition or a sum over', severity: 0.5 }
        : null;
    },
  },
  {
    symptoms:
      /denied|forbidden|not (authori[sz]ed|allowed|found|permitted)|40[134]|permission|missing|unknown|reject|refus|unsupported|invalid|fail/i,
    find: ({ pairs }) => {
      const lostItem = pairs
        .map(([was, is]) => ({
          gone: listItems(was).filter((item) => !listItems(is).includes(item)),
          left: listItems(is).length,
        }))
        .find(({ gone, left }, n) => gone.length > 0 && left < listItems(pairs[n]![0]).length);
      return lostItem === undefined
        ? null
        : { name: 'a list less', description: `it takes "${lostItem.gone[0]}" off a list`, severity: 0.8 };
    },
  },
];
