import { describe, expect, test } from 'vitest';
import { createSource } from '../../lines/source.ts';
import { decide } from '../decide.ts';

const of = (path: string, code: string) => {
  const content = code.replace(/^\n/, '').trimEnd();
  return createSource([
    { id: 'ev-0000000001', path, start: 1, end: content.split('\n').length, content, header: '' },
  ]);
};

const barn = of(
  'src/barn.ts',
  `
export class Barn {
  feed(animal: Animal, hay: Hay | null, isHungry = false): Meal | undefined {
    if (typeof animal !== 'object') {
      throw new TypeError('no animal');
    }
    if (!hay) return;
    this.openGate();
    if (isHungry) {
      this.bowl = 2;
      soak(hay);
    }
    this.closeGate();
    return this.meal;
  }
  sweep(): void {
    this.dust = 0;
    this.turns++;
    this.openGate();
  }
}
`,
);
const mill = of(
  'mill.py',
  `
@contextmanager
def grind(grain, stone=None, coarse=True):
    """Grind the grain.

    return grain is what it does not do
    """
    if grain is None:
        return []
    if not stone or coarse:
        raise NoStone(grain)
    for sack in grain:
        if sack.wet:
            dry(sack)
    wheel = stone
    return wheel


class SlowMill(Mill):
    def start(self, wheel):
        if len(self.sacks) == 0:
            raise Idle("nothing to grind")
        turn(wheel)
        self.stop(wheel)
        return wheel

    def stop(self, wheel):
        brake(wheel)
`,
);
const dam = of(
  'dam.go',
  `
func (d *Dam) Fill(level int) error {
	if level > d.max {
		return ErrFull
	}
	if d.gate == nil {
		return nil
	}
retry:
	for {
		if !d.pump() {
			break retry
		}
	}
	return d.last
}
`,
);
const verdictOf = (claim: string): string =>
  decide(claim, /Fill|Dam/.test(claim) ? dam : /grind|Mill|start|stop/.test(claim) ? mill : barn).verdict;

describe('a claim of one action, in one case, by the branches of the code', () => {
  test.each([
    '`feed` throws a `TypeError` if the animal is not an object.',
    'If the animal is not an object, a `TypeError` is thrown.',
    '`Barn.feed` returns undefined when there is no hay.',
    '`feed` returns early unless `hay` is given.',
    '`feed` calls `soak` if `isHungry` is true.',
    'With `isHungry` set, `feed` calls `soak`.',
    '`feed` calls `openGate` before `closeGate`.',
    '`feed` calls `closeGate` after it calls `openGate`.',
    '`feed` takes an `isHungry` parameter that is false by default.',
    '`feed` calls `closeGate` if `hay` is given.',
    '`feed` calls `soak` only if `isHungry` is true.',
    '`feed` throws an error if the animal is not an object.',
    '`sweep` sets `dust` to 0.',
    '`sweep` increments `turns` by one.',
    '`grind` returns an empty list if the grain is None.',
    '`grind` raises `NoStone` if `stone` is not set.',
    '`grind` raises `NoStone` if `coarse` is true.',
    '`grind` has `coarse=True` as its default.',
    'The `stone` parameter of `grind` defaults to None.',
    '`grind` is decorated with `@contextmanager`.',
    '`start` raises `Idle` if there are no sacks.',
    '`start` returns the wheel.',
    '`Fill` returns `ErrFull` if `level` is greater than `d.max`.',
    '`Dam.Fill` returns nil when the gate is nil.',
  ])('%s', (claim) => expect(verdictOf(claim)).toBe('shown'));

  test.each([
    '`feed` throws a `TypeError` if the animal is an object.',
    '`feed` calls `soak` if `isHungry` is false.',
    '`feed` calls `closeGate` if no `hay` is given.',
    '`feed` throws an error if the animal is an object.',
    '`feed` calls `openGate` after `closeGate`.',
    '`feed` calls `soak` before it calls `openGate`.',
    '`feed` takes an `isHungry` parameter that is true by default.',
    '`sweep` sets `dust` to 1.',
    '`sweep` decrements `turns`.',
    '`sweep` returns the `dust`.',
    '`grind` returns None if the grain is None.',
    '`grind` has `coarse=False` as its default.',
    '`start` raises `Idle` if there are sacks.',
    '`Mill` inherits from `SlowMill`.',
  ])('%s is not so', (claim) => expect(verdictOf(claim)).toMatch(/contradicted|not shown/));

  test.each([
    // Only one of two tests that each are enough, or that must both hold.
    '`grind` raises `NoStone` only if `stone` is not set.',
    '`grind` raises `NoStone` if `stone` is set.',
    // Within a loop, of one sack.
    '`grind` calls `dry` if the grain is wet.',
    '`feed` returns `meal` if there is no hay.',
    '`feed` sets `bowl` to 2.',
    '`sweep` sets `bowl` to 2.',
    '`Fill` returns `ErrFull` if `level` is at most `d.max`.',
    '`Fill` returns nil.',
  ])('%s is not told', (claim) => expect(verdictOf(claim)).not.toBe('shown'));

  test('what a docstring says is no statement', () => {
    expect(verdictOf('`grind` returns the grain.')).not.toBe('shown');
  });

  test('private and bound members are told apart, in PHP too', () => {
    const shed = of(
      'src/shed.js',
      `
class Shed {
  #put(key, value) {
    this.#count++;
    if (this.#count > this.#max) {
      this.#drop(key);
    }
    return false;
  }
  put(key, value) {
    this.#put(key, value);
    return this;
  }
}
`,
    );
    expect(decide('`#put` calls `#drop` if `#count` is greater than `#max`.', shed).verdict).toBe('shown');
    expect(decide('`#put` returns false.', shed).verdict).toBe('shown');
    expect(decide('`put` returns false.', shed).verdict).not.toBe('shown');
    const silo = of(
      'src/Silo.php',
      `
class Silo
{
    public function close($valve): void
    {
        if (!$valve instanceof Valve) {
            throw new \\RuntimeException('no valve');
        }
        $this->isOpen = false;
        if ($this->stops) {
            $this->fills = false;
        }
    }
}
`.replaceAll('\\\\', '\\'),
    );
    expect(decide('`close` throws a `RuntimeException` if the valve is not a `Valve`.', silo).verdict).toBe(
      'shown',
    );
    expect(decide('`close` throws a `RuntimeException` if the valve is a `Valve`.', silo).verdict).toBe(
      'contradicted',
    );
    expect(decide('`close` sets `isOpen` to false.', silo).verdict).toBe('shown');
    expect(decide('`close` sets `fills` to false if `stops` is set.', silo).verdict).toBe('shown');
    expect(decide('`close` sets `fills` to false if `stops` is not set.', silo).verdict).toBe('contradicted');
  });

  test('a label is within the function around it', () => {
    expect(verdictOf('`Fill` returns `last`.')).toBe('shown');
  });

  test('the same test in two places contradicts nothing', () => {
    const twice = of(
      'src/gate.ts',
      `
function shut(gate) {
  if (gate.open) {
    log(gate);
  } else {
    warn(gate);
  }
  if (gate.open) {
    report(gate.last);
  } else {
    report(gate);
  }
}
`,
    );
    expect(decide('`shut` reports the last if the gate is open.', twice).verdict).not.toMatch(
      /contradicted|not shown/,
    );
  });

  test('what the head of a function says is not what it returns', () => {
    const sweep = of(
      'sweep.go',
      `
func (m *expiry) cleanup(store *Store, onEvict func(item *Item)) int {
	for key := range m.keys {
		store.Del(key)
	}
	return len(m.buckets)
}
`,
    );
    expect(decide('`cleanup` returns the number of items that it removed.', sweep).verdict).not.toBe('shown');
  });
});
