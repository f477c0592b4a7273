import { z } from 'zod';

const words: Readonly<Record<string, number>> = { high: 0.8, medium: 0.5, moderate: 0.5, low: 0.2 };

/**
 * Reads a confidence such as `0.8`. Models that are not held to a schema also write `"0.8"`, `"80%"`, `80` or `"high"`.
 */
function asConfidence(value: unknown): unknown {
  if (typeof value === 'number') return value > 1 && value <= 100 ? value / 100 : value;
  if (typeof value !== 'string') return undefined;
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return words[value.trim().toLowerCase()];
  return value.trim().endsWith('%') || number > 1 ? number / 100 : number;
}

/** The confidence of the answer's author from 0 to 1; 0.5 if none is given. */
export const confidence = z
  .preprocess(asConfidence, z.number().default(0.5))
  .describe('0 to 1: how sure you are that the evidence carries the answer');

/** Clamped to 0 and 1. */
export function withinOne(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}
