/** Submits repairs as writes through the tools, so that each becomes a candidate or waits for the author. */
import { canonicalJson, formatCodeSpan, plainLine, SondeError, sha256 } from '../../../core/index.ts';
import type { ToolRequest } from '../../../tools/index.ts';
import type { TaskContext } from '../../shape.ts';
import type { PageReader } from './read-pages.ts';
import type { Finding, PageEvidence, Proposal, Repair } from './report.ts';

export interface Repairable {
  readonly finding: Finding;
  readonly repairs: readonly Repair[];
}

interface Written extends Pick<Proposal, 'tool' | 'what' | 'derived_from'> {
  readonly args: ToolRequest['args'];
}

export interface ProposalList {
  readonly proposals: readonly Proposal[];
  /** Number of repairs that were not tried. */
  readonly more: number;
}

/** Maximum repairs listed if none is to be submitted. */
const maxTold = 10;
const maxMentions = 12;
const mentionLength = 200;

export async function propose(
  repairable: readonly Repairable[],
  max: number,
  reader: PageReader,
  { clients, capabilities, subThread, signal }: TaskContext,
): Promise<ProposalList> {
  const proposals: Proposal[] = [];
  // Takes the first repair of each finding before any second one.
  const all = repairable
    .flatMap(({ finding, repairs }) => repairs.map((repair, nth) => ({ finding, repair, nth })))
    .sort((a, b) => a.nth - b.nth);
  for (const [place, { finding, repair }] of all.entries()) {
    if (proposals.length >= Math.max(max, maxTold)) return { proposals, more: all.length - place };
    const write = await writeOf(repair, finding, reader);
    if (write === null) continue;
    const { args, ...about } = write;
    const base = {
      finding: finding.id,
      ...about,
      write_id: null,
      content_ids: [],
      deviation_ids: [],
      note: '',
    };
    const may = capabilities.has(write.tool === 'add_tag' ? 'PagesOrganize' : 'PagesWrite');
    if (proposals.length >= max || !may) {
      proposals.push({ ...base, outcome: 'not_submitted' });
      continue;
    }
    const result = await clients.tools.call({
      name: write.tool,
      args,
      // The same for a repeated step, so that no repair is submitted twice.
      idempotencyKey: sha256(`${subThread}\0${canonicalJson(repair)}`),
      readTrail: write.derived_from,
      signal,
    });
    if (result.ok)
      proposals.push({
        ...base,
        outcome: result.write?.applied === true ? 'candidate' : 'held',
        write_id: result.write?.write_id ?? null,
        content_ids: [...(result.write?.content_ids ?? [])],
        deviation_ids: [...result.deviation_ids],
      });
    else if (result.error.code === 'cancelled')
      throw new SondeError('cancelled', { message: result.error.message });
    else proposals.push({ ...base, outcome: 'refused', note: result.error.message });
  }
  return { proposals, more: 0 };
}

/** Null: the present text can't be repaired this way. Pages are read again, and the write cites what was read. */
async function writeOf(repair: Repair, finding: Finding, reader: PageReader): Promise<Written | null> {
  switch (repair.kind) {
    case 'relink': {
      const read = await reader.read(repair.page);
      const to = await reader.read(repair.to);
      const block = read?.page.blocks.find(({ id }) => id === repair.block);
      if (read === null || to === null || block === undefined) return null;
      const text = withTarget(block.text, repair.from, repair.target);
      if (text === null) return null;
      const derived_from = [...new Set([read.page.id, to.page.id])];
      return {
        tool: 'update_block',
        what: plainLine(`on ${read.page.path}, [[${repair.from}]] becomes [[${repair.target}]]`),
        derived_from,
        args: { block: block.id, text, derived_from },
      };
    }
    case 'create_page': {
      const mentions = await mentionsOf(finding, reader);
      if (mentions.length === 0) return null;
      const derived_from = mentions.map(({ page }) => page);
      return {
        tool: 'create_page',
        what: plainLine(`a page ${repair.path}, with what ${mentions.length} pages say where they name it`),
        derived_from,
        args: {
          path: repair.path,
          text: [
            'Pages that name this one, and what they say there:',
            '',
            // Quoted as code, so that words of another page create no link or tag here.
            ...mentions.map(({ path, quote }) => `- [[${path}]]: ${formatCodeSpan(quote)}`),
            '',
          ].join('\n'),
          derived_from,
        },
      };
    }
    case 'add_tag': {
      const read = await reader.read(repair.page);
      if (read === null) return null;
      return {
        tool: 'add_tag',
        what: plainLine(`the tag #${repair.tag} on ${read.page.path}`),
        derived_from: [read.page.id],
        args: { content: read.page.id, tag: repair.tag },
      };
    }
  }
}

async function mentionsOf({ evidence }: Finding, reader: PageReader) {
  const mentions: { readonly page: string; readonly path: string; readonly quote: string }[] = [];
  const links = evidence.filter(
    (each): each is Extract<PageEvidence, { kind: 'link' }> => each.kind === 'link',
  );
  for (const { page, path, block, target } of links.slice(0, maxMentions)) {
    const text = (await reader.read(page))?.page.blocks.find(({ id }) => id === block)?.text ?? '';
    const line = text.split(/\r?\n/).find((each) => each.includes(target));
    if (line !== undefined) mentions.push({ page, path, quote: line.trim().slice(0, mentionLength) });
  }
  return mentions;
}

/** Replaces the target of the wiki links to `from`; null if there are none. */
function withTarget(text: string, from: string, to: string): string | null {
  const escaped = RegExp.escape(from);
  const changed = text.replace(
    new RegExp(`(\\[\\[\\s*)${escaped}((?:\\.md)?\\s*(?:#[^\\]|]*)?(?:\\\\?\\|[^\\]]*)?\\]\\])`, 'g'),
    (_whole, open: string, rest: string) => `${open}${to}${rest.replace(/^\.md/, '')}`,
  );
  return changed === text ? null : changed;
}
