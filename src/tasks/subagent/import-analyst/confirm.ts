/** Checks each piece of evidence again, against the present workspace. */
import { likeness, runsOf, wordsOf } from './likeness.ts';
import type { PageReader, PageReading } from './read-pages.ts';
import type { PageEvidence } from './report.ts';
import { bodyOf, factsOf, hasAnchor } from './survey.ts';

export async function confirm(
  evidence: readonly PageEvidence[],
  reader: PageReader,
): Promise<PageEvidence[]> {
  const looked: PageEvidence[] = [];
  for (const each of evidence) looked.push({ ...each, confirmed: await stands(each, reader) });
  return looked;
}

async function stands(evidence: PageEvidence, reader: PageReader): Promise<boolean> {
  const read = await reader.read(evidence.page);
  if (read === null || read.page.path !== evidence.path) return false;
  switch (evidence.kind) {
    case 'quote':
      return (
        evidence.revision === read.page.revision && textAt(read, evidence.block).includes(evidence.quote)
      );
    case 'link':
      return read.links.some(
        ({ from, target, to }) => from === evidence.block && target === evidence.target && to === evidence.to,
      );
    case 'no_place': {
      const { block, target, to } = evidence;
      const page = await reader.read(to);
      const anchor = target.slice(target.indexOf('#') + 1);
      const written = read.links.some(
        (link) => link.from === block && link.target === target && link.to === to,
      );
      return written && page !== null && !hasAnchor(factsOf(page), anchor);
    }
    case 'page':
      return true;
    case 'alone':
      return (
        read.links.every(({ to }) => to === null || to === evidence.page) &&
        (await reader.linksTo(evidence.page)).every(({ from_page }) => from_page === evidence.page)
      );
    case 'empty':
      return wordsOf(bodyOf(read.page)).length === 0;
    case 'tag':
      return read.page.tags.includes(evidence.tag);
    case 'alike': {
      const other = await reader.read(evidence.other);
      const runs = (text: string) => runsOf(wordsOf(text));
      return (
        other !== null && likeness(runs(bodyOf(read.page)), runs(bodyOf(other.page))) >= evidence.likeness
      );
    }
    case 'deviation':
      return (await reader.deviations()).some(({ id }) => id === evidence.deviation);
  }
}

function textAt({ page }: PageReading, block: string | null): string {
  return block === null ? page.front : (page.blocks.find(({ id }) => id === block)?.text ?? '');
}
