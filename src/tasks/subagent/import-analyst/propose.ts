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

interface RepairWrite extends Pick<Proposal, 'tool' | 'what' | 'derived_from'> {
  readonly args: ToolRequest['args'];
}

export interface ProposalList {
  readonly proposals: readonly Proposal[];
  /** Number of repairs that were not tried. */
  readonly more: number;
}

/** Maximum repairs listed if none is to be submitted. */
const maxListed = 10;
const maxMentions = 12;
const maxMentionLength = 200;

export async function propose(
  repairable: readonly Repairable[],
  maxSubmitted: number,
  reader: PageReader,
  { clients, capabilities, subThread, signal }: TaskContext,
): Promise<ProposalList> {
  const proposals: Proposal[] = [];
  // Takes the first repair of each finding before any second one.
  const orderedRepairs = repairable
    .flatMap(({ finding, repairs }) => repairs.map((repair, nth) => ({ finding, repair, nth })))
    .sort((a, b) => a.nth - b.nth);
  for (const [index, { finding, repair }] of orderedRepairs.entries()) {
    if (proposals.length >= Math.max(maxSubmitted, maxListed))
      return { proposals, more: orderedRepairs.length - index };
    const write = await createWrite(repair, finding, reader);
    if (write === null) continue;
    const { args, ...writeFields } = write;
    const proposalFields = {
      finding: finding.id,
      ...writeFields,
      write_id: null,
      content_ids: [],
      deviation_ids: [],
      note: '',
    };
    const isAllowed = capabilities.has(write.tool === 'add_tag' ? 'PagesOrganize' : 'PagesWrite');
    if (proposals.length >= maxSubmitted || !isAllowed) {
      proposals.push({ ...proposalFields, outcome: 'not_submitted' });
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
        ...proposalFields,
        outcome: result.write?.applied === true ? 'candidate' : 'held',
        write_id: result.write?.write_id ?? null,
        content_ids: [...(result.write?.content_ids ?? [])],
        deviation_ids: [...result.deviation_ids],
      });
    else if (result.error.code === 'cancelled')
      throw new SondeError('cancelled', { message: result.error.message });
    else proposals.push({ ...proposalFields, outcome: 'refused', note: result.error.message });
  }
  return { proposals, more: 0 };
}

/** The write that makes a repair, after reading its pages again; null if their text can't be repaired this way. */
async function createWrite(
  repair: Repair,
  finding: Finding,
  reader: PageReader,
): Promise<RepairWrite | null> {
  switch (repair.kind) {
    case 'relink': {
      const reading = await reader.read(repair.page);
      const targetPage = await reader.read(repair.to);
      const block = reading?.page.blocks.find(({ id }) => id === repair.block);
      if (reading === null || targetPage === null || block === undefined) return null;
      const text = replaceTarget(block.text, repair.from, repair.target);
      if (text === null) return null;
      const derived_from = [...new Set([reading.page.id, targetPage.page.id])];
      return {
        tool: 'update_block',
        what: plainLine(`on ${reading.page.path}, [[${repair.from}]] becomes [[${repair.target}]]`),
        derived_from,
        args: { block: block.id, text, derived_from },
      };
    }
    case 'create_page': {
      const mentions = await collectMentions(finding, reader);
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
      const reading = await reader.read(repair.page);
      if (reading === null) return null;
      return {
        tool: 'add_tag',
        what: plainLine(`the tag #${repair.tag} on ${reading.page.path}`),
        derived_from: [reading.page.id],
        args: { content: reading.page.id, tag: repair.tag },
      };
    }
  }
}

async function collectMentions({ evidence }: Finding, reader: PageReader) {
  const mentions: { readonly page: string; readonly path: string; readonly quote: string }[] = [];
  const links = evidence.filter(
    (each): each is Extract<PageEvidence, { kind: 'link' }> => each.kind === 'link',
  );
  for (const { page, path, block, target } of links.slice(0, maxMentions)) {
    const text = (await reader.read(page))?.page.blocks.find(({ id }) => id === block)?.text ?? '';
    const line = text.split(/\r?\n/).find((each) => each.includes(target));
    if (line !== undefined) mentions.push({ page, path, quote: line.trim().slice(0, maxMentionLength) });
  }
  return mentions;
}

/** Replaces the target of the wiki links to `from`; null if there are none. */
function replaceTarget(text: string, from: string, to: string): string | null {
  const escaped = RegExp.escape(from);
  const changed = text.replace(
    new RegExp(`(\\[\\[\\s*)${escaped}((?:\\.md)?\\s*(?:#[^\\]|]*)?(?:\\\\?\\|[^\\]]*)?\\]\\])`, 'g'),
    (_whole, opening: string, rest: string) => `${opening}${to}${rest.replace(/^\.md/, '')}`,
  );
  return changed === text ? null : changed;
}
