import { describe, expect, it, test } from 'vitest';
import { findAskedNames } from './asked-names.ts';

const named: readonly (readonly [question: string, names: readonly string[]])[] = [
  ['Where is `frobnicateWidget` defined?', ['frobnicateWidget']],
  ['Who calls frobnicateWidget and why?', ['frobnicateWidget']],
  ['What does retry_with_jitter() do?', ['retry_with_jitter()']],
  ['How does Store.open differ from db::connect?', ['Store.open', 'db::connect']],
  ['Where is "quux" read?', ['quux']],
  ["What is 'max-delay' for?", ['max-delay']],
  ['What is in src/core/budget/pool.ts:40?', ['src/core/budget/pool.ts:40']],
  ['Why does docker-compose.yml mount it?', ['docker-compose.yml']],
  ['What does `store.open(path, options)` return?', ['store.open(path, options)']],
  ['Was bedeutet „x“ und wo steht XMLReader?', ['XMLReader']],
  ['Is there a HTTPServer here?', ['HTTPServer']],
];
it.each(named)('%s asks about %j', (question, names) => {
  expect(findAskedNames(question)).toEqual({ names, isAbout: true });
});

describe('prose has no names', () => {
  it.each([
    'How are retries done, e.g. after a timeout, i.e. when the peer is gone?',
    'What changed in v1.2.3 and 2.0.0-rc.1 (approx. 3.5 MB)?',
    'What is the "single source of truth" in this code?',
    'Where does the message "connection to db-1.example:5432 refused" come from?',
    'Does it run on macOS, with Node.js and PostgreSQL, or in GitHub Actions?',
    'Which APIs and URLs do the CLIs of the U.S. team use, etc.?',
    'See https://example.org/a_b/cD and mail me@example.org: how are sessions closed?',
    "Why doesn't the user's session end... and when does it?",
    'How should I add a new `frobnicateWidget` to the panel?',
    'What would have to change if it were renamed to `reservoirPool`?',
    'Count the tests by folder. Return a list with `folder_name` and `test_count`.',
    'What is the read/write ratio, and/or the on/off switch?',
  ])('%s', (question) => {
    expect(findAskedNames(question).names).toEqual([]);
  });
});

it('what was pasted is not what is asked about', () => {
  expect(findAskedNames('Why does this fail?\n```\nmyOwnThing.run()\n```').isAbout).toBe(false);
  expect(findAskedNames(`It fails with fooBar. ${'And so on. '.repeat(80)}`).isAbout).toBe(false);
});

test.each([
  ['How does HTTP02Challenge work?', ['HTTP02Challenge']],
  ['How is the DNS-LASTING-02 challenge enabled?', ['DNS-LASTING-02']],
  ['Which form is ABC-9921?', ['ABC-9921']],
  ['Does it use SHA-256 or UTF-8?', []],
])('numbered names in %s', (question, names) => {
  expect(findAskedNames(question).names).toEqual(names);
});

describe('a question with a very long word', () => {
  it.each(['\\', 'a', 'A', '@', 'a@', 'a.', '.', 'a-', '<!--', 'ab://'])('ends for %j', (part) => {
    const word = part.repeat(100_000 / part.length);
    expect(findAskedNames(`${word}é and frobnicateWidget`).names).toContain('frobnicateWidget');
  });
});
