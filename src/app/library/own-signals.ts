/** Checks the signals that a program passes in: a wrong one is named before the incident begins. */
import { type Signal, SondeError } from '../../core/index.ts';

type Form = 'text' | 'list' | 'function' | 'schema';

const signalFields: Readonly<Record<string, Form>> = {
  system: 'text',
  source: 'text',
  offers: 'text',
  questions: 'list',
  health: 'function',
  close: 'function',
};
const questionFields: Readonly<Record<string, Form>> = {
  name: 'text',
  topic: 'text',
  description: 'text',
  parameters: 'schema',
  cost: 'text',
  ask: 'function',
};
const words: Readonly<Record<Form, string>> = {
  text: 'a text',
  list: 'a list',
  function: 'a function',
  schema: 'a schema of zod, such as z.object({})',
};

/** Throws `bad_argument` that names the first field that is missing or of another kind. */
export function checkSignals(signals: readonly Signal[]): void {
  for (const [n, signal] of signals.entries()) {
    checkFields(signal, `signals[${n}]`, signalFields);
    for (const [m, question] of [...signal.questions].entries())
      checkFields(question, `signals[${n}].questions[${m}]`, questionFields);
  }
}

function checkFields(value: unknown, place: string, fields: Readonly<Record<string, Form>>): void {
  if (typeof value !== 'object' || value === null) throw wrongSignal(place, 'an object');
  for (const [field, form] of Object.entries(fields))
    if (!hasForm((value as Record<string, unknown>)[field], form))
      throw wrongSignal(`${place}.${field}`, words[form]);
}

function hasForm(value: unknown, form: Form): boolean {
  switch (form) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'list':
      return Array.isArray(value);
    case 'function':
      return typeof value === 'function';
    case 'schema':
      return typeof (value as { safeParse?: unknown } | null | undefined)?.safeParse === 'function';
  }
}

const wrongSignal = (place: string, form: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${place} must be ${form}`,
    remedy: 'See "A signal" in docs/guides/own-parts.md: a signal holds to the type Signal.',
    details: { field: place },
  });
