// Asks a question about this project's own examples, with no key and no network, and checks what comes back.
// Run it in the clone: npx node examples/ask.ts
import { strict as assert } from 'node:assert';
import { ask, search, verify } from 'sonde';

const root = import.meta.dirname;

const result = await ask('Which example asserts that every citation is valid?', {
  root,
  settings: { model: 'extractive', steps: 5 },
});
console.log(result.answer);

assert.match(result.run_id, /^run-/);
assert.equal(result.model, 'extractive');
assert.ok(Buffer.byteLength(result.answer) <= 4096, 'an answer is at most 4 KB');
assert.ok(result.citations.length > 0, 'an answer cites what it rests on');
assert.ok(
  result.citations.every((citation) => citation.status === 'valid'),
  'every citation is valid',
);
assert.ok(result.citations.some((citation) => citation.path === 'ask.ts'));

const [best] = await search('every citation is valid', { root, k: 3 });
assert.equal(best?.path, 'ask.ts');

const [right, wrong] = await verify(
  [
    { path: 'ask.ts', start: 1, end: 2, quote: 'with no key and no network' },
    { path: 'ask.ts', start: 1, end: 2, quote: 'words that are not there' },
  ],
  { root },
);
assert.equal(right?.status, 'valid');
assert.equal(wrong?.status, 'quote_not_found');
console.log('ok');
