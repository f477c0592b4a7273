/** Mechanisms by which a changed setting does harm: a value, a switch or a schedule. */
import { shortLine } from '../../../../core/index.ts';
import { type EditedValue, withoutTexts } from '../edits/diff.ts';
import { countMatches, type Find, type MechanismKind } from './mechanism.ts';

/** How much a value changed, from 0 to 1: little for 1.5 times, 1 for 10 times and more. */
const rateChange = ({ was, is }: EditedValue): number => {
  if (was === 0 || is === 0) return 1;
  const times = Math.max(was / is, is / was);
  return Math.min(1, Math.max(0.15, Math.log10(times) + 0.2));
};

/** Settings by name; `harm` says whether raising or lowering them does harm. */
const findSetting =
  (name: string, words: RegExp, harm: 'up' | 'down' | 'both'): Find =>
  ({ values }) => {
    const editedValues = values.filter(({ line }) => words.test(withoutTexts(line)));
    const found =
      editedValues.length > 0 ? editedValues : values.filter(({ near }) => words.test(withoutTexts(near)));
    const [worst] = found
      .map((value) => {
        const direction = value.is > value.was ? 'up' : 'down';
        return {
          value,
          severity: rateChange(value) * (harm === 'both' ? 0.6 : harm === direction ? 1 : 0.35),
        };
      })
      .sort((a, b) => b.severity - a.severity);
    return worst === undefined
      ? null
      : {
          name,
          description: `${name} went from ${worst.value.wasText} to ${worst.value.isText} (\`${shortLine(worst.value.line.replaceAll('`', "'"), 100)}\`)`,
          severity: worst.severity,
        };
  };

/** A cron expression: five fields, each a star, numbers, ranges, lists or steps. */
const cronExpression = /(?<![\w*/])((?:[\d*][\d*/,-]*\s+){4}[\d*][\d*/,-]*)(?![\w*/])/;

/** How often per week the cron schedule of a line fires; null if the line has none. */
function countFiringsPerWeek(line: string): number | null {
  const fields = cronExpression.exec(line)?.[1]?.trim().split(/\s+/);
  if (fields === undefined) return null;
  const countTimes = (field: string, all: number): number =>
    field.split(',').reduce((sum, part) => {
      const [range = '*', step = '1'] = part.split('/');
      const [from, to = from] = range.split('-').map(Number);
      const span = range.startsWith('*')
        ? all
        : part.includes('/') && !range.includes('-')
          ? all
          : to! - from! + 1;
      return sum + Math.max(1, Math.ceil(span / Math.max(1, Number(step))));
    }, 0);
  const [minutes, hours, days, months, weekdays] = fields as [string, string, string, string, string];
  const daysAWeek = Math.min(
    (countTimes(days, 31) * 7) / 31,
    weekdays.startsWith('*') ? 7 : countTimes(weekdays, 7),
  );
  return countTimes(minutes, 60) * countTimes(hours, 24) * daysAWeek * (countTimes(months, 12) / 12);
}

/** The approximate number of processors of a machine type: `db.r6g.4xlarge`, `n2-standard-8`, `Standard_D8s_v5`. */
function parseMachineSize(name: string): number | null {
  const match = /[.\-_](nano|micro|small|medium|(\d*)x?large)$/i.exec(name);
  if (match !== null) {
    const [, size = '', times] = match;
    const known: Readonly<Record<string, number>> = {
      nano: 0.25,
      micro: 0.5,
      small: 1,
      medium: 1.5,
      large: 2,
    };
    return known[size.toLowerCase()] ?? 4 * Number(times === '' ? 1 : times);
  }
  const counted =
    /-(?:standard|highmem|highcpu|custom)-(\d+)/i.exec(name) ?? /^Standard_[A-Z]+(\d+)/.exec(name);
  return counted === null ? null : Number(counted[1]);
}

export const settings: readonly MechanismKind[] = [
  {
    symptoms:
      /job|cron|schedul|batch|report|run|duration|slow|select|cpu|load|quer|read|lock|queue|backlog|rate|stale|missing|late/i,
    find: ({ removed, added }) => {
      const [was] = removed.flatMap((line) => countFiringsPerWeek(line) ?? []);
      const [is] = added.flatMap((line) => countFiringsPerWeek(line) ?? []);
      if (was === undefined || is === undefined || was === is) return null;
      const formatCron = (lines: readonly string[]): string =>
        lines.map((line) => cronExpression.exec(line)?.[1]?.trim()).find((found) => found !== undefined) ??
        '';
      return {
        name: 'a timetable',
        description: `its timetable went from "${formatCron(removed)}" to "${formatCron(added)}"`,
        severity: Math.min(1, 0.4 + Math.abs(Math.log10(is / was)) * 0.35),
      };
    },
  },
  {
    symptoms: /deadline|timeout|time.?out|cancel|exceed|abort|latenc|duration|error|fail|unavailable/i,
    find: findSetting('the time limit', /time.?out|deadline|expire|budget|wait|keep.?alive/i, 'down'),
  },
  {
    symptoms: /cache|hit|miss|evict|expire|quer|load|cpu|rate|origin|read/i,
    find: findSetting(
      'the life of what is cached',
      /ttl|expir|max.?age|stale|cache|evict|lifetime|retention/i,
      'down',
    ),
  },
  {
    symptoms: /pool|connection|conn|acquire|exhaust|wait|timeout|checkout|queue|saturat|idle|latenc/i,
    find: findSetting(
      'the size of the pool',
      /pool|max.?(open|idle|conn)|connection|workers?|threads?|concurren|parallel|semaphore|slots?|in.?flight/i,
      'down',
    ),
  },
  {
    symptoms: /retr|attempt|amplif|storm|request|load|queue|rate|duplicat|timeout|backoff/i,
    find: findSetting(
      'the number or the pace of retries',
      /retr|attempt|backoff|jitter|circuit|breaker|hedg/i,
      'up',
    ),
  },
  {
    symptoms: /limit|thrott|429|quota|reject|too many|capacity|rate|drop|shed/i,
    find: findSetting(
      'a limit',
      /limit|quota|rate|burst|throttl|capacity|max|cap\b|threshold|allow|ceiling|per_?(second|minute|hour)|rps|qps/i,
      'down',
    ),
  },
  {
    symptoms: /memory|heap|oom|kill|gc|rss|evict|restart|crash|buffer|disk/i,
    find: findSetting(
      'the memory or the buffer',
      /mem|heap|buffer|xmx|xms|stack|disk|storage|ulimit|arena|gogc/i,
      'down',
    ),
  },
  {
    symptoms: /cpu|queue|satur|replica|pod|pending|thrott|latenc|lag|backlog|unavailable/i,
    find: findSetting(
      'the number of replicas or their share',
      /replica|min|cpu|request|instance|shard|partition|node/i,
      'down',
    ),
  },
  {
    symptoms:
      /cpu|memory|satur|latenc|slow|p9\d|duration|iops|queue|connection|wait|swap|oom|credit|throttl|load/i,
    find: ({ texts }) => {
      const [found] = texts
        .map(({ was, is }) => ({ was, is, from: parseMachineSize(was), to: parseMachineSize(is) }))
        .filter(({ from, to }) => from !== null && to !== null && from !== to)
        .map(({ was, is, from, to }) => ({ was, is, severity: to! < from! ? 0.9 : 0.3 }))
        .sort((a, b) => b.severity - a.severity);
      return found === undefined
        ? null
        : {
            name: 'the size of a machine',
            description: `the machine went from "${found.was}" to "${found.is}"`,
            severity: found.severity,
          };
    },
  },
  {
    symptoms: /batch|size|queue|lag|throughput|memory|latenc|backlog|rate|poll|flush|interval|write|request/i,
    find: findSetting(
      'the size or the pace of work',
      /batch|chunk|page|size|interval|period|poll|prefetch|flush|sampl|every|schedule|cron/i,
      'both',
    ),
  },
  {
    symptoms: /error|fail|latenc|behav|disabled|enabled|missing|cache|retr|pool|stat|strict|reject|invalid/i,
    find: ({ switches }) =>
      switches.length === 0
        ? null
        : {
            name: 'a switch',
            description: `it switches something over: ${switches[0]!.slice(0, 80)}`,
            severity: 0.7,
          },
  },
  {
    symptoms: /disk|log|volume|io|space|bytes|cpu|ingest|write/i,
    find: ({ texts, removed, added }) =>
      texts.some(({ was, is }) => /^(error|warn|info)$/i.test(was) && /^(debug|trace|all)$/i.test(is)) ||
      countMatches(added, /level\s*[:=]\s*\W?(debug|trace)/gi) >
        countMatches(removed, /level\s*[:=]\s*\W?(debug|trace)/gi)
        ? { name: 'more logging', description: 'it logs much more', severity: 0.6 }
        : null,
  },
];
