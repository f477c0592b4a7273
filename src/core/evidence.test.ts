import { describe, expect, it } from 'vitest';
import { createEvidence, type EvidenceFields, evidenceIdPattern } from './evidence.ts';

const fields: EvidenceFields = {
  file_path: 'src/a.ts',
  start_line: 3,
  end_line: 4,
  content: 'const a = 1;\nconst b = 2;',
  reason: 'holds both',
  provenance: 'bm25',
};

// research.md: Evidence and citations 1, 2.
describe('evidence', () => {
  it('has every field, null where nothing is known, and can not be changed', () => {
    const made = createEvidence(fields);
    expect(made).toEqual({
      ...fields,
      id: expect.stringMatching(/^ev-[0-9a-f]{10}$/),
      score: null,
      symbol_id: null,
      symbol_kind: null,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      commit: null,
    });
    expect(Object.isFrozen(made)).toBe(true);
    expect(`as ${made.id} says`.match(evidenceIdPattern)).toEqual([made.id]);
  });

  it('keeps its id however it was found, and whatever for', () => {
    expect(
      createEvidence({ ...fields, reason: 'again', provenance: 'grep', score: 3, symbol_id: 'a' }).id,
    ).toBe(createEvidence(fields).id);
  });

  const others: readonly Partial<EvidenceFields>[] = [
    { file_path: 'src/b.ts' },
    { start_line: 2 },
    { end_line: 5 },
    { content: 'const a = 1;\nconst b = 3;' },
    { commit: 'b4b15c0' },
  ];
  it.each(others)('has another id with %j', (other) => {
    expect(createEvidence({ ...fields, ...other }).id).not.toBe(createEvidence(fields).id);
  });
});
