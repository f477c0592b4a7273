/**
 * A wide tree: one investigation whose code begins 27 times four nested ones, under one budget. What each call costs is
 * set by the script, so that the whole tree needs `needed` of the tokens whatever an engine's page is long: who finishes,
 * and how much of the budget is used, is then a matter of how turns and tokens are shared.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { investigate } from '../../src/index.ts';
import { fenced, folder, rounded, script } from './asked.ts';

const tokens = 600_000;
const batches = 27;
const side = 4;
const children = batches * side;
const questions = 3;
const needed = 0.93;

/** Of a question, and of a turn of the one that writes the code: input and output together. */
const question = 800;
const turn = Math.floor(
  (needed * tokens) / (children + 1) - (questions * question * children) / (children + 1),
);

const wide = `
came = []
for batch in range(${batches}):
    prompts = [f"what does part {batch}.{n} say?" for n in range(${side})]
    ends = investigate_batched(prompts, contexts=list(range(${side})))
    for end in ends:
        if isinstance(end, Failed):
            came.append(end.code)
        else:
            came.append(end.status if end.answer == [${questions}, 0] else "wrong")
    if came[-${side}:] == ["budget"] * ${side}:
        break
FINAL([came.count("final"), sorted(set(came) - {"final"})])
`;
const narrow = `
text = kb_read(kb_list()[context])
notes = llm_query_batched(["What does this say?"] * ${questions}, materials=[text[:500]] * ${questions})
FINAL([len(notes), sum(isinstance(note, Failed) for note in notes)])
`;

const answer = (text: string, all: number) => ({ text, usage: { input: all - 100, output: 100 } });

export async function nested(): Promise<void> {
  const root = folder('nested');
  for (let n = 0; n < side; n += 1)
    writeFileSync(join(root, `part-${n}.md`), `# Part ${n}\n\n${`A line of part ${n}.\n`.repeat(100)}`);
  const child = answer(fenced(narrow), turn);
  const started = performance.now();
  const {
    status,
    answer: came,
    spent,
  } = await investigate('what do all the parts say?', {
    root,
    context: children,
    settings: {
      model: script([answer(fenced(wide), turn), ...Array.from({ length: children * 3 }, () => child)]),
      analyst: script(Array.from({ length: children * questions * 2 }, () => answer('a note', question))),
      max_tokens: tokens,
      max_time: '10m',
    },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const [finished = 0, others = []] = Array.isArray(came) ? came : [];
  const ended = others.length > 0 ? ` (others ended as: ${others.join(', ')})` : '';
  console.log(
    `${batches} x ${side} nested investigations under ${rounded(tokens)} tokens, ${needed} of which they need:`,
  );
  console.log(
    `  ${finished} of ${children} finished${ended}; ${spent.steps} turns of a model that writes code`,
  );
  console.log(
    `  ${(spent.tokens / tokens).toFixed(2)} of the budget used; ended as ${status} in ${seconds} s\n`,
  );
}
