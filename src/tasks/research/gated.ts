import {
  type Citation,
  checkCitations,
  type Evidence,
  evidenceIdPattern,
  type TextReader,
  trailOf,
  type Verification,
} from '../../core/index.ts';

export interface Gated {
  readonly status: Verification;
  readonly answer: string;
  readonly citations: readonly Citation[];
  readonly unsupported: readonly string[];
}

export async function gateAnswer(
  answer: string,
  held: readonly Evidence[],
  reader: TextReader,
): Promise<Gated> {
  const ids = [...new Set(answer.match(evidenceIdPattern) ?? [])];
  const cited = ids.flatMap((id) => held.find((item) => item.id === id) ?? []);
  const checked = await checkCitations(cited, trailOf(held), reader);
  const citations = checked.map(({ evidence, status }) => ({
    id: evidence.id,
    path: evidence.file_path,
    start_line: evidence.start_line,
    end_line: evidence.end_line,
    provenance: evidence.provenance,
    hash: evidence.hash,
    status,
  }));
  const valid = new Set(citations.filter(({ status }) => status === 'valid').map(({ id }) => id));
  const sentences = answer
    .split(/(?<=\])\s*\n|\n+|(?<=[.!?\]])\s+(?=[A-Z`-])/)
    .filter((one) => one.trim() !== '');
  const unsupported = sentences.filter(
    (one) => !(one.match(evidenceIdPattern) ?? []).some((id) => valid.has(id)),
  );
  return {
    status: valid.size === 0 ? 'unverified' : unsupported.length > 0 ? 'partial' : 'verified',
    answer,
    citations,
    unsupported,
  };
}
