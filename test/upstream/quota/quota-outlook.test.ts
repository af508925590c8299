import { describe, expect, it } from 'vitest';
import { createQuotaOutlook } from '../../../src/upstream/quota/quota-outlook.ts';

const at = (leave: number, ...among: string[]) => ({ leave, among: among.length === 0 ? ['k'] : among });
const perMs = () => 0.001;
const NOWHERE = Number.POSITIVE_INFINITY;

describe('the outlook', () => {
  it('knows nothing at first, and when the time told has come', () => {
    const outlook = createQuotaOutlook();
    expect(outlook.waitMs(0, 5, perMs, 0)).toBeUndefined();
    expect([outlook.closedFrom(0), outlook.nextMs(0)]).toEqual([NOWHERE, NOWHERE]);
    outlook.refused(at(0), [100, 250], 1_000);
    expect([1_000, 1_099, 1_100].map((nowMs) => outlook.closedFrom(nowMs))).toEqual([0, 0, NOWHERE]);
    expect([1_000, 1_099, 1_100].map((nowMs) => outlook.nextMs(nowMs))).toEqual([100, 1, NOWHERE]);
    expect(outlook.waitMs(0, 0, perMs, 1_100)).toBeUndefined();
  });

  it('tells each place in line its own moment, and goes by their pace beyond', () => {
    const outlook = createQuotaOutlook();
    outlook.refused(at(0), [100, 250, 300], 0);
    const waits = [0, 1, 2, 3, 5].map((ahead) => outlook.waitMs(0, ahead, perMs, 40));
    expect(waits).toEqual([60, 210, 260, 360, 560]);
  });

  it('goes by the limits beyond what comes all at once', () => {
    const outlook = createQuotaOutlook();
    outlook.refused(at(0), [250, 250], 0);
    expect([1, 2, 4].map((ahead) => outlook.waitMs(0, ahead, perMs, 40))).toEqual([210, 1_210, 3_210]);
    expect(outlook.waitMs(0, 9, () => Number.POSITIVE_INFINITY, 40)).toBe(210);
  });

  it('closes to those who leave more, not to those who leave less', () => {
    const outlook = createQuotaOutlook();
    outlook.refused(at(0.2), [500], 0);
    expect([outlook.closedFrom(0), outlook.nextMs(0)]).toEqual([0.2, 500]);
    expect([0, 0.1, 0.2, 0.3].map((leave) => outlook.waitMs(leave, 0, perMs, 0))).toEqual([
      undefined,
      undefined,
      500,
      500,
    ]);
    outlook.refused(at(0), [100], 0);
    expect([0, 0.1, 0.2].map((leave) => outlook.waitMs(leave, 0, perMs, 0))).toEqual([100, 100, 500]);
    expect([outlook.closedFrom(0), outlook.nextMs(0), outlook.closedFrom(100)]).toEqual([0, 100, 0.2]);
  });

  it('never says that now is later', () => {
    const outlook = createQuotaOutlook();
    for (const waitsMs of [[], [0], [-5]]) {
      outlook.refused(at(0), waitsMs, 0);
      expect([outlook.closedFrom(0), outlook.nextMs(0)]).toEqual([0, 1]);
    }
  });

  it('forgets when told, and when a key can be asked that was not', () => {
    const outlook = createQuotaOutlook();
    outlook.refused(at(0, 'a', 'b'), [100], 0);
    outlook.compare(['a']);
    expect(outlook.closedFrom(0)).toBe(0);
    outlook.compare(['b', 'c']);
    expect(outlook.closedFrom(0)).toBe(NOWHERE);
    outlook.refused(at(0), [100], 0);
    outlook.forget();
    expect(outlook.closedFrom(0)).toBe(NOWHERE);
  });
});
