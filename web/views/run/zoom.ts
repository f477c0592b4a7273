/** Which part of a run a timeline shows. Milliseconds since the epoch. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

export interface Whole {
  readonly from: number;
  readonly to: number;
}

/** The shortest time that the view can show. */
export const minShownMs = 10;

/** So many times as long, around a moment that stays where it is; null: the whole. */
export function zoomed({ from, to }: Part, by: number, around: number, whole: Whole): Part | null {
  const length = Math.max(minShownMs, (to - from) * by);
  if (length >= whole.to - whole.from) return null;
  const at = around - ((around - from) / Math.max(1, to - from)) * length;
  return within({ from: at, to: at + length }, whole);
}

/** Half of what is shown further on, or back. */
export function shifted({ from, to }: Part, by: number, whole: Whole): Part {
  const step = ((to - from) / 2) * by;
  return within({ from: from + step, to: to + step }, whole);
}

function within({ from, to }: Part, whole: Whole): Part {
  const back = Math.max(0, to - whole.to);
  const on = Math.max(0, whole.from - from + back);
  return { from: from - back + on, to: Math.min(whole.to, to - back + on) };
}
