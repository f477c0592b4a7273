import type { BlameLine } from '../../core/index.ts';

/** Reads `git blame --line-porcelain`: for each line a header, its fields, and the text after a tab. */
export function parseBlame(output: string): readonly BlameLine[] {
  const items: BlameLine[] = [];
  let commit = '';
  let line = 0;
  let author = '';
  let seconds = 0;
  for (const row of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)( \d+)?$/.exec(row);
    if (row.startsWith('\t')) {
      const date = new Date(seconds * 1000).toISOString();
      items.push(Object.freeze({ line, commit, date, author, text: row.slice(1).replace(/\r$/, '') }));
    } else if (header !== null) {
      commit = header[1]!;
      line = Number(header[2]);
    } else if (row.startsWith('author ')) author = row.slice('author '.length);
    else if (row.startsWith('author-time ')) seconds = Number(row.slice('author-time '.length));
  }
  return items;
}
