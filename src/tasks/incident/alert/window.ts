/** The time window of an investigation. The engine applies it to every query. */
import type { IncidentWindow } from '../../../core/index.ts';
import type { Alert } from './alert.ts';

const minute = 60_000;
/** Alerts wait before they fire, and causes precede their effects. */
const beforeMs = 60 * minute;
const afterMs = 30 * minute;
/** Long enough to show the start of a slow leak. */
const baselineMs = 180 * minute;

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export function createWindow(alert: Pick<Alert, 'started' | 'ended'>, now: number): IncidentWindow {
  const began = alert.started === null || alert.started > now ? now : alert.started;
  const known = alert.started !== null && alert.started <= now;
  const from = began - beforeMs;
  // Never later than now: systems return nothing for the future, or a forecast.
  const to = Math.min(Math.max(alert.ended ?? began + afterMs, began + minute), now);
  return Object.freeze({
    from,
    to,
    baseline_from: from - baselineMs,
    derivation:
      `${known ? `the alert says ${formatTime(began)}` : `the alert names no time that is over, so it counts from when it came, ${formatTime(began)}`}; ` +
      `from ${beforeMs / minute} min before it to ${Math.round((to - began) / minute)} min after, with ${baselineMs / minute} min before that for comparison`,
  });
}

/** Moves the start of the window back if a series changed before it. */
export function widenWindow(window: IncidentWindow, onset: number): IncidentWindow {
  const from = onset - 10 * minute;
  if (from >= window.from) return window;
  return Object.freeze({
    ...window,
    from,
    derivation: `${window.derivation}; begun earlier, at ${formatTime(from)}, since a series left its course at ${formatTime(onset)}`,
  });
}

const day = 24 * 60 * minute;

/**
 * A leak, a nightly job or the first busy hour may show damage hours after the deploy that caused it, so changes of a
 * whole day count.
 */
export const widenForChanges = (window: IncidentWindow): IncidentWindow =>
  Object.freeze({ ...window, baseline_from: Math.min(window.baseline_from, window.from - day) });
