/** Parses `git log -z --name-only` as it arrives. */
import type { CommitNote } from '../../core/index.ts';

/** NUL-separated fields, so that no author or subject can pass for another record. */
export const recordFormat = '--format=tformat:%x00%H%x00%at%x00%an%x00%s';

export interface RecordReader {
  take(chunk: Buffer): void;
  /** Emits the last record, which is known to be complete only when the output ends. */
  finish(): void;
}

const fields = 4;

export function recordReader(onCommit: (note: CommitNote) => void): RecordReader {
  let rest = Buffer.alloc(0);
  let tokens: string[] = [];
  const emit = () => {
    const [commit, seconds, author, subject, ...names] = tokens;
    tokens = [];
    if (commit === undefined || seconds === undefined || author === undefined || subject === undefined)
      return;
    // Git puts a line break before the first name.
    const paths = names.map((name, index) => (index === 0 ? name.replace(/^\n/, '') : name));
    const date = new Date(Number(seconds) * 1000).toISOString();
    onCommit(Object.freeze({ commit, date, author, subject, paths: Object.freeze(paths) }));
  };
  return {
    take(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, from)) {
        const token = bytes.subarray(from, at).toString('utf8');
        from = at + 1;
        // An empty name is the separator before the next record; an author or a subject may be empty.
        if (token === '' && (tokens.length === 0 || tokens.length >= fields)) emit();
        else tokens.push(token);
      }
      rest = Buffer.from(bytes.subarray(from));
    },
    finish: emit,
  };
}
