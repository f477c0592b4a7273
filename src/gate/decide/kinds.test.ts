/**
 * What a claim can get wrong by kind, each beside the true claim: the place of a word, a part of a compound name, the
 * order of two calls, the case of a branch, the value of a name, the row of a table.
 */
import { checkClaims, held, linesOf, refused, shown } from './testbed/claim-cases.contract.ts';

checkClaims(
  'another word before the same noun, in the same list, or after the same verb',
  linesOf(
    'harbour.md',
    'The tide is reported to the pier through a copper cable.',
    '',
    'Flags are hoisted for RAIN, WIND and ICE. The charts are kept locally in the chest.',
    '',
    'New sailors are on a winter watch by default, and eat with their first mate. Charts may be lent.',
  ),
  [
    ['The tide is reported to the pier through a copper cable', shown],
    ['The tide is reported to the pier through a silver cable', refused],
    ['Flags are hoisted for RAIN, WIND and ICE', held],
    ['Flags are hoisted for RAIN, SNOW and ICE', refused],
    ['The charts are kept locally in the chest', held],
    ['The charts are kept dryly in the chest', held],
    ['The charts are kept remotely in the chest', refused],
    ['New sailors are on a winter watch by default', held],
    ['New sailors are on a sleepless watch by default', refused],
    ['New sailors eat with their second mate', refused],
    // A word of the author's own, for which the lines have none.
    ['New sailors are on a long winter watch by default', held],
    ['Cautious charts may be lent', held],
  ],
);

checkClaims(
  'a compound name that differs in one part',
  linesOf(
    'fleet.md',
    'The ferry-governor listens on quay-07.tide.org:8070 and reads /etc/ferry/tide-rules.conf.',
    '',
    'It is renamed to `berths/<ship>.xml` by hull-release.tide.org.',
  ),
  [
    ['The ferry-governor listens on quay-07.tide.org:8070', held],
    ['The ferry-warden listens on quay-07.tide.org:8070', refused],
    ['The ferry-governor listens on quay-17.tide.org:8070', refused],
    ['The ferry-governor listens on quay-07.tide.org:8071', refused],
    ['The ferry-governor reads /etc/ferry/tide-rules.conf', held],
    ['The ferry-governor reads /etc/ferry/rules.conf', refused],
    ['It is renamed to berths/<ship>.xml by hull-release.tide.org', shown],
    ['It is renamed to ropes/<ship>.xml by hull-release.tide.org', ['unclear', ...refused]],
    ['It is renamed by hull-staging.tide.org', refused],
    ['It is a well-known ferry-governor', held],
  ],
);

checkClaims(
  'the order of two calls',
  linesOf(
    'moor.ts',
    'export const moorShip = (ship) => {',
    '  lowerAnchor(ship);',
    '  const rope = throwRope(ship);',
    '  throw new MooredError(rope);',
    '};',
  ),
  [
    ['moorShip lowers the anchor before throwRope is called', held],
    ['moorShip lowers the anchor after throwRope is called', refused],
    ['moorShip first calls throwRope(ship) and then lowers the anchor', refused],
    ['moorShip throws the rope before it throws a MooredError', held],
  ],
);
checkClaims(
  'an order that a loop or branch leaves open',
  linesOf('row.ts', 'for (const oar of oars) {', '  dipOar(oar);', '} else {', '  liftOar(oar);', '}'),
  [
    ['liftOar is called before dipOar', held],
    ['liftOar is called after dipOar', held],
  ],
);

const pump = linesOf(
  'pump.js',
  'export const drainHull = (hull, isDry) => {',
  '  if (!isDry) {',
  '    return hull;',
  '  }',
  '',
  '  if (hull.leak === null) {',
  '    soundBell(hull);',
  '  }',
  '',
  '  return pumpOut(hull, 2);',
  '};',
);
checkClaims('the case of a branch', pump, [
  ['drainHull returns the hull as it is unless isDry is set', shown],
  ['drainHull returns the hull as it is if isDry is set', refused],
  ['The bell sounds if the leak is null', held],
  ['The bell sounds if the leak is not null', refused],
  ['The bell does not sound unless the leak is null', held],
  ['The bell does not sound if the leak is null', refused],
  // What a call gives where it succeeds is not known.
  ['If the mast is missing, the bell sounds', held],
]);
checkClaims(
  'a call that is tested',
  linesOf('sail.c', 'if (hoist_sail(mast)) {', '    usage();', '    exit(1);', '}'),
  [["If the sail can't be hoisted, usage is printed", held]],
);

checkClaims(
  'the value of a name',
  linesOf(
    'lamp.py',
    'class Lamp:',
    '    bright = True',
    '    locked = False',
    '    def glow(self, wick):',
    "        if wick == 'thick':",
    '            self.burn(oil * 3)',
    "        os.environ['LAMP_COLOUR'] = 'amber'",
  ),
  [
    ['bright is on, but locked is off', shown],
    ['locked is on, but bright is off', refused],
    ["With wick 'thick' the lamp burns", held],
    ["With wick 'thin' the lamp burns", refused],
    ['It burns three times the oil', held],
    ['It burns four times the oil', refused],
    ['LAMP_COLOUR is set to "amber"', held],
    ['LAMP_COLOUR is set to "b"', refused],
  ],
);

checkClaims(
  'the row of a table, and the item of a list that begins with a date',
  linesOf(
    'log.md',
    '| Port | Time |',
    '| --- | --- |',
    '| North / Bay | 08:00 AM |',
    '| South / Bay | 09:00 AM |',
    '',
    '- **May 21** (103 minutes): the crane stood still',
    '- **May 24** (72 minutes): the gate stood open',
  ),
  [
    ['In North / Bay it was 08:00 AM', held],
    ['In North / Bay it was 09:00 AM', refused],
    ['The trouble of May 21 took 103 minutes', held],
    ['The trouble of May 24 took 103 minutes', refused],
  ],
);

checkClaims('what is undone', linesOf('pier.md', 'The pier was changed by an unreviewed plan.'), [
  ['The plan of the pier was reviewed', refused],
  ['The plan of the pier was unreviewed', held],
  ['The plan of the pier was not reviewed', held],
]);

checkClaims(
  'times that logs write in one piece',
  linesOf(
    'dock.log',
    '081109 203615 148 INFO dock.Crane: crane 1 for load lo_38 stopped',
    '081109 203807 222 INFO dock.Crane: crane 0 for load lo_69 stopped',
  ),
  [
    ['Crane 1 for load lo_38 stopped at 20:36:15', shown],
    ['Crane 1 for load lo_38 stopped at 20:38:15', refused],
    ['Crane 2 for load lo_38 stopped at 20:36:15', refused],
  ],
);
checkClaims(
  'times with thousandths behind a colon',
  linesOf(
    'step.log',
    '20171223-22:15:29:635|Step|30002312|flush sensor data',
    '20171223-22:15:29:645|Step|30002312|calculate calories',
  ),
  [
    ['The sensor data was flushed at 22:15:29:635', held],
    ['The sensor data was flushed at 22:15:39:635', refused],
    ['The sensor data was flushed before the calories were calculated', held],
    ['The sensor data was flushed after the calories were calculated', refused],
  ],
);

checkClaims(
  'true claims that were refused',
  linesOf(
    'rest.md',
    'Every three years sailors may take a 6-week rest. An unused rest is paid only if it was earned within the past 12 months.',
    '',
    'The ferry can sail without its mate but falls back to the slower course.',
    '',
    '- You rest (after a [30 min lunch](/food)) every day.',
    '',
    'DO NOT turn off the lamp. By turning off the lamp, a ship may be lost.',
  ),
  [
    ['An unused rest is paid only if it was earned within the past 12 months', held],
    ['The ferry can sail without its mate, but its course becomes slower', held],
    ['The lunch takes 30 minutes', held],
    ['The lamp must not be turned off, since a ship may be lost', held],
  ],
);
checkClaims(
  'a word in code that says none',
  linesOf('row.c', 'pthread_join(oar->thread, NULL);', 'total += oar->count;'),
  [['All oars are joined', held]],
);
checkClaims('the tag of signs', linesOf('tag.py', 'tag = tags.get(name, "??")'), [
  ['The tag of an unknown name is "??"', held],
  ['The tag of an unknown name is "!!"', refused],
]);

checkClaims(
  'true claims about words that stand twice, or stand for another thing',
  linesOf(
    'port.md',
    'The port had less room, and no ports on the coast depended on it. Lower priority ships waited.',
    '',
    'Fast ships were not affected. A couple of berths were wrongly kept. The gate took 0 ms.',
  ),
  [
    ['No port on the coast depended on it', held],
    ['Fast ships were unaffected', held],
    ['Low priority ships waited', held],
    ['Several berths were wrongly kept', held],
    ['A couple of berths were incorrectly kept', held],
    ['The gate took 0 ms', held],
    ['The gate took 0 minutes', refused],
  ],
);
checkClaims(
  'times of a list that runs over midnight',
  linesOf(
    'night.md',
    '- 22:49 UTC: The page of the user is removed',
    '- 23:58 UTC: The crates are deleted',
    '- 00:40 UTC: The index is cleaned',
  ),
  [
    ['The index was cleaned after the crates were deleted', held],
    ['The price of $50 may be a lot', ['unclear', ...refused]],
  ],
);
checkClaims('the number of a processor', linesOf('k.log', 'Mar 1 10:00:01 watchdog: CPU#1 stuck for 34s!'), [
  ['CPU#1 was stuck for 34 seconds', held],
  ['CPU#7 was stuck for 34 seconds', refused],
]);

checkClaims(
  'true claims in other words than the lines, or of what they leave to another time',
  linesOf(
    'mole.md',
    'The keeper sends a report to the office over a secure channel. The third lamp is lit at dusk.',
    '',
    'An unsigned chart is rejected. The load was unbalanced, and was rebalanced later. The rope was untested.',
  ),
  [
    ['The keeper sends a report to the office over an encrypted channel', held],
    ['The keeper sends a report to the office over an insecure channel', refused],
    ['The keeper sends a report to the office over a copper channel', refused],
    ['The final lamp is lit at dusk', held],
    ['The fourth lamp is lit at dusk', refused],
    ['The chart must be signed', held],
    ['The load was balanced later', held],
    ['The rope should have been tested', held],
    ['The rope was tested', refused],
  ],
);
checkClaims(
  'an order that a timer or a stack turns about',
  linesOf('beacon.js', 'setTimeout(dimLamp, 1000);', 'turnLamp();', 'visit.push(east);', 'visit.push(west);'),
  [
    ['The lamp is turned before it is dimmed', held],
    ['west is visited before east', held],
  ],
);

const crew = linesOf(
  'crew.py',
  'def hire(sailor, bonus=False):',
  '    if sailor is None:',
  '        raise NoSailor()',
  '    if not sailor.healthy:',
  '        return None',
  '    if bonus:',
  '        pay_chest(sailor)',
  '    elif sailor.mate:',
  '        toast(sailor)',
  '    return sailor',
);
checkClaims('what another branch does, or no branch tests', crew, [
  ['The sailor is not returned if the sailor is sick', held],
  ['hire pays the chest unless the bonus is false', held],
  ['No chest is paid unless bonus is true', held],
  ['hire pays the chest if the sailor is a mate', ['unclear', ...refused]],
  ['hire toasts the chest if the sailor is a mate', ['unclear', ...refused]],
  ['The sailor pays the chest if bonus is set', ['unclear', ...refused]],
]);
checkClaims(
  'values that are not said to be so',
  linesOf('crane.ts', 'const crane = { locked: false, bright: true };'),
  [
    ['locked is not on', held],
    ['bright is not on', refused],
    ['Whether bright is off is for the keeper to say', held],
    ['Some think that locked is on', held],
  ],
);
checkClaims(
  'a time between the times of a row',
  linesOf(
    'boats.md',
    '| Boat | From | To |\n| --- | --- | --- |\n| Gull | 08:00 | 10:30 |\n| Tern | 09:00 | 12:00 |',
  ),
  [
    ['Gull is at sea at 09:00', held],
    ['Gull came at 12:00', refused],
  ],
);

checkClaims(
  'a length of two units, and a port',
  linesOf('tide.log', '10:00:01 quay 10.0.0.7:8070 open for 12h30m'),
  [
    ['The quay was open for 12.5 hours', held],
    ['The quay was open for 750 minutes', held],
    ['The quay was open for 13.5 hours', refused],
    ['The quay at 10.0.0.7 has the port 8070', held],
  ],
);
