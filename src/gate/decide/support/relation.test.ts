import { describe, expect, test } from 'vitest';
import { createSource } from '../../lines/source.ts';
import { decide } from '../decide.ts';

const of = (path: string, code: string) => {
  const content = code.replace(/^\n/, '').trimEnd();
  return createSource([
    { id: 'ev-0000000001', path, start: 1, end: content.split('\n').length, content, header: '' },
  ]);
};

const kennel = of(
  'src/kennel.ts',
  `
export class Kennel extends Yard {
  async adopt(dog: Dog, owner: Owner): Promise<Receipt> {
    const bowl = this.fetchBowl(dog.size);
    if (owner.banned) throw new RefusedOwner(owner.name);
    await this.ledger.record(dog, owner);
    return makeReceipt(bowl, owner);
  }
  fetchBowl(size: number): Bowl {
    const bowl = this.bowls.find((one) => one.fits(size));
    return bowl ?? new Bowl(size);
  }
}
`,
);
const kiln = of(
  'kiln.py',
  `
def fire_kiln(batch, cone=6):
    glaze = mix_glaze(batch)
    if batch.is_wet():
        raise WetClay(batch.name)
    schedule = ramp(cone)
    return (
        soak(schedule, glaze)
    )


def cool_kiln(batch):
    open_damper()
    return batch.temperature
`,
);
const tide = of(
  'tide.rs',
  `
pub fn next_tide(station: &Station) -> Result<Tide, TideError> {
    let table = station.load_table()?;
    if table.is_empty() {
        return Err(TideError::NoTable);
    }
    interpolate(&table)
}
`,
);

const crate = of(
  'crate.rb',
  `
def weigh(item)
  scale(item.path)
end

def seal(crate)
  lid = Lid.new(wax(crate))
  return lid
rescue Jam
  stamp(crate)
end
`,
);
const range = of(
  'range.rs',
  `
fn span(text: &str) -> (usize, usize) {
    let end = match text.find(' ') {
        Some(at) => at,
        None => text.len()
    };
    (0, end)
}
`,
);
const factory = of(
  'Factory.java',
  `
  public <T> Adapter<T> create(Gear gear, Type type) {
    Reader reader = openReader(gear);
    return adapt(reader, type);
  }
  private void stop() {
    halt();
  }
`,
);

describe('who does what to what, in code', () => {
  const shown: readonly [string, ReturnType<typeof of>][] = [
    ['`adopt` returns `makeReceipt(bowl, owner)`', kennel],
    ['`fetchBowl` returns a `Bowl`', kennel],
    ['`adopt` throws `RefusedOwner`', kennel],
    ['`adopt` calls `fetchBowl`', kennel],
    ['`adopt` calls `makeReceipt`', kennel],
    ['`adopt` takes a `Dog`', kennel],
    ['`Kennel` extends `Yard`', kennel],
    ['`fire_kiln` raises `WetClay`', kiln],
    ['`fire_kiln` returns `soak(schedule, glaze)`', kiln],
    ['`fire_kiln` calls `mix_glaze`', kiln],
    ['`cool_kiln` calls `open_damper`', kiln],
    ['`next_tide` returns `interpolate(&table)`', tide],
    ['`next_tide` calls `load_table`', tide],
    ['`weigh` returns `scale(item.path)`', crate],
    ['`seal` calls `stamp`', crate],
    ['`create` takes a `Gear`', factory],
    ['`create` returns `adapt(reader, type)`', factory],
  ];
  test.each(shown)('%s: shown', (claim, source) => {
    expect(decide(claim, source)).toEqual({ verdict: 'shown' });
  });

  const open: readonly [string, ReturnType<typeof of>][] = [
    ['`adopt` returns `fetchBowl`', kennel],
    ['`adopt` returns `this.fetchBowl(dog.size)`', kennel],
    ['`adopt` throws `makeReceipt(bowl, owner)`', kennel],
    ['`adopt` takes `RefusedOwner`', kennel],
    ['`fetchBowl` calls `record`', kennel],
    ['`fetchBowl` takes `Bowl`', kennel],
    ['`Kennel` extends `Bowl`', kennel],
    ['`fire_kiln` returns `mix_glaze(batch)`', kiln],
    ['`fire_kiln` returns `ramp(cone)`', kiln],
    ['`fire_kiln` raises `soak`', kiln],
    ['`cool_kiln` calls `mix_glaze`', kiln],
    ['`cool_kiln` raises `WetClay`', kiln],
    ['`next_tide` returns `station.load_table()`', tide],
    ['`next_tide` takes `TideError`', tide],
    ['`mix_glaze` is called by `cool_kiln`', kiln],
    ['`weigh` returns `item.path`', crate],
    ['`seal` returns `wax(crate)`', crate],
    ['`span` returns `text.len()`', range],
    ['`create` takes `reader`', factory],
  ];
  test.each(open)('%s: not shown', (claim, source) => {
    expect(decide(claim, source).verdict).not.toBe('shown');
  });
});

describe('where the lines hold the whole body, what it does not do is not shown', () => {
  test.each<[string, ReturnType<typeof of>]>([
    ['`fetchBowl` calls `record`', kennel],
    ['`Kennel` extends `Bowl`', kennel],
    ['`create` takes `reader`', factory],
    ['`create` calls `halt`', factory],
    ['`create` returns `halt()`', factory],
    ['`fire_kiln` calls `open_damper`', kiln],
  ])('%s', (claim, source) => {
    expect(decide(claim, source)).toMatchObject({
      verdict: 'not shown',
      why: expect.stringMatching(/^The cited lines hold all of "\w+", and it does not do this with "/),
    });
  });

  // It may be so by what the lines do not show: another body, another name for it, the end of the body.
  test.each<[string, ReturnType<typeof of>]>([
    ['`fire_kiln` raises `open_damper`', kiln],
    ['`cool_kiln` calls `mix_glaze`', kiln],
    ['`adopt` returns `fetchBowl`', kennel],
    ['`fetchBowl` takes `Bowl`', kennel],
    ['`next_tide` takes `TideError`', tide],
  ])('%s: open', (claim, source) => {
    expect(decide(claim, source).verdict).toBe('unclear');
  });
});

describe('a multiple, and a share', () => {
  const settings = of('settings.py', 'MAX_BERTHS = 20\nTRIES = 3\nFILL_PERCENT = 80\nshare = 0.25\n');
  test.each([
    '`MAX_BERTHS` is double 20',
    '`MAX_BERTHS` is twice 20',
    '`TRIES` is 3 %',
    '`MAX_BERTHS` is 20 percent',
  ])('%s: not shown', (claim) => {
    expect(decide(claim, settings).verdict).not.toBe('shown');
  });
  test.each(['`FILL_PERCENT` is 80 %', '`share` is 25 %', '`TRIES` is 3'])('%s: shown', (claim) => {
    expect(decide(claim, settings)).toEqual({ verdict: 'shown' });
  });
});
