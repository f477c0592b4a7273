/**
 * Each way in which a change can break something: a diff that shows it, and one that looks alike and does not. The test
 * beside it holds the rules to both, and docs/links.md lists them.
 */
export interface MechanismExample {
  readonly name: string;
  readonly shows: string;
  readonly unlike: string;
}

const row = (name: string, shows: string, unlike: string): MechanismExample => ({ name, shows, unlike });

export const mechanismExamples: readonly MechanismExample[] = [
  row(
    'a timetable',
    '-  cron: 0 3 * * *\n+  cron: */5 * * * *',
    '-  cron: 0 3 * * *\n+  cron: 0 3 * * *  # at night',
  ),
  row(
    'the time limit',
    '-  timeout: 30s\n+  timeout: 500ms',
    '-  raise HTTPException(504, "timeout")\n+  raise HTTPException(503, "timeout")',
  ),
  row('the life of what is cached', '-  ttl: 15m\n+  ttl: 15s', '-  title: 15\n+  title: 16'),
  row(
    'the size of the pool',
    '-  maxPoolSize: 40\n+  maxPoolSize: 2',
    '-  log("pool of 40")\n+  log("pool of 2")',
  ),
  row(
    'the number or the pace of retries',
    '-  attempts = 3\n+  attempts = 50',
    '-  attended = 3\n+  attended = 50',
  ),
  row('a limit', '-  rate_limit: 500\n+  rate_limit: 5', '-  answer: 500\n+  answer: 5'),
  row('the memory or the buffer', '-    memory: 2Gi\n+    memory: 128Mi', '-    theme: 2\n+    theme: 1'),
  row('the number of replicas or their share', '-  replicas: 6\n+  replicas: 1', '-  title: 6\n+  title: 1'),
  row(
    'the size of a machine',
    '-  class = "db.r6g.4xlarge"\n+  class = "db.r6g.large"',
    '-  class = "row wide"\n+  class = "row narrow"',
  ),
  row('the size or the pace of work', '-  batchSize: 100\n+  batchSize: 10', '-  colour: 100\n+  colour: 10'),
  row('a switch', '-  strict: false\n+  strict: true', '-  strict: false\n+  strict: false  # as before'),
  row('more logging', '-  level: info\n+  level: debug', '-  level: debug\n+  level: info'),
  row(
    'blocks',
    '-  export const check = async (a, b) => compare(a, b)\n+  export const check = async (a, b) => compareSync(a, b)',
    '-  export const check = (a, b) => compare(a, b)\n+  export const check = (a, b) => compareSync(a, b)',
  ),
  row('blocks', '@@ async def quote():\n+    requests.get(url)', '@@ def quote():\n+    requests.get(url)'),
  row(
    'one call more',
    '+  const found = await fetch(url);',
    '-  const found = await fetch(url);\n+  const found = await fetch(address);',
  ),
  row(
    'unbounded',
    '-  SELECT id FROM orders WHERE day = ? LIMIT 50\n+  SELECT id FROM orders WHERE day = ?',
    '-  SELECT id FROM orders WHERE day = ? LIMIT 50\n+  SELECT id FROM orders WHERE day = ? LIMIT 90',
  ),
  row(
    'call in a loop',
    '+  for (const one of cart) {\n+    await rateClient.get(one);\n+  }',
    '+  for (const one of cart) {\n+    total += one.net;\n+  }',
  ),
  row(
    'no more batches',
    '-  client.getMany(bulk)\n+  client.get(one)',
    '-  client.getMany(bulk)\n+  client.getMany(bulk, chunk)',
  ),
  row(
    'all at once',
    '-  Usage.find_each { |one| add(one) }\n+  Usage.all.each { |one| add(one) }',
    '-  Usage.find_each { |one| add(one) }\n+  Usage.find_each { |one| put(one) }',
  ),
  row('waits', '+  mutex.lock()', '-  mutex.lock()\n+  mutex.lock() // once'),
  row('schema', '+DROP INDEX orders_customer;', '+CREATE INDEX CONCURRENTLY orders_day ON orders (day);'),
  row(
    'past the index',
    '-  WHERE n.at >= :from\n+  WHERE date(n.at) = :day',
    '-  WHERE n.at >= :from\n+  WHERE n.at = date(:day)',
  ),
  row(
    'no longer kept',
    '-  return cache.getOrLoad(id)\n+  return rates.read(id)',
    '-  return cache.getOrLoad(id)\n+  return cache.getOrLoad(key)',
  ),
  row(
    'never the same',
    '-  key = "rate-" + shop\n+  key = "rate-" + request_id',
    '-  key = "rate-" + shop\n+  key = "rate-" + country',
  ),
  row(
    'costlier',
    '+  return re.compile(pattern).match(text)',
    '-  return re.compile(pattern).match(text)\n+  return re.compile(shape).match(text)',
  ),
  row(
    'a loop more',
    '+  for (const one of all) {\n+    total += one;\n+  }',
    '-  for (const one of all) {\n+  for (const one of many) {',
  ),
  row(
    'one by one',
    '-  Order.includes(:lines).all\n+  Order.all',
    '-  Order.includes(:lines).all\n+  Order.includes(:lines).recent',
  ),
  row('an expression', '-  /^[a-z]+$/\n+  /^([a-z]+)+$/', '-  /^[a-z]+$/\n+  /^[a-z]+[0-9]+$/'),
  row(
    'another name on the wire',
    '-  row["net_total"]\n+  row["net_amount"]',
    '-  say("net total")\n+  say("net amount")',
  ),
  row('not given back', '-  defer rows.Close()', '-  defer rows.Close()\n+  defer found.Close()'),
  row(
    'not given back',
    '-  try (Rows rows = all.read()) {\n+  Rows rows = all.read();',
    '-  try (Rows rows = all.read()) {\n+  Rows rows = all.read();\n+  } finally { rows.close(); }',
  ),
  row(
    'not given back',
    '-  with open(path) as file:\n+  file = open(path)',
    '-  with open(path) as file:\n+  with gzip.open(path) as file:',
  ),
  row('grows', '+  seen[key] = value', '-  seen[key] = value\n+  seen[name] = value'),
  row('grows', '+  relay.held[one.id] = one', '+  relay.held["last"] = one'),
  row('grows', '+  relay.held[one.id] = one', '+  if (relay.held[one.id] == one) return one'),
  row('access', '-  role: admin\n-  scope: write\n+  name: x', '-  role: admin\n+  role: reader'),
  row(
    'a fence',
    '@@ kind: NetworkPolicy\n-  ingress: [{}]\n+  ingress: []',
    '@@ kind: Service\n-  port: 80\n+  port: 81',
  ),
  row(
    'a guard less',
    '-  return withBackoff(retry, call)\n+  return call()',
    '-  return retry(call)\n+  return retry(ask)',
  ),
  row(
    'not waited for',
    '-  after_commit :announce, on: :create\n+  after_create :announce',
    '-  after_commit :announce, on: :create\n+  after_commit :announce, on: [:create]',
  ),
  row(
    'not waited for',
    '-  await store.put(key)\n+  store.put(key)',
    '-  await store.put(key)\n+  await store.set(key)',
  ),
  row(
    'a check less',
    '-  if (order == null) return\n   use(order)',
    '-  if (err != nil) return\n   use(order)',
  ),
  row(
    'a unit',
    '-  expires = ttl * 1000\n+  expires = ttl',
    '-  expires = ttl * 1000\n+  expires = life * 1000',
  ),
  row(
    'a step less',
    '-  code |> trim() |> upcase() |> lookup()\n+  code |> trim() |> lookup()',
    '-  code |> trim() |> lookup()\n+  code |> lookup() |> trim()',
  ),
  row(
    'a condition',
    '-  if (count < max)\n+  if (count > max)',
    '-  if (count < max)\n+  if (count < limit)',
  ),
  row(
    'a list less',
    '-  allow: ["read", "write"]\n+  allow: ["read"]',
    '-  allow: ["read"]\n+  allow: ["read", "write"]',
  ),
];
