/** Names of files that break a line, or hide what they are: quoted, cited, found by the gate, opened again. */
import { afterAll, expect, test } from 'vitest';
import { escapePath } from '../../core/index.ts';
import {
  answer,
  answerFromPage,
  open,
  openTestStore,
  runTrial,
  runTrialWithoutModel,
} from './research.contract.ts';
import { scriptedMaterial } from './scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const names = [
  'we\nird notes.md',
  'we\nird.md',
  'docs/new\nline/read me.md',
  'tab\there.md',
  'two  spaces.md',
  ' before.md',
  'right\u202eto left.md',
  'bell\u0007.md',
  'a\r\nb c.md',
];
const text = 'Leases\n\nThe pool is drained when the lease ends.\n';
const question = 'When is the pool drained?';

test.each(names)('a quote of %j stands, and its place opens it', async (name) => {
  const material = scriptedMaterial({ files: { [name]: text, 'plain.md': 'Nothing of it.' } });
  const { result } = await runTrialWithoutModel(store, { material, question });
  expect(result.unsupported).toEqual([]);
  expect(result.answer).toContain(`${escapePath(name)}:3 `);
  expect(result.citations.map(({ path, status }) => [path, status])).toEqual([[name, 'valid']]);

  const asked = await runTrial(store, {
    material,
    script: (request, call) => {
      const page = request.messages.map((message) => message.text).join('\n');
      return call === 0
        ? open(escapePath(name), 3, 3)
        : answer(answerFromPage(page, `As ${escapePath(name)}:3 has it, it is drained when the lease ends`));
    },
  });
  expect(asked.result.unsupported).toEqual([]);
  expect(asked.result.citations).toMatchObject([{ path: name, status: 'valid' }]);
});

test('a place in a file that was not read has its mark, though its name ends like one that was', async () => {
  const material = scriptedMaterial({ files: { 'we\nird.md': text, 'bird.md': 'x\ny\nz' } });
  const { result } = await runTrial(store, {
    material,
    script: (request, call) => {
      const page = request.messages.map((message) => message.text).join('\n');
      return call === 0
        ? open('we\nird.md', 3, 3)
        : answer(answerFromPage(page, 'It is drained when the lease ends, as bird.md:3 says'));
    },
  });
  expect(result.unsupported).toHaveLength(1);
});
