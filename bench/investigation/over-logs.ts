/** Aggregation over logs: the questions of a set with its own answers, and those that are made from the log itself. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { answered, type Came, carriedOut, folder, program, table } from './asked.ts';
import { logs } from './log-forms.ts';
import { logQuestions } from './log-questions.ts';

/** `more`: `NAME=FILE`, the name being that of a form of logs. */
export async function overLogs(data: string, more: readonly string[]): Promise<void> {
  await overSet(data);
  for (const log of logs(data, more)) {
    const path = basename(log.file);
    const came = await answered(logQuestions(log.rows()), {
      begin: 'begin',
      folder: 'lines',
      place: { root: only(log.file) },
      path,
    });
    table(
      `${log.name}, ${log.written ? 'over which the programs were written' : 'new to the programs'}`,
      came,
    );
  }
}

function only(file: string): string {
  const root = folder('log');
  cpSync(file, join(root, basename(file)));
  return root;
}

interface Question {
  readonly id: string;
  readonly context_file: string;
  readonly kind: string;
  readonly question: string;
  readonly answer: unknown;
  readonly answer_type: string;
}

/** A template holds for a line whose end it matches: <*> stands for anything. */
function isRight({ answer, answer_type }: Question, given: unknown): boolean {
  if (answer_type === 'NUMERIC') return Number(given) === Number(answer);
  const text = String(given)
    .replace(/^UNVERIFIED:[^\n]*\n+/, '')
    .replaceAll(/ ?\[unsupported\]/g, '')
    .trim();
  if (answer_type !== 'TEMPLATE_MATCH') return text.toLowerCase() === String(answer).trim().toLowerCase();
  const parts = String(answer)
    .split('<*>')
    .map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`${parts.join('.*')}\\s*$`).test(text);
}

async function overSet(data: string): Promise<void> {
  const file = join(data, 'logs', 'loghub-oolong-style.jsonl');
  if (!existsSync(file)) return console.log(`skipped: ${file} is not there\n`);
  const questions = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Question);
  const there = (one: Question) => existsSync(join(data, 'logs', basename(one.context_file)));
  const asked = questions.filter(there);
  console.log(`${questions.length - asked.length} questions of the set are over logs that are not here.`);
  const came: Came[] = [];
  for (const one of asked) {
    const path = basename(one.context_file);
    const { result, ...measured } = await carriedOut(one.question, {
      place: { root: only(join(data, 'logs', path)) },
      context: { path, question: one.question },
      programs: [`${program('set/log')}\n${program(`set/${one.kind}`)}`],
    });
    const exact = isRight(one, result.answer);
    if (!exact)
      console.log(
        `  not exact: ${one.id} ${one.question.slice(0, 90)}: ${String(result.answer).slice(0, 80)}`,
      );
    came.push({ kind: one.kind, exact, ...measured });
  }
  table('Questions of a public set, with its own answers', came);
}
