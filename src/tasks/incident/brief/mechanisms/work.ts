/** Mechanisms by which a change causes more work, work at another time, or waiting. */
import { anyMatches, countMatches, type MechanismKind } from './mechanism.ts';

const callPattern =
  /\b(?:\w*\.)?(query\w*|exec\w*|fetch\w*|get\w*|find\w*|load\w*|select\w*|put\w*|post|send\w*|publish\w*|call\w*|do|request\w*|invoke\w*|read\w*|write\w*|lookup\w*|save\w*|insert\w*|update\w*|delete\w*)\s*\(/i;
const remoteName =
  /\b(client|db|repo|store|stub|api|http|grpc|rpc|redis|cache|catalog|dao|session|conn|producer|s3|sqs|kafka|dynamo\w*|\w*svc|\w*service|\w*client|\w*repo)\b/i;
/** Calls that are clearly remote. */
const remoteCall =
  /\b\w*(client|api|repo|stub|dao|store|conn|session|db|gateway|svc|service)\w*(\.\w+|->\w+|::\w+)+\s*\(/i;
const loopWord = /\b(for|foreach|while|each|map|forEach|range)\b|\.(map|forEach|each)\(/;
const loopHead = /\b(for|foreach|while|until|loop)\b\s*[({]|\bfor\s+\w+.*\bin\b|\bfor\s.*:=/;
const batchWord = /\b\w*(batch|bulk|many|multi|all|chunk|pipeline|prefetch|preload|join)\w*/gi;

/** Calls that block their thread until the reply arrives. */
const blockingCall =
  /\brequests\.(get|post|put|delete|request)\(|\burllib\.|\btime\.sleep\(|\bThread\.sleep\(|\b[a-z]\w{2,}Sync\(|\.block\(\)|\.Result\b|\.GetAwaiter\(\)|\bsubprocess\.(run|check_output|call)\(|\bstd::thread::sleep|\breqwest::blocking/g;
const asyncContext = /\basync\b|\bawait\b|event.?loop|\bcoroutine|\bMono<|\bFlux<|\bsuspend fun\b|\btokio::/i;
const externalCall =
  /\bhttps?:\/\/|\brequests\.(get|post|put|delete)\(|\bfetch\(|\baxios\b|\bhttp\.(get|post|Do|NewRequest)|\b\w*[cC]lient\.\w+\(|\bstub\.\w+\(|\bRestTemplate\b|\bWebClient\b/g;

/** Options with which object-relational mappers load related rows in the same query. */
const eagerLoading =
  /\.(includes|preload|eager_load|select_related|prefetch_related|joinedload|selectinload|subqueryload|withGraphFetched|Include|ThenInclude|Preload)\(|\b(JOIN FETCH|@EntityGraph|@BatchSize|FetchType\.EAGER)/g;
/** Ways to read many rows in batches. */
const streamingRead =
  /\b(find_each|in_batches|find_in_batches|each_slice|each_cons|yield_per|iterator\(|fetchmany|server_side\w*|cursor\w*|paginat\w*|chunk\w*|batch_size|stream\w*|createReadStream|setFetchSize|LIMIT\s+\S+\s+OFFSET|Pageable)\b/gi;
/** A repeated group whose content is repeated: the time for such an expression can double with each character. */
const nestedRepetition = /[+*]\)+\??(?:[+*]|\{\d)/;

/**
 * An SQL comparison with the column inside a function, which makes an index on the column useless: `date(at) = ?`,
 * `lower(t.name) LIKE`, `at::date =`.
 */
const wrappedColumn =
  /\b(?:where|and|or|on)\b[^;]*?(?:\b(?:date|trunc|date_trunc|lower|upper|cast|convert|to_char|to_date|substr|substring|left|coalesce|ifnull|nvl|year|month|day|extract|trim|md5|abs|concat|strftime)\s*\(\s*(?:\w+\.)?[a-z_]\w*[^)]*\)|(?<![:\w])[a-z_]\w*::\w+)\s*(?:=|<|>|!=|\blike\b|\bin\b|\bbetween\b)/i;

export const work: readonly MechanismKind[] = [
  {
    symptoms:
      /lag|event.?loop|block|latenc|slow|duration|p9\d|took|timeout|health|stuck|hang|wait|unresponsive/i,
    find: ({ code: { removed, added }, around }) =>
      countMatches(added, blockingCall) > countMatches(removed, blockingCall) &&
      anyMatches([...around, ...removed, ...added], asyncContext)
        ? {
            name: 'blocks',
            description: 'it makes a call that blocks where nothing may block',
            severity: 0.95,
          }
        : null,
  },
  {
    symptoms:
      /latenc|slow|duration|p9\d|timeout|took|call|request|fail|error|unavailable|5\d\d|lag|backlog|consum|poll|throughput/i,
    find: ({ code: { removed, added } }) =>
      countMatches(added, externalCall) > countMatches(removed, externalCall)
        ? {
            name: 'one call more',
            description: 'it calls something remote that it did not call before',
            severity: 0.6,
          }
        : null,
  },
  {
    symptoms: /row|scan|examin|quer|slow|memory|latenc|size|payload|sort|full|heap|oom|duration/i,
    find: ({ code: { removed, added } }) => {
      const limitsRemoved = countMatches(
        removed,
        /\b(limit|top|fetch first|page_?size|max_?results|where|maxitems)\b/gi,
      );
      const limitsAdded = countMatches(
        added,
        /\b(limit|top|fetch first|page_?size|max_?results|where|maxitems)\b/gi,
      );
      return limitsRemoved > limitsAdded
        ? { name: 'unbounded', description: 'it takes away what kept a query or a list small', severity: 1 }
        : null;
    },
  },
  {
    symptoms: /quer|call|request|per_|fan|n\+1|select|rps|latenc|slow|db|round|load|connection|duration/i,
    find: ({ code: { removed, added } }) => {
      const countCallsInLoops = (lines: readonly string[]): number => {
        let found = 0;
        let linesLeft = 0;
        for (const line of lines) {
          if (loopWord.test(line)) linesLeft = 6;
          else if (
            linesLeft > 0 &&
            (remoteCall.test(line) ||
              (callPattern.test(line) && (remoteName.test(line) || /ctx|await|context/i.test(line))))
          )
            found += 1;
          linesLeft -= 1;
        }
        return found;
      };
      return countCallsInLoops(added) > countCallsInLoops(removed)
        ? { name: 'call in a loop', description: 'it calls something remote within a loop', severity: 0.9 }
        : null;
    },
  },
  {
    symptoms: /batch|single|write|put|throttl|capacity|request|call|queue|throughput|rate|iops|quer/i,
    find: ({ code: { removed, added } }) =>
      countMatches(removed, batchWord) >= countMatches(added, batchWord) + 2 &&
      anyMatches(removed, callPattern) &&
      anyMatches(added, callPattern)
        ? {
            name: 'no more batches',
            description: 'what was done in batches is done one by one',
            severity: 0.9,
          }
        : null,
  },
  {
    symptoms: /memory|oom|heap|rss|killed|swap|rows|gc\b|restart/i,
    find: ({ code: { removed, added } }) =>
      countMatches(removed, streamingRead) > countMatches(added, streamingRead)
        ? { name: 'all at once', description: 'it loads all at once what it took bit by bit', severity: 0.85 }
        : null,
  },
  {
    symptoms: /lock|wait|block|contention|deadlock|latenc|queue|timeout|stuck|hang|duration|throughput/i,
    find: ({ code: { removed, added } }) => {
      const locking =
        /\b(mutex|lock|synchronized|rlock|semaphore|for update|serializable|sleep|blocking|wait\(\)|access exclusive|lock table)\b/gi;
      return countMatches(added, locking) > countMatches(removed, locking)
        ? { name: 'waits', description: 'it takes a lock or waits where it did not', severity: 0.8 }
        : null;
    },
  },
  {
    symptoms: /lock|migrat|ddl|alter|index|seq|scan|slow|block|wait|timeout|quer|latenc/i,
    find: ({ code: { removed, added } }) => {
      const dropsSomething = anyMatches(added, /\bdrop\s+(index|table|column|constraint|view)\b/i);
      const isHeavy =
        anyMatches(
          added,
          /\balter\s+table\b|\bcreate\s+(unique\s+)?index\b(?!.*concurrently)|\bvacuum full\b|\breindex\b/i,
        ) && !anyMatches(added, /concurrently/i);
      const removesIndex = anyMatches(removed, /\b(create\s+index|@index|index:|db_index=true|add_index)/i);
      return dropsSomething || isHeavy || removesIndex
        ? {
            name: 'schema',
            description: 'it changes the tables or takes an index away',
            severity: dropsSomething || removesIndex ? 0.9 : 0.7,
          }
        : null;
    },
  },
  {
    symptoms: /row|scan|examin|quer|slow|duration|time|cut off|buffer|iops|cpu/i,
    find: ({ code: { removed, added } }) =>
      anyMatches(added, wrappedColumn) && !anyMatches(removed, wrappedColumn) && removed.length > 0
        ? {
            name: 'past the index',
            description: 'it compares what it works out of a column, past its index',
            severity: 0.85,
          }
        : null,
  },
  {
    symptoms: /cache|miss|hit|load|quer|latenc|rate|cpu|request|db|origin/i,
    find: ({ code: { removed, added } }) => {
      const cachingWord =
        /\b(cache\w*|memoi[sz]e\w*|getorload|singleflight|lru\w*|pool|prefetch|preload|eager|debounce|coalesc\w*|dedup\w*)\b/gi;
      return countMatches(removed, cachingWord) > countMatches(added, cachingWord)
        ? {
            name: 'no longer kept',
            description: 'what was kept or shared is worked out each time',
            severity: 0.75,
          }
        : null;
    },
  },
  {
    symptoms: /cache|miss|hit|cardinality|series|load|quer|memory|duplicate|partition|rate|db/i,
    find: ({ code: { pairs } }) => {
      const uniqueValue =
        /\b(now|time|timestamp|uuid|guid|rand\w*|nano\w*|nonce|request_?id|trace_?id|session_?id|user_?id|(?:run|build|job|pipeline)[._]?(?:id|number))\b|now\(|uuid|unixnano/i;
      const keyWord = /\b\w*(key|label|tag|hash|partition|bucket|sprintf|format|id)\w*\b/i;
      const found = pairs.find(
        ([was, is]) => !uniqueValue.test(was) && uniqueValue.test(is) && keyWord.test(is),
      );
      return found === undefined
        ? null
        : {
            name: 'never the same',
            description: 'it makes a key of what is never the same twice',
            severity: 0.8,
          };
    },
  },
  {
    symptoms: /cpu|latenc|slow|duration|gc|regex|sort|quadratic|load|timeout|backtrack/i,
    find: ({ code: { removed, added } }) => {
      const costlyCall =
        /\b(regexp?\.(must)?compile|new regexp|re\.compile|\.sort\w*\(|sort\.\w+\(|bcrypt|scrypt|argon|gzip|compress|encrypt|deepcopy|json\.(marshal|stringify|dumps)|reflect\.)/gi;
      return countMatches(added, costlyCall) > countMatches(removed, costlyCall)
        ? { name: 'costlier', description: 'it works out something costly each time', severity: 0.4 }
        : null;
    },
  },
  {
    symptoms: /cpu|latenc|slow|duration|took|p9\d|lag|timeout|hang|block|event.?loop/i,
    find: ({ code: { removed, added } }) =>
      added.filter((line) => loopHead.test(line)).length >
      removed.filter((line) => loopHead.test(line)).length
        ? { name: 'a loop more', description: 'it works in a loop where it did not', severity: 0.45 }
        : null,
  },
  {
    symptoms: /quer|select|call|request|per_|fan|n\+1|latenc|slow|p9\d|db|load|connection|duration/i,
    find: ({ code: { removed, added } }) =>
      countMatches(removed, eagerLoading) > countMatches(added, eagerLoading)
        ? {
            name: 'one by one',
            description: 'it no longer loads related rows along with the first',
            severity: 0.9,
          }
        : null,
  },
  {
    symptoms: /cpu|latenc|slow|duration|took|p9\d|lag|timeout|hang|backtrack|event.?loop/i,
    find: ({ removed, added }) =>
      anyMatches(added, nestedRepetition) && !anyMatches(removed, nestedRepetition)
        ? {
            name: 'an expression',
            description: 'its regular expression repeats what is repeated',
            severity: 0.85,
          }
        : null,
  },
];
