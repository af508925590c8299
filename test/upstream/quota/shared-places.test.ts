// Requests at once while the server of all instances does not answer: with a server and a clock that the test holds in its hand.
// What is counted together is tested against a real one, in integration/.
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createMemoryQuotaStore } from '../../../src/upstream/quota/memory-quota-store.ts';
import type { QuotaReport } from '../../../src/upstream/quota/quota-store.ts';
import {
  createSharedPlaces,
  LEASE_MS,
  type PlaceAnswer,
  type PlaceServer,
  type PlacesSeen,
  type PlacesTold,
  RENEW_MS,
} from '../../../src/upstream/quota/shared-places.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const LIMIT = 6;

function open(seen: Partial<PlacesSeen> = {}) {
  const clock = createFakeClock();
  let answers: 'yes' | 'no' = 'yes';
  let next: PlaceAnswer = { kind: 'taken', used: 1 };
  let turn: (quota: string, asker: string) => void = () => {};
  const told: PlacesTold[] = [];
  const freed: string[] = [];
  const server: PlaceServer = {
    isReady: () => answers === 'yes',
    take: async () => next,
    async free({ reservation }) {
      freed.push(reservation);
    },
    async renew(request) {
      told.push(request);
      return { isRebuilding: false, instances: 3, used: [0], ...seen };
    },
    onReady() {},
    onTurn(listener) {
      turn = listener;
    },
    close() {},
  };
  const store = createMemoryQuotaStore({
    quotas: [{ quota: 'a', perMinute: 'unlimited' }],
    clock,
    log: silentLog,
  });
  const reports: QuotaReport[] = [];
  const places = createSharedPlaces({
    server,
    quotas: [{ quota: 'a', atOnce: LIMIT }],
    store: {
      ...store,
      report(quota, reservation, report) {
        reports.push(report);
        store.report(quota, reservation, report);
      },
    },
    maxInstances: 4,
    clock,
  });
  let asked = 0;
  const ask = async () => {
    const reservation = `r${asked++}`;
    const answer = await places.ask({ reservation, among: ['a'], leave: 0, forecast: 1, asker: 'p' });
    return answer.granted ? reservation : answer.waitsMs[0]!;
  };
  return {
    clock,
    places,
    ask,
    told,
    freed,
    reports,
    lose: () => {
      answers = 'no';
    },
    find: () => {
      answers = 'yes';
    },
    answer: (given: PlaceAnswer) => {
      next = given;
    },
    turn: () => turn('a', 'p'),
  };
}

describe('requests at once without the server', () => {
  it('may be one too many: a refusal then says little of the limit in time', async () => {
    const { ask, places, clock, lose, find, reports } = open();
    const refuse = (reservation: string | number) =>
      places.report('a', `${reservation}`, { kind: 'refused', advice: {} });
    const [together] = [await ask(), lose()];
    clock.advance(2 * LEASE_MS);
    const alone = await ask();
    find();
    refuse(alone);
    clock.advance(LEASE_MS);
    refuse(together);
    expect(reports.map((report) => 'perhaps' in report)).toEqual([true, false]);
  });
  it('are the part of this instance at once where the others had left it', async () => {
    const { clock, ask, lose } = open({ used: [4] });
    await clock.run(RENEW_MS);
    lose();
    expect([await ask(), await ask()]).toEqual(['r0', 'r1']);
    expect(await ask()).toBeTypeOf('number');
  });

  it('are what it had, and its part when the places of the others have lapsed', async () => {
    const { clock, ask, lose, answer } = open({ used: [6] });
    await clock.run(RENEW_MS);
    answer({ kind: 'taken', used: LIMIT });
    expect(await ask()).toBe('r0');
    lose();
    expect(await ask()).toBeTypeOf('number');
    await clock.run(LEASE_MS + 1_000);
    expect(await ask()).toBe('r2');
    expect(await ask()).toBeTypeOf('number');
  });

  it('are told when it is back, and those that ended meanwhile', async () => {
    const { clock, places, ask, lose, find, told } = open();
    await clock.run(RENEW_MS);
    await ask();
    await ask();
    lose();
    places.released?.('a', 'r0');
    await clock.run(RENEW_MS);
    find();
    await clock.run(RENEW_MS);
    expect(told.at(-1)!.quotas[0]).toEqual({ quota: 'a', taken: ['r1'], freed: ['r0'], limit: LIMIT });
  });
});

describe('requests at once with the server', () => {
  it('wait as it says, and no longer than until it is their turn', async () => {
    const { clock, places, ask, answer, turn, freed } = open();
    await clock.run(RENEW_MS);
    const woken: string[] = [];
    places.onChange(() => woken.push('woken'));
    answer({ kind: 'full', used: LIMIT, waitMs: 200 });
    expect(await ask()).toBe(200);
    answer({ kind: 'taken', used: LIMIT });
    await clock.run(50);
    expect(await ask()).toBe(150);
    woken.length = 0;
    turn();
    expect(woken).toEqual(['woken']);
    expect(await ask()).toBe('r2');
    places.released?.('a', 'r2');
    expect(freed).toEqual(['r2']);
    // What was refused a place was not sent.
    expect(places.state()[0]!.used).toBe(1);
  });
});
