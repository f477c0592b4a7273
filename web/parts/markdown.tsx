/**
 * Shows Markdown of the material. It makes elements by hand and never uses HTML, so that no text can become a script, a
 * style, or a part of the page. Images and frames of other sites are named, not loaded.
 */
import type { ComponentChildren, VNode } from 'preact';
import { blocksOf, type MarkdownBlock } from './markdown-blocks.ts';
import { anyMark, type Doubt, doubtMarks, doubtOf, doubtTones, marks, withoutMarks } from './marks.ts';
import { to } from './route.ts';
import { plainText } from './words.ts';

const maxDepth = 6;
/** Longer texts are shown as plain text, since deep nesting in them could block the browser. */
const maxInline = 12_000;

/** The link and the label that replace an id such as `ev-0123456789`. */
export interface Citing {
  readonly href: string;
  readonly name: string;
}

interface Around {
  readonly cite?: (id: string) => Citing;
  /** The mark that is open, which may span several elements. */
  state: 'added' | 'removed' | Doubt | null;
  readonly depth: number;
}

export function Markdown({
  text,
  cite,
  marked = false,
}: {
  readonly text: string;
  readonly cite?: (id: string) => Citing;
  /** Whether the text contains marks of differences or doubts. */
  readonly marked?: boolean;
}): VNode {
  const around: Around = { ...(cite && { cite }), state: null, depth: 0 };
  return <div class="material">{renderBlocks(marked ? text : withoutMarks(text), around)}</div>;
}

const renderBlocks = (text: string, around: Around): ComponentChildren =>
  around.depth > maxDepth
    ? inlineText(text, around)
    : blocksOf(text).map((block) => renderBlock(block, around));

function renderBlock(block: MarkdownBlock, around: Around): VNode {
  const inner = (): Around => ({ ...around, depth: around.depth + 1 });
  switch (block.is) {
    case 'heading':
      // Never as headings of the page: whoever walks those by ear must not meet the material's own among them.
      return (
        <p class={`heading h${block.level}`}>
          <strong>{inline(block.text, around)}</strong>
        </p>
      );
    case 'paragraph':
      return <p>{inline(block.text, around)}</p>;
    case 'code':
      return (
        <pre>
          <code>{inlineText(block.text, around)}</code>
        </pre>
      );
    case 'properties':
      return (
        <pre class="properties">
          <code>{inlineText(block.text, around)}</code>
        </pre>
      );
    case 'rule':
      return <hr />;
    case 'quote':
      return (
        <blockquote>
          {block.title !== null && <p class="callout">{inline(block.title, around)}</p>}
          {renderBlocks(block.text, inner())}
        </blockquote>
      );
    case 'list': {
      const items = block.items.map(({ text, done }) => (
        <li class={done === null ? undefined : 'task'}>
          {done !== null && (
            <span class="box" role="img" aria-label={done ? 'done' : 'to do'}>
              {done ? '☑' : '☐'}
            </span>
          )}
          {/\n/.test(text) ? renderBlocks(text, inner()) : inline(text, around)}
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <div class="table" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell) => (
                  <th scope="col">{inline(cell, around)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row) => (
                <tr>
                  {block.head.map((_, n) => (
                    <td>{inline(row[n] ?? '', around)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

const parts = new RegExp(
  [
    '(?<tick>`+)(?<code>[^`]|[^`][^]*?[^`])\\k<tick>(?!`)',
    '\\\\(?<escaped>[!-/:-@[-`{-~])',
    '(?<embed>!?)\\[\\[(?<wiki>[^\\]\\n|]{1,500})(?:\\|(?<alias>[^\\]\\n]{0,500}))?\\]\\]',
    '(?<image>!?)\\[(?<label>(?:[^\\[\\]]|\\[[^\\[\\]]*\\]){0,2000})\\]\\((?<href>[^)\\s]{0,2000})(?:\\s+"[^"\\n]{0,500}")?\\)',
    '<?(?<url>https?://[^\\s<>"`)\\]\\ue000-\\ue007]{1,2000})>?',
    '\\[?(?<cited>\\bev-[0-9a-f]{10}\\b)\\]?',
    '\\b(?<content>(?:bl|pg)-[0-9a-z]{20})\\b',
    '(?<strong>\\*\\*|__)(?=\\S)(?<bold>[^]{1,3000}?\\S)\\k<strong>',
    '(?<![\\w*])\\*(?=[^\\s*])(?<em>[^*]{0,1000}[^\\s*])\\*(?![\\w*])',
    '(?<![\\w_])_(?=[^\\s_])(?<under>[^_]{0,1000}[^\\s_])_(?![\\w_])',
    '~~(?=\\S)(?<gone>[^~]{1,1000})~~',
    '==(?=\\S)(?<bright>[^=]{1,1000})==',
  ].join('|'),
  'g',
);

function inline(text: string, around: Around): ComponentChildren {
  if (text.length > maxInline || around.depth > maxDepth) return inlineText(text, around);
  const found: ComponentChildren[] = [];
  let at = 0;
  // Marks in the ends of what is around are counted there, so that one state goes through the whole text.
  const within = (inner: string): ComponentChildren => {
    const state: Around = { ...around, depth: around.depth + 1 };
    const shown = inline(inner, state);
    around.state = state.state;
    return shown;
  };
  for (const match of text.matchAll(parts)) {
    if (match.index > at) found.push(inlineText(text.slice(at, match.index), around));
    at = match.index + match[0].length;
    found.push(renderPart(match, around, within));
  }
  if (at < text.length) found.push(inlineText(text.slice(at), around));
  return found;
}

function renderPart(
  match: RegExpMatchArray,
  around: Around,
  within: (inner: string) => ComponentChildren,
): ComponentChildren {
  const {
    code,
    escaped,
    wiki,
    alias,
    label,
    href,
    url,
    cited,
    content,
    bold,
    em,
    under,
    gone,
    bright,
    embed,
    image,
  } = match.groups as Readonly<Record<string, string | undefined>>;
  if (code !== undefined) return <code>{inlineText(code, around)}</code>;
  if (escaped !== undefined) return escaped;
  if (wiki !== undefined) {
    const target = wiki.replace(anyMark, '').trim();
    return (
      <a class="wiki" href={to('find', target)} title={plainText(target)}>
        {embed === '!' && <span class="embed">embeds </span>}
        {within(alias ?? wiki)}
      </a>
    );
  }
  if (href !== undefined) {
    const where = href.replace(anyMark, '');
    if (image === '!')
      return (
        <span class="picture">
          picture: {within(label ?? '')} <span class="where">{plainText(where)}</span>
        </span>
      );
    return <Outward href={where}>{within(label ?? '')}</Outward>;
  }
  if (url !== undefined) return <Outward href={url}>{null}</Outward>;
  if (cited !== undefined) {
    if (around.cite === undefined) return match[0];
    const { href: at, name } = around.cite(cited);
    return (
      <a class="cite" href={at} title={cited}>
        {plainText(name)}
      </a>
    );
  }
  if (content !== undefined)
    return (
      <a class="cite" href={to('find', content)} title={content}>
        {content.startsWith('pg-') ? 'page' : 'block'}
      </a>
    );
  if (bold !== undefined) return <strong>{within(bold)}</strong>;
  if (em !== undefined) return <em>{within(em)}</em>;
  if (under !== undefined) return <em>{within(under)}</em>;
  if (gone !== undefined) return <s>{within(gone)}</s>;
  return <mark>{within(bright ?? '')}</mark>;
}

/** Shows the real address beside the label, and links to web addresses only. */
function Outward({ href, children }: { readonly href: string; readonly children: ComponentChildren }): VNode {
  const url = /^https?:/i.test(href) ? URL.parse(href) : null;
  if (url === null)
    return (
      <span class="local">
        {children} <span class="where">{plainText(href)}</span>
      </span>
    );
  return (
    <a class="outward" href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children ?? plainText(href)}
      {children !== null && <span class="where"> {plainText(url.host)}</span>}
    </a>
  );
}

/** Text alone, with the marks of a difference. */
function inlineText(text: string, around: Around): ComponentChildren {
  if (text.search(anyMark) < 0) return around.state === null ? plainText(text) : marked(text, around.state);
  const found: ComponentChildren[] = [];
  for (const piece of text.split(/([\ue000-\ue007])/)) {
    const doubt = doubtOf(piece);
    if (piece === marks.added) around.state = 'added';
    else if (piece === marks.removed) around.state = 'removed';
    else if (doubt !== undefined) around.state = doubt;
    else if (piece === marks.addedEnd || piece === marks.removedEnd) around.state = null;
    else if (piece === doubtMarks.end) {
      const { state } = around;
      around.state = null;
      if (isDoubt(state))
        found.push(
          <>
            {' '}
            <span class={`tag ${doubtTones[state]}`}>{state}</span>
          </>,
        );
    } else if (piece !== '')
      found.push(around.state === null ? plainText(piece) : marked(piece, around.state));
  }
  return found;
}

const isDoubt = (state: Around['state']): state is Doubt => state !== null && state in doubtTones;

const marked = (text: string, state: 'added' | 'removed' | Doubt): VNode =>
  state === 'added' ? (
    <ins>{plainText(text)}</ins>
  ) : state === 'removed' ? (
    <del>{plainText(text)}</del>
  ) : (
    <span class={`doubt ${doubtTones[state]}`}>{plainText(text)}</span>
  );
