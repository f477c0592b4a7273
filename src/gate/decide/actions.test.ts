/**
 * What is done, beside what it is done with: a verb that stands nowhere in the lines of code, or only in the name of a
 * function, carries nothing. And true claims about members of classes, and about names with a part in common.
 */
import {
  type ClaimCase,
  checkClaims,
  held,
  linesOf,
  refused,
  shown,
} from './testbed/claim-cases.contract.ts';

const open = ['unclear'];

checkClaims(
  'the action of an event before another',
  linesOf('hold.ts', 'function fill(crates) {', '  readHold(holdDir);', '  writeCrates(crates);', '}'),
  [
    ['It reads the hold directory before it writes the crates', held],
    ['It reads the hold directory after it writes the crates', refused],
    ...[
      'deletes',
      'removes',
      'empties',
      'keeps',
      'stores',
      'checks',
      'enables',
      'runs',
      'makes',
      'locks',
    ].map((verb): ClaimCase => [`It ${verb} the hold directory before it writes the crates`, open]),
    // What happens after may be what the lines do not name.
    ['It deletes the hold directory after it writes the crates', held],
  ],
);

checkClaims(
  'the action in a case',
  linesOf(
    'gate.go',
    'func (g *Gate) openLock(lockDir string) error {',
    '\tkeys, err := readKeys(lockDir)',
    '\tif errors.Is(err, ErrNoLock) {',
    '\t\treturn nil',
    '\t}',
    '\tif g.tide == nil {',
    '\t\tg.tide = defaultTide()',
    '\t}',
    '\tif err := g.turn(keys); err != nil {',
    '\t\treturn err',
    '\t}',
    '\treturn g.lock.refresh()',
    '}',
  ),
  [
    // `LOCK` is a part of the name of the function.
    ['`openLock` returns nil when the LOCK directory is missing', held],
    ['`openLock` refreshes the lock after it turns the keys', shown],
    ['`openLock` refreshes the lock before it turns the keys', refused],
    ['`openLock` empties the lock directory before it turns the keys', open],
    ['`openLock` uses the default tide when no tide is set', held],
    ['`openLock` deletes the default tide when no tide is set', open],
    ['`openLock` deletes the default tide when a tide is set', open],
  ],
);

checkClaims(
  'what is returned as it is',
  linesOf(
    'hull.js',
    'export const drainHull = (hull, isDry) => {',
    '  if (!isDry) {',
    '    return hull;',
    '  }',
    '  return pumpOut(hull, 2);',
    '};',
  ),
  [
    ['drainHull returns the hull as it is unless isDry is set', shown],
    ['drainHull stores the hull as it is unless isDry is set', open],
  ],
);

checkClaims(
  'an event that is the end of a call',
  linesOf('main.c', 'void *watch_main(void *arg) {', '    runWatch(loop);', '    dropLoop(loop);', '}'),
  [
    ['watch_main drops the loop after runWatch returns', held],
    ['watch_main drops the loop before runWatch returns', refused],
    ['watch_main oils the loop after runWatch returns', open],
  ],
);

checkClaims(
  'the verb of a name',
  linesOf(
    'rows.py',
    'def flush_rows(rows):',
    '    # flush_rows is called by the mate.',
    '    # Keep the first two rows.',
    '    for row in rows[2:]:',
    '        sink(row)',
  ),
  [
    ['`flush_rows` keeps the first two rows', held],
    ['`flush_rows` flushes the first two rows', open],
    ['It flushes the first two rows', open],
  ],
);
checkClaims(
  'a verb that only a call sign or another sentence has',
  linesOf(
    'crane.go',
    '// addCrate adds a crate to be hauled after the crane started.',
    'func (c *Crane) addCrate(crate Crate) {',
    '\tc.haulCrates = append(c.haulCrates, crate)',
    '}',
  ),
  [
    ['`addCrate` appends the crate to the haul crates', held],
    ['`addCrate` hauls the crate after the crane started', open],
    ['`addCrate` runs the haul crates', open],
  ],
);
checkClaims(
  'a verb that the line has only in a variable, an option or a constant',
  linesOf(
    'bell.py',
    'class Bell:',
    '    def still(self):',
    '        # Still lock by stopping the clapper.',
    '        self.tower.stop(self.clapper, retry=True, sort_keys=True)',
    '',
    '    def ring(self):',
    '        pass',
  ),
  [
    ['`Bell.still` stops the clapper', shown],
    ['`Bell.still` retries the clapper', open],
    ['`Bell.still` locks the clapper', open],
    ['`Bell.still` sorts the clapper', open],
    ['`Bell.still` gets the clapper', open],
    ['`Bell.still` needs the clapper', open],
  ],
);
checkClaims(
  'two tests of which one is denied, and a verb that a docstring has otherwise',
  linesOf(
    'mate.py',
    'class Mate:',
    '    """',
    '    The mate queues crates when they are due to sail. Note',
    '    that the mate does not actually sail any crates.',
    '    """',
    '    def __init__(self, max_crates, check_ropes):',
    '        if max_crates and not check_ropes:',
    "            raise CrateError('max_crates requires check_ropes.')",
  ),
  [
    ['It raises a `CrateError` if the check of ropes is off and `max_crates` is set', held],
    ['The mate sails the crates', ['unclear', ...refused]],
    ['The mate queues the crates', held],
  ],
);
checkClaims(
  'the message of an error',
  linesOf(
    'dock.py',
    'def moor(self):',
    "    if 'old-rope' not in self.ropes:",
    "        raise DockError('An old rope must be kept.')",
    '',
    'class OldRope:',
    '    pass',
  ),
  [
    ['`moor` raises a `DockError` if "old-rope" is not in the ropes', held],
    ['`DockError` raises an `OldRope` if "old-rope" is not in the ropes', ['unclear', ...refused]],
  ],
);
checkClaims(
  'two names of which one line of code has both',
  linesOf('log.py', 'def write_log(self):', '    json.dump(self.log, f, sort_keys=True)', '    self.clean()'),
  [['write_log writes JSON with sorted keys', held]],
);

checkClaims(
  'members of a class that calls them',
  linesOf(
    'winch.py',
    'class Winch:',
    '    def __enter__(self):',
    '        self.seize()',
    '',
    '    def seize(self):',
    '        if not self.rope.take(1):',
    "            raise SlackError('no rope')",
    '',
    '    def yield_to(self, other):',
    '        other.seize()',
  ),
  [
    ['`Winch.seize` raises `SlackError`', shown],
    ['`Winch.yield_to` raises `SlackError`', ['unclear', ...refused]],
    ['`Crane.seize` raises `SlackError`', refused],
  ],
);

checkClaims(
  'a case that a comment denies of another thing',
  linesOf(
    'load.go',
    'func (h *Hold) Load(crates []Crate) error {',
    '\tif h.locked {',
    '\t\t// cannot load into holds that keep grain on deck',
    '\t\treturn ErrLocked',
    '\t}',
    '\treturn nil',
    '}',
  ),
  [['`Load` returns `ErrLocked` when the hold keeps grain on deck', held]],
);
