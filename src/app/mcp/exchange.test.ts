import { expect, it } from 'vitest';
import type { SamplingRequest } from '../../model/index.ts';
import { Exchange } from './exchange.ts';

const request = (text: string): SamplingRequest => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
  maxTokens: 10,
});
const never = new AbortController().signal;

it('alternates between questions and answers until the run ends', async () => {
  const exchange = new Exchange(async (sample, signal) => {
    const first = await sample(request('one'), signal);
    return [first, await sample(request('two'), signal)];
  });
  expect(await exchange.next(never)).toMatchObject({ kind: 'question', question: { id: 'sample-1' } });
  exchange.passAnswers({ 'sample-1': 'A', stray: 'x' });
  expect(await exchange.next(never)).toMatchObject({ kind: 'question', question: { id: 'sample-2' } });
  exchange.passAnswers({ 'sample-2': 'B' });
  expect(await exchange.next(never)).toEqual({ kind: 'finished', result: ['A', 'B'] });
});

it('asks the same question again where the caller comes back without hearing it', async () => {
  const exchange = new Exchange((sample, signal) => sample(request('one'), signal));
  const [first, second] = [await exchange.next(never), await exchange.next(never)];
  expect(second).toEqual(first);
});

it('a question that the client leaves out gets no answer, and the run goes on', async () => {
  const exchange = new Exchange(async (sample, signal) => [await sample(request('one'), signal)]);
  await exchange.next(never);
  exchange.passAnswers({});
  expect(await exchange.next(never)).toEqual({ kind: 'finished', result: [undefined] });
});

it('gives what came before its question to the first question', async () => {
  const exchange = new Exchange((sample, signal) => sample(request('one'), signal), ['early']);
  expect(await exchange.next(never)).toEqual({ kind: 'finished', result: 'early' });
});

it('the signal of a call ends the run, and with it what it waits for', async () => {
  const exchange = new Exchange(async (sample, signal) =>
    sample(request('one'), signal).catch(() => 'given up'),
  );
  await exchange.next(never);
  const controller = new AbortController();
  controller.abort();
  // The question is still there at first: whoever cancels does not read it.
  await exchange.next(controller.signal);
  expect(await exchange.next(never)).toEqual({ kind: 'finished', result: 'given up' });
});

it('what the run throws is thrown to the caller', async () => {
  const exchange = new Exchange(() => Promise.reject(new Error('no such folder')));
  await expect(exchange.next(never)).rejects.toThrow('no such folder');
});

it('end waits for the run', async () => {
  let ended = false;
  const exchange = new Exchange(async (sample, signal) => {
    await sample(request('one'), signal).catch(() => {});
    ended = true;
  });
  await exchange.next(never);
  await exchange.end();
  expect(ended).toBe(true);
});
