// One instance in a process of its own: takes places until it gets no more, says how many, and holds them until it is killed.
// Arguments: URL, number of places.

import { openPlaces, pause, until } from './redis-quota-stores.ts';

const [url, atOnce] = process.argv.slice(2) as [string, string];
const store = openPlaces({ url, quotas: [{ quota: 'a', atOnce: Number(atOnce) }] });
let taken = 0;
const take = async () => {
  const answer = await store.ask({ reservation: `child-${taken}`, among: ['a'], leave: 0, forecast: 1 });
  if (answer.granted) taken += 1;
  return taken === Number(atOnce);
};
await until(take);
process.stdout.write('taken');
await pause(600_000);
