/** Checks each piece of evidence again, against the present workspace. */
import { hashRuns, likeness, splitWords } from './likeness.ts';
import type { PageReader, PageReading } from './read-pages.ts';
import type { PageEvidence } from './report.ts';
import { factsOf, hasAnchor, pageTextOf } from './survey.ts';

export async function confirm(
  evidence: readonly PageEvidence[],
  reader: PageReader,
): Promise<PageEvidence[]> {
  const checkedEvidence: PageEvidence[] = [];
  for (const each of evidence) checkedEvidence.push({ ...each, confirmed: await isStillTrue(each, reader) });
  return checkedEvidence;
}

async function isStillTrue(evidence: PageEvidence, reader: PageReader): Promise<boolean> {
  const reading = await reader.read(evidence.page);
  if (reading === null || reading.page.path !== evidence.path) return false;
  switch (evidence.kind) {
    case 'quote':
      return (
        evidence.revision === reading.page.revision &&
        textAt(reading, evidence.block).includes(evidence.quote)
      );
    case 'link':
      return reading.links.some(
        ({ from, target, to }) => from === evidence.block && target === evidence.target && to === evidence.to,
      );
    case 'no_place': {
      const { block, target, to } = evidence;
      const page = await reader.read(to);
      const anchor = target.slice(target.indexOf('#') + 1);
      const isWritten = reading.links.some(
        (link) => link.from === block && link.target === target && link.to === to,
      );
      return isWritten && page !== null && !hasAnchor(factsOf(page), anchor);
    }
    case 'page':
      return true;
    case 'alone':
      return (
        reading.links.every(({ to }) => to === null || to === evidence.page) &&
        (await reader.linksTo(evidence.page)).every(({ from_page }) => from_page === evidence.page)
      );
    case 'empty':
      return splitWords(pageTextOf(reading.page)).length === 0;
    case 'tag':
      return reading.page.tags.includes(evidence.tag);
    case 'alike': {
      const other = await reader.read(evidence.other);
      const runsIn = (text: string) => hashRuns(splitWords(text));
      return (
        other !== null &&
        likeness(runsIn(pageTextOf(reading.page)), runsIn(pageTextOf(other.page))) >= evidence.likeness
      );
    }
    case 'deviation':
      return (await reader.deviations()).some(({ id }) => id === evidence.deviation);
  }
}

function textAt({ page }: PageReading, block: string | null): string {
  return block === null ? page.front : (page.blocks.find(({ id }) => id === block)?.text ?? '');
}
