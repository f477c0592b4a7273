import { expect, it } from 'vitest';
import { toolReply } from '../../../core/index.ts';
import { pageReader } from './read-pages.ts';

it('counts the pages that there are beyond those that are read', async () => {
  const names = Array.from({ length: 20_900 }, (_, n) => `p${String(n).padStart(6, '0')}`);
  const tools = {
    call: async ({ args }: { readonly args: { readonly limit: number; readonly after?: string } }) => {
      const from = args.after === undefined ? 0 : names.indexOf(args.after) + 1;
      const shown = names.slice(from, from + args.limit);
      const next = from + shown.length < names.length ? shown.at(-1) : null;
      return toolReply('', { pages: shown.map((path) => ({ path })), next });
    },
  };
  const reader = pageReader(tools as never, new AbortController().signal);
  const { paths, there } = await reader.paths(undefined, 20_000);
  expect([paths.length, paths.at(-1), there]).toEqual([20_000, 'p019999', 20_900]);
  expect(await reader.paths(undefined, 30_000)).toEqual({ paths: names, there: 20_900 });
});
