/**
 * Fixtures of the contract tests: callers of every kind, and a world whose methods check that a write was accepted or
 * refused.
 */
import { expect } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { joinPageText } from '../read/page-lines.ts';
import type { Block, ContentId, World } from '../world.ts';
import type {
  AcceptedWrite,
  RefusalCode,
  SubmitResult,
  WorldOperation,
  WriteRequest,
} from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';

export interface OpenedWorld {
  readonly world: World;
  readonly clock: { advance(ms: number): void };
  /** Everything that is stored, as text: equal before and after a write that changes nothing. */
  dump(): string;
  close(): void;
}

function caller(kind: Caller['kind'], name: string): Caller {
  return Object.freeze({ kind, name, device: `${name}-device`, thread: `${name}-thread`, channel: null });
}

export const author = caller('user', 'ann');
export const agent = caller('agent', 'planner');
export const otherAgent = caller('agent', 'analyst');
export const schedule = caller('schedule', 'nightly');
export const external = caller('external', 'client');
export const importer = caller('import', 'vault');
/** The callers that are neither the author nor an import. */
export const agents = [agent, schedule, external];

type More = Partial<Omit<WriteRequest, 'operation' | 'caller'>>;

export interface Workbench extends OpenedWorld {
  submit(by: Caller, operation: WorldOperation, more?: More): SubmitResult;
  /** Submits a write that must be accepted. */
  ok(by: Caller, operation: WorldOperation, more?: More): AcceptedWrite;
  /** Submits a write that must be accepted and held: readable content stays the same. Returns the deviation's id. */
  held(by: Caller, operation: WorldOperation, more?: More): string;
  /** Submits a write that must be refused with this code, and change nothing. */
  no(code: RefusalCode, by: Caller, operation: WorldOperation, more?: More): void;
  /** Shows the author the whole inbox, and every page with its candidates. */
  look(): void;
  /** Makes a page, and returns its id. */
  page(by: Caller, path: string, text?: string, more?: More): ContentId;
  block(page: ContentId, at?: number): Block;
  text(page: ContentId, view?: 'canonical' | 'all'): string | null;
}

export function workbench(opened: OpenedWorld): Workbench {
  const { world, clock, dump } = opened;
  const bench: Workbench = {
    ...opened,
    submit(by, operation, more = {}) {
      clock.advance(1);
      return world.submit(
        worldWrite({ operation, caller: by, source: 'test', idempotencyKey: null, ...more }),
      );
    },
    ok(by, operation, more) {
      const result = bench.submit(by, operation, more);
      expect(result).toMatchObject({ kind: 'accepted' });
      return result as AcceptedWrite;
    },
    held(by, operation, more) {
      const before = reading(world);
      const result = bench.ok(by, operation, more);
      expect(result).toMatchObject({ applied: false, deviation_ids: [expect.stringMatching(/^dv-/)] });
      expect(reading(world)).toEqual(before);
      return result.deviation_ids[0]!;
    },
    no(code, by, operation, more) {
      const before = dump();
      const result = bench.submit(by, operation, more);
      expect(result).toMatchObject({ kind: 'refused', code });
      expect(result).toMatchObject({
        message: expect.stringMatching(/./),
        remedy: expect.stringMatching(/./),
      });
      expect(dump()).toBe(before);
    },
    look() {
      const pages = world.pages({ view: 'all' }).map(({ id }) => world.read(id, 'all')!);
      world.shown(author.name, [...world.inbox(1000), ...pages]);
    },
    page(by, path, text = `${path}.\n`, more = {}) {
      return bench.ok(by, { op: 'create_page', path, text }, more).content_ids[0]!;
    },
    block: (page, at = 0) => world.read(page, 'all')!.blocks[at]!,
    text(page, view) {
      const found = world.read(page, view);
      return found === null ? null : joinPageText(found);
    },
  };
  return bench;
}

/** All content that the author reads. */
export function reading(world: World): unknown {
  return world.pages().map(({ id }) => {
    const { deviations: _deviations, flags: _flags, ...page } = world.read(id)!;
    return page;
  });
}
