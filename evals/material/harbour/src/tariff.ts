import { readFileSync } from 'node:fs';

export interface Visit {
  readonly hours: number;
  readonly length: number;
  readonly tariffClass: 'standard' | 'isolated' | 'fishing';
}

/** Cents for each started hour and metre. */
const rates = { standard: 18, isolated: 41, fishing: 6 } as const;

/** Hours that cost nothing: so long a pilot may take to bring a ship in. */
const freeHours = 2;

/** What a visit costs, in cents. Fishing boats of the town below fifteen metres pay nothing. */
export function costOf({ hours, length, tariffClass }: Visit): number {
  if (tariffClass === 'fishing' && length < 15) return 0;
  const charged = Math.max(0, Math.ceil(hours) - freeHours);
  return charged * Math.ceil(length) * rates[tariffClass];
}

/** A discount book is a file of lines `IMO PERCENT`; lines that are not that are skipped. */
export function readDiscounts(path: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const match = /^(\d{7})\s+(\d{1,2})$/.exec(line.trim());
    if (match !== null) found.set(match[1]!, Number(match[2]));
  }
  return found;
}
