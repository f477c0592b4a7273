/**
 * Parses evidence into records: series, changes, and log lines with their counts. The head of a document repeats the
 * question, so it is not a record and proves nothing.
 */
import type { IncidentRecord, LogRecord } from '../../../../gate/index.ts';
import { parseChange } from './change.ts';
import { parseSeries } from './series.ts';

const headLine = /^(query|source|window|asked|note): /;

/** `names`: services, in lower case. */
export function parseRecords(
  contents: readonly string[],
  names: ReadonlySet<string>,
): readonly IncidentRecord[] {
  return contents.flatMap((content): readonly IncidentRecord[] => {
    const change = parseChange(content);
    if (change !== null) return [change];
    const lines = content.split('\n').filter((line) => !headLine.test(line) && line.trim() !== '');
    const { series, others } = parseSeries(lines);
    return [...series, ...splitBlocks(others).map((block) => parseLog(block, names))];
  });
}

/** Splits into blocks: a line with the indented lines below it, or a JSON object. */
function splitBlocks(lines: readonly string[]): readonly string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of lines) {
    if (blocks.length > 0 && (open || /^\s/.test(line))) blocks[blocks.length - 1] += `\n${line}`;
    else blocks.push(line);
    if (/^[{[]$/.test(line)) open = true;
    if (/^[}\]]/.test(line)) open = false;
  }
  return blocks;
}

const patternForm = /^(\d+)x (?:\((new|calm ([\d.]+)x)\) )?(.*?)(?: \[(\S+) to (\S+)\])?$/s;
const lineForm = /^(?:(\S*\d{4}-\d{2}-\d{2}\S*)|-) (.*)$/s;
const levelForm = /^(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRIT(?:ICAL)?|FATAL|ALERT|EMERG) /;
const timeForm = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?/g;

function parseLog(block: string, names: ReadonlySet<string>): LogRecord {
  const match = patternForm.exec(block);
  if (match === null) {
    const rest = lineForm.exec(block)?.[2] ?? block;
    const first = /^trace \S+ span \S+(?: of \S+)? (\S+) /.exec(rest)?.[1] ?? rest.split(' ', 1)[0] ?? '';
    const owner = names.has(first.toLowerCase()) ? first.toLowerCase() : null;
    return {
      kind: 'log',
      owner,
      text: rest,
      count: null,
      baseline: null,
      times: block.match(timeForm) ?? [],
    };
  }
  const [, count, state, calm, rest = '', from, to] = match;
  const service = rest.split(' ', 1)[0]!.toLowerCase();
  const hasOwner = names.has(service);
  const behind = hasOwner ? rest.slice(service.length + 1) : rest;
  return {
    kind: 'log',
    owner: hasOwner ? service : null,
    text: behind.replace(levelForm, ''),
    count: Number(count),
    baseline: state === undefined ? null : state === 'new' ? 0 : Number(calm),
    times: [from, to].filter((time) => time !== undefined),
  };
}
