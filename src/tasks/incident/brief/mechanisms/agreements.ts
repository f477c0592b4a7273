/** Broken agreements: fields that others read, returned values, guards and checks. */
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

const keys = /["'`](\w{3,40})["'`]\s*(?::|=>|\])|\.(?:put|set|add|get)\(\s*["'`](\w{3,40})["'`]/g;
const keysIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => [...line.matchAll(keys)].map(([, a, b]) => a ?? b ?? '')));

const variables = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const listItems = (line: string): readonly string[] =>
  /\[[^\]]*,?[^\]]*\]/.test(line)
    ? [...line.matchAll(/["'`]([^"'`]{2,80})["'`]/g)].map(([, one]) => one!).filter((one) => !isProse(one))
    : [];

/** A removed key of a record, with the key that replaced it. Keys that only moved do not count. */
function findLostKeys(removed: readonly string[], added: readonly string[]) {
  const namesIn = (lines: readonly string[]): ReadonlySet<string> =>
    new Set([...keysIn(lines), ...lines.flatMap((line) => line.match(variables) ?? [])]);
  const [old, fresh] = [namesIn(removed), namesIn(added)];
  const was = [...old].find((key) => !fresh.has(key));
  return was === undefined ? undefined : { was, is: [...fresh].find((key) => !old.has(key)) ?? '' };
}

export const agreements: readonly MechanismKind[] = [
  {
    shows:
      /deseriali[sz]|decod|pars|missing|field|unknown|schema|unmarshal|invalid|format|column|malformed|not found|400|404|422|reject|dead/i,
    find: ({ texts, removed, added, pairs }) => {
      const names = texts.filter(
        ({ was, is, isForPeople }) =>
          !isForPeople && /^[\w.:/$-]{2,80}$/.test(was) && /^[\w.:/$-]{2,80}$/.test(is),
      );
      const wire = names.filter(({ line }) =>
        /json|xml|yaml|proto|column|field|header|topic|queue|key|tag|schema|env|route|path|url|name|\[\]string|required|label|index|bucket|host|endpoint|stream|address|server|region|database|table/i.test(
          line,
        ),
      );
      const field =
        anyMatches(removed, /=\s*\d+;\s*$/) &&
        anyMatches(added, /=\s*\d+;\s*$/) &&
        anyMatches(removed, /^\s*(optional|repeated|string|int\d+|bool)/);
      const typed = pairs.find(
        ([was, is]) =>
          findFieldType(was) !== null &&
          findFieldType(is) !== null &&
          findFieldType(was) !== findFieldType(is),
      );
      const lost = findLostKeys(removed, added);
      if (wire.length === 0 && !field && typed === undefined && lost === undefined) return null;
      const one = wire[0] ?? lost;
      return {
        name: 'another name on the wire',
        says:
          one === undefined
            ? 'it changes the fields of a message'
            : one.is === ''
              ? `it no longer has "${one.was}"`
              : `it renames "${one.was}" to "${one.is}"`,
        force: one?.is === '' ? 0.7 : 0.95,
      };
    },
  },
  {
    shows:
      /leak|memory|heap|fd|file|open|connection|goroutine|thread|handle|socket|oom|exhaust|pool|rows|cursor/i,
    find: ({ code: { removed, added } }) => {
      const shut =
        /\b(defer\b.*|.*\.)(close|release|unlock|stop|cancel|dispose|shutdown|rollback|free|unsubscribe|destroy)\b/gi;
      // What a block holds is shut at its end: `try (x = …)`, `with open(…) as x`, `using (x)`.
      const held = /\btry\s*\(|^\s*with\b.*\bas\b|\busing\s*[( ]|\.use\s*\{|\buse_?\w*\(.*->/g;
      return countMatches(removed, shut) + countMatches(removed, held) >
        countMatches(added, shut) + countMatches(added, held)
        ? { name: 'not given back', says: 'it no longer gives back what it takes', force: 0.9 }
        : null;
    },
  },
  {
    shows: /memory|heap|goroutine|thread|oom|gc|leak|cardinality|series|rss|restart|label/i,
    find: ({ code: { removed, added } }) => {
      // A map that is a field takes another key with every use; one fixed key is set again and again.
      const grows =
        /\bgo func\b|\bnew Thread\b|append\(\s*(global|all|cache|seen|history)|\b(seen|cache|history|registry|buffer)\w*\[.*\]\s*=(?!=)|\b\w+\.\w+\[(?!\s*(?:-?\d+|"[^"]*"|'[^']*')\s*\])[^\]]+\]\s*=(?![=>])|\b(self|this)\.\w+\.(append|push|add|put|set)\(|WithLabelValues\(|\.labels\(/gi;
      return countMatches(added, grows) > countMatches(removed, grows)
        ? { name: 'grows', says: 'it keeps or starts more with every use', force: 0.55 }
        : null;
    },
  },
  {
    shows:
      /401|403|auth|token|certificate|tls|ssl|denied|permission|forbidden|x509|handshake|credential|signature/i,
    find: ({ code: { removed, added }, texts }) => {
      const words =
        /\b(auth\w*|token|tls|ssl|cert\w*|permission\w*|role|scope|policy|acl|cors|iam|secret|jwt|audience|issuer|cipher\w*)\b/gi;
      return countMatches(removed, words) + countMatches(added, words) >= 2 &&
        (removed.length > 0 || texts.length > 0) &&
        countMatches(removed, words) !== countMatches(added, words)
        ? { name: 'access', says: 'it changes who may do what', force: 0.6 }
        : null;
    },
  },
  {
    shows: /timed? ?out|refused|unreachable|no route|reset|connect|deadline|unavailable|handshake|503|504/i,
    find: ({ code: { removed, added }, around }) => {
      const fence =
        /network_?polic|pod_?selector|namespace_?selector|match_?labels|security_?group|cidr|firewall|iptables|\bacl\b|allow_?list|deny|ingress_?rule|egress|authorization_?policy|peer_?authentication/i;
      return anyMatches([...removed, ...added], fence) ||
        (anyMatches(around, fence) && removed.length + added.length > 0)
        ? { name: 'a fence', says: 'it changes who may reach what', force: 0.8 }
        : null;
    },
  },
  {
    shows: /retr|storm|circuit|breaker|overload|cascade|timeout|unavailable|fail|error|queue/i,
    find: ({ code: { removed, added } }) => {
      const guard =
        /\b(retr\w*|backoff|jitter|circuit\w*|breaker\w*|fallback|ratelimit\w*|rate_limit\w*|throttle\w*|bulkhead|recover\(\))/gi;
      return countMatches(removed, guard) > countMatches(added, guard)
        ? { name: 'a guard less', says: 'it takes away what protected against trouble', force: 0.75 }
        : null;
    },
  },
  {
    shows:
      /unhandled|rejection|uncaught|exit|restart|race|deserializ|not ?found|couldn't find|does ?not ?exist|already|stale|order|fail|retr(?:y|ies)/i,
    find: ({ code: { removed, added } }) => {
      const waits =
        /\bawait\b|\.await\b|\.join\(|\.get\(\)|\.Wait\(\)|\bafter_commit\b|\bon_commit\b|\bafterCommit\b/g;
      return countMatches(removed, waits) > countMatches(added, waits) &&
        anyMatches(added, /\w\(|\bafter_(?:create|save|update)\b/)
        ? { name: 'not waited for', says: 'it no longer waits for what it calls', force: 0.8 }
        : null;
    },
  },
  {
    shows: /panic|null|nil|crash|exception|500|error|restart|undefined|index out|segfault|invalid|fail/i,
    find: ({ code: { removed, added } }) => {
      // Passing an error on is not a check of a value.
      const checks =
        /\bif\b(?!\s*\(?\s*(?:err|error|e|ex)\b).*(nil|null|none|undefined|len\(|empty|exists|isset|valid)/gi;
      return countMatches(removed, checks) > countMatches(added, checks)
        ? { name: 'a check less', says: 'it takes away a check', force: 0.5 }
        : null;
    },
  },
  {
    shows:
      /rate|per_|cpu|poll|load|timeout|expire|early|late|stale|latenc|duration|wait|wrong|invalid|mismatch|amount|total|size/i,
    find: ({ code: { pairs } }) => {
      const found = findChangedFactor(pairs);
      return found === null
        ? null
        : { name: 'a unit', says: `it counts in another unit (\`${found}\`)`, force: 0.75 };
    },
  },
  {
    shows:
      /error|wrong|invalid|reject|fail|mismatch|unexpected|missing|not found|no such|unknown|no \w+ with/i,
    find: ({ code }) => {
      const [gone] = findEditedLines(code).flatMap(([was]) => findLostCall(was, code.added) ?? []);
      return gone === undefined
        ? null
        : { name: 'a step less', says: `it no longer calls ${gone}`, force: 0.45 };
    },
  },
  {
    shows: /error|wrong|invalid|reject|fail|mismatch|unexpected|drop|skip|duplicate|stale|order|count/i,
    find: ({ code: { removed, added } }) => {
      const maskOperators = (line: string): string =>
        line.replace(/[<>=!&|+\-*/%]+/g, '?').replace(/\s/g, '');
      const fresh = new Map<string, Set<string>>();
      for (const line of added)
        fresh.set(maskOperators(line), (fresh.get(maskOperators(line)) ?? new Set()).add(line));
      const turned = removed.some((was) => {
        const lines = fresh.get(maskOperators(was));
        return lines !== undefined && (lines.size > 1 || !lines.has(was));
      });
      return turned ? { name: 'a condition', says: 'it turns a condition or a sum over', force: 0.5 } : null;
    },
  },
  {
    shows:
      /denied|forbidden|not (authori[sz]ed|allowed|found|permitted)|40[134]|permission|missing|unknown|reject|refus|unsupported|invalid|fail/i,
    find: ({ pairs }) => {
      const lost = pairs
        .map(([was, is]) => ({
          gone: listItems(was).filter((one) => !listItems(is).includes(one)),
          left: listItems(is).length,
        }))
        .find(({ gone, left }, n) => gone.length > 0 && left < listItems(pairs[n]![0]).length);
      return lost === undefined
        ? null
        : { name: 'a list less', says: `it takes "${lost.gone[0]}" off a list`, force: 0.8 };
    },
  },
];
