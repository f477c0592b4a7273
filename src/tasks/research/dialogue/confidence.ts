import { z } from 'zod';

const wordValues: Readonly<Record<string, number>> = { high: 0.8, medium: 0.5, moderate: 0.5, low: 0.2 };

/** Reads a confidence such as `0.8`. Models without structured output also write `"0.8"`, `"80%"`, `80` or `"high"`. */
function parseConfidence(value: unknown): unknown {
  if (typeof value === 'number') return value > 1 && value <= 100 ? value / 100 : value;
  if (typeof value !== 'string') return undefined;
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return wordValues[value.trim().toLowerCase()];
  return value.trim().endsWith('%') || number > 1 ? number / 100 : number;
}

/** The confidence of the answer's author from 0 to 1; 0.5 if none is given. */
export const confidence = z
  .preprocess(parseConfidence, z.number().default(0.5))
  .describe('0 to 1: how sure you are that the evidence carries the answer');

/** Clamps a number to 0 to 1; NaN and infinities become 0. */
export function clampConfidence(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}
