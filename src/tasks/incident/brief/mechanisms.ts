/**
 * The ways in which a change can break a system, each with how it shows in a diff and what it leads one to
 * expect of metrics and logs. They are of programming in general: a new kind of incident is a new entry here.
 */
import type { Diff, EditedValue } from './diff.ts';

export interface Mechanism {
  readonly name: string;
  /** What it is, for a reader. */
  readonly says: string;
  /** How much such a change breaks when it breaks something, 0 to 1. */
  readonly force: number;
  /** Words of metrics, logs and spans that it would show itself by. */
  readonly shows: RegExp;
}

type Find = (diff: Diff) => Omit<Mechanism, 'shows'> | null;

interface Kind {
  readonly shows: RegExp;
  readonly find: Find;
}

const any = (lines: readonly string[], shape: RegExp): boolean => lines.some((line) => shape.test(line));
const count = (lines: readonly string[], shape: RegExp): number =>
  lines.reduce((sum, line) => sum + (line.match(shape)?.length ?? 0), 0);

/** How much a value changed: 1.5 times is a little, 10 times as much as can be. */
const reachOf = ({ was, is }: EditedValue): number => {
  if (was === 0 || is === 0) return 1;
  const times = Math.max(was / is, is / was);
  return Math.min(1, Math.max(0.15, Math.log10(times) + 0.2));
};

/** A setting whose line has such a name; `harm` says which way is the harmful one. */
const setting =
  (name: string, words: RegExp, harm: 'up' | 'down' | 'both'): Find =>
  ({ values }) => {
    const named = values.filter(({ line }) => words.test(line));
    const found = named.length > 0 ? named : values.filter(({ near }) => words.test(near));
    const [worst] = found
      .map((value) => {
        const way = value.is > value.was ? 'up' : 'down';
        return { value, force: reachOf(value) * (harm === 'both' ? 0.6 : harm === way ? 1 : 0.35) };
      })
      .sort((a, b) => b.force - a.force);
    return worst === undefined
      ? null
      : {
          name,
          says: `${name} went from ${worst.value.wasText} to ${worst.value.isText}`,
          force: worst.force,
        };
  };

const call =
  /\b(?:\w*\.)?(query\w*|exec\w*|fetch\w*|get\w*|find\w*|load\w*|select\w*|put\w*|post|send\w*|publish\w*|call\w*|do|request\w*|invoke\w*|read\w*|write\w*|lookup\w*|save\w*|insert\w*|update\w*|delete\w*)\s*\(/i;
const remote =
  /\b(client|db|repo|store|stub|api|http|grpc|rpc|redis|cache|catalog|dao|session|conn|producer|s3|sqs|kafka|dynamo\w*|\w*svc|\w*service|\w*client|\w*repo)\b/i;
const loop = /\b(for|foreach|while|each|map|forEach|range)\b|\.(map|forEach|each)\(/;
const many = /\b\w*(batch|bulk|many|multi|all|chunk|pipeline|prefetch|preload|join)\w*/gi;

/** The type of a field of a message or a table, where the line declares one. */
const typeOf = (line: string): string | null =>
  /`(json|xml|yaml|db|bson):|@JsonProperty|@Column|\bcolumn\b|^\s*(optional|repeated|required)\b/i.test(line)
    ? (/\b(u?int(?:8|16|32|64)?|float(?:32|64)?|double|string|bool(?:ean)?|bytes|long|integer|bigint|varchar|text|decimal|numeric|timestamp|uuid)\b/i
        .exec(line)?.[1]
        ?.toLowerCase() ?? null)
    : null;

const kinds: readonly Kind[] = [
  {
    shows: /deadline|timeout|time.?out|cancel|exceed|abort|latenc|duration|error|fail|unavailable/i,
    find: setting('the time limit', /time.?out|deadline|expire|budget|wait|keep.?alive/i, 'down'),
  },
  {
    shows: /cache|hit|miss|evict|expire|quer|load|cpu|rate|origin|read/i,
    find: setting(
      'the life of what is cached',
      /ttl|expir|max.?age|stale|cache|evict|lifetime|retention/i,
      'down',
    ),
  },
  {
    shows: /pool|connection|conn|acquire|exhaust|wait|timeout|checkout|queue|saturat|idle|latenc/i,
    find: setting(
      'the size of the pool',
      /pool|max.?(open|idle|conn)|connection|workers?|threads?|concurren|parallel|semaphore|slots?|in.?flight/i,
      'down',
    ),
  },
  {
    shows: /retr|attempt|amplif|storm|request|load|queue|rate|duplicat|timeout|backoff/i,
    find: setting(
      'the number or the pace of retries',
      /retr|attempt|backoff|jitter|circuit|breaker|hedg/i,
      'up',
    ),
  },
  {
    shows: /limit|thrott|429|quota|reject|too many|capacity|rate|drop|shed/i,
    find: setting(
      'a limit',
      /limit|quota|rate|burst|throttl|capacity|max|cap\b|threshold|allow|ceiling/i,
      'down',
    ),
  },
  {
    shows: /memory|heap|oom|kill|gc|rss|evict|restart|crash|buffer|disk/i,
    find: setting(
      'the memory or the buffer',
      /mem|heap|buffer|xmx|xms|stack|disk|storage|ulimit|arena|gogc/i,
      'down',
    ),
  },
  {
    shows: /cpu|queue|satur|replica|pod|pending|thrott|latenc|lag|backlog|unavailable/i,
    find: setting(
      'the number of replicas or their share',
      /replica|min|cpu|request|instance|shard|partition|node/i,
      'down',
    ),
  },
  {
    shows: /batch|size|queue|lag|throughput|memory|latenc|backlog|rate|poll|flush|interval|write|request/i,
    find: setting(
      'the size or the pace of work',
      /batch|chunk|page|size|interval|period|poll|prefetch|flush|sampl|every|schedule|cron/i,
      'both',
    ),
  },
  {
    shows: /row|scan|examin|quer|slow|memory|latenc|size|payload|sort|full|heap|oom|duration/i,
    find: ({ removed, added }) => {
      const gone = count(removed, /\b(limit|top|fetch first|page_?size|max_?results|where|maxitems)\b/gi);
      const there = count(added, /\b(limit|top|fetch first|page_?size|max_?results|where|maxitems)\b/gi);
      return gone > there
        ? { name: 'unbounded', says: 'it takes away what kept a query or a list small', force: 1 }
        : null;
    },
  },
  {
    shows: /quer|call|request|per_|fan|n\+1|select|rps|latenc|slow|db|round|load|connection|duration/i,
    find: ({ removed, added }) => {
      const inLoop = (lines: readonly string[]): number => {
        let found = 0;
        let near = 0;
        for (const line of lines) {
          if (loop.test(line)) near = 6;
          else if (near > 0 && call.test(line) && (remote.test(line) || /ctx|await|context/i.test(line)))
            found += 1;
          near -= 1;
        }
        return found;
      };
      return inLoop(added) > inLoop(removed)
        ? { name: 'call in a loop', says: 'it calls something remote within a loop', force: 0.9 }
        : null;
    },
  },
  {
    shows: /batch|single|write|put|throttl|capacity|request|call|queue|throughput|rate|iops|quer/i,
    find: ({ removed, added }) =>
      count(removed, many) >= count(added, many) + 2 && any(removed, call) && any(added, call)
        ? { name: 'no more batches', says: 'what was done in batches is done one by one', force: 0.9 }
        : null,
  },
  {
    shows:
      /deseriali[sz]|decod|pars|missing|field|unknown|schema|unmarshal|invalid|format|column|malformed|not found|400|404|422|reject|dead/i,
    find: ({ texts, removed, added, pairs }) => {
      const names = texts.filter(
        ({ was, is }) => /^[\w.:/$-]{2,80}$/.test(was) && /^[\w.:/$-]{2,80}$/.test(is),
      );
      const wire = names.filter(({ line }) =>
        /json|xml|yaml|proto|column|field|header|topic|queue|key|tag|schema|env|route|path|url|name|\[\]string|required|label|index/i.test(
          line,
        ),
      );
      const field =
        any(removed, /=\s*\d+;\s*$/) &&
        any(added, /=\s*\d+;\s*$/) &&
        any(removed, /^\s*(optional|repeated|string|int\d+|bool)/);
      const typed = pairs.find(
        ([was, is]) => typeOf(was) !== null && typeOf(is) !== null && typeOf(was) !== typeOf(is),
      );
      if (wire.length === 0 && !field && typed === undefined) return null;
      const one = wire[0];
      return {
        name: 'another name on the wire',
        says:
          one === undefined ? 'it changes the fields of a message' : `it renames "${one.was}" to "${one.is}"`,
        force: 0.95,
      };
    },
  },
  {
    shows:
      /leak|memory|heap|fd|file|open|connection|goroutine|thread|handle|socket|oom|exhaust|pool|rows|cursor/i,
    find: ({ removed, added }) => {
      const shut =
        /\b(defer\b.*|.*\.)(close|release|unlock|stop|cancel|dispose|shutdown|rollback|free|unsubscribe|destroy)\b/gi;
      return count(removed, shut) > count(added, shut)
        ? { name: 'not given back', says: 'it no longer gives back what it takes', force: 0.9 }
        : null;
    },
  },
  {
    shows: /memory|heap|goroutine|thread|oom|gc|leak|cardinality|series|rss|restart|label/i,
    find: ({ removed, added }) => {
      const grows =
        /\bgo func\b|\bnew Thread\b|append\(\s*(global|all|cache|seen|history)|\b(seen|cache|history|registry|buffer)\w*\[.*\]\s*=|WithLabelValues\(|\.labels\(/gi;
      return count(added, grows) > count(removed, grows)
        ? { name: 'grows', says: 'it keeps or starts more with every use', force: 0.55 }
        : null;
    },
  },
  {
    shows: /lock|wait|block|contention|deadlock|latenc|queue|timeout|stuck|hang|duration|throughput/i,
    find: ({ removed, added }) => {
      const held =
        /\b(mutex|lock|synchronized|rlock|semaphore|for update|serializable|sleep|blocking|wait\(\)|access exclusive|lock table)\b/gi;
      return count(added, held) > count(removed, held)
        ? { name: 'waits', says: 'it takes a lock or waits where it did not', force: 0.8 }
        : null;
    },
  },
  {
    shows: /lock|migrat|ddl|alter|index|seq|scan|slow|block|wait|timeout|quer|latenc/i,
    find: ({ removed, added }) => {
      const dropped = any(added, /\bdrop\s+(index|table|column|constraint|view)\b/i);
      const heavy =
        any(
          added,
          /\balter\s+table\b|\bcreate\s+(unique\s+)?index\b(?!.*concurrently)|\bvacuum full\b|\breindex\b/i,
        ) && !any(added, /concurrently/i);
      const gone = any(removed, /\b(create\s+index|@index|index:|db_index=true|add_index)/i);
      return dropped || heavy || gone
        ? {
            name: 'schema',
            says: 'it changes the tables or takes an index away',
            force: dropped || gone ? 0.9 : 0.7,
          }
        : null;
    },
  },
  {
    shows:
      /401|403|auth|token|certificate|tls|ssl|denied|permission|forbidden|x509|handshake|credential|signature/i,
    find: ({ removed, added, texts }) => {
      const words =
        /\b(auth\w*|token|tls|ssl|cert\w*|permission\w*|role|scope|policy|acl|cors|iam|secret|jwt|audience|issuer|cipher\w*)\b/gi;
      return count(removed, words) + count(added, words) >= 2 &&
        (removed.length > 0 || texts.length > 0) &&
        count(removed, words) !== count(added, words)
        ? { name: 'access', says: 'it changes who may do what', force: 0.6 }
        : null;
    },
  },
  {
    shows: /error|fail|latenc|behav|disabled|enabled|missing|cache|retr|pool|stat|strict|reject|invalid/i,
    find: ({ switches }) =>
      switches.length === 0
        ? null
        : { name: 'a switch', says: `it switches something over: ${switches[0]!.slice(0, 80)}`, force: 0.7 },
  },
  {
    shows: /cache|miss|hit|load|quer|latenc|rate|cpu|request|db|origin/i,
    find: ({ removed, added }) => {
      const kept =
        /\b(cache\w*|memoi[sz]e\w*|getorload|singleflight|lru\w*|pool|prefetch|preload|eager|debounce|coalesc\w*|dedup\w*)\b/gi;
      return count(removed, kept) > count(added, kept)
        ? { name: 'no longer kept', says: 'what was kept or shared is worked out each time', force: 0.75 }
        : null;
    },
  },
  {
    shows: /cache|miss|hit|cardinality|series|load|quer|memory|duplicate|partition|rate|db/i,
    find: ({ pairs }) => {
      const fresh =
        /\b(now|time|timestamp|uuid|guid|rand\w*|nano\w*|nonce|request_?id|trace_?id|session_?id|user_?id)\b|now\(|uuid|unixnano/i;
      const keyed = /\b\w*(key|label|tag|hash|partition|bucket|sprintf|format|id)\w*\b/i;
      const found = pairs.find(([was, is]) => !fresh.test(was) && fresh.test(is) && keyed.test(is));
      return found === undefined
        ? null
        : { name: 'never the same', says: 'it makes a key of what is never the same twice', force: 0.8 };
    },
  },
  {
    shows: /retr|storm|circuit|breaker|overload|cascade|timeout|unavailable|fail|error|queue/i,
    find: ({ removed, added }) => {
      const guard =
        /\b(retr\w*|backoff|jitter|circuit\w*|breaker\w*|fallback|ratelimit\w*|rate_limit\w*|throttle\w*|bulkhead|recover\(\))/gi;
      return count(removed, guard) > count(added, guard)
        ? { name: 'a guard less', says: 'it takes away what protected against trouble', force: 0.75 }
        : null;
    },
  },
  {
    shows: /panic|null|nil|crash|exception|500|error|restart|undefined|index out|segfault|invalid|fail/i,
    find: ({ removed, added }) => {
      // Handing an error on is no check of a value.
      const checks =
        /\bif\b(?!\s*\(?\s*(?:err|error|e|ex)\b).*(nil|null|none|undefined|len\(|empty|exists|isset|valid)/gi;
      return count(removed, checks) > count(added, checks)
        ? { name: 'a check less', says: 'it takes away a check', force: 0.5 }
        : null;
    },
  },
  {
    shows: /disk|log|volume|io|space|bytes|cpu|ingest|write/i,
    find: ({ texts, removed, added }) =>
      texts.some(({ was, is }) => /^(error|warn|info)$/i.test(was) && /^(debug|trace|all)$/i.test(is)) ||
      count(added, /level\s*[:=]\s*\W?(debug|trace)/gi) > count(removed, /level\s*[:=]\s*\W?(debug|trace)/gi)
        ? { name: 'more logging', says: 'it logs much more', force: 0.6 }
        : null,
  },
  {
    shows: /error|wrong|invalid|reject|fail|mismatch|unexpected|drop|skip|duplicate|stale|order|count/i,
    find: ({ removed, added }) => {
      const turned = removed.some((was) =>
        added.some(
          (is) =>
            was !== is &&
            was.replace(/[<>=!&|+\-*/%]+/g, '?').replace(/\s/g, '') ===
              is.replace(/[<>=!&|+\-*/%]+/g, '?').replace(/\s/g, ''),
        ),
      );
      return turned ? { name: 'a condition', says: 'it turns a condition or a sum over', force: 0.5 } : null;
    },
  },
  {
    shows: /cpu|latenc|slow|duration|gc|regex|sort|quadratic|load|timeout|backtrack/i,
    find: ({ removed, added }) => {
      const costly =
        /\b(regexp?\.(must)?compile|new regexp|re\.compile|\.sort\w*\(|sort\.\w+\(|bcrypt|scrypt|argon|gzip|compress|encrypt|deepcopy|json\.(marshal|stringify|dumps)|reflect\.)/gi;
      return count(added, costly) > count(removed, costly)
        ? { name: 'costlier', says: 'it works out something costly each time', force: 0.4 }
        : null;
    },
  },
];

/** Those that the diff shows, the strongest first. */
export function mechanismsOf(diff: Diff): readonly Mechanism[] {
  return kinds
    .flatMap(({ shows, find }) => {
      const found = find(diff);
      return found === null ? [] : [{ ...found, shows }];
    })
    .sort((a, b) => b.force - a.force);
}
