/** Stores what was learned of the tokenizers of models, in one small file beside the runs. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LearnedStore } from '../../model/index.ts';
import type { directories } from '../config/index.ts';

/** Maximum models that are stored. The ones learned longest ago are removed. */
const maxModels = 40;

/** A file that cannot be read counts as empty, and one that cannot be written does not harm a run. */
export function openLearnedTokens({ data }: Pick<ReturnType<typeof directories>, 'data'>): LearnedStore {
  const file = join(data, 'tokens.json');
  const read = (): Readonly<Record<string, unknown>> => {
    try {
      const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return typeof content === 'object' && content !== null && !Array.isArray(content) ? { ...content } : {};
    } catch {
      return {};
    }
  };
  return {
    load: (model) => (Object.hasOwn(read(), model) ? read()[model] : undefined),
    save(model, learned) {
      const { [model]: _before, ...others } = read();
      const entries = [...Object.entries(others), [model, learned] as const].slice(-maxModels);
      const draft = `${file}.${process.pid}`;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(draft, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
        renameSync(draft, file);
      } catch {
        // The next run learns it again.
      }
    },
  };
}
