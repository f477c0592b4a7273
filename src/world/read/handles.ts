/**
 * Short names of blocks. A handle consists of the block's row number, which is never reused, and of check digits from
 * its id, which reveal a mistyped handle or one of another workspace. It is valid in every conversation and process,
 * and needs no table.
 */

/** The form of a handle: digits only, since three digits are one token for many models. */
const form = /^#(\d{1,12})(\d{3})$/;

/** A handle is `#`, the number of the row, and three digits out of the id. */
export function formatHandle({ n, id }: { readonly n: number; readonly id: string }): string {
  const check = Number.parseInt(id.slice(-3), 36) % 1000;
  return `#${n}${String(check).padStart(3, '0')}`;
}

/**
 * The row number in a handle; null if it is not a handle. To verify the check digits, compare with `formatHandle` of
 * that row.
 */
export function parseHandle(handle: string): number | null {
  const match = form.exec(handle);
  return match === null ? null : Number(match[1]);
}
