/**
 * Short names of blocks. A handle consists of the block's row number, which is never reused, and of check digits from
 * the end of its id. It is valid for as long as the workspace exists, in every conversation and process, and needs no
 * table. The check digits reveal a mistyped handle, or one of another copy of the workspace.
 */

/** The form of a handle. It reads like a number, since three digits are one token for many models. */
const form = /^#(\d{1,12})(\d{3})$/;

/** A handle is `#`, the number of the row, and three digits out of the id. */
export function handleOf({ n, id }: { readonly n: number; readonly id: string }): string {
  const check = Number.parseInt(id.slice(-3), 36) % 1000;
  return `#${n}${String(check).padStart(3, '0')}`;
}

/** The row number in a handle; null if it is no handle. Compare with `handleOf` of that row to verify the handle. */
export function rowOfHandle(handle: string): number | null {
  const match = form.exec(handle);
  return match === null ? null : Number(match[1]);
}
