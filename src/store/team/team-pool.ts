/**
 * What a run may spend of the dollars of its team. It draws its part once, before it begins, and returns the rest when
 * its job ends: no step waits for an account that other runs write. What was drawn is kept with the job, so that
 * whichever worker goes on with it draws nothing twice.
 */
import { isSondeError } from '../../core/index.ts';
import type { Store } from '../store.ts';
import { readBalance } from './shared-accounts.ts';
import { teamAccount } from './teams.ts';

/** As it is kept with the job. US dollars. */
export interface PoolState {
  /** How many draws were settled before. */
  readonly nth: number;
  /** Null: nothing is drawn. */
  readonly drawn: number | null;
  /** What the run had spent when the last draw was settled. */
  readonly settled: number;
}

export const noDraw: PoolState = Object.freeze({ nth: 0, drawn: null, settled: 0 });

type Ports = Pick<Store, 'accounts'>;

interface Draw {
  readonly team: string;
  readonly run: string;
  /** What the run may spend at most by its own limits. */
  readonly wanted: number;
  /** Draws what there is, even where others hold more that may come back. */
  readonly now?: boolean;
  /** Keeps the state for the next worker; awaited before anything is drawn. */
  readonly keep: (state: PoolState) => Promise<void>;
}

const drawKey = ({ run }: Pick<Draw, 'run'>, { nth }: PoolState) =>
  // Not under the run's own name: its ledger closes what is open there.
  ({ run: `draw/${run}`, step: `draw-${nth}`, fence: 1 }) as const;

/**
 * Gives the state with what was drawn, and null if the team has no limit. `wait`: others hold what this run would have,
 * and may return some of it; a run that began now would end with less than there is.
 */
export async function drawForRun(
  { accounts }: Ports,
  draw: Draw,
  before: PoolState,
): Promise<PoolState | 'wait' | null> {
  const account = teamAccount(draw.team);
  let state = before;
  for (;;) {
    if (state.drawn === null) {
      const pool = await readRemaining({ accounts }, draw.team);
      if (pool === null) return null;
      const wanted = Math.max(0, draw.wanted - state.settled);
      if (pool.left < wanted && pool.held > 0 && draw.now !== true) return 'wait';
      state = { ...state, drawn: Math.min(wanted, pool.left) };
      await draw.keep(state);
    }
    try {
      const got = await accounts.reserve({
        account,
        key: drawKey(draw, state),
        amounts: { usd: state.drawn! },
      });
      if (got.kind === 'reserved') return state;
      // Others were faster.
      state = { ...state, drawn: null };
    } catch (thrown) {
      if (!isSondeError(thrown, 'pool_misuse')) throw thrown;
      // The worker died after it had settled, and before the job had ended.
      state = { nth: state.nth + 1, drawn: null, settled: await readSpending({ accounts }, draw.run) };
    }
  }
}

/** Returns what the run did not spend. Changes nothing if another worker has settled the draw. */
export async function settleDraw(
  { accounts }: Ports,
  { run, team }: Pick<Draw, 'run' | 'team'>,
  state: PoolState,
): Promise<PoolState> {
  const { nth, drawn, settled } = state;
  if (drawn === null) return state;
  const spent = await readSpending({ accounts }, run);
  const account = teamAccount(team);
  try {
    const open = await accounts.reserve({ account, key: drawKey({ run }, state), amounts: { usd: drawn } });
    if (open.kind === 'reserved') await accounts.settle(open.id, { usd: Math.max(0, spent - settled) });
  } catch (thrown) {
    if (!isSondeError(thrown, 'pool_misuse')) throw thrown;
  }
  return { nth: nth + 1, drawn: null, settled: spent };
}

const readSpending = async (ports: Ports, run: string): Promise<number> =>
  (await readBalance(ports, run))?.spent.usd ?? 0;

/** US dollars; null: no limit, as of a team that nobody has made. */
async function readRemaining(
  ports: Ports,
  team: string,
): Promise<{ readonly left: number; readonly held: number } | null> {
  const balance = await readBalance(ports, teamAccount(team));
  const limit = balance?.limits.usd;
  if (balance === null || limit === undefined) return null;
  // In whole micro-dollars, as the ledger counts.
  const held = balance.reserved.usd;
  return { left: Math.max(0, Math.round((limit - balance.spent.usd - held) * 1e6) / 1e6), held };
}
