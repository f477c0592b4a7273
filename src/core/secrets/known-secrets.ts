/**
 * Finds secrets whose value is known (the keys of this process), in whatever form they occur: unchanged, with an end
 * missing, in another case, reversed, percent-encoded, in hexadecimal or in base64 within a longer text.
 */
import { KeywordAutomaton } from './keyword-automaton.ts';

/** Values shorter than this are ignored: they may be ordinary words, and no service issues such keys. */
const minSecretLength = 6;
/**
 * Lengths of a form. Below `wholeBelow` it must be found whole, below `almostWholeBelow` one character may be missing
 * at an end, and of a longer form half is enough.
 */
const wholeBelow = 8;
const almostWholeBelow = 20;

interface SecretForm {
  /** In lower case, like the text that is searched. */
  readonly text: string;
  /** Number of adjacent characters of the form that reveal the secret. */
  readonly minMatch: number;
  readonly secret: string;
}

/**
 * A part of a form that is searched for. Every part of the form that is long enough to reveal the secret contains at
 * least one whole piece.
 */
interface FormPiece {
  readonly text: string;
  readonly at: number;
  readonly form: SecretForm;
}

export interface KnownSecrets {
  /** Replaces each form (`piece`) of each secret, and each part long enough to reveal it. */
  replaceIn(text: string, mark: (secret: string, piece: string) => string): string;
}

export function indexKnownSecrets(values: Iterable<string>): KnownSecrets {
  const forms = [...new Set(values)].filter(({ length }) => length >= minSecretLength).flatMap(listForms);
  const pieces = forms.flatMap(splitForm);
  if (pieces.length === 0) return { replaceIn: (text) => text };
  const automaton = new KeywordAutomaton(pieces.map(({ text }) => text));
  return {
    replaceIn(text, mark) {
      const found: SecretMatch[] = [];
      let lower: string | undefined;
      automaton.find(text, (piece, at) => {
        lower ??= toLower(text);
        const match = extendMatch(lower, pieces[piece]!, at);
        if (match !== null) found.push(match);
      });
      return found.length === 0 ? text : replaceFound(text, found, mark);
    },
  };
}

interface SecretMatch {
  readonly start: number;
  readonly end: number;
  readonly secret: string;
}

function replaceFound(
  text: string,
  found: readonly SecretMatch[],
  mark: (secret: string, piece: string) => string,
): string {
  let clean = '';
  let done = 0;
  for (const { start, end, secret } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    // A hit that overlaps the previous one is hidden with it.
    if (start >= done) {
      const piece = text.slice(start, end);
      clean += text.slice(done, start) + markEachLine(piece, mark(secret, piece));
    }
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}

/** Replaces a secret of several lines by a mark on each of its lines, so that line numbers stay. */
const markEachLine = (held: string, mark: string): string => held.replace(/[^\n]+/g, mark);

/** The range around a piece on which text and form agree, if it is long enough. */
function extendMatch(
  text: string,
  { at: within, text: piece, form }: FormPiece,
  at: number,
): SecretMatch | null {
  let start = at;
  for (let from = within; start > 0 && from > 0 && text[start - 1] === form.text[from - 1]; from--) start--;
  let end = at + piece.length;
  for (let to = within + piece.length; end < text.length && to < form.text.length; to++, end++)
    if (text[end] !== form.text[to]) break;
  return end - start >= form.minMatch ? { start, end, secret: form.secret } : null;
}

const minMatchLength = (length: number): number =>
  length < wholeBelow ? length : length < almostWholeBelow ? length - 1 : Math.ceil(length / 2);

function splitForm(form: SecretForm): readonly FormPiece[] {
  const size = Math.floor((form.minMatch + 1) / 2);
  const pieces: FormPiece[] = [];
  for (let at = 0; at + size <= form.text.length; at += size) {
    const text = form.text.slice(at, at + size);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the automaton matches ASCII only.
    if (/^[\x00-\x7f]+$/.test(text)) pieces.push({ text, at, form });
  }
  return pieces;
}

/** Lower case with unchanged offsets: in some scripts, lower-case letters are longer than upper-case ones. */
function toLower(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function listForms(secret: string): readonly SecretForm[] {
  const bytes = Buffer.from(secret);
  const reversed = [...secret].reverse().join('');
  const texts = new Set(
    [
      secret,
      reversed,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
      bytes.toString('hex'),
      Buffer.from(reversed).toString('hex'),
      ...listBase64Forms(bytes),
      ...listBase64Forms(Buffer.from(reversed)),
    ].map((text) => text.toLowerCase()),
  );
  return [...texts].map((text) => ({ text, minMatch: minMatchLength(text.length), secret }));
}

/** Inside a longer text, base64 starts at one of three offsets; characters that depend on neighbours are cut off. */
function listBase64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = whole.toString('base64').replace(/=+$/, '');
    const first = Math.ceil((offset * 8) / 6);
    const end = whole.length % 3 === 0 ? text.length : text.length - 1;
    const own = text.slice(first, end);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
