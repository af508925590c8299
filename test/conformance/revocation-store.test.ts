// What every store for tokens that were taken back promises.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RevocationStore } from '../../src/storage/revocation-store.ts';
import { type OpenedRecords, recordSubjects } from '../support/record-stores.ts';

const kept = recordSubjects.filter(({ name }) => name !== 'in memory');

describe.each(kept)('a revocation store $name', ({ open }) => {
  let opened: OpenedRecords;
  let revocations: RevocationStore;
  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    revocations = (await opened.fresh()).revocations!;
  });
  afterAll(() => opened.close());

  it('has those whose tokens could still be used, the first to expire first', async () => {
    await revocations.add({ id: 'late', untilMs: 3_000 }, 1_000);
    await revocations.add({ id: 'soon', untilMs: 2_000 }, 1_000);
    expect(await revocations.list(1_999)).toEqual([
      { id: 'soon', untilMs: 2_000 },
      { id: 'late', untilMs: 3_000 },
    ]);
    expect(await revocations.list(2_000)).toEqual([{ id: 'late', untilMs: 3_000 }]);
  });

  it('takes one that is there for longer, and drops what has expired', async () => {
    await revocations.add({ id: 'one', untilMs: 2_000 }, 1_000);
    await revocations.add({ id: 'one', untilMs: 4_000 }, 1_500);
    await revocations.add({ id: 'two', untilMs: 2_000 }, 1_500);
    await revocations.add({ id: 'three', untilMs: 5_000 }, 2_500);
    expect((await revocations.list(0)).map(({ id }) => id)).toEqual(['one', 'three']);
  });
});
