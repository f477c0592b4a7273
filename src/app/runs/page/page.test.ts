import { describe, expect, it } from 'vitest';
import type { LoggedEvent, RunEvent } from '../../../core/index.ts';
import { researchEvents } from '../../http/testbed.contract.ts';
import { renderPage } from './page.ts';

const logged = (events: readonly RunEvent[]): LoggedEvent[] =>
  events.map((event, n) => ({ seq: n + 1, at: 1_700_000_000_000 + n * 10, key: `${n}`, event }));
const page = (events: readonly RunEvent[], more: Partial<Parameters<typeof renderPage>[1]> = {}): string =>
  renderPage(logged(events), { hide: (text) => text, report: null, ...more });

/** Every text of an event that is not a word of this program. */
function planted(text: string): readonly RunEvent[] {
  const into = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string')
      return /^(kind|call|id|status|verdict|outcome|provenance|shape|stop_reason|run_id|evidence)$/.test(key)
        ? value
        : text;
    if (Array.isArray(value)) return value.map((one) => into(one, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, into(one, name)]));
  };
  return researchEvents.map((event) => into(event) as RunEvent);
}

describe('the page of a run', () => {
  it('leads from each claim to its lines, without a script or anything that is loaded', () => {
    const html = page(researchEvents);
    expect(html).toContain('<a href="#ev-0123456789">');
    expect(html).toContain('<article id="ev-0123456789">');
    expect(html).toContain('    1  one\n    2  two');
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-[\w+/=]{44}'/);
    expect(html).not.toMatch(/<script|<img|<link|<iframe|<form|\bon\w+=|javascript:|https?:/i);
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    '</pre></article><h1>Verified</h1>',
    '</style><style>*{display:none}</style>',
    '<!-- ',
    '&lt;b&gt;',
    '<a href="javascript:alert(1)">here</a>',
  ])('shows %s as it is written', (text) => {
    const tags = (html: string) => [...html.matchAll(/<\/?[a-z!][^>]*>/gi)].map(([tag]) => tag);
    const html = page(planted(text), { report: text });
    // The same elements as of a text without signs, in the same order.
    expect(tags(html)).toEqual(tags(page(planted('plain'), { report: 'plain' })));
    expect(html).toContain(
      text.replace(
        /[&<>"']/g,
        (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[sign]};`,
      ),
    );
  });

  it('hides in every place what is to be hidden', () => {
    const html = page(planted('at /home/vera/secret'), {
      hide: (text) => text.replaceAll('/home/vera', '~'),
      report: '/home/vera',
    });
    expect(html).not.toContain('/home/vera');
    expect(html).toContain('at ~/secret');
  });

  it('of a log that ends anywhere is whole', () => {
    for (let end = 0; end <= researchEvents.length; end += 1)
      expect(page(researchEvents.slice(0, end))).toMatch(/<\/html>\n$/);
  });

  it('of 10,000 events stays under 5 MB, and names what is left out', () => {
    const many: RunEvent[] = [researchEvents[0]!];
    for (let n = 0; many.length < 9_995; n += 1) {
      const id = `ev-${String(n).padStart(10, '0')}`;
      const seen = researchEvents.find(({ kind }) => kind === 'evidence_registered') as Extract<
        RunEvent,
        { kind: 'evidence_registered' }
      >;
      many.push(
        { kind: 'model_called', step: 1, call: `c${n}`, model: 'm', signature: 's', reserved: {} },
        {
          kind: 'model_replied',
          step: 1,
          call: `c${n}`,
          spent: { tokens: 1 },
          unknown: false,
          wall_ms: 1,
          text: '<&>é'.repeat(2_000),
        },
        { ...seen, evidence: { ...seen.evidence, id, content: 'x < y\n'.repeat(200) } },
      );
    }
    const claim = { text: 'Last.', verdict: 'shown', evidence: ['ev-0000003330'], flags: [] } as const;
    const html = page([...many, { kind: 'claims_checked', claims: [claim] }, researchEvents.at(-1)!]);
    expect(Buffer.byteLength(html)).toBeLessThan(5_000_000);
    expect(html).toMatch(/Left out, so that the file stays small: .*of 3332 pieces of evidence/);
    expect(html).toContain('<article id="ev-0000003330">');
  });
});
