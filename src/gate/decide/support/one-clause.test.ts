import { describe, expect, test } from 'vitest';
import { checkClaims } from '../../answer/check-claims.ts';

const id = 'ev-0123456789';
const verdicts = (claim: string, content: string) =>
  checkClaims({
    answer: `${claim} [${id}].`,
    sources: [{ id, path: 'notes.md', start: 1, end: content.split('\n').length, content }],
  }).map(({ verdict }) => verdict);

describe('what one clause says whole is shown', () => {
  test.each<[line: string, claim: string]>([
    ['Anna pays 40 euros. Bob denies this.', 'Anna pays 40 euros'],
    ['Anna pays 40 euros; Bob pays 60 euros.', 'Bob pays 60 euros'],
    ['Anna pays 40 euros and Bob pays 60 euros.', 'Anna pays 40 euros'],
    ['On Monday Anna called Bob.', 'Anna called Bob on Monday'],
    ['There are 3 piers: one for tugs, two for ferries.', 'There are 3 piers'],
    ['Anna zahlt 40 Euro.', 'Anna zahlt 40 Euro'],
    ['Der Vertrag gilt nicht in Österreich.', 'Der Vertrag gilt nicht in Österreich'],
    ['Der Vertrag gilt ab dem 3. Mai.', 'Der Vertrag gilt ab dem 3. Mai'],
    ['Anna ne paie pas Bob.', 'Anna ne paie pas Bob'],
    ['アンナは40ユーロを払う。', 'アンナは40ユーロを払う'],
    ['Umsatz 2021: 3,5 Mio. Euro', 'Umsatz 2021: 3.5 Mio. Euro'],
    ['Es sind 1.500 Gäste da.', 'Es sind 1500 Gäste da'],
    ['- **Crane load**: 20 tons', 'The crane load is 20 tons'],
    ['- 09:20 - Anna leaves the office', 'At 09:20 Anna leaves the office'],
    ['See [the rules](https://a.example/not). The [limit](b.md) is 5 MB.', 'The limit is 5 MB'],
    ['- **BFS (Breadth-First Search)** – przeszukiwanie wszerz.', 'BFS to przeszukiwanie wszerz'],
    ['Gelbe Buchse: Freifunk<br />\nBlaue Buchse: LAN', 'Die blaue Buchse ist LAN'],
    ['Am Montag trifft Anna den Kunden.', 'Anna trifft am Montag den Kunden'],
    ['Sinds 2020 gebruikt Noord het systeem Hermes.', 'Noord gebruikt sinds 2020 het systeem Hermes'],
    [
      'Standardmäßig werden Kopien 7 Tage lang aufbewahrt.',
      'Kopien werden standardmäßig 7 Tage lang aufbewahrt',
    ],
    ['Depuis 2019 Clara habite à Berlin.', 'Clara habite à Berlin depuis 2019'],
    ['Les logos doivent être carrés et de préférence grands.', 'Les logos doivent être carrés'],
    ['Die Hardware wird im Lager gelagert und dort abgeholt.', 'Die Hardware wird im Lager gelagert'],
    ['Frequency before the incident was 49.8 Hz.', 'Before the incident the frequency was 49.8 Hz'],
    ['The frequency fell below 47 Hz, causing relays to trip.', 'The frequency fell below 47 Hz'],
    ['It was taken down at ~06:30, and all sessions were invalidated.', 'All sessions were invalidated'],
    ['You would expect 3 GB, but `MaxSize` defaults to 2048 and caps it.', 'MaxSize defaults to 2048'],
    ['## Payments\n\n- Anna pays Bob', 'Payments: Anna pays Bob'],
  ])('%s %s', (line, claim) => {
    expect(verdicts(claim, line)).toEqual(['shown']);
  });
});

const notShown = (cases: readonly (readonly [line: string, claim: string])[]): unknown =>
  test.each(cases)('%s %s', (line, claim) => {
    expect(verdicts(claim, line)).not.toContain('shown');
  });

describe('what stands in another place, or beside it', () => {
  notShown([
    ['Am Montag trifft Anna Bob.', 'Bob trifft am Montag Anna'],
    ['Die Hardware wird im Lager gelagert und nicht abgeholt.', 'Die Hardware wird im Lager gelagert'],
    ['Wenn der Server voll ist und steht, ist er aus.', 'Der Server ist voll'],
    ['Der Preis liegt zwischen 3 und 5 Euro.', 'Der Preis liegt zwischen 3'],
    ['Nur am Montag kommt Anna ins Büro.', 'Anna kommt nur ins Büro am Montag'],
    ['Wegen des Regens kam Anna nicht.', 'Anna kam nicht wegen des Regens'],
    ['## Payments\n\n- Anna pays Bob', 'Payments: Bob pays Anna'],
    ['HTTP uses port 80.', 'HTTPS uses port 80'],
    ['The limit is 5 MB, assuming that the disk is full.', 'The limit is 5 MB'],
    ['If it was slow, and it was full, the server was stopped.', 'It was full'],
    ['Bob said that it was late, but Anna was there.', 'Anna was there'],
    ['AP -> STA: sends the key', 'AP is STA sends the key'],
  ]);
});

describe('a denial that the claim drops, in any language', () => {
  notShown([
    ['Die Firma liefert keine Ersatzteile nach Polen.', 'Die Firma liefert Ersatzteile nach Polen'],
    ['Der Vertrag gilt ab dem 3. Mai nicht mehr.', 'Der Vertrag gilt ab dem 3. Mai'],
    ['Wir nutzen Redis nie in Produktion.', 'Wir nutzen Redis in Produktion'],
    ["Le contrat ne s'applique pas à Vienne.", "Le contrat s'applique à Vienne"],
    ['Anna ne paie que 40 euros.', 'Anna paie 40 euros'],
    ['Nunca usamos Redis en producción.', 'Usamos Redis en producción'],
    ['O contrato não se aplica a Viena.', 'O contrato se aplica a Viena'],
    ['Il contratto non si applica a Vienna.', 'Il contratto si applica a Vienna'],
    ['Nie używamy Redis w produkcji.', 'Używamy Redis w produkcji'],
    ['Договор не распространяется на Вену.', 'Договор распространяется на Вену'],
    ['Het contract geldt niet voor Wenen.', 'Het contract geldt voor Wenen'],
    ['Avtalet gäller inte i Wien.', 'Avtalet gäller i Wien'],
    ['A szerződés nem érvényes Bécsben.', 'A szerződés érvényes Bécsben'],
    ['アンナは40ユーロを払わない。', 'アンナは40ユーロを払う'],
    ['| Ort | Datum |\n|---|---|\n| Berlin | nicht am 3. Mai |', 'Berlin am 3. Mai'],
  ]);
});

describe('what the sentence says of another', () => {
  notShown([
    ['The shop opens at 9:00 and closes at 18:00.', 'The shop opens at 18:00'],
    ['The project began in March 2020 and ended in May 2021.', 'The project began in May 2021'],
    ['Anna pays 40 euros and Bob pays 60 euros.', 'Anna pays 60 euros'],
    ['Anna pays 40 euros, Bob 60 euros.', 'Anna pays 60 euros'],
    ['Anna płaci 40 zł, a Bob 60 zł.', 'Anna płaci 60 zł'],
    ['The invoice was sent on 3 May and paid on 9 June.', 'The invoice was sent on 9 June'],
    ['Prices rose from 10 to 15 euros.', 'Prices rose to 10 euros'],
    ['We moved from MySQL to Postgres in May.', 'We moved to MySQL in May'],
    ['Alice -> Bob: sends the key', 'Bob sends the key'],
    ['Anna was paid 40 euros.', 'Anna paid 40 euros'],
    ['Den Hund beißt der Mann im Park.', 'Der Hund beißt den Mann im Park'],
    ['Before the deploy the backup runs.', 'The deploy runs before the backup'],
    ['The server of Bob is in Berlin.', 'The server is in Berlin'],
    ['Die Miete beträgt 1.500 Euro.', 'Die Miete beträgt 1.5 Euro'],
  ]);
});

describe('denial by a verb, doubt, exception, another time, what is struck out', () => {
  notShown([
    ['Clara refused to sign the contract.', 'Clara signed the contract'],
    ['It is false that Anna owes Bob 40 euros.', 'Anna owes Bob 40 euros'],
    ['Bob thinks that Anna signed the contract.', 'Anna signed the contract'],
    ['Bob: Anna pays 40 euros.', 'Anna pays 40 euros'],
    ['Anna pays 40 euros and that was a lie.', 'Anna pays 40 euros'],
    ['Bob might leave in May.', 'Bob leaves in May'],
    ['Anna, unlike Bob, has a key to Room 7.', 'Bob has a key to Room 7'],
    ['Alle Backups außer denen aus Hamburg sind verschlüsselt.', 'Alle Backups sind verschlüsselt'],
    ['If the tests fail, the deploy is stopped.', 'The deploy is stopped'],
    [
      'Until 2022 Anna was head of sales; since 2022 Bob is head of sales.',
      'Anna is head of sales since 2022',
    ],
    ['The old limit was 5 MB; the limit is 10 MB now.', 'The limit is 5 MB'],
    ['- Limit: ~~5 MB~~', 'The limit is 5 MB'],
    ['~~Anna pays 40 euros. Bob pays 60 euros.~~', 'Bob pays 60 euros'],
    ['Does Anna pay 40 euros?', 'Anna does pay 40 euros'],
    ['- [ ] Move the server to Berlin', 'Move the server to Berlin'],
    ['# Not supported\n\n* Redis', 'Redis is supported'],
  ]);
});

describe('the order of words contradicts only where it says who does it to whom', () => {
  test.each<[line: string, claim: string]>([
    ['Am Montag trifft Anna den Kunden.', 'Anna trifft am Montag den Kunden'],
    ['Die Daten löscht der Admin nach 30 Tagen.', 'Der Admin löscht die Daten nach 30 Tagen'],
    ['Sinds 2020 gebruikt Noord het systeem Hermes.', 'Noord gebruikt sinds 2020 het systeem Hermes'],
    ['The meeting starts at 14:30 and ends at 16:00.', 'The meeting ends at 16:00'],
  ])('%s %s', (line, claim) => {
    expect(verdicts(claim, line)).not.toContain('contradicted');
  });

  test('as in English', () => {
    expect(verdicts('The cat bites the old dog', 'The old dog bites the cat.')).toEqual(['contradicted']);
  });
});
