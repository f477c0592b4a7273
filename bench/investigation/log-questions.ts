/** Questions about one log, of every kind there is a program for, chosen and answered from the file itself. */
import type { Asked } from './asked.ts';

/** A line as whoever knows this log reads it. Absent is what its lines do not have. */
export interface LogRow {
  /** 1-based, in the file. */
  readonly number: number;
  readonly text: string;
  /** Milliseconds as UTC; of whole seconds. */
  readonly at: number;
  readonly level?: string;
  readonly component?: string;
  readonly message: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function counted(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** Words that hold a digit vary; what is left is the template. */
function templateOf(message: string): string {
  return message
    .trim()
    .split(/\s+/)
    .map((word) => (/\d/.test(word) ? '<*>' : word))
    .join(' ');
}

/** Does the text end as the template does? Without regular expressions: each part behind the one before. */
function endsAs(text: string, template: string): boolean {
  const parts = template.split('<*>');
  const last = parts.pop() ?? '';
  const trimmed = text.trimEnd();
  let at = 0;
  for (const part of parts) {
    const found = trimmed.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return trimmed.endsWith(last.trimEnd()) && trimmed.length - last.trimEnd().length >= at;
}

const hourOf = (at: number): string => new Date(at).toISOString().slice(0, 13).replace('T', ' ');
const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19);
const present = (values: readonly (string | undefined)[]): readonly string[] =>
  values.filter((value) => value !== undefined);

export function logQuestions(rows: readonly LogRow[]): readonly Asked[] {
  const holding = (text: string) => rows.filter((row) => row.text.includes(text));
  const templates = counted(rows.map(({ message }) => templateOf(message)));
  const levels = counted(present(rows.map(({ level }) => level)));
  const components = counted(present(rows.map(({ component }) => component)));
  const words = counted(rows.flatMap(({ message }) => [...new Set(message.match(/[A-Za-z]{6,}/g) ?? [])]));
  const word = (rank: number) => words[Math.min(rank, words.length - 1)]![0];
  const times = rows.map(({ at }) => at).toSorted((a, b) => a - b);
  const from = Math.floor(times[0]! / hourMs) * hourMs;
  const within = (start: number, end: number) => times.filter((at) => at >= start && at < end).length;
  const busiest = (text: string) =>
    counted(holding(text).map(({ at }) => hourOf(at)))
      .slice(0, 1)
      .map((pair) => [...pair]);
  const minutes = (text: string) => new Set(holding(text).map(({ at }) => Math.floor(at / minuteMs)));
  const addresses = rows.flatMap(({ text }) => text.match(/(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])/g) ?? []);

  const asked: Asked[] = [];
  const ask = (kind: string, question: string, given: Asked['given'], truth: unknown) =>
    asked.push({ kind, question, given, truth });

  for (const rank of [0, 3, 9].filter((rank) => rank < templates.length)) {
    const template = templates[rank]![0];
    const truth = rows.filter(({ message }) => endsAs(message, template)).length;
    ask(
      'template',
      `How many messages end as this template, where <*> stands for anything: ${template}`,
      { template },
      truth,
    );
  }
  for (const [level, count] of levels.slice(0, 2))
    ask('level', `How many lines have the level ${level}?`, { level }, count);
  for (const text of [word(2), word(20)]) {
    const found = holding(text).map(({ number }) => number);
    ask('first_last', `Which are the numbers of the first and of the last line with "${text}"?`, { text }, [
      found[0],
      found.at(-1),
    ]);
  }
  if (components.length > 0)
    ask(
      'top',
      'Which three components have the most lines, and how many?',
      { k: 3 },
      components.slice(0, 3).map((pair) => [...pair]),
    );
  for (const text of ['', word(5)])
    ask(
      'busiest_hour',
      text === ''
        ? 'Which hour has the most lines, and how many?'
        : `Which hour has the most lines with "${text}", and how many?`,
      { text },
      busiest(text),
    );
  const [a, b] = [word(1), word(8)];
  ask(
    'together',
    `In how many minutes do both "${a}" and "${b}" occur?`,
    { a, b },
    [...minutes(a)].filter((minute) => minutes(b).has(minute)).length,
  );
  const window = [from, from + 6 * hourMs, from + 12 * hourMs] as const;
  ask(
    'windows',
    `How many more lines are there from ${stamp(window[0])} to ${stamp(window[1])} than from there to ${stamp(window[2])}?`,
    { first: [stamp(window[0]), stamp(window[1])], second: [stamp(window[1]), stamp(window[2])] },
    within(window[0], window[1]) - within(window[1], window[2]),
  );
  if (levels.length > 0) ask('distinct', 'How many different levels occur?', { of: 'level' }, levels.length);
  if (components.length > 0)
    ask('distinct', 'How many different components occur?', { of: 'component' }, components.length);
  ask('distinct', 'How many different IPv4 addresses occur?', { of: 'address' }, new Set(addresses).size);
  ask(
    'longest_gap',
    'How many seconds is the longest time without a line?',
    {},
    Math.max(0, ...times.slice(1).map((at, index) => (at - times[index]!) / 1000)),
  );
  if (components.length > 0) {
    const [text, component] = [word(0), components[0]![0]];
    const held = holding(text);
    const share = held.filter((row) => row.component === component).length / held.length;
    ask(
      'share',
      `How many percent of the lines with "${text}", rounded down, are of the component ${component}?`,
      { text, component },
      Math.floor(100 * share),
    );
  }
  return asked;
}
