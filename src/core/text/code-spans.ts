/** Offsets of inline code, its backticks included. The end is exclusive. */
export interface CodeSpan {
  readonly start: number;
  readonly end: number;
}

/** The spans of inline code: each between two runs of the same number of backticks. */
export function findCodeSpans(text: string): readonly CodeSpan[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ start: index, length: run.length }));
  const spans: CodeSpan[] = [];
  // For each length of a run of backticks, the positions of such runs: each list is walked once.
  const byLength = Map.groupBy(runs.keys(), (at) => runs[at]!.length);
  const walked = new Map<number, number>();
  for (let at = 0; at < runs.length; at += 1) {
    const { start, length } = runs[at]!;
    const same = byLength.get(length)!;
    let next = walked.get(length) ?? 0;
    while (next < same.length && same[next]! <= at) next += 1;
    walked.set(length, next);
    const close = same[next];
    if (close === undefined) continue;
    spans.push({ start, end: runs[close]!.start + length });
    at = close;
  }
  return spans;
}

/** `spans` in the order of the text, as `findCodeSpans` gives them. */
export function isWithin(spans: readonly CodeSpan[], offset: number): boolean {
  let low = 0;
  let high = spans.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (spans[middle]!.start <= offset) low = middle;
    else high = middle - 1;
  }
  const span = spans[low];
  return span !== undefined && offset >= span.start && offset < span.end;
}
