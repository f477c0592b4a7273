/**
 * Reserves a run's share of its team's dollar budget before the run begins, and returns the rest when its job ends, so
 * that no step waits for an account that other runs write. The draw is stored with the job, so that another worker that
 * continues the run doesn't draw again.
 */
import { isSondeError } from '../../core/index.ts';
import type { Store } from '../store.ts';
import { readBalance } from './shared-accounts.ts';
import { teamAccount } from './teams.ts';

/** The state that is stored with the job. US dollars. */
export interface PoolState {
  /** The number of settled draws. */
  readonly nth: number;
  /** The amount of the open draw; null: there is none. */
  readonly drawn: number | null;
  /** The run's spending when the last draw was settled. */
  readonly settled: number;
}

export const noDraw: PoolState = Object.freeze({ nth: 0, drawn: null, settled: 0 });

type Ports = Pick<Store, 'accounts'>;

interface Draw {
  readonly team: string;
  readonly run: string;
  /** The run's own limit. */
  readonly wanted: number;
  /** True: draws what is left, even if other runs may return more. */
  readonly now?: boolean;
  /** Stores the state for the next worker; awaited before anything is drawn. */
  readonly keep: (state: PoolState) => Promise<void>;
}

const drawKey = ({ run }: Pick<Draw, 'run'>, { nth }: PoolState) =>
  // Not under the run's own name, whose open reservations a resumption of the run settles.
  ({ run: `draw/${run}`, step: `draw-${nth}`, fence: 1 }) as const;

/**
 * Draws the run's share, and returns the new state; null if the team has no limit. `wait`: not enough is left now, and
 * other runs may return some of what they drew.
 */
export async function drawForRun(
  { accounts }: Ports,
  draw: Draw,
  storedState: PoolState,
): Promise<PoolState | 'wait' | null> {
  const account = teamAccount(draw.team);
  let state = storedState;
  for (;;) {
    if (state.drawn === null) {
      const pool = await readRemaining({ accounts }, draw.team);
      if (pool === null) return null;
      const neededUsd = Math.max(0, draw.wanted - state.settled);
      if (pool.left < neededUsd && pool.held > 0 && draw.now !== true) return 'wait';
      state = { ...state, drawn: Math.min(neededUsd, pool.left) };
      await draw.keep(state);
    }
    try {
      const reservation = await accounts.reserve({
        account,
        key: drawKey(draw, state),
        amounts: { usd: state.drawn! },
      });
      if (reservation.kind === 'reserved') return state;
      // Another run drew it first.
      state = { ...state, drawn: null };
    } catch (thrown) {
      if (!isSondeError(thrown, 'pool_misuse')) throw thrown;
      // A worker settled this draw and died before the job ended: draw again.
      state = { nth: state.nth + 1, drawn: null, settled: await readSpending({ accounts }, draw.run) };
    }
  }
}

/** Settles the draw, which returns what the run did not spend. Changes nothing if another worker has settled it. */
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
    const reservation = await accounts.reserve({
      account,
      key: drawKey({ run }, state),
      amounts: { usd: drawn },
    });
    if (reservation.kind === 'reserved')
      await accounts.settle(reservation.id, { usd: Math.max(0, spent - settled) });
  } catch (thrown) {
    if (!isSondeError(thrown, 'pool_misuse')) throw thrown;
  }
  return { nth: nth + 1, drawn: null, settled: spent };
}

const readSpending = async (ports: Ports, run: string): Promise<number> =>
  (await readBalance(ports, run))?.spent.usd ?? 0;

/** What is left of the team's budget, in US dollars; null: no limit, or no such team. */
async function readRemaining(
  ports: Ports,
  team: string,
): Promise<{ readonly left: number; readonly held: number } | null> {
  const balance = await readBalance(ports, teamAccount(team));
  const limit = balance?.limits.usd;
  if (balance === null || limit === undefined) return null;
  // Rounded to micro-dollars, the unit of the ledger.
  const held = balance.reserved.usd;
  return { left: Math.max(0, Math.round((limit - balance.spent.usd - held) * 1e6) / 1e6), held };
}
