import { modelContract } from '../../model.contract.ts';
import { scriptedModel } from '../../scripted.ts';
import { providerFacts } from '../provider.contract.ts';
import { provider } from './provider.ts';

providerFacts(provider, () => ({
  ports: { readFile: () => '"a line"' },
  answer: () => {},
  hang: () => {},
  wasAsked: () => false,
  close: () => {},
}));

/** What it opens reads its file once, so that the lines of these tests come from a function. */
modelContract('scripted', () => {
  let line: string | { readonly delay_ms: number; readonly text: string } = '';
  const model = scriptedModel(() => line);
  return {
    model,
    answer: (text) => {
      line = text;
    },
    hang: () => {
      line = { delay_ms: 100_000, text: 'never' };
    },
    wasAsked: () => model.calls.length > 0,
    close: () => {},
  };
});
