import { type FileState, fileStates, type VaultChange } from './vault.ts';

/** Counts files by state, and lists those that changed. */
export class FileCounts {
  readonly #counts = new Map<FileState, number>();
  readonly changes: VaultChange[] = [];

  add(path: string, state: FileState, page: string | null): void {
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + 1);
    if (state !== 'unchanged' && state !== 'edited_here')
      this.changes.push(Object.freeze({ path, state, page }));
  }

  get pages(): Readonly<Record<FileState, number>> {
    return Object.fromEntries(fileStates.map((state) => [state, this.#counts.get(state) ?? 0])) as Record<
      FileState,
      number
    >;
  }
}
