/**
 * Short names of blocks. A handle is made of the block's row number, which is given once and never again, and of the
 * end of its id: it belongs to the block for as long as the workspace exists, in every conversation and process, and
 * needs no table. A number that was written wrongly, or that comes from another copy of the workspace, is refused by
 * its last digits.
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
