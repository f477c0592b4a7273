import type { GuestSession } from './guest-session.ts';
import type { RunLimits } from './protocol.ts';

/** Samples of typical first cells. None calls the host or makes the memory grow. */
const cells = [
  'x = 1',
  'def total(rows, key="n"):\n    return sum(row[key] for row in rows if row)\nprint(total([{"n": 2}, {"n": 3.5}, {}]))',
  'import re, json\nwords = re.findall(r"\\w+", "to be, or not to be")\n{w: words.count(w) for w in sorted(set(words))}',
  'json.loads(json.dumps({"a": [1, None, "x"]}))["b"]',
];
const requests = [
  ...cells.map((code, i) => ({ op: 'cell', code, number: i + 1, value_bytes: 1000 })),
  { op: 'variables', previews: true },
  ...Array.from({ length: 4 }, (_, i) => ({ op: 'cell', code: cells[0], number: 10 + i, value_bytes: 1000 })),
];

const limits: RunLimits = {
  fuel: 50_000_000,
  graceFuel: 0,
  memoryBytes: 1 << 28,
  wallMs: 60_000,
  graceMs: 0,
  outputBytes: 1000,
  calls: 0,
  callBytes: 0,
};

/** Runs the sample cells in a session of their own and ends it: the interpreter is again in the state of the snapshot. */
export function warmUp(session: GuestSession): void {
  session.begin([1, 2, 3, 4]);
  for (const request of requests)
    session.run({ serial: 0, limits, discard: false }, Buffer.from(JSON.stringify(request)));
  session.end();
}
